// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Splits the processor's bus to blocks of registers.
//
// Contract: AXI4-Lite on both sides; `target(address)` is a bit for the block that an address belongs to,
// given from outside as `aw_target_i` and `ar_target_i`, none where there is no block: such an access ends in SLVERR. One write and
// one read at a time. Blocks take address and data of a write in the same cycle, as register blocks do.
// Latency: none, and one cycle between two accesses.
// Reason: a processor waits for its register accesses one by one.
module lite_split
  import fm_axi_pkg::*;
#(
    parameter int unsigned Blocks = 2
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // The processor.
    input  logic [Blocks-1:0]       aw_target_i,
    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output response_e               b_resp_o,
    input  logic [Blocks-1:0]       ar_target_i,
    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output lite_read_t              r_o,
    // The blocks. Addresses and data are those of the processor.
    output logic [Blocks-1:0]       block_aw_valid_o,
    input  logic [Blocks-1:0]       block_aw_ready_i,
    output logic [Blocks-1:0]       block_w_valid_o,
    input  logic [Blocks-1:0]       block_b_valid_i,
    output logic [Blocks-1:0]       block_b_ready_o,
    input  response_e [Blocks-1:0]  block_b_resp_i,
    output logic [Blocks-1:0]       block_ar_valid_o,
    input  logic [Blocks-1:0]       block_ar_ready_i,
    input  logic [Blocks-1:0]       block_r_valid_i,
    output logic [Blocks-1:0]       block_r_ready_o,
    input  lite_read_t [Blocks-1:0] block_r_i
);

  // Which block has an access that is not answered; all zeros where there is none.
  typedef enum logic {
    Idle,
    Answers
  } state_e;
  state_e write_q, read_q;
  logic [Blocks-1:0] write_target_q, read_target_q;
  logic take_write, take_read, no_writer, no_reader;

  assign no_writer = aw_target_i == '0;
  assign no_reader = ar_target_i == '0;

  assign block_aw_valid_o = aw_target_i & {Blocks{write_q == Idle && aw_valid_i && w_valid_i}};
  assign block_w_valid_o = block_aw_valid_o;
  assign take_write = write_q == Idle && aw_valid_i && w_valid_i
      && (no_writer || (aw_target_i & block_aw_ready_i) != '0);
  assign aw_ready_o = take_write;
  assign w_ready_o = take_write;
  assign b_valid_o = write_q == Answers
      && (write_target_q == '0 || (write_target_q & block_b_valid_i) != '0);
  assign block_b_ready_o = write_target_q & {Blocks{write_q == Answers && b_ready_i}};

  assign block_ar_valid_o = ar_target_i & {Blocks{read_q == Idle && ar_valid_i}};
  assign take_read = read_q == Idle && ar_valid_i && (no_reader || (ar_target_i & block_ar_ready_i) != '0);
  assign ar_ready_o = take_read;
  assign r_valid_o = read_q == Answers
      && (read_target_q == '0 || (read_target_q & block_r_valid_i) != '0);
  assign block_r_ready_o = read_target_q & {Blocks{read_q == Answers && r_ready_i}};

  always_comb begin
    b_resp_o = write_target_q == '0 ? SubordinateError : Okay;
    r_o = '{data: '0, response: read_target_q == '0 ? SubordinateError : Okay};
    for (int unsigned i = 0; i < Blocks; i++) begin
      if (write_target_q[i]) b_resp_o = response_e'(b_resp_o | block_b_resp_i[i]);
      if (read_target_q[i]) r_o |= block_r_i[i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= Idle;
      read_q <= Idle;
    end else begin
      if (take_write) write_q <= Answers;
      else if (b_valid_o && b_ready_i) write_q <= Idle;
      if (take_read) read_q <= Answers;
      else if (r_valid_o && r_ready_i) read_q <= Idle;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_write) write_target_q <= aw_target_i;
    if (take_read) read_target_q <= ar_target_i;
  end

  `FM_ASSERT(OneWriter, (aw_target_i & (aw_target_i - 1'b1)) == '0)
  `FM_ASSERT(OneReader, (ar_target_i & (ar_target_i - 1'b1)) == '0)
  `FM_ASSERT_STREAM(u_assert_b, b_valid_o, b_ready_i, b_resp_o)
  `FM_ASSERT_STREAM(u_assert_r, r_valid_o, r_ready_i, r_o)

endmodule
