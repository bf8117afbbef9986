// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `fm_skid_buffer`: as that of `fm_fifo`, with two places.
module fm_skid_buffer_proof #(
    localparam int unsigned Width = 4
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i,
    input logic             follow_i
);

  logic in_ready, out_valid, push, pop;
  logic [Width-1:0] out_data;

  fm_skid_buffer #(
      .Width(Width)
  ) u_skid (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data)
  );

  fm_stream_assert #(
      .Width(Width),
      .Assume(1'b1)
  ) u_assume (
      .clk_i,
      .rst_ni,
      .valid_i(in_valid_i),
      .ready_i(in_ready),
      .payload_i(in_data_i)
  );

  logic started_q, following_q, behind_q;
  logic [Width-1:0] followed_q;

  assign push = in_valid_i && in_ready;
  assign pop  = out_valid && out_ready_i;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      following_q <= 1'b0;
    end else if (!following_q && push && follow_i) begin
      following_q <= 1'b1;
      followed_q  <= in_data_i;
      behind_q    <= out_valid && !pop;
    end else if (following_q && pop) begin
      following_q <= behind_q;
      behind_q    <= 1'b0;
    end
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      CaughtOnlyBehind : assert (!u_skid.caught_q || out_valid);
      Kept :
      assert (!following_q || !behind_q || (u_skid.caught_q && u_skid.caught_data_q == followed_q));
      InOrder : assert (!following_q || behind_q || (out_valid && out_data == followed_q));
      RoomIsUsed : assert (in_ready || out_valid);
    end
    Full : cover (started_q && following_q && behind_q && !in_ready);
  end

endmodule
