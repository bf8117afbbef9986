// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Tells commands that hardware can run by itself from those for the processor.
//
// Contract: with `automated_i`, a read, write, flush or write zeroes of an I/O queue that breaks no rule
// leaves on `io`; everything else leaves as it came on `other`, in particular what is to be refused. Rules:
// no fused operation, PRPs, namespace 1 (or all, to flush), at most `transfer_blocks_i` with data, a dword
// aligned PRP entry 1, and blocks below `blocks_i`. In the cycle after `automated_i` has fallen, and from then on, none
// comes to `io` that was not there. Order is kept within each of the two. Tag and queue of
// `other` are those of the command on `io` as well.
// Latency: one cycle to `other` without a look at the entry; else five.
// Reason: the processor refuses, since it keeps the error log; so no status is made in two places. Only one
// command is looked at at a time, far more often than one comes.
module command_check
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues = 17,
    parameter int unsigned Tags   = 256,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        automated_i,
    input  logic        [         63:0] blocks_i,
    input  logic        [         16:0] transfer_blocks_i,
    input  logic                        command_valid_i,
    output logic                        command_ready_o,
    input  logic        [  TagBits-1:0] command_tag_i,
    input  logic        [QueueBits-1:0] command_queue_i,
    input  logic                        command_failed_i,
    output logic                        read_o,
    output logic        [  TagBits-1:0] read_tag_o,
    output logic                        read_half_o,
    input  logic        [        255:0] read_data_i,
    output logic                        other_valid_o,
    input  logic                        other_ready_i,
    output logic        [  TagBits-1:0] other_tag_o,
    output logic        [QueueBits-1:0] other_queue_o,
    output logic                        other_failed_o,
    output logic                        io_valid_o,
    input  logic                        io_ready_i,
    output io_command_t                 io_o
);

  typedef enum logic [2:0] {
    Idle,
    High,   // reads dwords 8 to 15
    Low,    // has them, reads dwords 0 to 7
    Count,  // has them, adds
    Range,  // compares
    Io,
    Other
  } state_e;

  state_e state_d, state_q;
  logic [TagBits-1:0] tag_q;
  logic [QueueBits-1:0] queue_q;
  // Block RAM takes half a cycle: what comes from it stands in registers before anything is made of it.
  logic failed_q, plain, fits_q;
  io_command_t io_q;
  logic [15:0] operation_q, count_q;
  logic [31:0] namespace_q;
  logic [64:0] last_block_q;
  logic [7:0][31:0] dwords;
  io_e kind;
  logic known, has_data, unused;

  assign dwords = read_data_i;
  assign unused = ^{dwords[3], dwords[5], operation_q[13:10]};
  assign command_ready_o = state_q == Idle;
  assign read_o = state_q == Low || state_q == High;
  assign read_tag_o = tag_q;
  assign read_half_o = state_q == High;
  assign other_valid_o = state_q == Other;
  assign other_tag_o = tag_q;
  assign other_queue_o = queue_q;
  assign other_failed_o = failed_q;
  assign io_valid_o = state_q == Io;
  assign io_o = io_q;

  // Dwords 0, 1 and 6: operation, namespace, PRP entry 1.
  always_comb begin
    known = 1'b1;
    kind  = IoFlush;
    unique case (operation_q[7:0])
      8'h00: kind = IoFlush;
      8'h01: kind = IoWrite;
      8'h02: kind = IoRead;
      8'h08: kind = IoWriteZeroes;
      default: known = 1'b0;
    endcase
    plain = known && operation_q[9:8] == '0 && operation_q[15:14] == '0;
    if (namespace_q != 32'd1 && !(kind == IoFlush && namespace_q == '1)) plain = 1'b0;
    if (has_data && io_q.prp1[1:0] != '0) plain = 1'b0;
  end

  assign has_data = kind == IoWrite || kind == IoRead;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (command_valid_i) begin
          state_d = automated_i && command_queue_i != '0 ? High : Other;
        end
      end
      High: state_d = Low;
      Low: state_d = Count;
      Count: state_d = Range;
      Range: begin
        state_d = Io;
        if (!automated_i || failed_q || !plain || has_data && !fits_q) state_d = Other;
        if (kind != IoFlush && last_block_q >= {1'b0, blocks_i}) state_d = Other;
      end
      Io: if (io_ready_i) state_d = Idle;
      default: if (other_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      state_q <= state_d;
    end
  end

  // Dwords 8 to 12 are PRP entry 2, first block, number of blocks less one and force unit access.
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        tag_q <= command_tag_i;
        queue_q <= command_queue_i;
        failed_q <= command_failed_i;
      end
      Low: begin
        io_q.tag <= tag_t'(tag_q);
        io_q.prp2 <= {dwords[1], dwords[0]};
        io_q.start <= {dwords[3], dwords[2]};
        io_q.forced <= dwords[4][30];
        count_q <= dwords[4][15:0];
      end
      Count: begin
        operation_q <= dwords[0][15:0];
        namespace_q <= dwords[1];
        io_q.prp1 <= {dwords[7], dwords[6]};
        io_q.blocks <= 17'(count_q) + 1'b1;
        last_block_q <= {1'b0, io_q.start} + 65'(count_q);
        fits_q <= 17'(count_q) < transfer_blocks_i;
      end
      Range: io_q.kind <= kind;
      default: ;
    endcase
  end

  `FM_ASSERT_STREAM(u_assert_command, command_valid_i, command_ready_o, {
                 command_tag_i, command_queue_i, command_failed_i})
  `FM_ASSERT_STREAM(u_assert_other, other_valid_o, other_ready_i, {
                 other_tag_o, other_queue_o, other_failed_o})
  `FM_ASSERT_STREAM(u_assert_io, io_valid_o, io_ready_i, io_o)

endmodule
