// SPDX-License-Identifier: Apache-2.0

// Test top: a code of 45 bits in 1024 bytes, one channel of 16 bits (Figure 28 of Cosmos+).
module bch_1k #(
    localparam int unsigned Channels = 1,
    localparam int unsigned ChunkBytes = 1024,
    localparam int unsigned T = 45,
    localparam int unsigned Width = 16,
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

  bch_bench #(
      .Channels(Channels),
      .ChunkBytes(ChunkBytes),
      .T(T),
      .Width(Width)
  ) u_bench (
      .*
  );

endmodule
