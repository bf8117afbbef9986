// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Requests of a channel in, steps on its bus out, in the order that keeps most chips busy.
//
// Contract: requests come on `request`, and get their place in the reorder buffer on `slot`. Steps
// go out on `step`, one at a time; `done_valid_i` tells that the last one has left the bus.
// `ready_i` says which ways are ready; it is low from the step on that makes a way busy. Requests
// complete on `completion`, but for those that bring data to the buffer: page_path completes them
// when their step has `respond`. `room_o` has a bit for each queue (way * 2 + urgent), `occupied_o`
// one for each way that has an operation, `pending_o` one for each that has a request, from two cycles
// after its taking until its last step has left the bus. While `hold_i` is up no step is chosen; `quiet_o` is up when none is formed or about to be chosen. The model is changed only while no request
// is here. docs/design/flash-channel.md says how requests become steps.
// Latency: 2 cycles from the end of a step to the next one, 4 from a way's getting ready; seldom
// more, if that way is just being planned anew. A request to an idle way becomes a step after
// about 20.
// Reason: see the modules.
module flash_scheduler
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways          = 8,
    parameter int unsigned Depth         = 32,
    parameter int unsigned MetadataBytes = 24
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  scheduler_config_t              config_i,
    input  way_orders_t                    orders_i,
    output logic              [  Ways-1:0] halted_o,
    output logic              [  Ways-1:0] giving_o,
    input  logic                           request_valid_i,
    output logic                           request_ready_o,
    input  request_t                       request_i,
    output logic              [2*Ways-1:0] room_o,
    output logic                           slot_valid_o,
    input  logic                           slot_ready_i,
    output logic              [       2:0] slot_stream_o,
    input  slot_t                          slot_i,
    input  logic              [  Ways-1:0] ready_i,
    input  logic                           hold_i,
    output logic                           quiet_o,
    output logic                           step_valid_o,
    input  logic                           step_ready_i,
    output step_t                          step_o,
    input  logic                           done_valid_i,
    input  step_done_t                     done_i,
    output logic                           completion_valid_o,
    input  logic                           completion_ready_i,
    output completion_t                    completion_o,
    output logic              [  Ways-1:0] occupied_o,
    output logic              [  Ways-1:0] pending_o
);

  localparam int unsigned QueueBits = $clog2(2 * Ways);
  localparam int unsigned LookBits = $clog2(Depth);

  // After reset, what lies in look-up tables is cleared.
  logic [5:0] clear_q;
  logic clear;
  assign clear = !clear_q[5];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= '0;
    else if (clear) clear_q <= clear_q + 1'b1;
  end

  logic ordered;
  assign ordered = config_i.model != OutOfOrder;

  // Requests into their queues.
  logic push, order_valid, order_ready, refusal_valid, refusal_ready;
  queue_t push_queue;
  queued_t push_entry;
  completion_t refusal;
  logic [2*Ways-1:0] room, filled;
  logic look, look_ready, look_exists;
  logic [LookBits-1:0] look_offset;
  queued_t entry;

  request_intake #(
      .Ways(Ways),
      .Depth(Depth),
      .MetadataBytes(MetadataBytes)
  ) u_intake (
      .clk_i,
      .rst_ni,
      .hold_i(clear),
      .ordered_i(ordered),
      .full_gives_back_i(config_i.full_gives_back),
      .plane_shift_i(config_i.plane_shift),
      .request_valid_i, .request_ready_o, .request_i,
      .slot_valid_o, .slot_ready_i, .slot_stream_o, .slot_i,
      .room_i(room),
      .filled_i(filled),
      .look_o(look),
      .look_ready_i(look_ready),
      .look_exists_i(look_exists),
      .look_offset_o(look_offset),
      .look_operation_i(entry.operation),
      .look_row_i(entry.row),
      .push_o(push),
      .push_queue_o(push_queue),
      .push_entry_o(push_entry),
      .order_valid_o(order_valid), .order_ready_i(order_ready),
      .refusal_valid_o(refusal_valid), .refusal_ready_i(refusal_ready), .refusal_o(refusal)
  );

  // Where the order counts, urgent requests go to the queue of the others.
  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      room_o[2*way] = room[2*way];
      room_o[2*way+1] = ordered ? room[2*way] : room[2*way+1];
    end
  end

  logic [QueueBits-1:0] visit_queue;
  logic pop, peek, peek_ready, peek_exists, chosen_valid;
  logic [3:0] peek_offset, chosen_way;
  plan_t plan;

  way_queues #(
      .Ways(Ways),
      .Depth(Depth)
  ) u_queues (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      .clear_queue_i(QueueBits'(clear_q)),
      .push_i(push),
      .push_queue_i(QueueBits'(push_queue)),
      .push_entry_i(push_entry),
      .look_i(look),
      .look_ready_o(look_ready),
      .look_exists_o(look_exists),
      .look_offset_i(look_offset),
      .room_o(room),
      .filled_o(filled),
      .visit_queue_i(visit_queue),
      .pop_i(pop),
      .peek_i(peek),
      .peek_ready_o(peek_ready),
      .peek_exists_o(peek_exists),
      .peek_offset_i(peek_offset),
      .fetch_i(chosen_valid),
      .fetch_queue_i(QueueBits'({chosen_way, plan.book.urgent})),
      .fetch_offset_i(plan.offset),
      .entry_o(entry)
  );

  // Requests into steps.
  logic [Ways-1:0] pushed, expired, stuck, valid, held, choice, abandoned, waiting;
  rank_t [Ways-1:0] rank;
  logic accept, abandon, fails;
  logic [3:0] failed_way;
  logic [Ways-1:0] failed, aborted, halts_changed;

  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      failed[way] = fails && 32'(failed_way) == way;
    end
  end

  logic unused_orders;
  assign unused_orders = ^orders_i;

  way_halts #(
      .Ways(Ways)
  ) u_halts (
      .clk_i,
      .rst_ni,
      .on_failure_i(config_i.halt_on_failure),
      .failed_i(failed),
      .halt_i(Ways'(orders_i.halt)),
      .resume_i(Ways'(orders_i.resume)),
      .give_back_i(Ways'(orders_i.give_back)),
      .abort_i(Ways'(orders_i.give_up)),
      .halted_o,
      .giving_o,
      .abort_o(aborted),
      .changed_o(halts_changed)
  );

  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      pushed[way] = push && 32'(push_queue.way) == way;
      abandoned[way] = aborted[way] || (abandon && 32'(step_o.way) == way);
      waiting[way] = stuck[way] || (valid[way] && rank[way].needs_ready && !ready_i[way]);
    end
  end

  way_scheduler #(
      .Ways(Ways)
  ) u_scheduler (
      .clk_i,
      .rst_ni,
      .config_i,
      .clear_i(clear),
      .clear_way_i(clear_q[3:0]),
      .pushed_i(pushed),
      .filled_i(filled),
      .visit_queue_o(visit_queue),
      .pop_o(pop),
      .peek_o(peek),
      .peek_ready_i(peek_ready),
      .peek_exists_i(peek_exists),
      .peek_offset_o(peek_offset),
      .entry_operation_i(entry.operation),
      .entry_row_i(entry.row),
      .entry_at_column_0_i(entry.at_column_0),
      .expired_i(expired),
      .halted_i(halted_o),
      .giving_i(giving_o),
      .halts_changed_i(halts_changed),
      .stuck_o(stuck),
      .valid_o(valid),
      .rank_o(rank),
      .changing_o(held),
      .chosen_i(choice),
      .abandon_i(abandoned),
      .plan_way_i(chosen_way),
      .plan_o(plan)
  );

  way_timer #(
      .Ways(Ways)
  ) u_timer (
      .clk_i,
      .rst_ni,
      .timeout_i(config_i.busy_timeout),
      .waiting_i(waiting),
      .restart_i(choice),
      .expired_o(expired)
  );

  logic next;

  // Steps to the bus.
  channel_arbiter #(
      .Ways(Ways)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .model_i(config_i.model),
      .low_ways_i(config_i.low_ways),
      .age_i(config_i.age),
      .order_valid_i(order_valid), .order_ready_o(order_ready), .order_way_i(push_queue.way),
      .valid_i(valid),
      .rank_i(rank),
      .ready_i,
      .held_i(held),
      .accept_i(accept && !hold_i),
      .next_o(next),
      .choice_o(choice),
      .chosen_valid_o(chosen_valid), .chosen_way_o(chosen_way),
      .book_i(plan.book),
      .occupied_o
  );

  // A request is in its queue until the visit behind the choice of its last step, and the step is known in the cycle after the choice.
  logic forming;
  logic [3:0] forming_way;
  assign quiet_o = !forming && !next;
  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      pending_o[way] = filled[2*way] || filled[2*way+1] || occupied_o[way] ||
          (forming && 32'(forming_way) == way);
    end
  end

  step_former u_former (
      .clk_i,
      .rst_ni,
      .accept_o(accept),
      .halt_on_failure_i(config_i.halt_on_failure),
      .fails_o(fails),
      .failed_way_o(failed_way),
      .chosen_valid_i(chosen_valid), .chosen_way_i(chosen_way),
      .form_i(plan.form),
      .entry_i(entry),
      .step_valid_o, .step_ready_i, .step_o,
      .done_valid_i, .done_i,
      .abandon_o(abandon),
      .busy_o(forming),
      .busy_way_o(forming_way),
      .refusal_valid_i(refusal_valid), .refusal_ready_o(refusal_ready), .refusal_i(refusal),
      .completion_valid_o, .completion_ready_i, .completion_o
  );

  `FM_ASSERT(ChosenIsPending, (choice & ~pending_o) == '0)

endmodule
