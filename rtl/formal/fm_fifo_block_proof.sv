// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `fm_fifo_block`: as that of `fm_fifo`. The beat in the output register is the oldest, so a
// followed beat is there or that many places behind.
module fm_fifo_block_proof #(
    localparam int unsigned Width = 4,
    localparam int unsigned Depth = 4
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i,
    input logic             follow_i
);

  localparam int unsigned LevelBits = $clog2(Depth) + 1;

  logic in_ready, out_valid, push, pop;
  logic [Width-1:0] out_data;
  logic [LevelBits-1:0] in_ram, level;

  fm_fifo_block #(
      .Width(Width),
      .Depth(Depth)
  ) u_fifo (
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

  logic started_q, following_q;
  // Beats before the followed one, the one in the output register included.
  logic [LevelBits-1:0] ahead_q;
  logic [Width-1:0] followed_q;

  assign push   = in_valid_i && in_ready;
  assign pop    = out_valid && out_ready_i;
  assign in_ram = u_fifo.written_q - u_fifo.read_q;
  assign level  = in_ram + LevelBits'(out_valid);

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      following_q <= 1'b0;
    end else if (!following_q && push && follow_i) begin
      following_q <= 1'b1;
      followed_q  <= in_data_i;
      ahead_q     <= level - LevelBits'(pop);
    end else if (following_q && pop) begin
      following_q <= ahead_q != '0;
      ahead_q     <= ahead_q - 1'b1;
    end
  end

  logic at_output;
  logic [LevelBits-1:0] place;
  assign at_output = out_valid && ahead_q == '0;
  assign place = u_fifo.read_q + ahead_q - LevelBits'(out_valid);

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      LevelInRange : assert (in_ram <= LevelBits'(Depth));
      Kept :
      assert (!following_q || at_output || u_fifo.u_ram.memory_q[2'(place)] == followed_q);
      NoLoss : assert (!following_q || ahead_q < level);
      InOrder : assert (!following_q || !at_output || out_data == followed_q);
      // A beat inside is offered in the next cycle at the latest.
      Offered : assert (out_valid || in_ram == '0 || u_fifo.fetch);
    end
    Full : cover (started_q && following_q && ahead_q == LevelBits'(Depth));
  end

endmodule
