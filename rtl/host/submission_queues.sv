// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The submission queues: where they are, their heads and tails, and what their doorbells may do.
//
// Contract: one request at a time is served, fetches first, then heads, then what configures, then
// doorbells. `clear_i` deletes all queues; a request that waits or is under way then finds none, and
// what waits to configure may be taken back.
// - `configure`: creates a queue, empty, or deletes one. Identifiers from Queues on are ignored.
// - `doorbell`: moves a tail. `bad_valid_o` pulses with the event information where there is no such
//   queue or place (NVMe 1.4 section 3.1.24); then nothing moves.
// - `head`: the answer is a pulse of `head_valid_o` with the queue's head as the host may know it, zero if there is
//   no queue: the place up to which entries have been read. `passed_valid_i` pulses when it moves on to `passed_head_i`.
// - `fetch`: moves the head for fetches over up to `fetch_limit_i` entries and answers with a pulse of
//   `fetched_valid_o`: how many (zero if none wait), from where in host memory, to which completion
//   queue, whether the queue is empty now, and the place behind them. Entries come from one aligned group of Burst, so a
//   read of them never crosses a page, and never from both ends of the queue.
// `live_o` says which queues there are, `waiting_o` which have entries, `class_o` their priority classes.
// Latency: five cycles a request, the answer in the last one; what configures waits while heads pass.
// Reason: commands come every tens of cycles, so one set of adders serves all queues from RAM, and
// what a doorbell changes cannot come between the steps of a fetch. A host that is told of a head puts new entries before it,
// so what was fetched and not yet read must lie behind it.
module submission_queues
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues = 17,
    parameter int unsigned Burst  = 4,
    // The largest size of a queue, less one: places have as many bits as it needs.
    parameter logic [15:0] LargestSize = 16'hffff,
    // What a queue does not change, in block RAM.
    parameter bit          BlockTables = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned CountBits = $clog2(Burst + 1)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                clear_i,
    input  logic                                configure_valid_i,
    output logic                                configure_ready_o,
    input  submission_queue_t                   configure_i,
    input  logic                                doorbell_valid_i,
    output logic                                doorbell_ready_o,
    input  doorbell_t                           doorbell_i,
    output logic                                bad_valid_o,
    output bad_doorbell_e                       bad_o,
    input  logic                                head_request_valid_i,
    output logic                                head_request_ready_o,
    input  logic                [QueueBits-1:0] head_request_i,
    output logic                                head_valid_o,
    output place_t                              head_o,
    input  logic                                fetch_valid_i,
    output logic                                fetch_ready_o,
    input  logic                [QueueBits-1:0] fetch_queue_i,
    input  logic                [CountBits-1:0] fetch_limit_i,
    output logic                                fetched_valid_o,
    output logic                [CountBits-1:0] fetched_count_o,
    output logic                [         63:0] fetched_address_o,
    output logic                [QueueBits-1:0] fetched_completion_o,
    output logic                                fetched_emptied_o,
    output place_t                              fetched_head_o,
    input  logic                                passed_valid_i,
    input  logic                [QueueBits-1:0] passed_queue_i,
    input  place_t                              passed_head_i,
    output logic                [   Queues-1:0] live_o,
    output logic                [   Queues-1:0] waiting_o,
    output logic              [Queues-1:0][1:0] class_o
);

  `FM_REQUIRE(gen_burst_is_no_power, Burst >= 2 && Burst <= 64 && 2 ** $clog2(Burst) == Burst,
           "submission_queues: Burst is not a power of two from 2 to 64")
  `FM_REQUIRE(gen_queues, Queues >= 2 && Queues <= 65536,
           "submission_queues: Queues is not from 2 to 65536")

  localparam int unsigned GroupBits = $clog2(Burst);
  // The admin queues have up to 4,096 places, whatever the others have.
  localparam place_t PlaceMask = place_t'((32'd1 << $clog2(32'(LargestSize | 16'd4095) + 1)) - 1);

  typedef enum logic [1:0] {
    Configure,
    Doorbell,
    Head,
    Fetch
  } request_e;

  typedef enum logic [2:0] {
    Idle,   // takes a request
    Load,   // reads its queue
    Judge,  // compares
    Count,  // how many entries
    Finish  // writes, answers
  } state_e;

  // What a queue does not change.
  typedef struct packed {
    place_t               size;
    logic [51:0]          page;
    logic [QueueBits-1:0] completion;
  } shape_t;

  state_e state_q;
  logic create_q, cleared_q, waits;
  logic [1:0] new_class_q;
  shape_t new_shape_q;
  request_e request_d, request_q;
  logic exists_d, exists_q;
  logic [QueueBits-1:0] index_d, index_q;
  logic [31:0] value_q;
  logic [CountBits-1:0] limit_q;

  logic [Queues-1:0] valid_q, waiting_q;
  logic [Queues-1:0][1:0] class_q;

  // Which request, and whether its queue can exist.
  always_comb begin
    request_d = Doorbell;
    index_d   = QueueBits'(doorbell_i.id);
    exists_d  = doorbell_i.known && 32'(doorbell_i.id) < Queues;
    if (fetch_valid_i) begin
      request_d = Fetch;
      index_d   = fetch_queue_i;
      exists_d  = 1'b1;
    end else if (head_request_valid_i) begin
      request_d = Head;
      index_d   = head_request_i;
      exists_d  = 1'b1;
    end else if (configure_valid_i) begin
      request_d = Configure;
      index_d   = QueueBits'(configure_i.id);
      exists_d  = 32'(configure_i.id) < Queues;
    end
  end

  assign configure_ready_o = state_q == Idle && request_d == Configure;
  assign doorbell_ready_o = state_q == Idle && request_d == Doorbell;
  assign head_request_ready_o = state_q == Idle && request_d == Head;
  assign fetch_ready_o = state_q == Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= clear_i || state_q != Idle && cleared_q;
      unique case (state_q)
        Idle: begin
          if (configure_valid_i || doorbell_valid_i || head_request_valid_i || fetch_valid_i) begin
            state_q <= Load;
          end
        end
        Load: state_q <= Judge;
        Judge: state_q <= Count;
        Count: state_q <= Finish;
        default: if (!waits) state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      request_q <= request_d;
      index_q <= index_d;
      exists_q <= exists_d;
      create_q <= configure_i.create;
      new_class_q <= configure_i.priority_class;
      new_shape_q <= '{
          size: configure_i.size,
          page: configure_i.page,
          completion: QueueBits'(configure_i.completion)
      };
      value_q <= doorbell_i.value;
      limit_q <= fetch_limit_i;
    end
  end

  // Load: the queue as it is.
  shape_t shape, shape_q;
  place_t head, head_q, passed, passed_q, tail, tail_q, size;

  assign size = shape_q.size & PlaceMask;

  // What the table has of it was read when the request was taken, and goes through a register, because the table may
  // be block RAM, which takes half of a cycle.
  always_ff @(posedge clk_i) begin
    shape_q <= shape;
    head_q <= head & PlaceMask;
    passed_q <= passed & PlaceMask;
    tail_q <= tail & PlaceMask;
  end

  // Judge: how far entries go without a turn, and whether a tail is a place of the queue. A
  // difference, since the place behind the last one may need a bit more than places have.
  logic value_fits_q, last_part_q;
  place_t available_q;
  logic [51:0] page_q;

  always_ff @(posedge clk_i) begin
    value_fits_q <= value_q[31:16] == '0 && value_q[15:0] <= size;
    last_part_q <= tail_q < head_q;
    available_q <= (tail_q < head_q ? size : tail_q - 1'b1) - head_q;
    page_q <= shape_q.page + 52'(head_q[15:6]);
  end

  // Count. All are one less than there are. Entries end before the end of the queue or before its tail.
  logic [GroupBits-1:0] group_left, most, count, count_q;
  logic ends, ends_q, emptied_q;
  // Whether the queue is there, and may give entries.
  logic there_q, gives_q;

  assign group_left = ~head_q[GroupBits-1:0];
  assign most = available_q < 16'(group_left) ? available_q[GroupBits-1:0] : group_left;
  assign count = CountBits'(most) < limit_q ? most : GroupBits'(limit_q - 1'b1);
  assign ends = 16'(count) == available_q;

  always_ff @(posedge clk_i) begin
    count_q <= count;
    ends_q <= ends;
    emptied_q <= ends && (!last_part_q || tail_q == '0);
    there_q <= exists_q && valid_q[index_q];
    gives_q <= valid_q[index_q] && waiting_q[index_q] && limit_q != '0;
  end

  // Finish.
  logic valid, rung, taken;
  place_t new_head;

  assign valid = there_q && !cleared_q;
  assign new_head = ends_q && last_part_q ? '0 : head_q + 16'(count_q) + 1'b1;
  assign rung = state_q == Finish && request_q == Doorbell;
  assign taken = fetched_valid_o && fetched_count_o != '0;

  assign bad_valid_o = rung && !(valid && value_fits_q);
  assign bad_o = valid ? BadValue : BadRegister;
  assign head_valid_o = state_q == Finish && request_q == Head;
  assign head_o = valid ? passed_q : '0;
  assign fetched_valid_o = state_q == Finish && request_q == Fetch;
  assign fetched_count_o = gives_q && !cleared_q ? CountBits'(count_q) + 1'b1 : '0;
  assign fetched_address_o = {page_q, head_q[5:0], 6'b0};
  assign fetched_completion_o = shape_q.completion;
  assign fetched_emptied_o = emptied_q;
  assign fetched_head_o = new_head;
  assign live_o = valid_q;
  assign waiting_o = waiting_q;
  assign class_o = class_q;

  logic creates, moves_tail;
  assign waits = state_q == Finish && request_q == Configure && passed_valid_i;
  assign creates = state_q == Finish && request_q == Configure && exists_q && !cleared_q && !waits;
  assign moves_tail = rung && valid && value_fits_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      waiting_q <= '0;
      class_q <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
      waiting_q <= '0;
    end else begin
      if (creates) begin
        valid_q[index_q] <= create_q;
        waiting_q[index_q] <= 1'b0;
        class_q[index_q] <= new_class_q;
      end
      if (moves_tail) waiting_q[index_q] <= value_q[15:0] != head_q;
      if (taken && fetched_emptied_o) waiting_q[index_q] <= 1'b0;
    end
  end

  submission_tables #(
      .Queues(Queues),
      .ShapeBits($bits(shape_t)),
      .BlockTables(BlockTables)
  ) u_tables (
      .clk_i,
      .rst_ni,
      .next_i(state_q == Idle), .next_index_i(index_d), .index_i(index_q),
      .creates_i(creates), .shape_i(new_shape_q), .shape_o(shape),
      .head_valid_i(taken), .head_i(new_head), .head_o(head),
      .passed_valid_i, .passed_index_i(passed_queue_i), .passed_i(passed_head_i), .passed_o(passed),
      .tail_valid_i(moves_tail), .tail_i(value_q[15:0]), .tail_o(tail)
  );

  `FM_ASSERT_STREAM(u_assert_doorbell, doorbell_valid_i, doorbell_ready_o, doorbell_i)
  `FM_ASSERT_STREAM(u_assert_head, head_request_valid_i, head_request_ready_o, head_request_i)
  `FM_ASSERT_STREAM(u_assert_fetch, fetch_valid_i, fetch_ready_o, {fetch_queue_i, fetch_limit_i})

endmodule
