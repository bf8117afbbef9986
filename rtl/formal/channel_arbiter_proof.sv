// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `channel_arbiter` and its `order_book`, for any steps that ways may have.
//
// F-RSVP(l): an operation of low priority begins only while fewer than l ways have one, so never
// more than l have one; if l changes, none begins beyond the new one from three cycles later on.
// Turns: in a class nobody is passed by the same other twice. Age: a class that has a step at each choice is
// passed over at most age + 3 times. Order: in the models that keep one,
// operations begin in the order of requests and complete in the order in which they began, which
// `order_book` asserts; unless they run decoupled, one is open at a time.
module channel_arbiter_proof
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
#(
    localparam int unsigned Ways = 3
) (
    input logic              clk_i,
    input logic              rst_ni,
    input model_e            model_i,
    input logic   [     4:0] low_ways_i,
    input logic   [     2:0] age_i,
    input logic   [     1:0] class_i,
    input logic              order_valid_i,
    input logic   [     3:0] order_way_i,
    input logic   [Ways-1:0] valid_i,
    input rank_t  [Ways-1:0] rank_i,
    input logic   [Ways-1:0] ready_i,
    input logic   [Ways-1:0] held_i,
    input logic              accept_i,
    input book_t             book_i,
    input logic   [     1:0] watched_i,
    input logic   [     1:0] other_i
);

  logic [Ways-1:0] choice, occupied, low;
  logic chosen_valid, order_ready;
  logic [3:0] chosen_way;

  channel_arbiter #(
      .Ways(Ways),
      .Orders(4)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .model_i,
      .low_ways_i,
      .age_i,
      .order_valid_i,
      .order_ready_o(order_ready),
      .order_way_i,
      .valid_i,
      .rank_i,
      .ready_i,
      .held_i,
      .accept_i,
      .next_o(),
      .choice_o(choice),
      .chosen_valid_o(chosen_valid),
      .chosen_way_o(chosen_way),
      .book_i,
      .occupied_o(occupied)
  );

  function automatic logic [2:0] count(logic [Ways-1:0] ways);
    return 3'(ways[0]) + 3'(ways[1]) + 3'(ways[2]);
  endfunction

  logic started_q, ordered;
  logic [3:0] past_q;  // cycles since reset, up to 8
  model_e model_q;
  logic [1:0] recent_q;  // a choice in each of the last cycles
  rank_t rank_of_choice;
  rank_t [Ways-1:0] rank_q;
  logic [Ways-1:0] offered, offered_q, held_q, starts, changed, both_ends;
  logic [2:0] low_count, low_count_q;
  logic [4:0] low_ways_q, low_ways_2_q, low_ways_3_q, highest_q;

  initial started_q = 1'b0;

  assign ordered = model_i != OutOfOrder;
  // Steps that nobody is about to change.
  assign offered = valid_i & ~held_i;
  assign low = occupied & u_arbiter.low_q;
  assign low_count = count(low);

  always_comb begin
    rank_of_choice = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (choice[way]) rank_of_choice = rank_i[way];
      starts[way] = rank_i[way].starts;
      changed[way] = rank_i[way] != rank_q[way];
      both_ends[way] = rank_i[way].starts && rank_i[way].later;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    past_q <= !rst_ni ? '0 : past_q == 4'd8 ? past_q : past_q + 1'b1;
    model_q <= model_i;
    recent_q <= !rst_ni ? '0 : {recent_q[0], chosen_valid};
    rank_q <= rank_i;
    offered_q <= offered;
    held_q <= held_i;
    low_count_q <= low_count;
    low_ways_q <= low_ways_i;
    low_ways_2_q <= low_ways_q;
    low_ways_3_q <= low_ways_2_q;
    highest_q <= !rst_ni || low_ways_i > highest_q ? low_ways_i : highest_q;
  end

  // What the scheduler and the step former promise.
  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      ModelStays : assume (past_q == '0 || model_i == model_q);
      OrderHasWays : assume (!order_valid_i || (ordered && order_ready && order_way_i < 4'(Ways)));
      Pause : assume (!accept_i || recent_q == '0);
      StartsOnce : assume ((valid_i & ~(starts ^ occupied)) == '0);
      StartIsNotLater : assume (both_ends == '0);
      RankStays : assume (past_q == '0 || (offered & offered_q & changed) == '0);
      ChangedIsHeld : assume (past_q == '0 || (offered & ~offered_q & ~held_q) == '0);
      if (chosen_valid) begin
        BookIsRank : assume (book_i.starts == rank_of_choice.starts);
        EndsAreLater : assume (!book_i.ends || book_i.starts || rank_of_choice.later);
        ClassOfStart :
        assume (!book_i.starts || book_i.ends || book_i.urgent == rank_of_choice.urgent);
      end
    end
  end

  // Reservation.
  always_comb begin
    if (started_q && rst_ni) begin
      NoneBeyond :
      assert (ordered || past_q < 4'd3 || low_count <= low_count_q ||
              5'(low_count) <= low_ways_3_q);
      NeverMore : assert (ordered || past_q == '0 || 5'(low_count) <= highest_q);
      AfterReset :
      assert (past_q != '0 || (occupied == '0 && u_arbiter.next_q == '0 &&
                               u_arbiter.allowed_q == '0));
      LowIsOccupied : assert (low_count <= count(occupied));
    end
    Reserved : cover (started_q && rst_ni && !ordered && low_count == 3'd2 && low_ways_i == 5'd2 &&
                      choice != '0);
  end

  // Turns: `other` was chosen while `watched` could have been, in the same class.
  logic passed_q, both, waits;
  logic [1:0] class_watched, class_other;
  logic [Ways-1:0] turn;

  function automatic logic [1:0] class_of(rank_t rank);
    return {rank.data, !rank.urgent};
  endfunction

  assign class_watched = class_of(rank_i[watched_i]);
  assign class_other = class_of(rank_i[other_i]);
  assign waits = u_arbiter.of_class[class_watched][watched_i];
  assign both = waits && class_watched == class_other;
  assign turn = u_arbiter.turn_q[class_watched];

  logic [1:0] watched_q, other_q, class_q;
  always_ff @(posedge clk_i) begin
    watched_q <= watched_i;
    other_q <= other_i;
    class_q <= class_watched;
    if (!rst_ni || choice[watched_i]) passed_q <= 1'b0;
    else if (both && choice[other_i]) passed_q <= 1'b1;
  end

  always_comb begin
    Watched : assume (watched_i < 2'(Ways) && other_i < 2'(Ways) && watched_i != other_i);
    if (started_q && rst_ni) begin
      SameWatched :
      assume (past_q == '0 || (watched_i == watched_q && other_i == other_q &&
                               class_watched == class_q));
      // It could go on all the time in which it might be passed.
      Waits : assume (!passed_q || waits);
      TurnIsUpper : assert ((!turn[0] || turn[1]) && (!turn[1] || turn[2]));
      PassedIsBehind :
      assert (!passed_q ||
              (watched_i > other_i ? turn[watched_i] && !turn[other_i]
                                   : turn[watched_i] || !turn[other_i]));
      NobodyTwice : assert (!(passed_q && both && choice[other_i]));
    end
    Passed : cover (started_q && rst_ni && passed_q && choice[watched_i]);
  end

  // Age: how often a class was passed over. What was chosen since it is old is young again.
  logic [3:0] passes_q, younger;
  logic [2:0] old_q, since_old;
  logic [1:0] aging_q;

  assign since_old = 3'(passes_q - 4'(old_age(age_i)));

  always_comb begin
    younger = '0;
    for (int unsigned c = 0; c < 4; c++) begin
      if (2'(c) != class_i && u_arbiter.passed_q[c] < since_old) younger += 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    old_q <= age_i;
    aging_q <= class_i;
    if (!rst_ni || (chosen_valid && u_arbiter.next_class_q == class_i)) passes_q <= '0;
    else if (chosen_valid && u_arbiter.next_waiting_q[class_i]) passes_q <= passes_q + 1'b1;
  end

  always_comb begin
    if (started_q && rst_ni) begin
      SameAge : assume (past_q == '0 || (age_i == old_q && class_i == aging_q));
      AlwaysWaits :
      assume (!chosen_valid || passes_q == '0 || u_arbiter.next_waiting_q[class_i]);
      if (age_i != '0) begin
        Bounded : assert (passes_q <= 4'(old_age(age_i)) + 4'd3);
        IsCounted : assert (u_arbiter.passed_q[class_i] == (passes_q < 4'd7 ? 3'(passes_q) : 3'd7));
        Young : assert (passes_q <= 4'(old_age(age_i)) || younger >= 4'(since_old));
        ChosenIsOld :
        assert (passes_q < 4'(old_age(age_i)) || u_arbiter.next_q == '0 ||
                !u_arbiter.next_waiting_q[class_i] || recent_q[0] ||
                u_arbiter.passed_q[u_arbiter.next_class_q] >= old_age(age_i));
      end
    end
    Old : cover (started_q && rst_ni && age_i != '0 && passes_q == 4'd3);
  end

  // Order.
  logic [1:0] place_behind;
  assign place_behind = 2'((3'(u_arbiter.u_order.u_completion.read_address_q) +
                            3'(u_arbiter.u_order.u_completion.level_q)) % 3'd3);

  always_comb begin
    if (started_q && rst_ni) begin
      OneOpen :
      assert (!ordered || model_i == Decoupled || (occupied & (occupied - 1'b1)) == '0);
      // Of the queues only what these claims need; the rest has a proof of its own.
      OpenPlaces :
      assert (u_arbiter.u_order.u_completion.read_address_q < 2'd3 &&
              u_arbiter.u_order.u_completion.write_address_q < 2'd3 &&
              place_behind == u_arbiter.u_order.u_completion.write_address_q);
      OrderPlaces :
      assert (u_arbiter.u_order.u_initiation.read_address_q +
              2'(u_arbiter.u_order.u_initiation.level_q) ==
              u_arbiter.u_order.u_initiation.write_address_q &&
              u_arbiter.u_order.u_initiation.level_q <= 3'd4);
      OpenInOrder :
      assert (!ordered || u_arbiter.u_order.unused_open == 2'(count(occupied)));
    end
    TwoOpen : cover (started_q && rst_ni && model_i == Decoupled && count(occupied) == 3'd2 &&
                     chosen_valid && book_i.ends && !book_i.starts);
  end

endmodule
