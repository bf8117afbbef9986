// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Counts what a channel does.
//
// Contract: every input counts in every cycle; nothing is lost, whatever the rate. Counters have 48
// bits and start at zero. A pulse of `capture_i` has all of them copied, each in its own cycle of
// one sweep, so that differences between two copies are over equally many cycles. `busy_o` is up
// until the copy can be read. `read_data_o` is half of the copied counter that `read_word_i` names,
// in the order of the SystemRDL source.
// Latency: a copy takes 33 to 66 cycles.
// Reason: a counter is visited every 32nd cycle and meanwhile collects in a few bits of its own.
// Counts and copies so are memories in look-up tables, and one adder serves all counters.
module channel_monitor
  import fm_flash_pkg::*;
  import fm_flash_register_block_pkg::*;
#(
    parameter int unsigned Ways = 8
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  watch_t          watch_i,
    input  logic [Ways-1:0] way_busy_i,
    input  logic            capture_i,
    output logic            busy_o,
    input  logic [     5:0] read_word_i,
    output logic [    31:0] read_data_o
);

  `FM_REQUIRE(gen_ways_out_of_range, Ways >= 1 && Ways <= 16, "channel_monitor: Ways")

  localparam int unsigned CountBits = 48;
  localparam int unsigned Counters = 32;
  localparam int unsigned CorrectedBits = 12 + 5;
  localparam int unsigned LostBits = 8 + 5;

  typedef logic [4:0] index_t;

  // What happens in this cycle, for the counters of single events.
  logic [Counters-1:0] event_now;

  always_comb begin
    event_now = '0;
    event_now[MonitorsBusBusy[5:1]] = watch_i.bus_busy;
    event_now[MonitorsBytesOut[5:1]] = watch_i.word_out;
    event_now[MonitorsBytesIn[5:1]] = watch_i.word_in;
    event_now[MonitorsSteps[5:1]+:4] = 4'(watch_i.step) << watch_i.group;
    event_now[MonitorsRefused[5:1]] = watch_i.completion && watch_i.outcome == Refused;
    event_now[MonitorsTimedOut[5:1]] = watch_i.completion && watch_i.outcome == TimedOut;
    event_now[MonitorsGivenUp[5:1]] = watch_i.given_up;
    event_now[MonitorsWayBusy[5:1]+:Ways] = way_busy_i;
  end

  // What happened since the last visit.
  index_t visit_q;
  logic [Counters-1:0][5:0] events_q;
  logic [CorrectedBits-1:0] corrected_q;
  logic [LostBits-1:0] lost_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      visit_q <= '0;
      events_q <= '0;
      corrected_q <= '0;
      lost_q <= '0;
    end else begin
      visit_q <= visit_q + 1'b1;
      for (int unsigned i = 0; i < Counters; i++) begin
        events_q[i] <= (visit_q == index_t'(i) ? '0 : events_q[i]) + 6'(event_now[i]);
      end
      corrected_q <= (visit_q == MonitorsCorrected[5:1] ? '0 : corrected_q)
          + (watch_i.completion ? CorrectedBits'(watch_i.corrected) : '0);
      lost_q <= (visit_q == MonitorsLost[5:1] ? '0 : lost_q)
          + (watch_i.completion ? LostBits'(watch_i.lost) : '0);
    end
  end

  logic [CorrectedBits-1:0] amount_d, amount_q;
  index_t index_q;

  always_comb begin
    case (visit_q)
      MonitorsCycles[5:1]: amount_d = CorrectedBits'(Counters);
      MonitorsBytesOut[5:1], MonitorsBytesIn[5:1]:
      amount_d = CorrectedBits'({events_q[visit_q], 1'b0});
      MonitorsCorrected[5:1]: amount_d = corrected_q;
      MonitorsLost[5:1]: amount_d = CorrectedBits'(lost_q);
      default: amount_d = CorrectedBits'(events_q[visit_q]);
    endcase
  end

  always_ff @(posedge clk_i) begin
    amount_q <= amount_d;
  end

  // Counts and their copies. The first sweep clears both.
  logic valid_q, first_q, wanted_q, copying_q, last;
  logic [CountBits-1:0] count, next_count, copied;

  assign next_count = (first_q ? '0 : count) + CountBits'(amount_q);
  assign last = index_q == '1;
  assign busy_o = wanted_q || copying_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      valid_q <= 1'b0;
      first_q <= 1'b1;
      wanted_q <= 1'b0;
      copying_q <= 1'b0;
    end else begin
      index_q <= visit_q;
      valid_q <= 1'b1;
      if (valid_q && last) begin
        first_q <= 1'b0;
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
      .write_i(valid_q),
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
      .write_i(valid_q && (first_q || copying_q)),
      .write_address_i(index_q),
      .write_data_i(next_count),
      .read_address_i(read_word_i[5:1]),
      .read_data_o(copied)
  );

  assign read_data_o = read_word_i[0] ? 32'(copied[CountBits-1:32]) : copied[31:0];

endmodule
