// SPDX-License-Identifier: Apache-2.0

// Test top: the arbiter of rtl/prim, and a merge of three streams.
module prim_arbiters #(
    localparam int unsigned Requests = 5,
    localparam int unsigned Streams  = 3,
    localparam int unsigned Width    = 12
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [Requests-1:0]           turn_request_i,
    input  logic                          turn_accept_i,
    output logic [Requests-1:0]           turn_grant_o,
    input  logic [Streams-1:0]            in_valid_i,
    output logic [Streams-1:0]            in_ready_o,
    input  logic [Streams-1:0][Width-1:0] in_data_i,
    input  logic [Streams-1:0]            in_last_i,
    output logic                          out_valid_o,
    input  logic                          out_ready_i,
    output logic [Width-1:0]              out_data_o,
    output logic                          out_last_o,
    output logic [Streams-1:0]            out_source_o
);

  fm_arbiter_round_robin #(
      .Requests(Requests)
  ) u_turn (
      .clk_i,
      .rst_ni,
      .request_i(turn_request_i),
      .accept_i(turn_accept_i),
      .grant_o(turn_grant_o)
  );

  fm_stream_merge #(
      .Streams(Streams),
      .Width(Width)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_data_i,
      .in_last_i,
      .out_valid_o,
      .out_ready_i,
      .out_data_o,
      .out_last_o,
      .out_source_o
  );

endmodule
