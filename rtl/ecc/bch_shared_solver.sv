// SPDX-License-Identifier: Apache-2.0

// One key equation solver for several channels.
//
// Contract: channels send packets of syndromes, as bch_verdict does; each gets its answer on
// `locator_valid_o` of its own, as bch_key_solver gives it. Channels must take the answer as it
// comes.
// Latency: 2 T + 1 cycles from the first syndrome to the first coefficient, after the turn came. A
// channel waits for at most the packets of all others: 2 T cycles each.
// Reason: solving takes a fraction of the time in which a chunk comes in, so one solver does for as
// many channels. Channels are taken in turn (Cosmos+ section 5, figure 19).
module bch_shared_solver #(
    parameter int unsigned Channels   = 4,
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic [ Channels-1:0]                syndrome_valid_i,
    output logic [ Channels-1:0]                syndrome_ready_o,
    input  logic [ Channels-1:0][        M-1:0] syndrome_i,
    input  logic [ Channels-1:0]                syndrome_last_i,
    output logic [ Channels-1:0]                locator_valid_o,
    output logic [        M-1:0]                locator_o,
    output logic                                locator_last_o,
    output logic [ErrorBits-1:0]                locator_errors_o,
    output logic                                locator_failed_o
);

  logic merged_valid, merged_ready, unused_last, answer_valid;
  logic [M-1:0] merged_syndrome;
  logic [Channels-1:0] merged_source, answer_tag;

  fm_stream_merge #(
      .Streams(Channels),
      .Width(M)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .in_valid_i(syndrome_valid_i),
      .in_ready_o(syndrome_ready_o),
      .in_data_i(syndrome_i),
      .in_last_i(syndrome_last_i),
      .out_valid_o(merged_valid),
      .out_ready_i(merged_ready),
      .out_data_o(merged_syndrome),
      .out_last_o(unused_last),
      .out_source_o(merged_source)
  );

  bch_key_solver #(
      .M(M),
      .T(T),
      .TagWidth(Channels)
  ) u_solver (
      .clk_i,
      .rst_ni,
      .in_valid_i(merged_valid),
      .in_ready_o(merged_ready),
      .in_syndrome_i(merged_syndrome),
      .in_tag_i(merged_source),
      .out_valid_o(answer_valid),
      .out_ready_i(1'b1),
      .out_coefficient_o(locator_o),
      .out_last_o(locator_last_o),
      .out_errors_o(locator_errors_o),
      .out_failed_o(locator_failed_o),
      .out_tag_o(answer_tag)
  );

  assign locator_valid_o = answer_tag & {Channels{answer_valid}};

endmodule
