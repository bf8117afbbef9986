// SPDX-License-Identifier: Apache-2.0

// AXI4-Lite from the clock of a manager to that of a block of registers, or wires where both are the same.
//
// Contract: address and data of a write are offered, and taken by the block, in the same cycle. Writes and reads keep
// their order each, but none to each other.
// Latency: none, or that of fm_fifo_async each way.
// Reason: whoever waits for the answer to each access needs queues of two places.
module fm_lite_crossing
  import fm_axi_pkg::*;
#(
    parameter int unsigned AddressBits = 9,
    parameter bit          Cross       = 1'b1
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
    // The block.
    input  logic                   block_clk_i,
    input  logic                   block_rst_ni,
    output logic                   block_aw_valid_o,
    input  logic                   block_aw_ready_i,
    output logic [AddressBits-1:0] block_aw_addr_o,
    output logic                   block_w_valid_o,
    output lite_write_t            block_w_o,
    input  logic                   block_b_valid_i,
    output logic                   block_b_ready_o,
    input  response_e              block_b_resp_i,
    output logic                   block_ar_valid_o,
    input  logic                   block_ar_ready_i,
    output logic [AddressBits-1:0] block_ar_addr_o,
    input  logic                   block_r_valid_i,
    output logic                   block_r_ready_o,
    input  lite_read_t             block_r_i
);

  localparam int unsigned Depth = 2;

  logic write_valid, write_ready;
  logic [1:0] b_resp;

  assign write_valid = aw_valid_i && w_valid_i;
  assign aw_ready_o = write_valid && write_ready;
  assign w_ready_o = aw_ready_o;
  assign block_w_valid_o = block_aw_valid_o;
  assign b_resp_o = response_e'(b_resp);

  fm_crossing #(
      .Width(AddressBits + $bits(lite_write_t)),
      .Depth(Depth),
      .Cross(Cross)
  ) u_writes (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni),
      .in_valid_i(write_valid), .in_ready_o(write_ready), .in_data_i({aw_addr_i, w_i}),
      .out_clk_i(block_clk_i), .out_rst_ni(block_rst_ni),
      .out_valid_o(block_aw_valid_o), .out_ready_i(block_aw_ready_i), .out_data_o({block_aw_addr_o, block_w_o})
  );

  fm_crossing #(
      .Width($bits(response_e)),
      .Depth(Depth),
      .Cross(Cross)
  ) u_written (
      .in_clk_i(block_clk_i), .in_rst_ni(block_rst_ni),
      .in_valid_i(block_b_valid_i), .in_ready_o(block_b_ready_o), .in_data_i(block_b_resp_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni),
      .out_valid_o(b_valid_o), .out_ready_i(b_ready_i), .out_data_o(b_resp)
  );

  fm_crossing #(
      .Width(AddressBits),
      .Depth(Depth),
      .Cross(Cross)
  ) u_reads (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni),
      .in_valid_i(ar_valid_i), .in_ready_o(ar_ready_o), .in_data_i(ar_addr_i),
      .out_clk_i(block_clk_i), .out_rst_ni(block_rst_ni),
      .out_valid_o(block_ar_valid_o), .out_ready_i(block_ar_ready_i), .out_data_o(block_ar_addr_o)
  );

  fm_crossing #(
      .Width($bits(lite_read_t)),
      .Depth(Depth),
      .Cross(Cross)
  ) u_data (
      .in_clk_i(block_clk_i), .in_rst_ni(block_rst_ni),
      .in_valid_i(block_r_valid_i), .in_ready_o(block_r_ready_o), .in_data_i(block_r_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni),
      .out_valid_o(r_valid_o), .out_ready_i(r_ready_i), .out_data_o(r_o)
  );

endmodule
