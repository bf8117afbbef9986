// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Counts what a channel does.
//
// Contract: every input counts in every cycle; nothing is lost, whatever the rate. Counters are those of the
// SystemRDL source, and are copied as in `fm_counter_bank`.
// Latency: a copy takes 33 to 66 cycles.
// Reason: every counter may count in every cycle, so each is visited every 32nd cycle and nothing is added between.
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

  // Bits that were corrected and lost since the last visit.
  index_t visit;
  logic [5:0] events;
  logic [CorrectedBits-1:0] corrected_q, amount;
  logic [LostBits-1:0] lost_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      corrected_q <= '0;
      lost_q <= '0;
    end else begin
      corrected_q <= (visit == MonitorsCorrected[5:1] ? '0 : corrected_q)
          + (watch_i.completion ? CorrectedBits'(watch_i.corrected) : '0);
      lost_q <= (visit == MonitorsLost[5:1] ? '0 : lost_q)
          + (watch_i.completion ? LostBits'(watch_i.lost) : '0);
    end
  end

  always_comb begin
    case (visit)
      MonitorsCycles[5:1]: amount = CorrectedBits'(Counters);
      MonitorsBytesOut[5:1], MonitorsBytesIn[5:1]: amount = CorrectedBits'({events, 1'b0});
      MonitorsCorrected[5:1]: amount = corrected_q;
      MonitorsLost[5:1]: amount = CorrectedBits'(lost_q);
      default: amount = CorrectedBits'(events);
    endcase
  end

  logic unused_visits, unused_ready;

  fm_counter_bank #(
      .Counters(Counters),
      .Events(Counters),
      .AmountBits(CorrectedBits),
      .Ones(1'b0)
  ) u_bank (
      .clk_i,
      .rst_ni,
      .event_i(event_now),
      .visits_o(unused_visits),
      .visit_o(visit),
      .events_o(events),
      .amount_i(amount),
      .level_i(1'b0),
      .one_valid_i(1'b0),
      .one_ready_o(unused_ready),
      .one_index_i('0),
      .capture_i,
      .busy_o,
      .read_word_i,
      .read_data_o
  );

endmodule
