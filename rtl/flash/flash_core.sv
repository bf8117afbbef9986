// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// A flash channel: requests in, responses out, pages to and from the buffer, chips on the pins.
//
// Contract: a request that is not silent gets one response; responses of a stream leave in the
// order of its requests. `room_o` has two bits a way, normal and urgent: while one is set, a
// request for that queue does not wait. For a page that goes to the chips, `fetch` names a buffer
// entry and the bytes of it that `data_in` has to bring, the last word marked; a word with `error` has the
// page not programmed, and the request end as TimedOut. For one that comes, `store` and `data_out` likewise; if its last word is
// taken with `error`, the request ends as Uncorrectable. MetadataBytes behind the data go with them, if the request says so.
// `syndrome` and `locator` go to bch_shared_solver. Choices change only while nothing is under way.
// Towards the pins see flash_pins.
// Latency: docs/rtl.md has the cycles of a step.
// Reason: four rooms that know little of each other. The scheduler knows operations and no bytes,
// the bus bytes and no requests, the page path pages and no chips, the reorder buffer streams.
module flash_core
  import fm_flash_pkg::*;
#(
    parameter int unsigned Ways          = 8,
    parameter bit          Ecc           = 1'b1,
    parameter int unsigned ChunkBytes    = 256,
    parameter int unsigned T             = 13,
    parameter int unsigned MetadataBytes = 24,
    // Cycles between two status reads of a way that is busy, or 0 where R/B# tells; and whether those are 78h with a row.
    parameter int unsigned PollCycles    = 0,
    parameter bit          PollEnhanced  = 1'b0,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  scheduler_config_t                 scheduler_config_i,
    input  way_orders_t                       orders_i,
    output logic              [Ways-1:0]      halted_o,
    output logic              [Ways-1:0]      giving_o,
    input  bus_config_t                       bus_config_i,
    // Requests and responses.
    input  logic                              request_valid_i,
    output logic                              request_ready_o,
    input  request_t                          request_i,
    output logic              [2*Ways-1:0]    room_o,
    output logic                              response_valid_o,
    input  logic                              response_ready_i,
    output response_t                         response_o,
    output logic                              irq_o,
    // The data buffer.
    output logic                              fetch_valid_o,
    input  logic                              fetch_ready_i,
    output packet_t                           fetch_o,
    input  logic                              data_in_valid_i,
    output logic                              data_in_ready_o,
    input  logic              [15:0]          data_in_data_i,
    input  logic                              data_in_last_i,
    input  logic                              data_in_error_i,
    output logic                              store_valid_o,
    input  logic                              store_ready_i,
    output packet_t                           store_o,
    output logic                              data_out_valid_o,
    input  logic                              data_out_ready_i,
    output logic              [15:0]          data_out_data_o,
    output logic                              data_out_last_o,
    input  logic                              data_out_error_i,
    // The key equation solver.
    output logic                              syndrome_valid_o,
    input  logic                              syndrome_ready_i,
    output logic              [M-1:0]         syndrome_o,
    output logic                              syndrome_last_o,
    input  logic                              locator_valid_i,
    input  logic              [M-1:0]         locator_i,
    input  logic                              locator_last_i,
    input  logic              [ErrorBits-1:0] locator_errors_i,
    input  logic                              locator_failed_i,
    // What monitors watch.
    output logic              [Ways-1:0]      ready_o,
    output logic              [Ways-1:0]      occupied_o,
    output logic              [Ways-1:0]      pending_o,
    output watch_t                            watch_o,
    // Towards the pins.
    output logic              [Ways-1:0]      ce_no,
    output logic                              cle_o,
    output logic                              ale_o,
    output logic                              we_no,
    output logic                              wp_no,
    output logic              [1:0]           re_no,
    output logic              [1:0][7:0]      dq_o,
    output logic                              dq_oe_o,
    output logic              [1:0]           dqs_o,
    output logic                              dqs_oe_o,
    input  logic                              strobe_i,
    input  logic              [15:0]          capture_i,
    input  logic              [7:0]           dq_i,
    input  logic              [Ways-1:0]      rb_ni
);

  logic slot_valid, slot_ready;
  logic [2:0] slot_stream;
  slot_t slot;
  logic step_valid, step_ready, done_valid, done_valid_q, step_done_valid, hold, quiet;
  logic turn_valid, turn_ready;
  step_t step, turn;
  logic [Ways-1:0] rb_n, shown;
  step_done_t done, done_q;
  logic [1:0] completion_valid, completion_ready;
  completion_t [1:0] completions;

  flash_scheduler #(
      .Ways(Ways),
      .MetadataBytes(MetadataBytes)
  ) u_scheduler (
      .clk_i,
      .rst_ni,
      .config_i(scheduler_config_i),
      .orders_i,
      .halted_o,
      .giving_o,
      .request_valid_i, .request_ready_o, .request_i,
      .room_o,
      .slot_valid_o(slot_valid), .slot_ready_i(slot_ready), .slot_stream_o(slot_stream), .slot_i(slot),
      .ready_i(ready_o),
      .hold_i(hold),
      .quiet_o(quiet),
      .step_valid_o(step_valid), .step_ready_i(step_ready), .step_o(step),
      .done_valid_i(step_done_valid), .done_i(done_q),
      .completion_valid_o(completion_valid[0]), .completion_ready_i(completion_ready[0]), .completion_o(completions[0]),
      .occupied_o,
      .pending_o
  );

  // The end of a step has the next one chosen, so it waits a cycle between the two.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_valid_q <= 1'b0;
    end else begin
      done_valid_q <= done_valid;
    end
  end

  always_ff @(posedge clk_i) done_q <= done;

  if (PollCycles != 0) begin : gen_poller
    localparam int unsigned Rdy = 6;  // of a status byte
    logic [Ways-1:0] unused_rb_n;
    assign unused_rb_n = rb_ni;
    assign rb_n = '1;

    status_poller #(
        .Ways(Ways),
        .PollCycles(PollCycles),
        .Enhanced(PollEnhanced)
    ) u_poller (
        .clk_i,
        .rst_ni,
        .shown_i(shown),
        .ready_o,
        .quiet_i(quiet),
        .hold_o(hold),
        .step_valid_i(step_valid), .step_ready_o(step_ready), .step_i(step),
        .done_valid_o(step_done_valid),
        .bus_valid_o(turn_valid), .bus_ready_i(turn_ready), .bus_o(turn),
        .bus_done_valid_i(done_valid_q), .bus_rdy_i(done_q.value[Rdy] && !done_q.timed_out)
    );
  end else begin : gen_pins
    logic unused_quiet;
    assign unused_quiet = quiet;
    assign rb_n = rb_ni;
    assign ready_o = shown;
    assign hold = 1'b0;
    assign {turn_valid, turn, step_ready, step_done_valid} = {step_valid, step, turn_ready, done_valid_q};
  end

  logic open_valid, open_ready, write_valid, write_ready, read_valid, read_ready, read_last, abort, write_error;
  logic bus_busy;
  step_t open;
  logic [15:0] open_words, write_data, read_data;

  flash_bus #(
      .Ways(Ways)
  ) u_bus (
      .clk_i,
      .rst_ni,
      .config_i(bus_config_i),
      .step_valid_i(turn_valid), .step_ready_o(turn_ready), .step_i(turn),
      .done_valid_o(done_valid), .done_o(done),
      .ready_o(shown),
      .open_valid_o(open_valid), .open_ready_i(open_ready), .open_o(open), .open_words_i(open_words),
      .write_valid_i(write_valid), .write_ready_o(write_ready), .write_data_i(write_data), .write_error_i(write_error),
      .read_valid_o(read_valid), .read_ready_i(read_ready), .read_data_o(read_data), .read_last_o(read_last),
      .abort_o(abort),
      .bus_busy_o(bus_busy),
      .ce_no,
      .cle_o,
      .ale_o,
      .we_no,
      .wp_no,
      .re_no,
      .dq_o,
      .dq_oe_o,
      .dqs_o,
      .dqs_oe_o,
      .strobe_i,
      .capture_i,
      .dq_i,
      .rb_ni(rb_n)
  );

  page_path #(
      .Ecc(Ecc),
      .ChunkBytes(ChunkBytes),
      .T(T),
      .MetadataBytes(MetadataBytes)
  ) u_path (
      .clk_i,
      .rst_ni,
      .timeout_i(bus_config_i.data_timeout),
      .open_valid_i(open_valid), .open_ready_o(open_ready), .open_i(open), .open_words_o(open_words),
      .write_valid_o(write_valid), .write_ready_i(write_ready), .write_data_o(write_data), .write_error_o(write_error),
      .read_valid_i(read_valid), .read_ready_o(read_ready), .read_data_i(read_data), .read_last_i(read_last),
      .abort_i(abort),
      .fetch_valid_o, .fetch_ready_i, .fetch_o,
      .data_in_valid_i, .data_in_ready_o, .data_in_data_i, .data_in_last_i, .data_in_error_i,
      .store_valid_o, .store_ready_i, .store_o,
      .data_out_valid_o, .data_out_ready_i, .data_out_data_o, .data_out_last_o, .data_out_error_i,
      .completion_valid_o(completion_valid[1]), .completion_ready_i(completion_ready[1]), .completion_o(completions[1]),
      .syndrome_valid_o, .syndrome_ready_i, .syndrome_o, .syndrome_last_o,
      .locator_valid_i, .locator_i, .locator_last_i, .locator_errors_i, .locator_failed_i
  );

  logic completed, completed_ready, unused_last;
  logic [1:0] unused_source;
  completion_t completion;

  fm_stream_merge #(
      .Streams(2),
      .Width($bits(completion_t))
  ) u_merge (
      .clk_i,
      .rst_ni,
      .in_valid_i(completion_valid), .in_ready_o(completion_ready), .in_data_i(completions), .in_last_i('1),
      .out_valid_o(completed), .out_ready_i(completed_ready), .out_data_o(completion), .out_last_o(unused_last),
      .out_source_o(unused_source)
  );

  reorder_buffer u_order (
      .clk_i,
      .rst_ni,
      .slot_valid_i(slot_valid), .slot_ready_o(slot_ready), .slot_stream_i(slot_stream), .slot_o(slot),
      .completion_valid_i(completed), .completion_ready_o(completed_ready), .completion_i(completion),
      .response_valid_o, .response_ready_i, .response_o,
      .irq_o
  );

  // A cycle late, so that what is watched ends in a register.
  watch_t watch_d, watch_q;
  assign watch_d = '{
      bus_busy: bus_busy,
      word_out: write_valid && write_ready,
      word_in: read_valid && read_ready,
      step: step_valid && step_ready,
      group: group_e'(step.operation[6:5]),
      given_up: done_valid && done.timed_out && !hold,
      completion: completed && completed_ready,
      outcome: completion.outcome,
      corrected: completion.corrected,
      lost: completion.lost
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) watch_q <= '0;
    else watch_q <= watch_d;
  end

  assign watch_o = watch_q;

endmodule
