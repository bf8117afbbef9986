// SPDX-License-Identifier: Apache-2.0

// Code and scrambler of a channel, or nothing in their place.
//
// Contract: with `Ecc`, that of ecc_codec. Without, words pass as they are, and nothing is found
// wrong with them. The verdict on a page stands from the cycle after its last word left on `read`
// until the last word of the next one leaves.
// Latency: that of ecc_codec, or none.
// Reason: the rest of a page's path is the same for channels with error correction and for those
// that have none.
module page_coder #(
    parameter bit          Ecc        = 1'b1,
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
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
    input  logic [         15:0] write_data_i,
    input  logic                 write_last_i,
    output logic                 program_valid_o,
    input  logic                 program_ready_i,
    output logic [         15:0] program_data_o,
    output logic                 program_last_o,
    input  logic                 sense_valid_i,
    output logic                 sense_ready_o,
    input  logic [         15:0] sense_data_i,
    input  logic                 sense_last_i,
    input  logic                 sense_page_last_i,
    output logic                 read_valid_o,
    input  logic                 read_ready_i,
    output logic [         15:0] read_data_o,
    output logic                 read_erased_o,
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

  if (Ecc) begin : gen_codec
    logic unused_failed, unused_last, unused_verdict;

    ecc_codec #(
        .ChunkBytes(ChunkBytes),
        .T(T)
    ) u_codec (
        .*,
        .read_failed_o(unused_failed),
        .read_last_o(unused_last),
        .verdict_valid_o(unused_verdict)
    );
  end else begin : gen_none
    assign write_ready_o = program_ready_i;
    assign program_valid_o = write_valid_i;
    assign program_data_o = write_data_i;
    assign program_last_o = write_last_i;
    assign sense_ready_o = read_ready_i;
    assign read_valid_o = sense_valid_i;
    assign read_data_o = sense_data_i;
    assign read_erased_o = 1'b0;
    assign verdict_erased_o = 1'b0;
    assign verdict_bits_o = '0;
    assign verdict_most_bits_o = '0;
    assign verdict_lost_chunks_o = '0;
    assign syndrome_valid_o = 1'b0;
    assign syndrome_o = '0;
    assign syndrome_last_o = 1'b0;

    logic unused;
    assign unused = ^{clk_i, rst_ni, start_i, start_row_i, start_column_i, start_scramble_i,
                      start_bypass_i, sense_last_i, sense_page_last_i, syndrome_ready_i,
                      locator_valid_i, locator_i, locator_last_i, locator_errors_i,
                      locator_failed_i};
  end

endmodule
