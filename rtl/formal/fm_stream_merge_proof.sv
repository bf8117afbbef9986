// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `fm_stream_merge`: packets are not mixed, beats come from the stream they name, and a beat
// that is taken is taken from that stream alone.
module fm_stream_merge_proof #(
    localparam int unsigned Streams = 3,
    localparam int unsigned Width   = 2
) (
    input logic                          clk_i,
    input logic                          rst_ni,
    input logic [Streams-1:0]            in_valid_i,
    input logic [Streams-1:0][Width-1:0] in_data_i,
    input logic [Streams-1:0]            in_last_i,
    input logic                          out_ready_i
);

  logic [Streams-1:0] in_ready, source;
  logic out_valid, out_last;
  logic [Width-1:0] out_data;

  fm_stream_merge #(
      .Streams(Streams),
      .Width(Width)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .in_last_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data),
      .out_last_o(out_last),
      .out_source_o(source)
  );

  for (genvar stream = 0; stream < Streams; stream++) begin : gen_assume
    fm_stream_assert #(
        .Width(Width + 1),
        .Assume(1'b1)
    ) u_assume (
        .clk_i,
        .rst_ni,
        .valid_i(in_valid_i[stream]),
        .ready_i(in_ready[stream]),
        .payload_i({in_last_i[stream], in_data_i[stream]})
    );

    always_comb begin
      if (out_valid && source[stream]) begin
        SameData : assert (out_data == in_data_i[stream] && out_last == in_last_i[stream]);
      end
    end
  end

  logic started_q, inside_q;
  logic [Streams-1:0] source_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      inside_q <= 1'b0;
    end else if (out_valid && out_ready_i) begin
      inside_q <= !out_last;
      source_q <= source;
    end
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      OpenIsInside : assert ((u_merge.open_q != '0) == inside_q);
      OpenIsSource : assert (!inside_q || u_merge.open_q == source_q);
      OneSource : assert ((source & (source - 1'b1)) == '0);
      TakenOnce : assert ((in_ready & in_valid_i) == (out_valid && out_ready_i ? source : '0));
      NotMixed : assert (!inside_q || source == source_q);
    end
    Paused : cover (started_q && inside_q && !out_valid && in_valid_i != '0);
  end

endmodule
