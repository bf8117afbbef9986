// SPDX-License-Identifier: Apache-2.0

// Test top: the codec of one channel with a solver of its own.
module page_codec #(
    localparam int unsigned Width     = 16,
    localparam int unsigned M         = 12,
    localparam int unsigned ErrorBits = 4
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 start_i,
    input  logic [         31:0] start_row_i,
    input  logic [         15:0] start_column_i,
    input  logic                 start_scramble_i,
    input  logic                 start_bypass_i,
    input  logic                 write_valid_i,
    output logic                 write_ready_o,
    input  logic [    Width-1:0] write_data_i,
    input  logic                 write_last_i,
    output logic                 program_valid_o,
    input  logic                 program_ready_i,
    output logic [    Width-1:0] program_data_o,
    output logic                 program_last_o,
    input  logic                 sense_valid_i,
    output logic                 sense_ready_o,
    input  logic [    Width-1:0] sense_data_i,
    input  logic                 sense_last_i,
    input  logic                 sense_page_last_i,
    output logic                 read_valid_o,
    input  logic                 read_ready_i,
    output logic [    Width-1:0] read_data_o,
    output logic                 read_last_o,
    output logic                 read_failed_o,
    output logic                 read_erased_o,
    output logic                 verdict_valid_o,
    output logic                 verdict_erased_o,
    output logic [         11:0] verdict_bits_o,
    output logic [ErrorBits-1:0] verdict_most_bits_o,
    output logic [          7:0] verdict_lost_chunks_o
);

  logic syndrome_valid, syndrome_ready, syndrome_last;
  logic locator_valid, locator_last, locator_failed;
  logic [M-1:0] syndrome, locator;
  logic [ErrorBits-1:0] locator_errors;

  ecc_codec u_codec (
      .*,
      .syndrome_valid_o(syndrome_valid),
      .syndrome_ready_i(syndrome_ready),
      .syndrome_o(syndrome),
      .syndrome_last_o(syndrome_last),
      .locator_valid_i(locator_valid),
      .locator_i(locator),
      .locator_last_i(locator_last),
      .locator_errors_i(locator_errors),
      .locator_failed_i(locator_failed)
  );

  bch_shared_solver #(
      .Channels(1)
  ) u_solver (
      .clk_i,
      .rst_ni,
      .syndrome_valid_i(syndrome_valid),
      .syndrome_ready_o(syndrome_ready),
      .syndrome_i(syndrome),
      .syndrome_last_i(syndrome_last),
      .locator_valid_o(locator_valid),
      .locator_o(locator),
      .locator_last_o(locator_last),
      .locator_errors_o(locator_errors),
      .locator_failed_o(locator_failed)
  );

endmodule
