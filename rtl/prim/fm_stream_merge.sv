// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Merges streams of packets into one, in turn.
//
// Contract: a packet is the beats up to one with `last`. Packets are not mixed; those of one stream
// keep their order; no stream waits for more than Streams - 1 packets. `out_source_o` has the bit
// of the stream that a beat comes from.
// Latency: none.
// Reason: between the beats of a packet its stream may pause, so the choice is kept from the first
// beat to the last one, not only while a beat waits.
module fm_stream_merge #(
    parameter int unsigned Streams = 4,
    parameter int unsigned Width   = 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
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

  logic [Streams-1:0] grant, open_q;
  logic take;

  fm_arbiter_round_robin #(
      .Requests(Streams)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(open_q != '0 ? '0 : in_valid_i),
      .accept_i(out_ready_i),
      .grant_o(grant)
  );

  assign out_source_o = open_q != '0 ? open_q : grant;
  assign out_valid_o = (out_source_o & in_valid_i) != '0;
  assign out_last_o = (out_source_o & in_last_i) != '0;
  assign in_ready_o = out_source_o & {Streams{out_ready_i}};
  assign take = out_valid_o && out_ready_i;

  always_comb begin
    out_data_o = '0;
    for (int unsigned stream = 0; stream < Streams; stream++) begin
      if (out_source_o[stream]) out_data_o |= in_data_i[stream];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
    end else if (take) begin
      open_q <= out_last_o ? '0 : out_source_o;
    end
  end

  for (genvar stream = 0; stream < Streams; stream++) begin : gen_assert
    `FM_ASSERT_STREAM(u_assert_in, in_valid_i[stream], in_ready_o[stream],
                   ({in_last_i[stream], in_data_i[stream]}))
  end
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i, ({out_last_o, out_data_o, out_source_o}))

endmodule
