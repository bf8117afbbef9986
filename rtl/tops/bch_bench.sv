// SPDX-License-Identifier: Apache-2.0

// Test top with parameters (models.csv): a BCH codec, which is an encoder, and several decoders with one solver.
module bch_bench #(
    parameter int unsigned Channels   = 4,
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    parameter int unsigned Width      = 16,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                plain_valid_i,
    output logic                                plain_ready_o,
    input  logic [    Width-1:0]                plain_data_i,
    input  logic                                plain_last_i,
    input  logic                                plain_bypass_i,
    output logic                                coded_valid_o,
    input  logic                                coded_ready_i,
    output logic [    Width-1:0]                coded_data_o,
    output logic                                coded_last_o,
    input  logic [ Channels-1:0]                in_valid_i,
    output logic [ Channels-1:0]                in_ready_o,
    input  logic [ Channels-1:0][    Width-1:0] in_data_i,
    input  logic [ Channels-1:0][    Width-1:0] in_raw_i,
    input  logic [ Channels-1:0]                in_last_i,
    input  logic [ Channels-1:0]                in_page_last_i,
    input  logic [ Channels-1:0]                in_bypass_i,
    output logic [ Channels-1:0]                out_valid_o,
    input  logic [ Channels-1:0]                out_ready_i,
    output logic [ Channels-1:0][    Width-1:0] out_data_o,
    output logic [ Channels-1:0]                out_last_o,
    output logic [ Channels-1:0]                out_page_last_o,
    output logic [ Channels-1:0][ErrorBits-1:0] out_errors_o,
    output logic [ Channels-1:0]                out_failed_o,
    output logic [ Channels-1:0]                out_erased_o
);

  bch_encoder #(
      .ChunkBytes(ChunkBytes),
      .T(T),
      .Width(Width)
  ) u_encoder (
      .clk_i,
      .rst_ni,
      .in_valid_i(plain_valid_i),
      .in_ready_o(plain_ready_o),
      .in_data_i(plain_data_i),
      .in_last_i(plain_last_i),
      .in_bypass_i(plain_bypass_i),
      .out_valid_o(coded_valid_o),
      .out_ready_i(coded_ready_i),
      .out_data_o(coded_data_o),
      .out_last_o(coded_last_o)
  );

  logic [Channels-1:0] syndrome_valid, syndrome_ready, syndrome_last, locator_valid;
  logic [Channels-1:0][M-1:0] syndrome;
  logic [M-1:0] locator;
  logic locator_last, locator_failed;
  logic [ErrorBits-1:0] locator_errors;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    bch_decoder #(
        .ChunkBytes(ChunkBytes),
        .T(T),
        .Width(Width)
    ) u_decoder (
        .clk_i,
        .rst_ni,
        .in_valid_i(in_valid_i[c]),
        .in_ready_o(in_ready_o[c]),
        .in_data_i(in_data_i[c]),
        .in_raw_i(in_raw_i[c]),
        .in_last_i(in_last_i[c]),
        .in_page_last_i(in_page_last_i[c]),
        .in_bypass_i(in_bypass_i[c]),
        .syndrome_valid_o(syndrome_valid[c]),
        .syndrome_ready_i(syndrome_ready[c]),
        .syndrome_o(syndrome[c]),
        .syndrome_last_o(syndrome_last[c]),
        .locator_valid_i(locator_valid[c]),
        .locator_i(locator),
        .locator_last_i(locator_last),
        .locator_errors_i(locator_errors),
        .locator_failed_i(locator_failed),
        .out_valid_o(out_valid_o[c]),
        .out_ready_i(out_ready_i[c]),
        .out_data_o(out_data_o[c]),
        .out_last_o(out_last_o[c]),
        .out_page_last_o(out_page_last_o[c]),
        .out_errors_o(out_errors_o[c]),
        .out_failed_o(out_failed_o[c]),
        .out_erased_o(out_erased_o[c])
    );
  end

  bch_shared_solver #(
      .Channels(Channels),
      .ChunkBytes(ChunkBytes),
      .T(T)
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
