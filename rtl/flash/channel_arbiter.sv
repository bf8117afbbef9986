`include "prim_assert.svh"

// Chooses the way whose step goes to the bus.
//
// Contract: `valid_i` and `rank_i` describe the next step of each way, `ready_i` whether its chip
// is, `held_i` the ways that must not be chosen. While `accept_i` is up, one way is chosen as soon
// as there is one that may: `choice_o` has its bit in that cycle, `chosen_valid_o` and
// `chosen_way_o` tell it one cycle later, together with what `book_i` then says of the step. Steps
// without data go before those with data, within both the urgent ones first, and each of the four
// classes is served in turn. Besides:
//   OutOfOrder   An operation of low priority begins only while less than `low_ways` ways have one:
//                F-RSVP(l) of Ozone section 4.3.
//   Decoupled    Operations begin in the order of requests, and complete in the order in which they
//                began. Where both could go on, the step without data does.
//   Sequential   An operation begins when no other is open.
//   InOrder      The same. Requests of firmware that schedules by itself are steps, so the next one
//                waits for its way, and everything behind waits with it.
// Latency: one cycle.
// Reason: the models differ only in which step may begin an operation, and which may complete one.
// So one order book and a mask serve for all of them, where Ozone changes its reservation
// station. All of the choice is about one bit a way; whatever else is known of a step stays
// in look-up tables until it is chosen. Turns are a mask a class, and one search serves all four.
module channel_arbiter
  import flash_pkg::*;
  import scheduler_pkg::*;
#(
    parameter int unsigned Ways = 8
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  model_e            model_i,
    input  logic   [     4:0] low_ways_i,
    input  logic              order_valid_i,
    output logic              order_ready_o,
    input  logic   [     3:0] order_way_i,
    input  logic   [Ways-1:0] valid_i,
    input  rank_t  [Ways-1:0] rank_i,
    input  logic   [Ways-1:0] ready_i,
    input  logic   [Ways-1:0] held_i,
    input  logic              accept_i,
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

  logic ordered, start_valid, later_valid, low_full_q, none_open;
  logic [3:0] start_way, later_way;
  ways_t occupied_q, low_q, chosen_q;
  ways_t may, data, urgent;

  assign ordered = model_i != OutOfOrder;
  assign none_open = model_i == Decoupled || occupied_q == '0;

  // Which steps may go to the bus at all.
  always_comb begin
    for (int unsigned way = 0; way < Ways; way++) begin
      data[way] = rank_i[way].data;
      urgent[way] = rank_i[way].urgent;
      may[way] = valid_i[way] && !held_i[way] && (ready_i[way] || !rank_i[way].needs_ready);
      if (ordered && rank_i[way].starts) begin
        may[way] &= start_valid && 32'(start_way) == way && none_open;
      end
      if (ordered && rank_i[way].later) begin
        may[way] &= later_valid && 32'(later_way) == way;
      end
      if (!ordered && rank_i[way].starts && !rank_i[way].urgent) begin
        may[way] &= !low_full_q;
      end
    end
  end

  // The first class that has one, and whose turn it is there.
  ways_t [3:0] of_class, turn_q;
  ways_t candidates, preferred;
  logic [1:0] class_index;

  always_comb begin
    of_class[0] = may & ~data & urgent;
    of_class[1] = may & ~data & ~urgent;
    of_class[2] = may & data & urgent;
    of_class[3] = may & data & ~urgent;
    class_index = 2'd3;
    if (of_class[2] != '0) class_index = 2'd2;
    if (of_class[1] != '0) class_index = 2'd1;
    if (of_class[0] != '0) class_index = 2'd0;
    candidates = of_class[class_index];
    preferred  = candidates & turn_q[class_index];
  end

  assign choice_o = !accept_i ? '0 : preferred != '0 ? lowest(preferred) : lowest(candidates);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '1;
    end else if (choice_o != '0) begin
      // Those behind the chosen one.
      turn_q[class_index] <= ~(choice_o | (choice_o - 1'b1));
    end
  end

  // The book-keeping comes with the plan, a cycle later. Nothing is chosen in that cycle.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chosen_q <= '0;
    end else begin
      chosen_q <= choice_o;
    end
  end

  assign chosen_valid_o = chosen_q != '0;

  always_comb begin
    chosen_way_o = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (chosen_q[way]) chosen_way_o |= 4'(way);
    end
  end

  order_book #(
      .Ways(Ways)
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
  logic [4:0] low_count;
  always_comb begin
    low_count = '0;
    for (int unsigned way = 0; way < Ways; way++) begin
      low_count += 5'(occupied_q[way] && low_q[way]);
    end
  end

  for (genvar way = 0; way < Ways; way++) begin : gen_ways
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        occupied_q[way] <= 1'b0;
        low_q[way] <= 1'b0;
      end else if (chosen_q[way]) begin
        if (book_i.ends) occupied_q[way] <= 1'b0;
        else if (book_i.starts) occupied_q[way] <= 1'b1;
        if (book_i.starts) low_q[way] <= !book_i.urgent;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) low_full_q <= 1'b1;
    else low_full_q <= low_count >= low_ways_i;
  end

  assign occupied_o = occupied_q;

  `ASSERT(OneChoice, (choice_o & (choice_o - 1'b1)) == '0)
  `ASSERT(ChosenIsValid, (choice_o & ~valid_i) == '0)
  `ASSERT(NeverTwiceInARow, chosen_q == '0 || choice_o == '0)

endmodule
