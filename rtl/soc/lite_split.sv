// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

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
    parameter int unsigned Blocks      = 2,
    parameter int unsigned AddressBits = 20,
    localparam type request_t = `FM_LITE_REQUEST(AddressBits)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // The processor.
    input  logic [Blocks-1:0]           aw_target_i,
    input  logic [Blocks-1:0]           ar_target_i,
    input  request_t                    bus_i,
    output lite_response_t              bus_o,
    // The blocks, which find the address inside of them in its lowest bits.
    output request_t [Blocks-1:0]       block_o,
    input  lite_response_t [Blocks-1:0] block_i
);

  // Which block has an access that is not answered; all zeros where there is none.
  typedef enum logic {
    Idle,
    Answers
  } state_e;
  state_e write_q, read_q;
  logic [Blocks-1:0] write_target_q, read_target_q;
  logic begins_write, begins_read, take_write, take_read, no_writer, no_reader;

  // Of each block.
  logic [Blocks-1:0] aw_ready, b_valid, ar_ready, r_valid, unused_w_ready;

  for (genvar i = 0; i < Blocks; i++) begin : gen_block
    assign aw_ready[i] = block_i[i].aw_ready;
    assign b_valid[i] = block_i[i].b_valid;
    assign ar_ready[i] = block_i[i].ar_ready;
    assign r_valid[i] = block_i[i].r_valid;
    // It takes address and data together.
    assign unused_w_ready[i] = block_i[i].w_ready;

    assign block_o[i] = '{
        aw_valid: aw_target_i[i] && begins_write,
        aw_addr: bus_i.aw_addr,
        w_valid: aw_target_i[i] && begins_write,
        w: bus_i.w,
        b_ready: write_target_q[i] && write_q == Answers && bus_i.b_ready,
        ar_valid: ar_target_i[i] && begins_read,
        ar_addr: bus_i.ar_addr,
        r_ready: read_target_q[i] && read_q == Answers && bus_i.r_ready
    };
  end

  assign no_writer = aw_target_i == '0;
  assign no_reader = ar_target_i == '0;

  assign begins_write = write_q == Idle && bus_i.aw_valid && bus_i.w_valid;
  assign begins_read = read_q == Idle && bus_i.ar_valid;
  assign take_write = begins_write && (no_writer || (aw_target_i & aw_ready) != '0);
  assign take_read = begins_read && (no_reader || (ar_target_i & ar_ready) != '0);

  always_comb begin
    bus_o = '{
        aw_ready: take_write,
        w_ready: take_write,
        b_valid: write_q == Answers && (write_target_q == '0 || (write_target_q & b_valid) != '0),
        b_resp: write_target_q == '0 ? SubordinateError : Okay,
        ar_ready: take_read,
        r_valid: read_q == Answers && (read_target_q == '0 || (read_target_q & r_valid) != '0),
        r: '{data: '0, response: read_target_q == '0 ? SubordinateError : Okay}
    };
    for (int unsigned i = 0; i < Blocks; i++) begin
      if (write_target_q[i]) bus_o.b_resp = response_e'(bus_o.b_resp | block_i[i].b_resp);
      if (read_target_q[i]) bus_o.r |= block_i[i].r;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= Idle;
      read_q <= Idle;
    end else begin
      if (take_write) write_q <= Answers;
      else if (bus_o.b_valid && bus_i.b_ready) write_q <= Idle;
      if (take_read) read_q <= Answers;
      else if (bus_o.r_valid && bus_i.r_ready) read_q <= Idle;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_write) write_target_q <= aw_target_i;
    if (take_read) read_target_q <= ar_target_i;
  end

  `FM_ASSERT(OneWriter, (aw_target_i & (aw_target_i - 1'b1)) == '0)
  `FM_ASSERT(OneReader, (ar_target_i & (ar_target_i - 1'b1)) == '0)
  `FM_ASSERT_STREAM(u_assert_b, bus_o.b_valid, bus_i.b_ready, bus_o.b_resp)
  `FM_ASSERT_STREAM(u_assert_r, bus_o.r_valid, bus_i.r_ready, bus_o.r)

endmodule
