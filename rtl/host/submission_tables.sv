// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// What is kept of each submission queue: its shape, head for fetches, head as the host may know it, and tail.
//
// Contract: `creates_i` makes the queue `index_i` one of `shape_i`, whose places are 0. The valids beside a place set that of
// `index_i`, or of `passed_index_i`; `creates_i` and `passed_valid_i` are not up together. `shape_o` is that of the queue that was
// `next_index_i` when `next_i` was up last; the places are those of `index_i`.
// Latency: the shape one cycle; places none.
// Reason: a queue is served at a time, so tables with one port to write serve all. Heads pass at any time, and have a table
// of their own.
module submission_tables
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues = 17,
    parameter int unsigned ShapeBits = 73,
    // Shapes are in block RAM.
    parameter bit BlockTables = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 next_i,
    input  logic [QueueBits-1:0] next_index_i,
    input  logic [QueueBits-1:0] index_i,
    input  logic                 creates_i,
    input  logic [ShapeBits-1:0] shape_i,
    output logic [ShapeBits-1:0] shape_o,
    input  logic                 head_valid_i,
    input  place_t               head_i,
    output place_t               head_o,
    input  logic                 passed_valid_i,
    input  logic [QueueBits-1:0] passed_index_i,
    input  place_t               passed_i,
    output place_t               passed_o,
    input  logic                 tail_valid_i,
    input  place_t               tail_i,
    output place_t               tail_o
);

  fm_ram_table #(
      .Width(ShapeBits),
      .Depth(Queues),
      .Block(BlockTables)
  ) u_shapes (
      .clk_i,
      .rst_ni,
      .write_i(creates_i),
      .write_address_i(index_i),
      .write_data_i(shape_i),
      .read_i(next_i),
      .read_address_i(next_index_i),
      .read_data_o(shape_o)
  );

  fm_ram_lut #(
      .Width($bits(place_t)),
      .Depth(Queues)
  ) u_heads (
      .clk_i,
      .write_i(creates_i || head_valid_i),
      .write_address_i(index_i),
      .write_data_i(creates_i ? '0 : head_i),
      .read_address_i(index_i),
      .read_data_o(head_o)
  );

  fm_ram_lut #(
      .Width($bits(place_t)),
      .Depth(Queues)
  ) u_passed (
      .clk_i,
      .write_i(creates_i || passed_valid_i),
      .write_address_i(passed_valid_i ? passed_index_i : index_i),
      .write_data_i(passed_valid_i ? passed_i : '0),
      .read_address_i(index_i),
      .read_data_o(passed_o)
  );

  fm_ram_lut #(
      .Width($bits(place_t)),
      .Depth(Queues)
  ) u_tails (
      .clk_i,
      .write_i(creates_i || tail_valid_i),
      .write_address_i(index_i),
      .write_data_i(creates_i ? '0 : tail_i),
      .read_address_i(index_i),
      .read_data_o(tail_o)
  );

  `FM_ASSERT(OneWritesPassed, !(creates_i && passed_valid_i))

endmodule
