// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// What is known of each way: where it stands, its next step, and whether it has to be visited.
//
// Contract: `due_o` says that a way has to be visited; `pick_i` begins a visit of one, which is
// `way_o` from the next cycle on, until the next pick. `state_o` is where that way stands, its last
// step done; `closes_o`: with that step a request left its queue, and the visit has to take it out.
// `fail_o`: the operation of the way is to be given up; `expired_o`: because it has waited for too long. All are of use in the first cycle of a
// visit. `yield_o`: another way should be visited before this one; `again_i` gives the visit up.
// `change_i`: what a way may begin has changed, so its step is planned anew before it is chosen. `saw_fail_i`:
// `fail_o` was up in this visit. `store_i`, up for a cycle, ends a visit with what is beside it. `valid_o`, `rank_o`, `plan_o` and
// the events are as in way_scheduler.
// Latency: one cycle.
// Reason: a way takes 13 registers, and 60 bits of look-up tables that hold 16 ways anyway. State is
// kept before the next step and behind it, so that taking the step is one bit. If it is taken
// during a visit, the visit was for nothing; the next one begins behind the step.
module way_board
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways = 8,
    localparam int unsigned WayBits = Ways > 1 ? $clog2(Ways) : 1
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     clear_i,
    input  logic       [        3:0] clear_way_i,
    input  logic       [   Ways-1:0] pushed_i,
    input  logic       [   Ways-1:0] expired_i,
    input  logic       [   Ways-1:0] chosen_i,
    input  logic       [   Ways-1:0] abandon_i,
    input  logic       [   Ways-1:0] change_i,
    output logic                     due_o,
    input  logic                     pick_i,
    output logic       [WayBits-1:0] way_o,
    output way_state_t               state_o,
    output logic                     closes_o,
    output logic                     fail_o,
    output logic                     expired_o,
    output logic                     yield_o,
    input  logic                     again_i,
    input  logic                     store_i,
    input  way_state_t               state_i,
    input  way_state_t               after_i,
    input  plan_t                    plan_i,
    input  rank_t                    rank_i,
    input  logic                     planned_i,
    input  logic                     stuck_i,
    input  logic                     fail_i,
    input  logic                     saw_fail_i,
    output logic       [   Ways-1:0] valid_o,
    output logic       [   Ways-1:0] stuck_o,
    output rank_t      [   Ways-1:0] rank_o,
    output logic       [   Ways-1:0] changing_o,
    input  logic       [        3:0] plan_way_i,
    output plan_t                    plan_o
);

  typedef logic [WayBits-1:0] way_t;
  typedef logic [Ways-1:0] ways_t;

  ways_t due_q, taken_q, valid_q, stuck_q, picked, visited_q, due_first;
  // The operation is to be given up: nothing is planned for that yet, or it is.
  ways_t abandoned_q, failing_q;
  // Its step was planned before a change.
  ways_t stale_q;
  way_t way_q, picked_way;
  way_state_t here, behind;
  logic behind_closes, is_taken, spoiled_q, outdated_q, store;

  // A way whose step was taken goes first: the bus may be free soon. A visit of another only plans
  // anew what is planned already.
  assign due_first = due_q & taken_q;
  assign due_o = due_q != '0;
  assign yield_o = !is_taken && due_first != '0;

  fm_arbiter_round_robin #(
      .Requests(Ways)
  ) u_pick (
      .clk_i,
      .rst_ni,
      .request_i(!pick_i ? '0 : due_first != '0 ? due_first : due_q),
      .accept_i(1'b1),
      .grant_o(picked)
  );

  always_comb begin
    picked_way = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (picked[way]) picked_way |= way_t'(way);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      way_q <= '0;
      visited_q <= '0;
      spoiled_q <= 1'b0;
      outdated_q <= 1'b0;
    end else begin
      if (pick_i) way_q <= picked_way;
      if (pick_i) visited_q <= picked;
      spoiled_q <= !pick_i && (spoiled_q || (chosen_i & visited_q) != '0);
      outdated_q <= !pick_i && (outdated_q || (change_i & visited_q) != '0);
    end
  end

  assign way_o = way_q;
  assign store = store_i && !spoiled_q;
  assign is_taken = (taken_q & visited_q) != '0;
  assign state_o = is_taken ? behind : here;
  assign closes_o = is_taken && behind_closes;
  assign expired_o = (visited_q & (expired_i | failing_q) & ~taken_q) != '0;
  assign fail_o = expired_o || (visited_q & abandoned_q) != '0;

  fm_ram_lut #(
      .Width($bits(way_state_t)),
      .Depth(16)
  ) u_here (
      .clk_i,
      .write_i(store || clear_i),
      .write_address_i(clear_i ? clear_way_i : 4'(way_q)),
      .write_data_i(clear_i ? '0 : state_i),
      .read_address_i(4'(way_q)),
      .read_data_o(here)
  );

  fm_ram_lut #(
      .Width(1 + $bits(way_state_t)),
      .Depth(16)
  ) u_behind (
      .clk_i,
      .write_i(store),
      .write_address_i(4'(way_q)),
      .write_data_i({plan_i.form.closes, after_i}),
      .read_address_i(4'(way_q)),
      .read_data_o({behind_closes, behind})
  );

  fm_ram_lut #(
      .Width($bits(plan_t)),
      .Depth(16)
  ) u_plans (
      .clk_i,
      .write_i(store),
      .write_address_i(4'(way_q)),
      .write_data_i(plan_i),
      .read_address_i(plan_way_i),
      .read_data_o(plan_o)
  );

  ways_t stored;
  assign stored = visited_q & {Ways{store}};
  // The store is told by its visit alone: whether it is for nothing may depend on this.
  assign changing_o = (visited_q & {Ways{store_i}}) | abandoned_q | change_i | stale_q;
  assign valid_o = valid_q;
  assign stuck_o = stuck_q;

  for (genvar way = 0; way < Ways; way++) begin : gen_ways
    rank_t rank_q;
    assign rank_o[way] = rank_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        due_q[way] <= 1'b0;
        taken_q[way] <= 1'b0;
        valid_q[way] <= 1'b0;
        stuck_q[way] <= 1'b0;
        abandoned_q[way] <= 1'b0;
        failing_q[way] <= 1'b0;
        stale_q[way] <= 1'b0;
      end else begin
        if (picked[way]) due_q[way] <= 1'b0;
        if (again_i && visited_q[way]) due_q[way] <= 1'b1;
        if (pushed_i[way] || chosen_i[way] || expired_i[way] || abandon_i[way] || change_i[way]) begin
          due_q[way] <= 1'b1;
        end
        if (stored[way]) begin
          taken_q[way] <= 1'b0;
          valid_q[way] <= planned_i;
          stuck_q[way] <= stuck_i;
          failing_q[way] <= fail_i;
          if (saw_fail_i) abandoned_q[way] <= 1'b0;
          stale_q[way] <= outdated_q;
        end
        if (chosen_i[way]) begin
          taken_q[way] <= 1'b1;
          valid_q[way] <= 1'b0;
          failing_q[way] <= 1'b0;
        end
        if (abandon_i[way]) abandoned_q[way] <= 1'b1;
        if (change_i[way]) stale_q[way] <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (stored[way]) rank_q <= rank_i;
    end
  end

  `FM_ASSERT(TakenHasNoNext, (taken_q & valid_q) == '0)
  `FM_ASSERT(NothingTakenTwice, (chosen_i & taken_q) == '0)

endmodule
