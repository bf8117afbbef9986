// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Counters in memory, visited in turn.
//
// Contract: a bit of `event_i` is collected in every cycle for the counter of its number, the lowest ones.
// In each cycle with `visits_o` a counter is visited: `visit_o` names it, and `events_o` is what was collected
// since its last visit. It then grows by `amount_i`, or becomes that if `level_i`. With Ones, each second cycle
// has a visit, and in the others `one` adds one to any counter; without, each cycle has. All start at zero.
// A pulse of `capture_i` has all of them copied, each at its visit in one round, so that differences
// between two copies are over equally many cycles. `busy_o` is up until the copy can be read.
// `read_data_o` is the low or high word of the copy of counter `read_word_i` / 2.
// Latency: a copy takes two rounds at most.
// Reason: counts and copies are memories in look-up tables, and one adder serves all counters. What is
// rare and has many counters costs no collector for each.
module fm_counter_bank #(
    parameter int unsigned Counters   = 32,
    parameter int unsigned Events     = 16,
    parameter int unsigned CountBits  = 48,
    parameter int unsigned AmountBits = 16,
    parameter bit          Ones       = 1'b1,
    localparam int unsigned IndexBits = $clog2(Counters),
    localparam int unsigned EventBits = IndexBits + (Ones ? 2 : 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic [    Events-1:0] event_i,
    output logic                  visits_o,
    output logic [ IndexBits-1:0] visit_o,
    output logic [ EventBits-1:0] events_o,
    input  logic [AmountBits-1:0] amount_i,
    input  logic                  level_i,
    input  logic                  one_valid_i,
    output logic                  one_ready_o,
    input  logic [ IndexBits-1:0] one_index_i,
    input  logic                  capture_i,
    output logic                  busy_o,
    input  logic [   IndexBits:0] read_word_i,
    output logic [          31:0] read_data_o
);

  `FM_REQUIRE(gen_counters_no_power, 2 ** IndexBits == Counters && Events <= Counters,
           "fm_counter_bank: Counters")

  typedef logic [IndexBits-1:0] index_t;
  typedef logic [EventBits-1:0] events_t;

  // What happened since the last visit.
  index_t visit_q;
  logic visits, first_q;
  events_t [Events-1:0] events_q;
  events_t [Counters-1:0] events;

  if (Ones) begin : gen_ones
    logic visits_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) visits_q <= 1'b0;
      else visits_q <= !visits_q;
    end

    assign visits = visits_q;
  end else begin : gen_no_ones
    assign visits = 1'b1;
  end

  assign visits_o = visits;
  assign visit_o = visit_q;
  assign events = ($bits(events))'(events_q);
  assign events_o = events[visit_q];
  assign one_ready_o = !visits && !first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      visit_q <= '0;
      events_q <= '0;
    end else begin
      if (visits) visit_q <= visit_q + 1'b1;
      for (int unsigned i = 0; i < Events; i++) begin
        events_q[i] <= (visits && visit_q == index_t'(i) ? '0 : events_q[i])
            + events_t'(event_i[i]);
      end
    end
  end

  // What is added to which.
  logic swept_q, adds_q, level_q;
  index_t index_q;
  logic [AmountBits-1:0] amount_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      swept_q <= 1'b0;
      adds_q  <= 1'b0;
    end else begin
      swept_q <= visits;
      adds_q  <= visits || one_valid_i && one_ready_o;
    end
  end

  always_ff @(posedge clk_i) begin
    index_q  <= visits ? visit_q : one_index_i;
    amount_q <= visits ? amount_i : AmountBits'(1);
    level_q  <= visits && level_i;
  end

  // Counts and their copies. The first round clears both.
  logic wanted_q, copying_q, last;
  logic [CountBits-1:0] count, next_count, copied;

  assign next_count = (level_q || first_q ? '0 : count) + CountBits'(amount_q);
  assign last = swept_q && index_q == '1;
  assign busy_o = wanted_q || copying_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q   <= 1'b1;
      wanted_q  <= 1'b0;
      copying_q <= 1'b0;
    end else begin
      if (last) begin
        first_q   <= 1'b0;
        copying_q <= wanted_q;
      end
      if (capture_i) wanted_q <= 1'b1;
      else if (last) wanted_q <= 1'b0;
    end
  end

  fm_ram_lut #(
      .Width(CountBits),
      .Depth(Counters)
  ) u_counts (
      .clk_i,
      .write_i(adds_q),
      .write_address_i(index_q),
      .write_data_i(next_count),
      .read_address_i(index_q),
      .read_data_o(count)
  );

  fm_ram_lut #(
      .Width(CountBits),
      .Depth(Counters)
  ) u_copies (
      .clk_i,
      .write_i(swept_q && (first_q || copying_q)),
      .write_address_i(index_q),
      .write_data_i(next_count),
      .read_address_i(read_word_i[IndexBits:1]),
      .read_data_o(copied)
  );

  assign read_data_o = read_word_i[0] ? 32'(copied[CountBits-1:32]) : copied[31:0];

  `FM_ASSERT_STREAM(u_assert_one, one_valid_i, one_ready_o, one_index_i)

endmodule
