// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Turns the requests of all ways into steps: one sequencer that visits ways when something happened
// to them.
//
// Contract: `valid_o` says which ways have a next step, `rank_o` what the arbiter must know of it,
// and `plan_o` is that of `plan_way_i`. `changing_o` is the way whose step is about to change; it is
// not chosen in that cycle. The arbiter tells with `chosen_i` whose step it takes: from then on the
// step counts as done. `abandon_i`: the step that was taken last could not be done, and neither can
// its operation. A way in `halted_i` begins nothing; in `giving_i` its requests are planned to be given back.
// `halts_changed_i`: either has changed. `stuck_o`: the way waits for requests that are to come. While `clear_i` is up,
// `clear_way_i` goes through all ways and makes them idle.
// Latency: 11 cycles for a visit, 4 more for each request that is compared. A way is visited after
// its step was chosen, so the next one is there long before the bus is free.
// Reason: what a way does next depends only on where it stands and on its queue. So a visit may
// come at any time, and a step that was not yet taken is planned anew when a request comes.
module way_scheduler
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways = 8,
    localparam int unsigned WayBits = Ways > 1 ? $clog2(Ways) : 1,
    localparam int unsigned QueueBits = $clog2(2 * Ways)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  scheduler_config_t    config_i,
    input  logic                 clear_i,
    input  logic [3:0]           clear_way_i,
    input  logic [Ways-1:0]      pushed_i,
    input  logic [2*Ways-1:0]    filled_i,
    output logic [QueueBits-1:0] visit_queue_o,
    output logic                 pop_o,
    output logic                 peek_o,
    input  logic                 peek_ready_i,
    input  logic                 peek_exists_i,
    output logic [3:0]           peek_offset_o,
    input  operation_e           entry_operation_i,
    input  logic [31:0]          entry_row_i,
    input  logic                 entry_at_column_0_i,
    input  logic [Ways-1:0]      expired_i,
    input  logic [Ways-1:0]      halted_i,
    input  logic [Ways-1:0]      giving_i,
    input  logic [Ways-1:0]      halts_changed_i,
    output logic [Ways-1:0]      stuck_o,
    output logic [Ways-1:0]      valid_o,
    output rank_t [Ways-1:0]     rank_o,
    output logic [Ways-1:0]      changing_o,
    input  logic [Ways-1:0]      chosen_i,
    input  logic [Ways-1:0]      abandon_i,
    input  logic [3:0]           plan_way_i,
    output plan_t                plan_o
);

  typedef enum logic [3:0] {
    Pick,   // the next way
    Load,   // where it stands
    Take,   // the request that it is done with out of the queue
    Enter,  // look for a request
    Peek,   // a request is being read
    Catch,  // ... into a register
    Match,  // it is compared
    Judge,  // what it means
    Extend, // may others follow in cache mode
    Plan,   // the next step
    Commit  // it is told
  } visit_e;

  // What a request is compared for.
  typedef enum logic [2:0] {
    Base,     // nothing, the step is about it
    Plane,    // another plane of the group
    First,    // the first one of a group that follows in cache mode
    Follow,   // another plane of that
    Partner   // the second or third page of a word line
  } compare_e;

  visit_e visit_d, visit_q;
  compare_e compare_d, compare_q;
  logic [WayBits-1:0] way;
  way_state_t state_d, state_q, entered, after;
  logic fail_q, saw_fail_q, failing, expired, expired_q, return_d, return_q, refuse_d, refuse_q, stuck_d, stuck_q, empty_d, empty_q;
  logic due, closes, closes_q, give_up, yields;
  logic [3:0] offset_d, offset_q;
  logic [3:0] follow_planes_d, follow_planes_q;
  rank_t rank;
  plan_t plan;

  way_board #(
      .Ways(Ways)
  ) u_board (
      .clk_i,
      .rst_ni,
      .clear_i,
      .clear_way_i,
      .pushed_i,
      .expired_i,
      .chosen_i,
      .abandon_i,
      .change_i(halts_changed_i),
      .due_o(due),
      .pick_i(visit_q == Pick),
      .way_o(way),
      .state_o(entered),
      .closes_o(closes),
      .fail_o(failing),
      .expired_o(expired),
      .yield_o(yields),
      .again_i(give_up),
      .store_i(visit_q == Commit),
      .state_i(state_q),
      .after_i(after),
      .plan_i(plan),
      .rank_i(rank),
      .planned_i(!empty_q && (!stuck_q || fail_q)),
      .stuck_i(stuck_q && !fail_q),
      .fail_i(fail_q),
      .saw_fail_i(saw_fail_q),
      .valid_o,
      .stuck_o,
      .rank_o,
      .changing_o,
      .plan_way_i,
      .plan_o
  );

  assign give_up = visit_q == Peek && yields;

  logic urgent_filled, low_filled;
  assign urgent_filled = filled_i[QueueBits'({way, 1'b1})];
  assign low_filled = filled_i[QueueBits'({way, 1'b0})];

  assign visit_queue_o = QueueBits'({way, state_q.urgent});
  assign pop_o = visit_q == Take && closes_q;
  assign peek_o = visit_q == Peek;
  assign peek_offset_o = offset_q;

  // The request that was read, and the one it is compared with.
  operation_e operation_q, base_operation_q;
  logic [31:0] row_q, reference_q;
  logic at_column_0_q, base_at_column_0_q, base_first_lun_q;
  logic [1:0] plane;
  logic [3:0] plane_bit;
  logic same_page, same_lun, same_operation_q, joins;

  row_match u_match (
      .clk_i,
      .plane_bits_i(config_i.plane_bits),
      .plane_shift_i(config_i.plane_shift),
      .lun_shift_i(config_i.lun_shift),
      .row_i(row_q),
      .other_i(reference_q),
      .plane_o(plane),
      .same_page_o(same_page),
      .same_lun_o(same_lun)
  );

  assign plane_bit = 4'd1 << plane;

  always_comb begin
    unique case (compare_q)
      Plane: joins = same_operation_q && same_page && (state_q.planes & plane_bit) == '0;
      First: joins = same_operation_q && same_lun;
      Follow: joins = same_operation_q && same_page && (follow_planes_q & plane_bit) == '0;
      default: joins = same_operation_q;
    endcase
  end

  // How many urgent operations of a way began while a low one waited. That gets its turn then.
  logic [Ways-1:0][2:0] passed_q;
  logic low_turn;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passed_q <= '0;
    end else begin
      for (int unsigned w = 0; w < Ways; w++) begin
        if (chosen_i[w] && plan_o.book.starts) begin
          if (!plan_o.book.urgent || !filled_i[2*w]) passed_q[w] <= '0;
          else if (passed_q[w] != '1) passed_q[w] <= passed_q[w] + 1'b1;
        end
      end
    end
  end

  assign low_turn = low_filled && config_i.age != '0 && passed_q[way] >= old_age(config_i.age);

  logic ordered, merges_planes, may_extend, unused_config;
  assign unused_config = ^{config_i.low_ways, config_i.full_gives_back, config_i.halt_on_failure,
                          config_i.busy_timeout};
  assign ordered = config_i.model != OutOfOrder;
  assign merges_planes = !ordered && config_i.merge_planes && config_i.plane_bits != '0;
  // Another group may follow if the step is the one before it, and no urgent request waits. Nor, if
  // they age, does one of low priority.
  assign may_extend = !ordered &&
      (state_q.urgent ? config_i.age == '0 || !low_filled : !urgent_filled) &&
      (state_q.phase == PhaseBorder ? base_operation_q == Read && config_i.merge_cache_read :
       state_q.phase inside {PhaseIdle, PhaseTrigger} && base_operation_q == Program &&
       config_i.merge_cache_program && state_q.issued + 1'b1 == state_q.current);

  always_comb begin
    visit_d = visit_q;
    compare_d = compare_q;
    state_d = state_q;
    offset_d = offset_q;
    follow_planes_d = follow_planes_q;
    refuse_d = refuse_q;
    return_d = return_q;
    stuck_d = stuck_q;
    empty_d = empty_q;
    unique case (visit_q)
      Pick: if (due) visit_d = Load;
      Load: begin
        state_d = entered;
        visit_d = Take;
      end
      Take: visit_d = Enter;
      Enter: begin
        visit_d = Peek;
        compare_d = Base;
        follow_planes_d = '0;
        refuse_d = 1'b0;
        return_d = 1'b0;
        stuck_d = 1'b0;
        empty_d = 1'b0;
        offset_d = state_q.phase == PhaseTrigger && !fail_q ?
            4'(state_q.older) + 4'(state_q.issued) : '0;
        if (state_q.phase == PhaseIdle) begin
          state_d = '0;
          state_d.urgent = urgent_filled && !low_turn;
          state_d.current = 3'd1;
          return_d = halted_i[way] && giving_i[way];
          empty_d = (!urgent_filled && !low_filled) || (halted_i[way] && !giving_i[way]);
          if (empty_d) visit_d = Plan;
        end
      end
      Peek: begin
        if (give_up) begin
          visit_d = Pick;
        end else if (!peek_exists_i) begin
          visit_d = compare_q == Plane ? Extend : Plan;
          stuck_d = compare_q == Partner;
        end else if (peek_ready_i) begin
          visit_d = Catch;
        end
      end
      Catch: visit_d = Match;
      Match: visit_d = Judge;
      Judge: begin
        visit_d = Peek;
        offset_d = offset_q + 1'b1;
        unique case (compare_q)
          Base: begin
            visit_d = Extend;
            if (state_q.phase == PhaseIdle && !fail_q && !return_q) begin
              state_d.planes = plane_bit;
              if (operation_q == ProgramOneShot) begin
                state_d.current = 3'd3;
                compare_d = Partner;
                visit_d = Peek;
              end else if (operation_q inside {Read, Program, Erase} && merges_planes) begin
                compare_d = Plane;
                visit_d = Peek;
              end
            end
          end
          Plane: begin
            if (joins) begin
              state_d.planes = state_q.planes | plane_bit;
              state_d.current = state_q.current + 1'b1;
            end else begin
              visit_d = Extend;
            end
          end
          First: begin
            follow_planes_d = joins ? plane_bit : '0;
            compare_d = Follow;
            if (!joins || !merges_planes) visit_d = Plan;
          end
          Follow: begin
            if (joins) follow_planes_d = follow_planes_q | plane_bit;
            else visit_d = Plan;
          end
          default: begin
            refuse_d = !joins;
            if (!joins || offset_q == 4'd2) visit_d = Plan;
          end
        endcase
      end
      Extend: begin
        visit_d = Plan;
        if (may_extend && !fail_q && !return_q) begin
          compare_d = First;
          offset_d = 4'(state_q.older) + 4'(state_q.current);
          visit_d = Peek;
        end
      end
      Plan: visit_d = Commit;
      default: visit_d = Pick;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) visit_q <= Pick;
    else visit_q <= visit_d;
  end

  always_ff @(posedge clk_i) begin
    compare_q <= compare_d;
    state_q <= state_d;
    offset_q <= offset_d;
    follow_planes_q <= follow_planes_d;
    refuse_q <= refuse_d;
    return_q <= return_d;
    stuck_q <= stuck_d;
    empty_q <= empty_d;
    if (visit_q == Load) begin
      fail_q <= failing;
      saw_fail_q <= failing;
      expired_q <= expired;
      closes_q <= closes;
    end else if (visit_q == Enter && state_q.phase == PhaseIdle) begin
      // What was to be given up is over. A request that begins is given up if it has waited for too long, and not if the way
      // halts, when nothing begins.
      fail_q <= expired_q && !halted_i[way];
    end
    same_operation_q <= operation_q == base_operation_q;
    if (visit_q == Enter) reference_q <= '0;
    if (visit_q == Catch) begin
      operation_q <= entry_operation_i;
      row_q <= entry_row_i;
      at_column_0_q <= entry_at_column_0_i;
    end
    if (visit_q == Judge) begin
      if (compare_q inside {Base, First}) reference_q <= row_q;
      if (compare_q == Base) begin
        base_operation_q <= operation_q;
        base_at_column_0_q <= at_column_0_q;
        base_first_lun_q <= same_lun;
      end
    end
  end

  step_plan u_plan (
      .clk_i,
      .state_i(state_q),
      .operation_i(base_operation_q),
      .first_lun_i(base_first_lun_q),
      .at_column_0_i(base_at_column_0_q),
      .cache_i(follow_planes_q == state_q.planes),
      .fail_i(fail_q),
      .refuse_i(refuse_q),
      .return_i(return_q),
      .jedec_i(config_i.jedec),
      .plan_o(plan),
      .rank_o(rank),
      .after_o(after)
  );

  `FM_ASSERT(BaseIsThere, !(visit_q == Peek && compare_q == Base && !peek_exists_i))

endmodule
