// SPDX-License-Identifier: Apache-2.0

// AXI4 from the clock of a manager to that of a memory, or wires where both are the same.
//
// Contract: each of the five channels keeps its order; what goes with a beat of read data or of data to be written is of
// as many bits as it is said to have. Data of a write may arrive before its address.
// Latency: none, or that of fm_fifo_async each way.
// Reason: queues of eight places keep both sides going in every cycle if the clocks are alike.
module fm_axi_crossing
  import fm_axi_pkg::*;
#(
    parameter int unsigned ReadBits  = 259,
    parameter int unsigned WriteBits = 265,
    parameter bit          Cross     = 1'b1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 ar_valid_i,
    output logic                 ar_ready_o,
    input  burst_t               ar_i,
    output logic                 r_valid_o,
    input  logic                 r_ready_i,
    output logic [ReadBits-1:0]  r_o,
    input  logic                 aw_valid_i,
    output logic                 aw_ready_o,
    input  burst_t               aw_i,
    input  logic                 w_valid_i,
    output logic                 w_ready_o,
    input  logic [WriteBits-1:0] w_i,
    output logic                 b_valid_o,
    input  logic                 b_ready_i,
    output response_e            b_response_o,
    // The memory.
    input  logic                 memory_clk_i,
    input  logic                 memory_rst_ni,
    output logic                 memory_ar_valid_o,
    input  logic                 memory_ar_ready_i,
    output burst_t               memory_ar_o,
    input  logic                 memory_r_valid_i,
    output logic                 memory_r_ready_o,
    input  logic [ReadBits-1:0]  memory_r_i,
    output logic                 memory_aw_valid_o,
    input  logic                 memory_aw_ready_i,
    output burst_t               memory_aw_o,
    output logic                 memory_w_valid_o,
    input  logic                 memory_w_ready_i,
    output logic [WriteBits-1:0] memory_w_o,
    input  logic                 memory_b_valid_i,
    output logic                 memory_b_ready_o,
    input  response_e            memory_b_response_i
);

  logic [1:0] b_response;

  assign b_response_o = response_e'(b_response);

  fm_crossing #(
      .Width($bits(burst_t)),
      .Cross(Cross)
  ) u_read_addresses (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni),
      .in_valid_i(ar_valid_i), .in_ready_o(ar_ready_o), .in_data_i(ar_i),
      .out_clk_i(memory_clk_i), .out_rst_ni(memory_rst_ni),
      .out_valid_o(memory_ar_valid_o), .out_ready_i(memory_ar_ready_i), .out_data_o(memory_ar_o)
  );

  fm_crossing #(
      .Width(ReadBits),
      .Cross(Cross)
  ) u_read_data (
      .in_clk_i(memory_clk_i), .in_rst_ni(memory_rst_ni),
      .in_valid_i(memory_r_valid_i), .in_ready_o(memory_r_ready_o), .in_data_i(memory_r_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni),
      .out_valid_o(r_valid_o), .out_ready_i(r_ready_i), .out_data_o(r_o)
  );

  fm_crossing #(
      .Width($bits(burst_t)),
      .Cross(Cross)
  ) u_write_addresses (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni),
      .in_valid_i(aw_valid_i), .in_ready_o(aw_ready_o), .in_data_i(aw_i),
      .out_clk_i(memory_clk_i), .out_rst_ni(memory_rst_ni),
      .out_valid_o(memory_aw_valid_o), .out_ready_i(memory_aw_ready_i), .out_data_o(memory_aw_o)
  );

  fm_crossing #(
      .Width(WriteBits),
      .Cross(Cross)
  ) u_write_data (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni),
      .in_valid_i(w_valid_i), .in_ready_o(w_ready_o), .in_data_i(w_i),
      .out_clk_i(memory_clk_i), .out_rst_ni(memory_rst_ni),
      .out_valid_o(memory_w_valid_o), .out_ready_i(memory_w_ready_i), .out_data_o(memory_w_o)
  );

  fm_crossing #(
      .Width($bits(response_e)),
      .Cross(Cross)
  ) u_responses (
      .in_clk_i(memory_clk_i), .in_rst_ni(memory_rst_ni),
      .in_valid_i(memory_b_valid_i), .in_ready_o(memory_b_ready_o), .in_data_i(memory_b_response_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni),
      .out_valid_o(b_valid_o), .out_ready_i(b_ready_i), .out_data_o(b_response)
  );

endmodule
