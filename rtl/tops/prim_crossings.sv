// SPDX-License-Identifier: Apache-2.0

// Test top: a queue between two clocks, with a reset for each, of which each side may be cleared alone.
module prim_crossings #(
    localparam int unsigned Width = 16,
    localparam int unsigned Depth = 8
) (
    input  logic             clk_i,
    input  logic             out_clk_i,
    input  logic             rst_ni,
    output logic             in_rst_no,
    output logic             out_rst_no,
    input  logic             in_clear_i,
    output logic             in_open_o,
    output logic             in_forget_o,
    input  logic             out_clear_i,
    output logic             out_open_o,
    output logic             out_forget_o,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  fm_reset_sync u_in_reset (
      .clk_i,
      .rst_ni,
      .rst_no(in_rst_no)
  );

  fm_reset_sync u_out_reset (
      .clk_i (out_clk_i),
      .rst_ni,
      .rst_no(out_rst_no)
  );

  fm_joint_clear u_joint (
      .in_clk_i(clk_i),
      .in_rst_ni(in_rst_no),
      .in_clear_i,
      .in_open_o,
      .in_forget_o,
      .out_clk_i,
      .out_rst_ni(out_rst_no),
      .out_clear_i,
      .out_open_o,
      .out_forget_o
  );

  fm_fifo_async #(
      .Width(Width),
      .Depth(Depth)
  ) u_fifo (
      .in_clk_i(clk_i),
      .in_rst_ni(in_rst_no),
      .in_open_i(in_open_o),
      .in_forget_i(in_forget_o),
      .in_valid_i,
      .in_ready_o,
      .in_data_i,
      .out_clk_i,
      .out_rst_ni(out_rst_no),
      .out_open_i(out_open_o),
      .out_forget_i(out_forget_o),
      .out_valid_o,
      .out_ready_i,
      .out_data_o
  );

endmodule
