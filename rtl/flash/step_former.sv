// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Makes a step of a plan and its request, hands it to the bus, and completes what it completes.
//
// Contract: `chosen_valid_i`, up only with `accept_o`, begins a step of `chosen_way_i` as `form_i`
// says; its request is on `entry_i` in the next cycle. Then the
// step goes out on `step`, and its end comes as a pulse of `done_valid_i`. If the step closes its
// request, and page_path does not answer for it, a completion goes out on `completion`, on which
// those of `refusal` go too. A silent request that did not end well makes its way void: the next
// status step of it that is answered tells so, as timed out, whatever the chip says; a reset mends it. A
// step in the middle of an operation that timed out pulses `abandon_o`
// instead. `fails_o` pulses if a program or erase has failed or something has timed out, of `failed_way_o`. With
// `halt_on_failure_i` no step is chosen in that cycle: it might be one of that way. `busy_o` is up from the cycle after `chosen_valid_i` on until nothing is left to do for the step, of
// the way `busy_way_o`.
// Latency: from `chosen_valid_i` to `step_valid_o` two cycles.
// Reason: the step register keeps slot and tag while the step is on the bus, so a completion needs
// no second look into the queue. A step is offered only when there is room for its completion.
module step_former
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    output logic             accept_o,
    input  logic             halt_on_failure_i,
    output logic             fails_o,
    output logic       [3:0] failed_way_o,
    input  logic             chosen_valid_i,
    input  logic       [3:0] chosen_way_i,
    input  form_t            form_i,
    input  queued_t          entry_i,
    output logic             step_valid_o,
    input  logic             step_ready_i,
    output step_t            step_o,
    input  logic             done_valid_i,
    input  step_done_t       done_i,
    output logic             abandon_o,
    output logic             busy_o,
    output logic       [3:0] busy_way_o,
    input  logic             refusal_valid_i,
    output logic             refusal_ready_o,
    input  completion_t      refusal_i,
    output logic             completion_valid_o,
    input  logic             completion_ready_i,
    output completion_t      completion_o
);

  typedef enum logic [2:0] {
    Empty,  // no step
    Form,   // its request is on `entry_i`
    Offer,  // the bus may take it
    Bus,    // the bus has it
    Close   // it does not need the bus, only its request completes
  } state_e;

  state_e state_d, state_q;
  form_t form_q;
  logic [3:0] way_q;
  step_t step_d, step_q;
  logic answers_d, answers_q;
  // Of the request: silent; a status step; a reset; neither a status step nor a transfer from the chip.
  logic silent_q, asks_q, resets_q, acts_q;
  logic [15:0] void_q;
  logic voids, tells, is_bad, bad_status;
  logic completion_valid_q, complete, ended;
  completion_t completion_d, completion_q;

  // It matters to the scheduler only.
  logic unused_entry;
  assign unused_entry = entry_i.at_column_0;

  assign ended = state_q == Bus && done_valid_i;
  assign abandon_o = ended && done_i.timed_out && !form_q.closes;
  assign is_bad = is_failure(form_q.verdict, {done_i.value[7:5], done_i.value[1:0]});
  assign bad_status = form_q.closes && is_bad;
  assign fails_o = (ended && (done_i.timed_out || bad_status)) ||
      (state_q == Close && !completion_valid_q && !form_q.refused && !form_q.returned);
  assign failed_way_o = way_q;
  assign accept_o = state_q == Empty ||
      (ended && !done_i.timed_out && !(halt_on_failure_i && bad_status));
  assign busy_o = state_q != Empty;
  assign busy_way_o = way_q;
  assign step_valid_o = state_q == Offer && !completion_valid_q;
  assign step_o = step_q;
  assign complete = answers_q &&
      (ended ? form_q.closes : state_q == Close && !completion_valid_q);
  assign refusal_ready_o = !completion_valid_q && (state_q == Empty || state_q == Form);
  assign completion_valid_o = completion_valid_q;
  assign completion_o = completion_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Form: state_d = form_q.off_bus ? Close : Offer;
      Offer: if (step_valid_o && step_ready_i) state_d = Bus;
      Bus: if (done_valid_i) state_d = Empty;
      Close: if (!completion_valid_q) state_d = Empty;
      default: ;
    endcase
    if (chosen_valid_i) state_d = Form;
  end

  always_comb begin
    step_d = '{
        operation: form_q.operation,
        way: way_q,
        row: entry_i.row,
        column: entry_i.column,
        length: entry_i.length,
        buffer: entry_i.buffer,
        next_plane: form_q.next_plane,
        plain: entry_i.plain || form_q.raw,
        bypass: entry_i.bypass || form_q.raw,
        metadata: entry_i.metadata && !form_q.raw,
        respond: !entry_i.silent && reads_page(form_q.operation),
        slot: entry_i.slot,
        tag: entry_i.tag,
        irq: entry_i.irq,
        irq_on_error: entry_i.irq_on_error
    };
    answers_d = !entry_i.silent && (form_q.off_bus || !reads_page(form_q.operation));
  end

  assign voids = silent_q && acts_q &&
      ((ended && form_q.closes && done_i.timed_out) ||
       (state_q == Close && !completion_valid_q && !form_q.refused && !form_q.returned));
  assign tells = asks_q && void_q[way_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) void_q <= '0;
    else if (voids) void_q[way_q] <= 1'b1;
    else if (ended && ((asks_q && answers_q) || resets_q)) void_q[way_q] <= 1'b0;
  end

  always_comb begin
    completion_d = '0;
    completion_d.slot = step_q.slot;
    completion_d.tag = step_q.tag;
    completion_d.way = step_q.way;
    completion_d.irq = step_q.irq;
    completion_d.irq_on_error = step_q.irq_on_error;
    if (form_q.off_bus) begin
      completion_d.outcome = form_q.refused ? Refused : form_q.returned ? GivenBack : TimedOut;
    end else begin
      completion_d.value = done_i.value;
      if (done_i.timed_out || tells) completion_d.outcome = TimedOut;
      else if (is_bad) completion_d.outcome = Failed;
    end
    if (!complete) completion_d = refusal_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Empty;
      completion_valid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (complete || (refusal_valid_i && refusal_ready_o)) completion_valid_q <= 1'b1;
      else if (completion_ready_i) completion_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (chosen_valid_i) begin
      form_q <= form_i;
      way_q  <= chosen_way_i;
    end
    if (state_q == Form) begin
      step_q <= step_d;
      answers_q <= answers_d;
      silent_q <= entry_i.silent;
      asks_q <= entry_i.operation[6:5] == GroupStatus;
      acts_q <= !(entry_i.operation[6:5] inside {GroupStatus, GroupRead}) || entry_i.operation == Read;
      resets_q <= entry_i.operation inside {Reset, SynchronousReset, ResetLun};
    end
    if (!completion_valid_q) completion_q <= completion_d;
  end

  `FM_ASSERT(ChosenWhenAccepted, !chosen_valid_i || accept_o)
  `FM_ASSERT(DoneOfTheStep, !done_valid_i || (state_q == Bus && done_i.way == step_q.way))
  `FM_ASSERT(RoomForCompletion, !(complete && completion_valid_q))
  `FM_ASSERT_STREAM(u_assert_step, step_valid_o, step_ready_i, step_q)
  `FM_ASSERT_STREAM(u_assert_refusal, refusal_valid_i, refusal_ready_o, refusal_i)
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_o, completion_ready_i, completion_q)

endmodule
