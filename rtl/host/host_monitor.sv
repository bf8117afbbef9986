// SPDX-License-Identifier: Apache-2.0

// Counts what the host interface does.
//
// Contract: every input counts in every cycle. `fetched` takes a tag, `completed` gives it back, each at
// most in every second cycle in the long run. Commands of `io_watch_i` begin at most in every sixth. `watch_i.from_host` is a beat of data from host memory; with
// `watch_i.to_host` goes one there with these strobes, a bit a dword. Counters are those of the SystemRDL
// source, and are copied as in `fm_counter_bank`.
// Latency: what happens is in a copy that is asked for 16 cycles later; of latencies, when no more than a
// few have waited.
// Reason: a level is a counter that becomes what it is at each visit.
module host_monitor
  import fm_host_pkg::*;
  import fm_host_register_block_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Tags     = 256,
    localparam int unsigned TagBits = $clog2(Tags),
    localparam int unsigned Dwords = DataBits / 32
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               fetched_valid_i,
    input  logic [TagBits-1:0] fetched_tag_i,
    input  logic               completed_valid_i,
    input  logic [TagBits-1:0] completed_tag_i,
    input  io_watch_t          io_watch_i,
    input  data_watch_t        watch_i,
    input  logic [ Dwords-1:0] to_host_strobe_i,
    input  logic               wrong_doorbell_i,
    input  logic               capture_i,
    output logic               busy_o,
    input  logic [        5:0] read_word_i,
    output logic [       31:0] read_data_o
);

  localparam int unsigned Counters = 32;
  localparam int unsigned Bytes = DataBits / 8;
  // Single events are those of the first counters.
  localparam int unsigned Events = 16;
  // Cycles from one visit to the next.
  localparam int unsigned Round = 2 * Counters;
  localparam int unsigned DwordBits = $clog2(Round * Dwords + 1);
  // Sectors of the commands that can begin in a round, and more than the bytes of all its beats.
  localparam int unsigned AmountBits = 24;

  typedef logic [4:0] index_t;
  typedef logic [AmountBits-1:0] amount_t;

  logic [Events-1:0] event_now;
  io_watch_t io_q;
  index_t visit;
  logic [6:0] events;
  amount_t amount;
  logic visits, level;

  always_comb begin
    event_now = '0;
    event_now[MonitorsFetched[4:1]] = fetched_valid_i;
    event_now[MonitorsCompleted[4:1]] = completed_valid_i;
    event_now[MonitorsAutomatedReads[4:1]] = io_q.read;
    event_now[MonitorsAutomatedWrites[4:1]] = io_q.write;
    event_now[MonitorsAutomatedBusy[4:1]] = io_q.busy;
    event_now[MonitorsBytesFromHost[4:1]] = watch_i.from_host;
    event_now[MonitorsDmaEnded[4:1]] = watch_i.done;
    event_now[MonitorsDmaFaults[4:1]] = watch_i.done && watch_i.done_fault;
    event_now[MonitorsMessages[4:1]] = watch_i.message;
    event_now[MonitorsWrongDoorbells[4:1]] = wrong_doorbell_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) io_q <= '0;
    else io_q <= io_watch_i;
  end

  // Sectors of the reads and of the writes that began since the last visit.
  amount_t [1:0] sectors_q;

  for (genvar way = 0; way < 2; way++) begin : gen_sectors
    localparam logic [5:0] Counter = way == 0 ? MonitorsSectorsRead : MonitorsSectorsWritten;
    logic begins;

    assign begins = way == 0 ? io_q.read : io_q.write;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        sectors_q[way] <= '0;
      end else begin
        sectors_q[way] <= (visits && visit == Counter[5:1] ? '0 : sectors_q[way])
            + (begins ? amount_t'(io_q.sectors) : '0);
      end
    end
  end

  // Dwords that went to the host since the last visit.
  logic [Dwords-1:0] dwords_q;
  logic [DwordBits-1:0] dwords_now, sum_q;
  logic visited;

  assign visited = visits && visit == MonitorsBytesToHost[5:1];

  always_comb begin
    dwords_now = '0;
    for (int unsigned i = 0; i < Dwords; i++) dwords_now = dwords_now + DwordBits'(dwords_q[i]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dwords_q <= '0;
      sum_q <= '0;
    end else begin
      for (int unsigned i = 0; i < Dwords; i++) dwords_q[i] <= watch_i.to_host && to_host_strobe_i[i];
      sum_q <= (visited ? '0 : sum_q) + dwords_now;
    end
  end

  // Commands that were fetched and not completed.
  logic [TagBits:0] outstanding_q, most_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outstanding_q <= '0;
      most_q <= '0;
    end else begin
      if (fetched_valid_i && !completed_valid_i) outstanding_q <= outstanding_q + 1'b1;
      if (completed_valid_i && !fetched_valid_i) outstanding_q <= outstanding_q - 1'b1;
      if (outstanding_q > most_q) most_q <= outstanding_q;
    end
  end

  always_comb begin
    level  = 1'b0;
    amount = amount_t'(events);
    case (visit)
      MonitorsCycles[5:1]: amount = amount_t'(Round);
      MonitorsBytesFromHost[5:1]: amount = amount_t'(events) << $clog2(Bytes);
      MonitorsBytesToHost[5:1]: amount = amount_t'({sum_q, 2'b00});
      MonitorsSectorsRead[5:1]: amount = sectors_q[0];
      MonitorsSectorsWritten[5:1]: amount = sectors_q[1];
      MonitorsOutstanding[5:1]: {level, amount} = {1'b1, amount_t'(outstanding_q)};
      MonitorsMostOutstanding[5:1]: {level, amount} = {1'b1, amount_t'(most_q)};
      default: ;
    endcase
  end

  logic bin_valid, bin_ready;
  logic [3:0] bin;

  latency_bins #(
      .Tags(Tags)
  ) u_latency (
      .clk_i,
      .rst_ni,
      .fetched_valid_i,
      .fetched_tag_i,
      .completed_valid_i,
      .completed_tag_i,
      .bin_valid_o(bin_valid),
      .bin_ready_i(bin_ready),
      .bin_o(bin)
  );

  fm_counter_bank #(
      .Counters(Counters),
      .Events(Events),
      .AmountBits(AmountBits)
  ) u_bank (
      .clk_i,
      .rst_ni,
      .event_i(event_now),
      .visits_o(visits),
      .visit_o(visit),
      .events_o(events),
      .amount_i(amount),
      .level_i(level),
      .one_valid_i(bin_valid),
      .one_ready_o(bin_ready),
      .one_index_i({MonitorsLatency[5], bin}),
      .capture_i,
      .busy_o,
      .read_word_i,
      .read_data_o
  );

endmodule
