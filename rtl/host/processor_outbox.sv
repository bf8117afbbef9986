// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// What the processor has written and the hardware has not taken yet.
//
// Contract: a pulse of `written_i` queues a beat. `room_o` is how many more can be; without room the beat
// is dropped, and `dropped_o` pulses. Beats leave in order. Depth is a power of two below 256.
// Latency: two cycles.
// Reason: a write that waited for room would keep the processor from reading the events whose commands
// make room. In block RAM, since the look-up tables of a wide queue are dearer here.
module processor_outbox #(
    parameter int unsigned Width = 64,
    parameter int unsigned Depth = 64
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             written_i,
    input  logic [Width-1:0] data_i,
    output logic [      7:0] room_o,
    output logic             dropped_o,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  `FM_REQUIRE(gen_depth_out_of_range, Depth <= 128, "processor_outbox: Depth")

  localparam int unsigned RoomBits = $clog2(Depth + 1);

  logic push, pop, unused_ready;
  logic [RoomBits-1:0] room_q;

  assign push = written_i && room_q != '0;
  assign pop = out_valid_o && out_ready_i;
  assign room_o = 8'(room_q);
  assign dropped_o = written_i && room_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      room_q <= RoomBits'(Depth);
    end else if (push != pop) begin
      room_q <= push ? room_q - 1'b1 : room_q + 1'b1;
    end
  end

  // It holds one beat more than its depth, so it is never full.
  fm_fifo_block #(
      .Width(Width),
      .Depth(Depth)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .in_valid_i(push),
      .in_ready_o(unused_ready),
      .in_data_i(data_i),
      .out_valid_o,
      .out_ready_i,
      .out_data_o
  );

  `FM_ASSERT(RoomInside, !push || unused_ready)

endmodule
