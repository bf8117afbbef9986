// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Chooses the way whose step goes to the bus.
//
// Contract: `valid_i` and `rank_i` describe the next step of each way, `ready_i` whether its chip
// is, `held_i` the ways that must not be chosen. While `accept_i` is up, one way is chosen as soon
// as there is one that may: `choice_o` has its bit then, and `chosen_valid_o` is up. It is
// `chosen_way_o`, and `book_i` is what the scheduler says of its step. `accept_i` stays down for
// two cycles then. Steps without data go before those with data, within both the urgent ones
// first, and each of the four classes is served in turn. A class that had a step and was passed over
// `age_i` times, at least three, goes before all that were not. Until one is so old again, the three
// others can have gone before; so a class that has a step all the time is passed over at most `age_i` + 3
// times. Besides:
//   OutOfOrder   An operation of low priority begins only while less than `low_ways` ways have one:
//                F-RSVP(l) of Ozone section 4.3.
//   Decoupled    Operations begin in the order of requests, and complete in the order in which they
//                began. Where both could go on, the step without data does.
//   Sequential   An operation begins when no other is open.
//   InOrder      The same. Requests of firmware that schedules by itself are steps, so the next one
//                waits for its way, and everything behind waits with it.
// Latency: two cycles from a way that may to its choice, none from `accept_i`.
// Reason: the models differ only in which step may begin an operation, and which may complete one.
// So one order book and a mask serve for all of them, where Ozone changes its reservation
// station. All of the choice is about one bit a way; whatever else is known of a step stays
// in look-up tables until it is chosen. Turns are a mask a class, and one search serves all four.
module channel_arbiter
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways   = 8,
    parameter int unsigned Orders = 64
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  model_e            model_i,
    input  logic   [     4:0] low_ways_i,
    input  logic   [     2:0] age_i,
    input  logic              order_valid_i,
    output logic              order_ready_o,
    input  logic   [     3:0] order_way_i,
    input  logic   [Ways-1:0] valid_i,
    input  rank_t  [Ways-1:0] rank_i,
    input  logic   [Ways-1:0] ready_i,
    input  logic   [Ways-1:0] held_i,
    input  logic              accept_i,
    output logic              next_o,
    output logic   [Ways-1:0] choice_o,
    output logic              chosen_valid_o,
    output logic   [     3:0] chosen_way_o,
    input  book_t             book_i,
    output logic   [Ways-1:0] occupied_o
);

  typedef logic [Ways-1:0] ways_t;

  // The lowest set bit.
  function automatic ways_t lowest(ways_t ways);
    return ways & (~ways + 1'b1);
  endfunction

  logic ordered, start_valid, later_valid, low_full;
  logic [3:0] start_way, later_way, next_way_q;
  ways_t occupied_q, low_q, next_d, next_q;
  // The steps that can go to the bus, by class.
  ways_t [3:0] can_d, can_q;
  ways_t works, can, data, urgent, allowed_d, allowed_q, held_q;
  logic [4:0] low_count;

  assign ordered = model_i != OutOfOrder;

  always_comb begin
    low_count = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      low_count += 5'(occupied_q[way] && low_q[way]);
    end
  end
  assign low_full = low_count >= low_ways_i;

  // Which operations may begin, or complete. That changes with a choice and with the rank of a way,
  // so it is right again before the next choice, and two cycles after a way had changed.
  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      allowed_d[way] = 1'b1;
      if (ordered && rank_i[way].starts) begin
        allowed_d[way] = start_valid && 32'(start_way) == way &&
            (model_i == Decoupled || occupied_q == '0);
      end
      if (ordered && rank_i[way].later) begin
        allowed_d[way] = later_valid && 32'(later_way) == way;
      end
      if (!ordered && rank_i[way].starts && !rank_i[way].urgent) allowed_d[way] = !low_full;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      allowed_q <= '0;
      held_q <= '1;
      can_q <= '0;
    end else begin
      allowed_q <= allowed_d;
      held_q <= held_i;
      can_q <= can_d;
    end
  end

  // Which steps may go to the bus at all. By class that stands in a register; a choice is made of that, and looked at
  // again when it is taken: the way may have changed meanwhile, or be about to.
  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      data[way] = rank_i[way].data;
      urgent[way] = rank_i[way].urgent;
      works[way] = valid_i[way] && (ready_i[way] || !rank_i[way].needs_ready);
    end
  end
  assign can = works & ~held_i;
  always_comb begin
    can_d[0] = can & ~data & urgent;
    can_d[1] = can & ~data & ~urgent;
    can_d[2] = can & data & urgent;
    can_d[3] = can & data & ~urgent;
  end

  // The first class that has one, and whose turn it is there. All classes look for theirs at the same time, so that the
  // class is only what chooses between them.
  ways_t [3:0] of_class, preferred, first, turn_q;
  logic [3:0] waiting, aged, next_waiting_q;
  logic [3:0][2:0] passed_q;
  logic [1:0] class_index, next_class_q;

  always_comb begin
    for (int unsigned c = 0; c < 4; c++) begin
      of_class[c] = can_q[c] & allowed_q;
      preferred[c] = of_class[c] & turn_q[c];
      first[c] = preferred[c] != '0 ? lowest(preferred[c]) : lowest(of_class[c]);
      waiting[c] = of_class[c] != '0;
      aged[c] = waiting[c] && age_i != '0 && passed_q[c] >= old_age(age_i);
    end
    class_index = 2'd3;
    for (int c = 3; c >= 0; c--) begin
      if (aged != '0 ? aged[c] : waiting[c]) class_index = 2'(c);
    end
  end

  assign next_d = first[class_index];

  // The next choice waits in a register, so that it is there when the bus gets free.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
      next_way_q <= '0;
      next_class_q <= '0;
      next_waiting_q <= '0;
    end else begin
      next_q <= next_d;
      next_way_q <= '0;
      for (int unsigned way = 0; way < Ways; way++) begin
        if (next_d[way]) next_way_q <= 4'(way);
      end
      next_class_q <= class_index;
      next_waiting_q <= waiting;
    end
  end

  assign choice_o = next_q & works & ~held_q & ~held_i & {Ways{accept_i}};
  assign chosen_valid_o = choice_o != '0;
  assign chosen_way_o = next_way_q;
  assign next_o = next_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '1;
      passed_q <= '0;
    end else if (chosen_valid_o) begin
      // Those behind the chosen one.
      turn_q[next_class_q] <= ~(next_q | (next_q - 1'b1));
      for (int unsigned c = 0; c < 4; c++) begin
        if (next_class_q == 2'(c)) passed_q[c] <= '0;
        else if (next_waiting_q[c] && passed_q[c] != '1) passed_q[c] <= passed_q[c] + 1'b1;
      end
    end
  end

  order_book #(
      .Ways(Ways),
      .Depth(Orders)
  ) u_order (
      .clk_i,
      .rst_ni,
      .request_valid_i(order_valid_i),
      .request_ready_o(order_ready_o),
      .request_way_i(order_way_i),
      .starts_i(chosen_valid_o && ordered && book_i.starts),
      .ends_i(chosen_valid_o && ordered && book_i.ends),
      .triple_i(book_i.triple),
      .way_i(chosen_way_o),
      .start_valid_o(start_valid),
      .start_way_o(start_way),
      .later_valid_o(later_valid),
      .later_way_o(later_way)
  );

  // Ways that have an operation, and which of those are of low priority.
  for (genvar way = 0; way < Ways; way++) begin : gen_ways
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        occupied_q[way] <= 1'b0;
        low_q[way] <= 1'b0;
      end else if (choice_o[way]) begin
        if (book_i.ends) occupied_q[way] <= 1'b0;
        else if (book_i.starts) occupied_q[way] <= 1'b1;
        if (book_i.starts) low_q[way] <= !book_i.urgent;
      end
    end
  end

  assign occupied_o = occupied_q;

  `FM_ASSERT(OneChoice, (choice_o & (choice_o - 1'b1)) == '0)
  `FM_ASSERT(ChosenIsValid, (choice_o & ~valid_i) == '0)

endmodule
