`include "prim_assert.svh"

// Turns the requests of all ways into steps: one sequencer that visits ways when something happened
// to them.
//
// Contract: `valid_o` says which ways have a next step, `rank_o` what the arbiter must know of it,
// and `plan_o` is that of `plan_way_i`. `changing_o` is the way whose step is about to change; it is
// not chosen in that cycle. The arbiter tells with `chosen_i` whose step it takes: from then on the
// step counts as done. `abandon_i`: the step that was taken last could not be done, and neither can
// its operation. `stuck_o`: the way waits for requests that are to come. While `clear_i` is up,
// `clear_way_i` goes through all ways and makes them idle.
// Latency: 6 cycles for a visit, 3 more for each request that is compared. A way is visited after
// its step was chosen, so the next one is there long before the bus is free.
// Reason: what a way does next depends only on where it stands and on its queue. So a visit may
// come at any time, and a step that was not yet taken is planned anew when a request comes. State
// lies in look-up tables: before the planned step and behind it, so that taking a step is one bit.
module way_scheduler
  import flash_pkg::*;
  import scheduler_pkg::*;
#(
    parameter int unsigned Ways = 8,
    localparam int unsigned QueueBits = $clog2(2 * Ways)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  scheduler_config_t            config_i,
    input  logic                         clear_i,
    input  logic              [     3:0] clear_way_i,
    input  logic              [Ways-1:0] pushed_i,
    input  logic              [2*Ways-1:0] filled_i,
    output logic              [QueueBits-1:0] visit_queue_o,
    output logic                         pop_o,
    output logic                         peek_o,
    input  logic                         peek_ready_i,
    input  logic                         peek_exists_i,
    output logic              [     3:0] peek_offset_o,
    input  operation_e                   entry_operation_i,
    input  logic              [    31:0] entry_row_i,
    input  logic                         entry_at_column_0_i,
    input  logic              [Ways-1:0] expired_i,
    output logic              [Ways-1:0] stuck_o,
    output logic              [Ways-1:0] valid_o,
    output rank_t             [Ways-1:0] rank_o,
    output logic              [Ways-1:0] changing_o,
    input  logic              [Ways-1:0] chosen_i,
    input  logic              [Ways-1:0] abandon_i,
    input  logic              [     3:0] plan_way_i,
    output plan_t                        plan_o
);

  typedef enum logic [2:0] {
    Pick,   // the next way
    Load,   // its state
    Enter,  // look for a request
    Peek,   // a request is being read
    Catch,  // ... into a register
    Judge,  // what it means
    Extend, // may others follow in cache mode
    Commit  // the next step
  } visit_e;

  // What a request is compared for.
  typedef enum logic [2:0] {
    Base,     // nothing, the step is about it
    Plane,    // another plane of the group
    First,    // the first one of a group that follows in cache mode
    Follow,   // another plane of that
    Partner   // the second or third page of a word line
  } compare_e;

  typedef logic [$clog2(Ways > 1 ? Ways : 2)-1:0] way_t;

  visit_e visit_d, visit_q;
  compare_e compare_d, compare_q;
  way_t way_q, picked_way;
  way_state_t state_d, state_q, here, behind, after, entered;
  logic fail_q, refuse_d, refuse_q, stuck_d, stuck_way_q, empty_d, empty_q, spoiled_q;
  logic [3:0] offset_d, offset_q;
  logic [3:0] follow_planes_d, follow_planes_q;
  logic behind_closes;

  logic [Ways-1:0] due_q, picked, taken_q, valid_q, stuck_q, visited;
  // The operation is to be given up; its way has a step that says so.
  logic [Ways-1:0] abandoned_q, failing_q;
  rank_t rank, rank_q[Ways];
  plan_t plan;

  // Events call for a visit. A way whose step was taken goes first, and a visit of another that is
  // still looking at requests is given up for it: it only plans anew what is planned already.
  logic [Ways-1:0] due_first;
  logic give_up, is_taken;
  assign is_taken = (taken_q & visited) != '0;
  assign due_first = due_q & taken_q;
  assign give_up = visit_q == Peek && !is_taken && due_first != '0;

  arbiter_round_robin #(
      .Requests(Ways)
  ) u_pick (
      .clk_i,
      .rst_ni,
      .request_i(visit_q != Pick ? '0 : due_first != '0 ? due_first : due_q),
      .accept_i(1'b1),
      .grant_o(picked)
  );

  always_comb begin
    picked_way = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (picked[way]) picked_way |= way_t'(way);
      visited[way] = way_q == way_t'(way);
    end
  end

  // State of the ways: before the planned step, and behind it.
  logic store;
  assign store = visit_q == Commit && !spoiled_q;

  ram_lut #(
      .Width($bits(way_state_t)),
      .Depth(16)
  ) u_here (
      .clk_i,
      .write_i(store || clear_i),
      .write_address_i(clear_i ? clear_way_i : 4'(way_q)),
      .write_data_i(clear_i ? '0 : state_q),
      .read_address_i(4'(way_q)),
      .read_data_o(here)
  );

  ram_lut #(
      .Width(1 + $bits(way_state_t)),
      .Depth(16)
  ) u_behind (
      .clk_i,
      .write_i(store),
      .write_address_i(4'(way_q)),
      .write_data_i({plan.form.closes, after}),
      .read_address_i(4'(way_q)),
      .read_data_o({behind_closes, behind})
  );

  ram_lut #(
      .Width($bits(plan_t)),
      .Depth(16)
  ) u_plans (
      .clk_i,
      .write_i(store),
      .write_address_i(4'(way_q)),
      .write_data_i(plan),
      .read_address_i(plan_way_i),
      .read_data_o(plan_o)
  );

  logic urgent_filled, low_filled;
  assign entered = is_taken ? behind : here;
  assign urgent_filled = filled_i[2*32'(way_q)+1];
  assign low_filled = filled_i[2*32'(way_q)];

  assign visit_queue_o = QueueBits'({way_q, visit_q == Load ? entered.urgent : state_q.urgent});
  assign pop_o = visit_q == Load && is_taken && behind_closes;
  assign peek_o = visit_q == Peek && peek_exists_i && !give_up;
  assign peek_offset_o = offset_q;

  // The request that was read, and the one it is compared with.
  operation_e operation_q, base_operation_q;
  logic [31:0] row_q, reference_q;
  logic at_column_0_q, base_at_column_0_q, base_first_lun_q;
  logic [1:0] plane;
  logic [3:0] plane_bit;
  logic same_page, same_lun, same_operation, joins;

  row_match u_match (
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
  assign same_operation = operation_q == base_operation_q;

  always_comb begin
    unique case (compare_q)
      Plane: joins = same_operation && same_page && (state_q.planes & plane_bit) == '0;
      First: joins = same_operation && same_lun;
      Follow: joins = same_operation && same_page && (follow_planes_q & plane_bit) == '0;
      default: joins = same_operation;
    endcase
  end

  logic ordered, merges_planes, may_extend, unused_config;
  assign unused_config = ^{config_i.low_ways, config_i.busy_timeout};
  assign ordered = config_i.model != OutOfOrder;
  assign merges_planes = !ordered && config_i.merge_planes && config_i.plane_bits != '0;
  // Another group may follow if the step is the one before it, and no urgent request waits.
  assign may_extend = !ordered && (state_q.urgent || !urgent_filled) &&
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
    stuck_d = stuck_way_q;
    empty_d = empty_q;
    unique case (visit_q)
      Pick: if (due_q != '0) visit_d = Load;
      Load: begin
        state_d = entered;
        visit_d = Enter;
      end
      Enter: begin
        visit_d = Peek;
        compare_d = Base;
        follow_planes_d = '0;
        refuse_d = 1'b0;
        stuck_d = 1'b0;
        empty_d = 1'b0;
        offset_d = state_q.phase == PhaseTrigger && !fail_q ?
            4'(state_q.older) + 4'(state_q.issued) : '0;
        if (state_q.phase == PhaseIdle) begin
          state_d = '0;
          state_d.urgent = urgent_filled;
          state_d.current = 3'd1;
          empty_d = !urgent_filled && !low_filled;
          if (empty_d) visit_d = Commit;
        end
      end
      Peek: begin
        if (give_up) begin
          visit_d = Pick;
        end else if (!peek_exists_i) begin
          visit_d = compare_q == Plane ? Extend : Commit;
          stuck_d = compare_q == Partner;
        end else if (peek_ready_i) begin
          visit_d = Catch;
        end
      end
      Catch: visit_d = Judge;
      Judge: begin
        visit_d = Peek;
        offset_d = offset_q + 1'b1;
        unique case (compare_q)
          Base: begin
            visit_d = Extend;
            if (state_q.phase == PhaseIdle && !fail_q) begin
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
            if (!joins || !merges_planes) visit_d = Commit;
          end
          Follow: begin
            if (joins) follow_planes_d = follow_planes_q | plane_bit;
            else visit_d = Commit;
          end
          default: begin
            refuse_d = !joins;
            if (!joins || offset_q == 4'd2) visit_d = Commit;
          end
        endcase
      end
      Extend: begin
        visit_d = Commit;
        if (may_extend && !fail_q) begin
          compare_d = First;
          offset_d = 4'(state_q.older) + 4'(state_q.current);
          visit_d = Peek;
        end
      end
      Commit: visit_d = Pick;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      visit_q <= Pick;
      way_q <= '0;
      spoiled_q <= 1'b0;
      fail_q <= 1'b0;
    end else begin
      visit_q <= visit_d;
      if (visit_q == Pick) way_q <= picked_way;
      if (visit_q == Load) begin
        fail_q <= (visited & (abandoned_q | ((expired_i | failing_q) & ~taken_q))) != '0;
      end
      // The step that is being planned anew was taken meanwhile.
      spoiled_q <= (visit_q != Load && spoiled_q) || (chosen_i & visited) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    compare_q <= compare_d;
    state_q <= state_d;
    offset_q <= offset_d;
    follow_planes_q <= follow_planes_d;
    refuse_q <= refuse_d;
    stuck_way_q <= stuck_d;
    empty_q <= empty_d;
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
      .state_i(state_q),
      .operation_i(base_operation_q),
      .first_lun_i(base_first_lun_q),
      .at_column_0_i(base_at_column_0_q),
      .cache_i(follow_planes_q == state_q.planes),
      .fail_i(fail_q),
      .refuse_i(refuse_q),
      .jedec_i(config_i.jedec),
      .plan_o(plan),
      .rank_o(rank),
      .after_o(after)
  );

  logic [Ways-1:0] stored;
  assign stored = visited & {Ways{store}};
  assign changing_o = (visited & {Ways{visit_q == Commit}}) | abandoned_q;
  assign valid_o = valid_q;
  assign stuck_o = stuck_q;

  for (genvar way = 0; way < Ways; way++) begin : gen_ways
    assign rank_o[way] = rank_q[way];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        due_q[way] <= 1'b0;
        taken_q[way] <= 1'b0;
        valid_q[way] <= 1'b0;
        abandoned_q[way] <= 1'b0;
        failing_q[way] <= 1'b0;
        stuck_q[way] <= 1'b0;
      end else begin
        if (picked[way]) due_q[way] <= 1'b0;
        if (give_up && visited[way]) due_q[way] <= 1'b1;
        if (pushed_i[way] || chosen_i[way] || expired_i[way] || abandon_i[way]) due_q[way] <= 1'b1;
        if (stored[way]) begin
          taken_q[way] <= 1'b0;
          valid_q[way] <= !empty_q && !(stuck_way_q && !fail_q);
          stuck_q[way] <= stuck_way_q && !fail_q;
          if (fail_q) abandoned_q[way] <= 1'b0;
          failing_q[way] <= fail_q;
        end
        if (chosen_i[way]) begin
          taken_q[way] <= 1'b1;
          valid_q[way] <= 1'b0;
          failing_q[way] <= 1'b0;
        end
        if (abandon_i[way]) abandoned_q[way] <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (stored[way]) rank_q[way] <= rank;
    end
  end

  `ASSERT(TakenHasNoNext, (taken_q & valid_q) == '0)
  `ASSERT(BaseIsThere, !(visit_q == Peek && compare_q == Base && !peek_exists_i))

endmodule
