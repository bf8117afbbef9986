// SPDX-License-Identifier: Apache-2.0

// Test top: scramblers of three widths, with other polynomials and seeds. The test knows their
// parameters (bodies/rtl-sim/tests/scrambler.rs).
module scramblers (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        enable_i,
    input  logic        start_i,
    input  logic [31:0] row_i,
    input  logic [15:0] column_i,
    input  logic        narrow_in_valid_i,
    output logic        narrow_in_ready_o,
    input  logic [ 7:0] narrow_in_data_i,
    output logic        narrow_out_valid_o,
    input  logic        narrow_out_ready_i,
    output logic [ 7:0] narrow_out_data_o,
    input  logic        usual_in_valid_i,
    output logic        usual_in_ready_o,
    input  logic [15:0] usual_in_data_i,
    output logic        usual_out_valid_o,
    input  logic        usual_out_ready_i,
    output logic [15:0] usual_out_data_o,
    input  logic        wide_in_valid_i,
    output logic        wide_in_ready_o,
    input  logic [31:0] wide_in_data_i,
    output logic        wide_out_valid_o,
    input  logic        wide_out_ready_i,
    output logic [31:0] wide_out_data_o
);

  scrambler #(
      .Width(8),
      .Polynomial(9'h11d),
      .SeedBits(20)
  ) u_narrow (
      .clk_i,
      .rst_ni,
      .enable_i,
      .start_i,
      .row_i,
      .column_i,
      .in_valid_i(narrow_in_valid_i),
      .in_ready_o(narrow_in_ready_o),
      .in_data_i(narrow_in_data_i),
      .out_valid_o(narrow_out_valid_o),
      .out_ready_i(narrow_out_ready_i),
      .out_data_o(narrow_out_data_o)
  );

  scrambler u_usual (
      .clk_i,
      .rst_ni,
      .enable_i,
      .start_i,
      .row_i,
      .column_i,
      .in_valid_i(usual_in_valid_i),
      .in_ready_o(usual_in_ready_o),
      .in_data_i(usual_in_data_i),
      .out_valid_o(usual_out_valid_o),
      .out_ready_i(usual_out_ready_i),
      .out_data_o(usual_out_data_o)
  );

  scrambler #(
      .Width(32),
      .Polynomial(9'h12b),
      .SeedBits(32)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .enable_i,
      .start_i,
      .row_i,
      .column_i,
      .in_valid_i(wide_in_valid_i),
      .in_ready_o(wide_in_ready_o),
      .in_data_i(wide_in_data_i),
      .out_valid_o(wide_out_valid_o),
      .out_ready_i(wide_out_ready_i),
      .out_data_o(wide_out_data_o)
  );

endmodule
