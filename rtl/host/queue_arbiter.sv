// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Which submission queue to fetch from next (NVMe 1.4 section 4.13): round robin, or weighted round
// robin with urgent class.
//
// Contract: while `run_i` is up, `grant_valid_o` offers a queue that waits, and how many commands it
// may give at most. `fetched_valid_i` follows with how many it gave and whether it is empty now;
// only then the next grant comes. Round robin has all queues in one class. Weighted, the admin queue
// goes first, then urgent queues, then high, medium and low ones, each class as many commands a
// round as its weight says. Within a class, each queue has a turn of up to 2^burst commands; one
// that became empty ends its turn. A queue alone in its class need not end it, so it is read many
// entries at a time.
// Latency: six cycles from a queue that waits to its grant.
// Reason: one search serves all classes, which differ in whose turn it is. What was used of a turn
// counts modulo its length, so a lone queue goes through its turns without a stop. Credit may be
// cleared between a grant and its fetch; such a grant costs nothing.
module queue_arbiter
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues = 17,
    parameter int unsigned Burst  = 4,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned CountBits = $clog2(Burst + 1)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       clear_i,
    input  logic                       run_i,
    input  logic                       weighted_i,
    input  weights_t                   weights_i,
    input  logic       [   Queues-1:0] waiting_i,
    input  logic     [Queues-1:0][1:0] class_i,
    output logic                       grant_valid_o,
    input  logic                       grant_ready_i,
    output logic       [QueueBits-1:0] grant_queue_o,
    output logic       [CountBits-1:0] grant_limit_o,
    input  logic                       fetched_valid_i,
    input  logic       [CountBits-1:0] fetched_count_i,
    input  logic                       fetched_emptied_i
);

  typedef logic [Queues-1:0] queues_t;
  typedef logic [QueueBits-1:0] index_t;
  // Commands of a turn, up to 2^6, or of a round, up to 256.
  typedef logic [5:0] turn_t;
  typedef logic [8:0] credit_t;

  typedef enum logic [2:0] {
    Class,   // which class
    Turn,    // whose turn it is there, and its credit
    Narrow,  // its queues, those from its turn on if any
    Search,  // the first of them
    Limit,   // how many commands
    Offer,   // waits until the grant is taken
    Fetch    // waits for what was fetched
  } state_e;

  state_e state_d, state_q;
  logic [1:0] class_d, class_q;
  logic admin_d, admin_q, alone_d, alone_q;
  // Whether the queue whose turn it is waits, which so is chosen.
  logic in_turn_d, in_turn_q;
  queues_t candidates_d, candidates_q, preferred_q;
  index_t queue_d, queue_q;
  logic [CountBits-1:0] limit_d, limit_q;
  credit_t [3:1] credit_d, credit_q;
  index_t [3:0] turn_q;
  turn_t [3:0] used_q;
  // Those of the class; of the turn, all queues from it on.
  queues_t its_turn_d, its_turn_q;
  turn_t its_used_q;
  credit_t its_credit_q;
  logic refill;

  // The queues of each class; which classes waited a cycle ago, and which of them may fetch. A class that
  // waits no more has no candidates, and so is left again.
  queues_t [3:0] members;
  logic [3:0] waits_d, waits_q, funded;

  always_comb begin
    members = '0;
    for (int unsigned queue = 0; queue < Queues; queue++) begin
      if (waiting_i[queue]) begin
        if (!weighted_i) members[0][queue] = 1'b1;
        else if (queue != 0) members[class_i[queue]][queue] = 1'b1;
      end
    end
    for (int unsigned index = 0; index < 4; index++) begin
      waits_d[index] = members[index] != '0;
      funded[index] = waits_q[index] && (index == 0 || credit_q[index] != '0);
    end
  end

  always_comb begin
    class_d = 2'd0;
    refill = 1'b0;
    admin_d = weighted_i && waiting_i[0];
    if (funded[0]) class_d = 2'd0;
    else if (funded[1]) class_d = 2'd1;
    else if (funded[2]) class_d = 2'd2;
    else if (funded[3]) class_d = 2'd3;
    else refill = !admin_d && waits_q[3:1] != '0;
    candidates_d = admin_d ? queues_t'(1'b1) : members[class_d];
  end

  // Whether there is only one candidate: groups of six fit a look-up table each.
  localparam int unsigned Groups = (Queues + 5) / 6;
  logic [Groups-1:0] some, several;
  always_comb begin
    some = '0;
    several = '0;
    alone_d = 1'b1;
    for (int unsigned queue = 0; queue < Queues; queue++) begin
      several[queue/6] |= some[queue/6] && candidates_q[queue];
      some[queue/6] |= candidates_q[queue];
    end
    if (several != '0 || (some & (some - 1'b1)) != '0) alone_d = 1'b0;
  end

  // The candidates from the turn on, or all.
  queues_t from_turn, first;
  always_comb begin
    for (int unsigned queue = 0; queue < Queues; queue++) begin
      its_turn_d[queue] = index_t'(queue) >= turn_q[class_q];
    end
    from_turn = candidates_q & its_turn_q;
    in_turn_d = (from_turn & ~(its_turn_q << 1)) != '0;
    first   = preferred_q & (~preferred_q + 1'b1);
    queue_d = '0;
    for (int unsigned queue = 0; queue < Queues; queue++) begin
      if (first[queue]) queue_d |= index_t'(queue);
    end
  end

  // What is left of the turn and of the credit.
  turn_t turn_mask, turn_used, used_after;
  logic endless, turn_ends;
  logic [6:0] turn_left_q;
  credit_t credit, spent;

  assign endless   = weights_i.burst == 3'd7;
  assign turn_mask = ~(6'h3f << weights_i.burst);
  assign turn_used = in_turn_q ? its_used_q & turn_mask : '0;
  assign spent     = credit_t'(fetched_count_i);
  assign credit    = class_q == 2'd0 ? credit_t'(Burst) : its_credit_q;

  always_comb begin
    limit_d = CountBits'(Burst);
    if (!admin_q) begin
      if (!alone_q && !endless && turn_left_q < 7'(Burst)) limit_d = CountBits'(turn_left_q);
      if (credit < credit_t'(limit_d)) limit_d = CountBits'(credit);
    end
  end

  // A queue that is empty, or gave all of its turn, passes the turn on.
  assign used_after = (turn_used + 6'(fetched_count_i)) & turn_mask;
  assign turn_ends  = fetched_emptied_i || fetched_count_i == '0 || !endless && used_after == '0;

  assign grant_valid_o = state_q == Offer;
  assign grant_queue_o = queue_q;
  assign grant_limit_o = limit_q;

  always_comb begin
    state_d  = state_q;
    credit_d = credit_q;
    unique case (state_q)
      Class: begin
        if (refill) begin
          credit_d[1] = credit_t'(weights_i.high_weight) + 1'b1;
          credit_d[2] = credit_t'(weights_i.medium_weight) + 1'b1;
          credit_d[3] = credit_t'(weights_i.low_weight) + 1'b1;
        end else if (run_i && (admin_d || funded != '0)) begin
          state_d = Turn;
        end
      end
      Turn: state_d = candidates_q != '0 ? Narrow : Class;
      Narrow: state_d = Search;
      Search: state_d = Limit;
      Limit: state_d = limit_d == '0 ? Class : Offer;
      Offer: if (grant_ready_i) state_d = Fetch;
      default: begin
        if (fetched_valid_i) begin
          state_d = Class;
          if (!admin_q && class_q != 2'd0) begin
            credit_d[class_q] = credit < spent ? '0 : credit - spent;
          end
        end
      end
    endcase
    if (clear_i) credit_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Class;
      credit_q <= '0;
      turn_q <= '0;
      used_q <= '0;
      waits_q <= '0;
    end else begin
      state_q <= state_d;
      waits_q <= waits_d;
      credit_q <= credit_d;
      if (clear_i) begin
        turn_q <= '0;
        used_q <= '0;
      end else if (state_q == Fetch && fetched_valid_i && !admin_q) begin
        turn_q[class_q] <= queue_q + index_t'(turn_ends);
        used_q[class_q] <= turn_ends ? '0 : used_after;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Class) begin
      class_q <= class_d;
      admin_q <= admin_d;
      candidates_q <= candidates_d;
    end
    if (clear_i) begin
      its_turn_q <= '1;
      {its_used_q, its_credit_q} <= '0;
    end else if (state_q == Turn) begin
      its_turn_q <= its_turn_d;
      its_used_q <= used_q[class_q];
      if (class_q != 2'd0) its_credit_q <= credit_q[class_q];
    end
    if (state_q == Narrow) begin
      in_turn_q <= in_turn_d;
      alone_q <= alone_d;
      preferred_q <= from_turn != '0 ? from_turn : candidates_q;
    end
    if (state_q == Search) begin
      queue_q <= queue_d;
      turn_left_q <= 7'(turn_mask) + 1'b1 - 7'(turn_used);
    end
    if (state_q == Limit) limit_q <= limit_d;
  end

  `FM_ASSERT_STREAM(u_assert_grant, grant_valid_o, grant_ready_i, {grant_queue_o, grant_limit_o})
  `FM_ASSERT(FetchedWhenTaken, !fetched_valid_i || state_q == Fetch)
  `FM_ASSERT(FetchedInLimit, !fetched_valid_i || fetched_count_i <= limit_q)

endmodule
