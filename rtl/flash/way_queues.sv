// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The requests of all ways, a queue for each way and class, in one block RAM.
//
// Contract: `push_i` only if `room_o` has the bit of its queue. `pop_i` takes the first request out
// of `visit_queue_i`. `peek_i` reads the request so many places behind the first one of that queue;
// `peek_exists_o` says at once whether there is one. `fetch_i` reads likewise, and goes before a
// peek, which then has to come again. `look_i` reads the request so many places in front of the end of
// `push_queue_i`, and comes again if there is a peek or fetch. While `clear_i` is up, `clear_queue_i` goes through all
// queues and empties them; nothing else happens then.
// Latency: one cycle from a peek or fetch to `entry_o`.
// Reason: a RAM for all costs two blocks, queues of their own a block each or 40 times the look-up
// tables. Pointers lie in look-up tables, so that a queue costs four registers.
module way_queues
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways  = 8,
    parameter int unsigned Depth = 32,
    localparam int unsigned QueueBits = $clog2(2 * Ways),
    localparam int unsigned PlaceBits = $clog2(Depth)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 clear_i,
    input  logic [QueueBits-1:0] clear_queue_i,
    input  logic                 push_i,
    input  logic [QueueBits-1:0] push_queue_i,
    input  queued_t              push_entry_i,
    input  logic                 look_i,
    output logic                 look_ready_o,
    output logic                 look_exists_o,
    input  logic [PlaceBits-1:0] look_offset_i,
    output logic [2*Ways-1:0]    room_o,
    output logic [2*Ways-1:0]    filled_o,
    input  logic [QueueBits-1:0] visit_queue_i,
    input  logic                 pop_i,
    input  logic                 peek_i,
    output logic                 peek_ready_o,
    output logic                 peek_exists_o,
    input  logic [3:0]           peek_offset_i,
    input  logic                 fetch_i,
    input  logic [QueueBits-1:0] fetch_queue_i,
    input  logic [2:0]           fetch_offset_i,
    output queued_t              entry_o
);

  `FM_REQUIRE(gen_bad_ways, Ways >= 1 && Ways <= 16, "way_queues: Ways is not 1 to 16")
  `FM_REQUIRE(gen_bad_depth, Depth >= 16 && 2 ** $clog2(Depth) == Depth,
           "way_queues: Depth is not a power of two from 16 on")

  localparam int unsigned Queues = 2 * Ways;

  // One bit more than a place, so that full and empty differ.
  typedef logic [PlaceBits:0] pointer_t;
  typedef logic [PlaceBits-1:0] place_t;


  // Pointers to the first request and behind the last one, each read at several places.
  pointer_t push_first, push_end, visit_first, visit_end, popped, pushed;
  place_t fetch_first;
  logic unused_wrap;
  assign popped = visit_first + 1'b1;
  assign pushed = push_end + 1'b1;

  pointer_t [2:0] firsts;
  logic [2:0][QueueBits-1:0] first_indices;
  assign first_indices = {push_queue_i, visit_queue_i, fetch_queue_i};
  assign {push_first, visit_first, unused_wrap, fetch_first} = firsts;
  for (genvar reader = 0; reader < 3; reader++) begin : gen_first
    fm_ram_lut #(
        .Width(PlaceBits + 1),
        .Depth(Queues)
    ) u_first (
        .clk_i,
        .write_i(clear_i || pop_i),
        .write_address_i(clear_i ? clear_queue_i : visit_queue_i),
        .write_data_i(clear_i ? '0 : popped),
        .read_address_i(first_indices[reader]),
        .read_data_o(firsts[reader])
    );
  end

  pointer_t [1:0] ends;
  logic [1:0][QueueBits-1:0] end_indices;
  assign end_indices = {push_queue_i, visit_queue_i};
  assign {push_end, visit_end} = ends;
  for (genvar reader = 0; reader < 2; reader++) begin : gen_end
    fm_ram_lut #(
        .Width(PlaceBits + 1),
        .Depth(Queues)
    ) u_end (
        .clk_i,
        .write_i(clear_i || push_i),
        .write_address_i(clear_i ? clear_queue_i : push_queue_i),
        .write_data_i(clear_i ? '0 : pushed),
        .read_address_i(end_indices[reader]),
        .read_data_o(ends[reader])
    );
  end

  logic [Queues-1:0] room_d, room_q, filled_d, filled_q;
  assign room_o   = room_q;
  assign filled_o = filled_q;

  always_comb begin
    room_d   = room_q;
    filled_d = filled_q;
    if (push_i) begin
      room_d[push_queue_i]   = pushed - push_first != pointer_t'(Depth);
      filled_d[push_queue_i] = 1'b1;
    end
    if (pop_i) begin
      room_d[visit_queue_i] = 1'b1;
      if (!(push_i && push_queue_i == visit_queue_i)) begin
        filled_d[visit_queue_i] = popped != visit_end;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      room_q   <= '1;
      filled_q <= '0;
    end else begin
      room_q   <= room_d;
      filled_q <= filled_d;
    end
  end

  place_t place, look_place;
  pointer_t level, look_level;
  logic reads;

  // Counted from the end, which only a push moves, so that a pop meanwhile hides no request.
  assign look_place = place_t'(push_end) - look_offset_i - 1'b1;
  assign look_level = push_end - push_first;
  assign reads = fetch_i || peek_i;
  assign look_ready_o = !reads;
  assign look_exists_o = look_level > pointer_t'(look_offset_i);
  assign place = fetch_i ? fetch_first + place_t'(fetch_offset_i) :
                           place_t'(visit_first) + place_t'(peek_offset_i);
  assign level = visit_end - visit_first;
  assign peek_ready_o = !fetch_i;
  assign peek_exists_o = level > pointer_t'(peek_offset_i);

  // A read behind the last entry may meet the push of the next one: then `exists` says that its word is none.
  fm_ram_block #(
      .Width($bits(queued_t)),
      .Depth(Queues * Depth),
      .MayCollide(1'b1)
  ) u_ram (
      .clk_i,
      .rst_ni,
      .write_i(push_i),
      .write_address_i({push_queue_i, place_t'(push_end)}),
      .write_data_i(push_entry_i),
      .read_i(reads || look_i),
      .read_address_i(reads ? {fetch_i ? fetch_queue_i : visit_queue_i, place} :
                              {push_queue_i, look_place}),
      .read_data_o(entry_o)
  );

  `FM_ASSERT(PushOnlyWithRoom, !push_i || room_q[push_queue_i])
  `FM_ASSERT(PopOnlyIfFilled, !pop_i || filled_q[visit_queue_i])

endmodule
