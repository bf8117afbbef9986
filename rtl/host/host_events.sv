// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// What the processor is told: commands, and what the host did to the controller.
//
// Contract: `event` gives, before any command: that the controller was disabled, if the processor knew it
// enabled; that a shutdown was asked for; that it was enabled; that doorbells were wrong, each kind once
// for any number of times. A command whose tag is not live, or that failed, is not given; its tag goes to
// `free`. So after the event of a disable comes no command from before it. `held_o`: a command was offered
// before this cycle already. `session_o`: the controller is enabled, and the processor has been told of
// this and no other time.
// Latency: one cycle.
// Reason: one register decides the order. What a host can do any number of times must not fill a queue.
module host_events
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues = 17,
    parameter int unsigned Tags   = 256,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          enabled_i,
    input  logic                          start_i,
    input  logic                          stop_i,
    input  logic                          shutdown_i,
    input  logic          [          1:0] bad_valid_i,
    input  bad_doorbell_e [          1:0] bad_i,
    input  logic                          command_valid_i,
    output logic                          command_ready_o,
    input  logic          [  TagBits-1:0] command_tag_i,
    input  logic          [QueueBits-1:0] command_queue_i,
    input  logic                          command_failed_i,
    input  logic                          look_ready_i,
    input  logic                          look_live_i,
    output logic                          free_valid_o,
    input  logic                          free_ready_i,
    output logic          [  TagBits-1:0] free_tag_o,
    output logic                          event_valid_o,
    input  logic                          event_ready_i,
    output event_t                        event_o,
    output logic                          held_o,
    output logic                          session_o
);

  logic known_d, known_q, stopped_d, stopped_q, shutdown_d, shutdown_q, started_d, started_q;
  // By event information: register, value.
  logic [1:0] wrong_d, wrong_q;
  logic event_valid_q, stalled_q, room, drops, gives;
  event_t event_d, event_q;
  logic free_valid_q;

  assign event_valid_o = event_valid_q;
  assign event_o = event_q;
  assign held_o = event_valid_q && stalled_q && event_q.kind == EventCommand;
  assign session_o = enabled_i && known_q && !stopped_q;
  assign room = !event_valid_q || event_ready_i;

  // A command is given when nothing else is to be told.
  logic quiet;
  assign quiet = !stopped_q && !shutdown_q && !started_q && wrong_q == '0;
  assign gives = command_valid_i && look_ready_i && look_live_i && !command_failed_i && room && quiet;
  // Whether its tag is taken in this cycle comes too late to be asked.
  assign drops = command_valid_i && look_ready_i && (!look_live_i || command_failed_i) && !free_valid_q;
  assign command_ready_o = gives || drops;
  assign free_valid_o = free_valid_q;

  always_comb begin
    event_d = '{kind: EventCommand, code: '0, tag: tag_t'(command_tag_i), id: queue_t'(command_queue_i)};
    if (stopped_q) event_d = '{kind: EventDisable, default: '0};
    else if (shutdown_q) event_d = '{kind: EventShutdown, default: '0};
    else if (started_q) event_d = '{kind: EventEnable, default: '0};
    else if (wrong_q[0]) event_d = '{kind: EventDoorbell, code: BadRegister, default: '0};
    else if (wrong_q[1]) event_d = '{kind: EventDoorbell, code: BadValue, default: '0};
  end

  // What is told, then what happens meanwhile.
  always_comb begin
    known_d = known_q;
    stopped_d = stopped_q;
    shutdown_d = shutdown_q || shutdown_i;
    started_d = started_q;
    wrong_d = wrong_q;
    if (room) begin
      if (stopped_q) {stopped_d, known_d} = 2'b00;
      else if (shutdown_q) shutdown_d = shutdown_i;
      else if (started_q) {started_d, known_d} = 2'b01;
      else if (wrong_q[0]) wrong_d[0] = 1'b0;
      else wrong_d[1] = 1'b0;
    end
    for (int unsigned source = 0; source < 2; source++) begin
      if (bad_valid_i[source] && enabled_i) wrong_d[bad_i[source] == BadValue] = 1'b1;
    end
    if (start_i) started_d = 1'b1;
    if (stop_i) begin
      // What was not told need not be any more.
      stopped_d = known_d;
      started_d = 1'b0;
      wrong_d   = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= 1'b0;
      stopped_q <= 1'b0;
      shutdown_q <= 1'b0;
      started_q <= 1'b0;
      wrong_q <= '0;
      event_valid_q <= 1'b0;
      stalled_q <= 1'b0;
      free_valid_q <= 1'b0;
    end else begin
      known_q <= known_d;
      stopped_q <= stopped_d;
      shutdown_q <= shutdown_d;
      started_q <= started_d;
      wrong_q <= wrong_d;
      stalled_q <= !room;
      if (room) event_valid_q <= !quiet || gives;
      if (drops) free_valid_q <= 1'b1;
      else if (free_ready_i) free_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (room) event_q <= event_d;
    if (drops) free_tag_o <= command_tag_i;
  end

  `FM_ASSERT_STREAM(u_assert_command, command_valid_i, command_ready_o, {
                 command_tag_i, command_queue_i, command_failed_i})
  `FM_ASSERT_STREAM(u_assert_free, free_valid_o, free_ready_i, free_tag_o)
  `FM_ASSERT_STREAM(u_assert_event, event_valid_o, event_ready_i, event_o)

endmodule
