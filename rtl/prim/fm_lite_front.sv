// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The AXI4-Lite side of a block of registers.
//
// Contract: one write and one read at a time. `write_o` is up for one cycle a write, in which its word and data are at
// the bus; `read_o` for one cycle a read and while `read_waits_i`, with its word, and `read_data_i` is taken in its
// last one. What is not known in that cycle, or is a write of a part of a word, ends in SLVERR; `write_o` is down
// then for a part of a word.
// Latency: two cycles from address to response, and those that a read waits. A write or a read every two cycles.
// Reason: addresses and data stay on the bus until they are taken, so a cycle for the decision needs no copy of them,
// and every handshake comes from a register.
module fm_lite_front
  import fm_axi_pkg::*;
#(
    parameter int unsigned AddressBits = 9,
    localparam int unsigned WordBits = AddressBits - 2
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [AddressBits-1:0] aw_addr_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  lite_write_t            w_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output response_e              b_resp_o,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [AddressBits-1:0] ar_addr_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output lite_read_t             r_o,
    // The registers.
    output logic                   write_o,
    output logic [   WordBits-1:0] write_word_o,
    input  logic                   write_known_i,
    output logic                   read_o,
    output logic [   WordBits-1:0] read_word_o,
    input  logic                   read_known_i,
    input  logic                   read_waits_i,
    input  logic [           31:0] read_data_i
);

  // Writes.
  logic take_write_q, b_valid_q;
  response_e b_resp_q;

  assign write_word_o = aw_addr_i[AddressBits-1:2];
  assign write_o = take_write_q && w_i.strobe == '1;
  assign aw_ready_o = take_write_q;
  assign w_ready_o = take_write_q;
  assign b_valid_o = b_valid_q;
  assign b_resp_o = b_resp_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      take_write_q <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      take_write_q <= !take_write_q && aw_valid_i && w_valid_i && (!b_valid_q || b_ready_i);
      if (take_write_q) b_valid_q <= 1'b1;
      else if (b_ready_i) b_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_write_q) b_resp_q <= write_o && write_known_i ? Okay : SubordinateError;
  end

  // Reads.
  logic take_read_q, r_valid_q, read_done;
  lite_read_t r_q;

  assign read_word_o = ar_addr_i[AddressBits-1:2];
  assign read_o = take_read_q;
  assign read_done = take_read_q && !read_waits_i;
  assign ar_ready_o = read_done;
  assign r_valid_o = r_valid_q;
  assign r_o = r_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      take_read_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      take_read_q <= take_read_q ? read_waits_i : ar_valid_i && (!r_valid_q || r_ready_i);
      if (read_done) r_valid_q <= 1'b1;
      else if (r_ready_i) r_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_done) r_q <= '{data: read_data_i, response: read_known_i ? Okay : SubordinateError};
  end

  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_i, aw_ready_o, aw_addr_i)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_i, w_ready_o, w_i)
  `FM_ASSERT_STREAM(u_assert_b, b_valid_o, b_ready_i, b_resp_o)
  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_i, ar_ready_o, ar_addr_i)
  `FM_ASSERT_STREAM(u_assert_r, r_valid_o, r_ready_i, r_o)

endmodule
