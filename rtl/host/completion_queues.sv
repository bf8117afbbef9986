// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The completion queues: where they are, their heads, tails and phases, and what their doorbells
// may do.
//
// Contract: one request at a time is served, posts first, then what configures, then doorbells.
// `clear_i` deletes all queues; a request that waits or is under way then finds none, and
// what waits to configure may be taken back.
// - `configure`: creates a queue, empty, or deletes one. Identifiers from Queues on are ignored.
// - `doorbell`: moves a head, over entries that were posted only (NVMe 1.4 section 3.1.25).
//   `moved_valid_o` pulses with the queue, or `bad_valid_o` with the event information; then nothing
//   moves.
// - `post`: takes the next place. The answer is a pulse of `posted_valid_o`: whether the queue exists
//   and had room, and then the place's address, the phase to write, and the interrupt.
// `live_o` says which queues there are.
// Latency: four cycles a request, the answer in the last one.
// Reason: as `submission_queues`, and apart from it since fetches and completions go on at the same
// time. A head is checked without remainders: places from head to tail are one interval or two.
module completion_queues
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues = 17,
    // The largest size of a queue, less one: places have as many bits as it needs.
    parameter logic [15:0] LargestSize = 16'hffff,
    // What a queue does not change, in block RAM.
    parameter bit          BlockTables = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              clear_i,
    input  logic                              configure_valid_i,
    output logic                              configure_ready_o,
    input  completion_queue_t                 configure_i,
    input  logic                              doorbell_valid_i,
    output logic                              doorbell_ready_o,
    input  doorbell_t                         doorbell_i,
    output logic                              bad_valid_o,
    output bad_doorbell_e                     bad_o,
    output logic                              moved_valid_o,
    output logic              [QueueBits-1:0] moved_o,
    input  logic                              post_valid_i,
    output logic                              post_ready_o,
    input  logic              [QueueBits-1:0] post_i,
    output logic                              posted_valid_o,
    output logic                              posted_exists_o,
    output logic                              posted_room_o,
    output logic              [         63:0] posted_address_o,
    output logic                              posted_phase_o,
    output logic                              posted_interrupts_o,
    output logic              [         10:0] posted_vector_o,
    output logic              [   Queues-1:0] live_o
);

  `FM_REQUIRE(gen_queues, Queues >= 2 && Queues <= 65536,
           "completion_queues: Queues is not from 2 to 65536")

  typedef enum logic [1:0] {
    Configure,
    Doorbell,
    Post
  } request_e;

  // The admin queues have up to 4,096 places, whatever the others have.
  localparam place_t PlaceMask = place_t'((32'd1 << $clog2(32'(LargestSize | 16'd4095) + 1)) - 1);

  typedef enum logic [1:0] {
    Idle,   // takes a request
    Load,   // reads its queue
    Judge,  // compares
    Finish  // writes, answers
  } state_e;

  // What a queue does not change.
  typedef struct packed {
    place_t      size;
    logic [51:0] page;
    logic        interrupts;
    logic [10:0] vector;
  } shape_t;

  typedef struct packed {
    place_t place;
    logic   phase;
  } tail_t;

  state_e state_q;
  logic create_q, cleared_q;
  shape_t new_shape_q;
  request_e request_d, request_q;
  logic exists_d, exists_q;
  logic [QueueBits-1:0] index_d, index_q;
  logic [31:0] value_q;
  logic [Queues-1:0] valid_q;

  always_comb begin
    request_d = Doorbell;
    index_d   = QueueBits'(doorbell_i.id);
    exists_d  = doorbell_i.known && 32'(doorbell_i.id) < Queues;
    if (post_valid_i) begin
      request_d = Post;
      index_d   = post_i;
      exists_d  = 1'b1;
    end else if (configure_valid_i) begin
      request_d = Configure;
      index_d   = QueueBits'(configure_i.id);
      exists_d  = 32'(configure_i.id) < Queues;
    end
  end

  assign configure_ready_o = state_q == Idle && request_d == Configure;
  assign doorbell_ready_o = state_q == Idle && request_d == Doorbell;
  assign post_ready_o = state_q == Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= clear_i || state_q != Idle && cleared_q;
      unique case (state_q)
        Idle: if (configure_valid_i || doorbell_valid_i || post_valid_i) state_q <= Load;
        Load: state_q <= Judge;
        Judge: state_q <= Finish;
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      request_q <= request_d;
      index_q <= index_d;
      exists_q <= exists_d;
      create_q <= configure_i.create;
      new_shape_q <= '{
          size: configure_i.size,
          page: configure_i.page,
          interrupts: configure_i.interrupts,
          vector: configure_i.vector
      };
      value_q <= doorbell_i.value;
    end
  end

  // Load: the queue as it is.
  shape_t shape, shape_q;
  place_t head, head_q, size;
  tail_t tail, tail_q;

  assign size = shape_q.size & PlaceMask;

  // What the table has of it was read when the request was taken, and goes through a register, because the table may
  // be block RAM, which takes half of a cycle.
  always_ff @(posedge clk_i) begin
    shape_q <= shape;
    head_q <= head & PlaceMask;
    tail_q <= '{place: tail.place & PlaceMask, phase: tail.phase};
  end

  // Judge: whether a head lies from the head to the tail, and whether the place behind the tail is free, for a queue that
  // goes on there and for one that begins anew.
  logic from_head, to_tail;
  logic between_q, inside_q, ends_q, next_free_q, first_free_q, there_q;

  assign from_head = value_q[15:0] >= head_q;
  assign to_tail = value_q[15:0] <= tail_q.place;

  always_ff @(posedge clk_i) begin
    between_q <= value_q[31:16] == '0 && (head_q <= tail_q.place ? from_head && to_tail : from_head || to_tail);
    next_free_q <= tail_q.place + 1'b1 != head_q;
    first_free_q <= head_q != '0;
    inside_q <= value_q[15:0] <= size;
    ends_q <= tail_q.place == size;
    there_q <= exists_q && valid_q[index_q];
  end

  // Finish.
  logic valid, rung, creates, takes, fits;
  tail_t next;

  assign valid = there_q && !cleared_q;
  assign rung = state_q == Finish && request_q == Doorbell;
  assign creates = state_q == Finish && request_q == Configure && exists_q && !cleared_q;
  assign takes = posted_valid_o && valid && posted_room_o;
  assign fits = between_q && inside_q;
  assign next = ends_q ? '{place: '0, phase: !tail_q.phase} : '{place: tail_q.place + 1'b1, phase: tail_q.phase};

  assign moved_valid_o = rung && valid && fits;
  assign moved_o = index_q;
  assign live_o = valid_q;
  assign bad_valid_o = rung && !(valid && fits);
  assign bad_o = valid ? BadValue : BadRegister;
  assign posted_valid_o = state_q == Finish && request_q == Post;
  assign posted_exists_o = valid;
  // Entries are placed up to the one before the head.
  assign posted_room_o = ends_q ? first_free_q : next_free_q;
  assign posted_address_o = {shape_q.page + 52'(tail_q.place[15:8]), tail_q.place[7:0], 4'b0};
  assign posted_phase_o = tail_q.phase;
  assign posted_interrupts_o = shape_q.interrupts;
  assign posted_vector_o = shape_q.vector;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
    end else if (creates) begin
      valid_q[index_q] <= create_q;
    end
  end

  fm_ram_table #(
      .Width($bits(shape_t)),
      .Depth(Queues),
      .Block(BlockTables)
  ) u_shapes (
      .clk_i,
      .rst_ni,
      .write_i(creates),
      .write_address_i(index_q),
      .write_data_i(new_shape_q),
      .read_i(state_q == Idle),
      .read_address_i(index_d),
      .read_data_o(shape)
  );

  fm_ram_lut #(
      .Width($bits(place_t)),
      .Depth(Queues)
  ) u_heads (
      .clk_i,
      .write_i(creates || moved_valid_o),
      .write_address_i(index_q),
      .write_data_i(creates ? '0 : value_q[15:0]),
      .read_address_i(index_q),
      .read_data_o(head)
  );

  // The first turn through a queue writes phase one.
  fm_ram_lut #(
      .Width($bits(tail_t)),
      .Depth(Queues)
  ) u_tails (
      .clk_i,
      .write_i(creates || takes),
      .write_address_i(index_q),
      .write_data_i(creates ? {16'b0, 1'b1} : next),
      .read_address_i(index_q),
      .read_data_o(tail)
  );

  `FM_ASSERT_STREAM(u_assert_doorbell, doorbell_valid_i, doorbell_ready_o, doorbell_i)
  `FM_ASSERT_STREAM(u_assert_post, post_valid_i, post_ready_o, post_i)

endmodule
