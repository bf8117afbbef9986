// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `way_halts` and `way_board`: whatever ways are told, and whenever, no request is lost or doubled.
//
// The visitor is any that keeps to the contract of the board: a way is picked, seen, the request that it
// is done with taken out, and a plan stored, or the visit is given up if the way's step was not taken.
// Claims, of a way that is watched. A step that closes its request is followed by exactly one taking of a
// request out of the queue, before another step of the way is chosen: none is lost, none doubled. While the
// way halts, no step is chosen that was planned before it did; so none that begins an operation, since none
// is planned then. A halted way stays so until it is told to resume, and gives back only while it halts.
module way_halts_proof
  import fm_scheduler_pkg::*;
#(
    localparam int unsigned Ways = 2
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic               on_failure_i,
    input logic    [Ways-1:0] failed_i,
    input logic    [Ways-1:0] halt_i,
    input logic    [Ways-1:0] resume_i,
    input logic    [Ways-1:0] give_back_i,
    input logic    [Ways-1:0] abort_i,
    input logic    [Ways-1:0] pushed_i,
    input logic    [Ways-1:0] expired_i,
    input logic    [Ways-1:0] chosen_i,
    input logic    [Ways-1:0] abandon_i,
    input logic               give_up_i,
    input logic               stays_i,
    input way_state_t         state_i,
    input way_state_t         after_i,
    input plan_t              plan_i,
    input rank_t              rank_i,
    input logic               planned_i,
    input logic               stuck_i,
    input logic               watched_i
);

  typedef logic [Ways-1:0] ways_t;

  typedef enum logic [2:0] {
    Pick,
    Load,
    Take,
    Enter,  // what the way may begin is looked at
    Work,
    Commit
  } visit_e;

  ways_t halted, giving, aborted, changed, valid, stuck, changing, offered;
  rank_t [Ways-1:0] rank;
  plan_t plan;
  way_state_t entered;
  visit_e visit_q;
  logic due, way, closes, fails, unused_expired, yields, closes_q, saw_fail_q, starts_q, halted_q, again, pop;

  way_halts #(
      .Ways(Ways)
  ) u_halts (
      .clk_i,
      .rst_ni,
      .on_failure_i,
      .failed_i,
      .halt_i,
      .resume_i,
      .give_back_i,
      .abort_i,
      .halted_o(halted),
      .giving_o(giving),
      .abort_o(aborted),
      .changed_o(changed)
  );

  way_board #(
      .Ways(Ways)
  ) u_board (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .clear_way_i('0),
      .pushed_i,
      .expired_i,
      .chosen_i,
      .abandon_i(abandon_i | aborted),
      .change_i(changed),
      .due_o(due),
      .pick_i(visit_q == Pick),
      .way_o(way),
      .state_o(entered),
      .closes_o(closes),
      .fail_o(fails),
      .expired_o(unused_expired),
      .yield_o(yields),
      .again_i(again),
      .store_i(visit_q == Commit),
      .state_i,
      .after_i,
      .plan_i,
      .rank_i,
      .planned_i(planned_i),
      .stuck_i,
      .fail_i(saw_fail_q),
      .saw_fail_i(saw_fail_q),
      .valid_o(valid),
      .stuck_o(stuck),
      .rank_o(rank),
      .changing_o(changing),
      .plan_way_i(4'(watched_i)),
      .plan_o(plan)
  );

  assign again = visit_q == Work && yields && give_up_i;
  assign pop = visit_q == Take && closes_q;
  assign offered = valid & ~changing;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      visit_q <= Pick;
    end else begin
      unique case (visit_q)
        Pick: if (due) visit_q <= Load;
        Load: visit_q <= Take;
        Take: visit_q <= Enter;
        Enter: visit_q <= Work;
        Work: if (again) visit_q <= Pick;
        else if (!stays_i) visit_q <= Commit;
        default: visit_q <= Pick;
      endcase
    end
    if (visit_q == Load) begin
      closes_q <= closes;
      saw_fail_q <= fails;
    end
    if (visit_q == Enter) halted_q <= halted[way] && !giving[way];
  end

  // Requests that the way owes its queue.
  logic started_q, watched_q, owed_q, begins_q, resumed_q;
  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    if (!rst_ni) owed_q <= 1'b0;
    else if (chosen_i[watched_i] && plan.form.closes) owed_q <= 1'b1;
    else if (pop && way == watched_i) owed_q <= 1'b0;
    // Whether the step that is stored begins an operation of a way that halts.
    if (!rst_ni) begins_q <= 1'b0;
    else if (u_board.store && way == watched_i) begins_q <= planned_i && rank_i.starts;
    resumed_q <= resume_i[watched_i];
  end

  logic unused;
  assign unused = ^{stuck, entered, rank, unused_expired};

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      SameWay : assume (watched_i == watched_q);
      // The arbiter takes what is offered, one way at a time.
      OnlyOffered : assume ((chosen_i & ~offered) == '0 && chosen_i != 2'b11);
      // The way scheduler plans no beginning for a way that halts and does not give back.
      NoneBegins : assume (!(visit_q == Commit && halted_q && planned_i && rank_i.starts));
      StuckIsNoPlan : assume (!(planned_i && stuck_i));
    end
  end

  logic here, stops;
  assign here = way == watched_i;
  assign stops = halted[watched_i] && !giving[watched_i];

  always_comb begin
    if (started_q && rst_ni) begin
      // A visit is of one way, and its bit is that way's.
      VisitedIsWay : assert (visit_q == Pick || u_board.visited_q == ways_t'(1) << way);
      // What is owed is paid once, before anything else of the way is chosen.
      PaidBefore : assert (!(owed_q && chosen_i[watched_i]));
      PaidOnce : assert (!(pop && here) || owed_q);
      // A request that is owed lies behind a step that was taken, and is not paid yet.
      OwedIsTaken : assert (!owed_q || u_board.taken_q[watched_i]);
      OwedCloses :
      assert (!owed_q || u_board.u_behind.memory_q[4'(watched_i)][$bits(way_state_t)]);
      TakenIsOwed :
      assert (!u_board.taken_q[watched_i] || owed_q ||
              !u_board.u_behind.memory_q[4'(watched_i)][$bits(way_state_t)] ||
              (here && visit_q inside {Enter, Work, Commit} && closes_q));
      PaysIfTaken : assert (!(here && visit_q == Take && closes_q) || owed_q);
      PlanCloses :
      assert (!valid[watched_i] || plan.form.closes ==
              u_board.u_behind.memory_q[4'(watched_i)][$bits(way_state_t)]);
      TakenIsDue :
      assert (!owed_q || u_board.due_q[watched_i] ||
              (here && (visit_q == Load || (visit_q == Take && closes_q))));
      TakenIsNotValid : assert (!(u_board.taken_q[watched_i] && valid[watched_i]));
      LoadIsFresh : assert (visit_q != Load || !u_board.spoiled_q);
      PayingIsTaken :
      assert (!(here && visit_q inside {Take, Enter, Work, Commit} && closes_q) ||
              (u_board.taken_q[watched_i] && !u_board.spoiled_q));
      SpoiledIfOwed :
      assert (!(owed_q && here && (visit_q inside {Enter, Work, Commit} ||
                                   (visit_q == Take && !closes_q))) || u_board.spoiled_q);
      // Halted ways begin nothing.
      HeldIfBegins :
      assert (!(valid[watched_i] && begins_q && stops) || changed[watched_i] ||
              u_board.stale_q[watched_i]);
      SeenOrOutdated :
      assert (!(here && visit_q inside {Work, Commit} && stops && !halted_q) ||
              changed[watched_i] || u_board.outdated_q);
      NothingBegins :
      assert (!(chosen_i[watched_i] && stops && begins_q));
      // And stay so until they are told.
      GivesWhileHalted : assert ((giving & ~halted) == '0);
    end
    Paid : cover (started_q && rst_ni && pop && halted[0] && here);
    GoesOn : cover (started_q && rst_ni && chosen_i[watched_i] && begins_q && resumed_q == 1'b0);
  end

  // Until told to resume.
  logic [Ways-1:0] before_q;
  logic [Ways-1:0] told_q;
  always_ff @(posedge clk_i) begin
    before_q <= rst_ni ? halted : '0;
    told_q   <= resume_i;
  end
  always_comb begin
    if (started_q && rst_ni) Stays : assert ((before_q & ~halted & ~told_q) == '0);
  end

endmodule
