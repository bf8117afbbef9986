// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `queue_arbiter`: what is granted waits, the classes have their order and their weights, and
// within a class nobody has two turns while another waits.
//
// Queue 3 is watched, and the class it is in; the others are in any class. Waiting queues stay so until
// they are empty, and weights and mode do not change meanwhile, as after Set Features.
module queue_arbiter_proof
  import fm_host_pkg::*;
#(
    localparam int unsigned Queues = 4,
    localparam int unsigned Burst = 2,
    localparam int unsigned CountBits = 2
) (
    input logic                       clk_i,
    input logic                       rst_ni,
    input logic                       run_i,
    input logic                       weighted_i,
    input weights_t                   weights_i,
    input logic     [     Queues-1:0] waiting_i,
    input logic     [Queues-1:0][1:0] class_i,
    input logic                       grant_ready_i,
    input logic                       fetched_valid_i,
    input logic     [  CountBits-1:0] fetched_count_i,
    input logic                       fetched_emptied_i
);

  logic grant_valid;
  logic [1:0] grant_queue;
  logic [CountBits-1:0] grant_limit;

  queue_arbiter #(
      .Queues(Queues),
      .Burst(Burst)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .run_i,
      .weighted_i,
      .weights_i,
      .waiting_i,
      .class_i,
      .grant_valid_o(grant_valid),
      .grant_ready_i,
      .grant_queue_o(grant_queue),
      .grant_limit_o(grant_limit),
      .fetched_valid_i,
      .fetched_count_i,
      .fetched_emptied_i
  );

  localparam logic [1:0] Watched = 2'd3;

  // A grant that was taken and whose fetch is not known yet.
  logic started_q, taken_q, weighted_q;
  logic [1:0] queue_q;
  logic [CountBits-1:0] limit_q;
  weights_t weights_q;
  logic [Queues-1:0] waiting_q, passed_q;
  logic [Queues-1:0][1:0] class_q;
  logic served_q;

  initial started_q = 1'b0;

  // Whether a queue's turn in its class ends with this fetch, and whether it is of the watched class.
  logic ends, same_class, is_admin;
  assign ends = fetched_valid_i && u_arbiter.turn_ends;
  assign is_admin = weighted_i && queue_q == '0;
  assign same_class = !is_admin && (!weighted_i || class_i[queue_q] == class_i[Watched]);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    weighted_q <= weighted_i;
    weights_q <= weights_i;
    waiting_q <= waiting_i;
    class_q <= class_i;
    served_q <= fetched_valid_i && fetched_emptied_i;
    if (!rst_ni) begin
      taken_q <= 1'b0;
    end else if (grant_valid && grant_ready_i) begin
      taken_q <= 1'b1;
      queue_q <= grant_queue;
      limit_q <= grant_limit;
    end else if (fetched_valid_i) begin
      taken_q <= 1'b0;
    end
    // Queues of its class whose turn ended since the watched one began to wait or had its own turn.
    if (!rst_ni || !waiting_i[Watched]) passed_q <= '0;
    else if (fetched_valid_i && queue_q == Watched) passed_q <= '0;
    else if (ends && same_class) passed_q[queue_q] <= 1'b1;
  end

  // Whose turn it is in the watched class, and which queues had theirs: all those are below.
  logic [1:0] turn;
  logic [Queues-1:0] from_turn;
  assign turn = u_arbiter.turn_q[weighted_i ? class_i[Watched] : 2'd0];
  assign from_turn = '1 << turn;

  // Queues that may be candidates together with the class that was chosen.
  logic [Queues-1:0] members, candidates;
  logic chose_watched;
  assign candidates = u_arbiter.candidates_q;
  always_comb begin
    for (int unsigned queue = 0; queue < Queues; queue++) begin
      if (u_arbiter.admin_q) members[queue] = weighted_i && queue == 0;
      else if (weighted_i) members[queue] = queue != 0 && class_i[queue] == u_arbiter.class_q;
      else members[queue] = u_arbiter.class_q == 2'd0;
    end
    chose_watched = members[Watched];
  end

  logic [2:0] state;
  logic choosing, offering;
  assign state = u_arbiter.state_q;
  assign choosing = state == 3'd0 && !u_arbiter.refill && run_i && u_arbiter.candidates_d != '0;
  assign offering = state == 3'd5;

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    Fetched : assume (!fetched_valid_i || taken_q);
    InLimit : assume (!fetched_valid_i || fetched_count_i <= limit_q);
    if (started_q) begin
      SameMode : assume (weighted_i == weighted_q && weights_i == weights_q && class_i == class_q);
      // What waits goes on until a fetch has emptied it, and then goes away.
      StaysWaiting :
      assume ((waiting_q & ~waiting_i & ~(Queues'(served_q) << queue_q)) == '0);
    end
    if (started_q && rst_ni) begin
      TakenIsFetch : assert (taken_q == (state == 3'd6));
      if (state == 3'd6) begin
        SameQueue : assert (queue_q == u_arbiter.queue_q && limit_q == u_arbiter.limit_q);
      end
      if (offering || state == 3'd6) begin
        LimitInBurst : assert (u_arbiter.limit_q != '0 && u_arbiter.limit_q <= CountBits'(Burst));
      end
      if (choosing) begin
        // The order of the classes.
        AdminFirst : assert (!(weighted_i && waiting_i[0]) || u_arbiter.admin_d);
        UrgentNext :
        assert (u_arbiter.admin_d || !u_arbiter.waits_q[0] || u_arbiter.class_d == 2'd0);
        Funded :
        assert (u_arbiter.admin_d || u_arbiter.class_d == 2'd0 ||
                u_arbiter.credit_q[u_arbiter.class_d] != '0);
      end
      // A round begins anew only when every class that waits has had its share.
      if (state == 3'd0 && u_arbiter.refill) begin
        AllSpent :
        assert ((!u_arbiter.waits_q[1] || u_arbiter.credit_q[1] == '0) &&
                (!u_arbiter.waits_q[2] || u_arbiter.credit_q[2] == '0) &&
                (!u_arbiter.waits_q[3] || u_arbiter.credit_q[3] == '0));
      end
      // Whose turn it is was looked up.
      if (state >= 3'd2 && !u_arbiter.admin_q) begin
        ItsTurn :
        assert (u_arbiter.its_turn_q == Queues'('1) << u_arbiter.turn_q[u_arbiter.class_q]);
        ItsCredit :
        assert (u_arbiter.class_q == 2'd0 ||
                u_arbiter.its_credit_q == u_arbiter.credit_q[u_arbiter.class_q]);
      end
      // What was chosen is of one class, and waits.
      if (state != 3'd0) begin
        OfClass : assert ((candidates & ~members) == '0);
        Alone :
        assert (state < 3'd3 || u_arbiter.alone_q == ((candidates & (candidates - 1'b1)) == '0));
        Some : assert (state == 3'd1 || candidates != '0);
        if (state != 3'd6) StillWaits : assert ((candidates & ~waiting_i) == '0);
        // If the watched queue came too late to be a candidate, nobody passed it yet.
        Late : assert (!chose_watched || candidates[Watched] || passed_q == '0);
      end
      if (state == 3'd3) begin
        Preferred :
        assert (u_arbiter.preferred_q != '0 && (u_arbiter.preferred_q & ~candidates) == '0);
        if (chose_watched && candidates[Watched]) begin
          PreferredInTurn : assert ((u_arbiter.preferred_q & ~from_turn) == '0);
        end
      end
      if (state >= 3'd4) begin
        if (!u_arbiter.admin_q) begin
          InTurn :
          assert (u_arbiter.in_turn_q == (u_arbiter.queue_q == u_arbiter.turn_q[u_arbiter.class_q]));
        end
        Chosen : assert (candidates[u_arbiter.queue_q]);
        if (chose_watched && candidates[Watched]) ChosenInTurn : assert (from_turn[u_arbiter.queue_q]);
      end
      PassedBelow : assert ((passed_q & from_turn) == '0);
      // The claims: a grant is of a queue that waits, and of none that passed already.
      if (grant_valid) begin
        GrantWaits : assert (waiting_i[grant_queue]);
        NoSecondTurn : assert (!chose_watched || !passed_q[grant_queue]);
      end
      Shares :
      assert (u_arbiter.credit_q[1] <= 9'(weights_i.high_weight) + 1'b1 &&
              u_arbiter.credit_q[2] <= 9'(weights_i.medium_weight) + 1'b1 &&
              u_arbiter.credit_q[3] <= 9'(weights_i.low_weight) + 1'b1);
    end
    Passed : cover (started_q && rst_ni && grant_valid && grant_queue == Watched && passed_q != '0);
    Weighs : cover (started_q && rst_ni && offering && u_arbiter.class_q == 2'd3 && weighted_i);
  end

endmodule
