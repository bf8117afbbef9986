// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `fm_fifo`: a beat that went in comes out, unchanged, after exactly those before it.
//
// One beat, any one, is followed. `ahead_q` is how many are before it and falls with each that
// leaves; when it is zero, the followed beat is the one that is offered. Depth 5 makes the pointers
// turn at a number that is no power of two.
module fm_fifo_proof #(
    localparam int unsigned Width = 4,
    localparam int unsigned Depth = 5
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i,
    input logic             follow_i
);

  localparam int unsigned LevelBits = $clog2(Depth + 1);

  logic in_ready, out_valid, push, pop;
  logic [Width-1:0] out_data;
  logic [LevelBits-1:0] level;

  fm_fifo #(
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
      .out_data_o(out_data),
      .level_o(level)
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
  logic [LevelBits-1:0] ahead_q;
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
      ahead_q     <= level - LevelBits'(pop);
    end else if (following_q && pop) begin
      following_q <= ahead_q != '0;
      ahead_q     <= ahead_q - 1'b1;
    end
  end

  // Where a beat with so many before it is kept.
  function automatic int unsigned place(logic [LevelBits-1:0] ahead);
    return (32'(u_fifo.read_address_q) + 32'(ahead)) % Depth;
  endfunction

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      // What makes the claims inductive: where things are inside.
      LevelInRange : assert (level <= LevelBits'(Depth));
      ReadInRange : assert (32'(u_fifo.read_address_q) < Depth);
      WriteFollows : assert (place(level) == 32'(u_fifo.write_address_q));
      Kept : assert (!following_q || u_fifo.u_ram.memory_q[place(ahead_q)] == followed_q);
      // The claims.
      NoLoss : assert (!following_q || ahead_q < level);
      InOrder : assert (!following_q || ahead_q != '0 || (out_valid && out_data == followed_q));
      RoomIsUsed : assert (in_ready || level == LevelBits'(Depth));
    end
    Full : cover (started_q && following_q && ahead_q == LevelBits'(Depth - 1));
  end

endmodule
