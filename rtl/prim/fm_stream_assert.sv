// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Watches one stream. Contract of every stream in this tree: once `valid` is up, it stays up and
// the payload stays the same until a clock edge at which `ready` is up too.
//
// Assume: 0 asserts the rule, 1 assumes it, for the inputs of a proof.
// Latency: none, it drives nothing.
// Reason: one text of the rule, for simulation and proofs alike. Written without sequences, which
// not every front end reads.
module fm_stream_assert #(
    parameter int unsigned Width  = 1,
    parameter bit          Assume = 1'b0
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             valid_i,
    input logic             ready_i,
    input logic [Width-1:0] payload_i
);

  `FM_ASSERT_KNOWN(StreamValidKnown, valid_i)

  logic             waiting_q;
  logic [Width-1:0] payload_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
    end else begin
      waiting_q <= valid_i && !ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    payload_q <= payload_i;
  end

  if (Assume) begin : gen_assume
    always_ff @(posedge clk_i) begin
      if (rst_ni && waiting_q) begin
        StreamKeepsValid : assume (valid_i);
        StreamKeepsPayload : assume (payload_i == payload_q);
      end
    end
  end else begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni && waiting_q) begin
        StreamKeepsValid : assert (valid_i);
        StreamKeepsPayload : assert (payload_i == payload_q);
      end
    end
  end

endmodule
