// SPDX-License-Identifier: Apache-2.0

// The data path of one channel between buffer and chip: code and scrambler, both ways.
//
// Contract: `start_i` announces a page before its first word, with the row and the column where it
// begins; it settles for what follows whether words are scrambled and whether they are coded. Words
// to be written go in as packets of a chunk on `write` and come out as code words on `program`.
// Words read come in as code words on `sense` and leave as chunks on `read`; `sense_page_last_i`
// with the last word of a page's last code word gives a verdict on the page. Only one direction is
// used at a time, as on the chip's bus. For the rest see bch_encoder, bch_decoder, scrambler,
// page_verdict.
// Latency: none from `write` to `program`; from `sense` to `read` that of bch_decoder.
// Reason: pages are encoded and then scrambled, so that parity is balanced too. Erased pages are
// seen before they are descrambled.
module ecc_codec #(
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    parameter int unsigned Width      = 16,
    parameter logic [8:0]  Polynomial = 9'h11d,
    parameter int unsigned SeedBits   = 8,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
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
    output logic [          7:0] verdict_lost_chunks_o,
    output logic                 syndrome_valid_o,
    input  logic                 syndrome_ready_i,
    output logic [        M-1:0] syndrome_o,
    output logic                 syndrome_last_o,
    input  logic                 locator_valid_i,
    input  logic [        M-1:0] locator_i,
    input  logic                 locator_last_i,
    input  logic [ErrorBits-1:0] locator_errors_i,
    input  logic                 locator_failed_i
);

  logic scramble_q, bypass_q;
  logic coded_valid, coded_ready;
  logic [Width-1:0] coded_data;
  logic plain_valid, plain_ready;
  logic [Width-1:0] plain_data;
  logic read_page_last;
  logic [ErrorBits-1:0] read_errors;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scramble_q <= 1'b0;
      bypass_q   <= 1'b0;
    end else if (start_i) begin
      scramble_q <= start_scramble_i;
      bypass_q   <= start_bypass_i;
    end
  end

  bch_encoder #(
      .ChunkBytes(ChunkBytes),
      .T(T),
      .Width(Width)
  ) u_encoder (
      .clk_i,
      .rst_ni,
      .in_valid_i(write_valid_i),
      .in_ready_o(write_ready_o),
      .in_data_i(write_data_i),
      .in_last_i(write_last_i),
      .in_bypass_i(bypass_q),
      .out_valid_o(coded_valid),
      .out_ready_i(coded_ready),
      .out_data_o(coded_data),
      .out_last_o(program_last_o)
  );

  scrambler #(
      .Width(Width),
      .Polynomial(Polynomial),
      .SeedBits(SeedBits)
  ) u_scrambler (
      .clk_i,
      .rst_ni,
      .enable_i(scramble_q),
      .start_i,
      .row_i(start_row_i),
      .column_i(start_column_i),
      .in_valid_i(coded_valid),
      .in_ready_o(coded_ready),
      .in_data_i(coded_data),
      .out_valid_o(program_valid_o),
      .out_ready_i(program_ready_i),
      .out_data_o(program_data_o)
  );

  scrambler #(
      .Width(Width),
      .Polynomial(Polynomial),
      .SeedBits(SeedBits)
  ) u_descrambler (
      .clk_i,
      .rst_ni,
      .enable_i(scramble_q),
      .start_i,
      .row_i(start_row_i),
      .column_i(start_column_i),
      .in_valid_i(sense_valid_i),
      .in_ready_o(sense_ready_o),
      .in_data_i(sense_data_i),
      .out_valid_o(plain_valid),
      .out_ready_i(plain_ready),
      .out_data_o(plain_data)
  );

  bch_decoder #(
      .ChunkBytes(ChunkBytes),
      .T(T),
      .Width(Width)
  ) u_decoder (
      .clk_i,
      .rst_ni,
      .in_valid_i(plain_valid),
      .in_ready_o(plain_ready),
      .in_data_i(plain_data),
      .in_raw_i(sense_data_i),
      .in_last_i(sense_last_i),
      .in_page_last_i(sense_page_last_i),
      .in_bypass_i(bypass_q),
      .syndrome_valid_o,
      .syndrome_ready_i,
      .syndrome_o,
      .syndrome_last_o,
      .locator_valid_i,
      .locator_i,
      .locator_last_i,
      .locator_errors_i,
      .locator_failed_i,
      .out_valid_o(read_valid_o),
      .out_ready_i(read_ready_i),
      .out_data_o(read_data_o),
      .out_last_o(read_last_o),
      .out_page_last_o(read_page_last),
      .out_errors_o(read_errors),
      .out_failed_o(read_failed_o),
      .out_erased_o(read_erased_o)
  );

  page_verdict #(
      .T(T)
  ) u_verdict (
      .clk_i,
      .rst_ni,
      .chunk_i(read_valid_o && read_ready_i && read_last_o),
      .page_last_i(read_page_last),
      .errors_i(read_errors),
      .failed_i(read_failed_o),
      .erased_i(read_erased_o),
      .valid_o(verdict_valid_o),
      .erased_o(verdict_erased_o),
      .bits_o(verdict_bits_o),
      .most_bits_o(verdict_most_bits_o),
      .lost_chunks_o(verdict_lost_chunks_o)
  );

endmodule
