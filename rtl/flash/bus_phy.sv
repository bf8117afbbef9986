// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Turns the beats of a step into levels on the pins, with the timing of the registers.
//
// Contract: beats of one step after the other, each ended by a release. A beat is taken when it is
// over, also if its data did not come or go in time; `timed_out_o` tells so until the step is over,
// `expired_o` in the cycle in which the data are given up. The commands behind them are not sent,
// so that no half page is programmed; nor is the one that confirms words which came `wrong_i`. `confirm_o` marks the end of a beat that makes the way busy;
// such a beat waits while `masked_i` is up. `issue_o` asks the reader for one unit more: a word, or
// in SDR a byte, to be sampled after `sample_o`.
// Latency: CE# falls in the cycle after a step's first beat was offered. A byte of a command takes
// we_high + (we_low + 1) + (ce_hold + 1) cycles, a word of DDR one, a byte of SDR as much as that
// of a command or (re_low + 1) + (re_high + 1).
// Reason: one state machine, since only one thing happens on a bus at a time. `Turn` comes between
// any two things, and every wait that a command asks for is there. States have a bit each, and the next one
// is told only when it begins, since all the pins follow from that.
module bus_phy
  import fm_bus_pkg::*;
#(
    parameter int unsigned Ways = 8
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  fm_flash_pkg::bus_config_t         config_i,
    input  logic                              beat_valid_i,
    output logic                              beat_ready_o,
    input  beat_t                             beat_i,
    input  logic                   [     3:0] way_i,
    input  logic                   [    15:0] column_i,
    input  logic                   [    31:0] row_i,
    input  logic                   [    15:0] words_i,
    output logic                              off_o,         // last cycle of a step
    input  logic                              wrong_i,       // words of the step came with an error
    output logic                              timed_out_o,
    output logic                              expired_o,
    output logic                              confirm_o,
    input  logic                              masked_i,
    input  logic                              write_valid_i,
    output logic                              write_ready_o,
    input  logic                   [    15:0] write_data_i,
    output logic                              reading_o,
    output logic                              issue_o,
    output logic                              issued_all_o,
    output logic                              sample_o,
    input  logic                              room_i,
    input  logic                              empty_i,
    input  logic                              progress_i,    // of the reader
    output logic                   [Ways-1:0] ce_no,
    output logic                              cle_o,
    output logic                              ale_o,
    output logic                              we_no,
    output logic                   [     1:0] re_no,
    output logic              [1:0][     7:0] dq_o,
    output logic                              dq_oe_o,
    output logic                   [     1:0] dqs_o,
    output logic                              dqs_oe_o
);

  // Units of data still to go. That there is none, or one, is kept beside the count, since much
  // follows from it.
  typedef struct packed {
    logic        none;
    logic        last;
    logic [16:0] count;
  } left_t;

  function automatic left_t load(logic [16:0] count);
    return '{none: count == '0, last: count == 17'd1, count: count};
  endfunction

  function automatic left_t one_less(left_t left);
    return '{none: left.none || left.last, last: left.count == 17'd2, count: left.count - 1'b1};
  endfunction

  states_t pulse;  // what a pulse of WE# begins with
  states_t enter_due, enter_d, state_q;  // the state that begins, if any
  logic fresh_d, fresh_q;  // nothing of the beat was done yet
  logic reading_due, reading_d, reading_q;
  logic timed_out_d, timed_out_q;
  left_t left_due, left_d, left_q;
  logic [2:0] index_d, index_q;

  logic timer_over, gap_over, is_pulse, registers, write_valid;
  logic allowed, waiting, ends_beat, room, empty;
  logic due, given_up_q, unused_over;
  logic [2:0] next_index;
  logic [7:0] pulse_byte, wait_behind;
  logic [15:0] burst_word;
  logic [16:0] units;

  assign pulse = config_i.we_high == '0 ? only(Low) : only(Setup);
  assign is_pulse = beat_i.kind inside {BeatCommand, BeatAddress};
  assign registers = beat_i.code[0];
  assign allowed = beat_i.then != WaitWb || !masked_i;

  // What the other side does in the cycle in which data are given up counts a cycle later, so that
  // nothing of this cycle depends on whether they are.
  assign expired_o = due && !given_up_q;
  assign write_valid = (registers || write_valid_i) && !expired_o;
  assign room = room_i && !expired_o;
  assign empty = empty_i && !expired_o;

  bus_bytes u_bytes (
      .config_i,
      .beat_i,
      .column_i,
      .row_i,
      .words_i,
      .fresh_i(fresh_q),
      .index_i(index_q),
      .left_i(left_q.count[2:0]),
      .write_data_i,
      .next_index_o(next_index),
      .ends_beat_o(ends_beat),
      .pulse_byte_o(pulse_byte),
      .burst_word_o(burst_word),
      .units_o(units),
      .wait_o(wait_behind)
  );

  fm_patience u_patience (
      .clk_i,
      .rst_ni,
      .limit_i(config_i.data_timeout),
      .waiting_i(waiting),
      .progress_i,
      .over_o(unused_over),
      .due_o(due)
  );

  // What comes next if no data are given up.
  always_comb begin
    enter_due = '0;
    fresh_d = fresh_q;
    reading_due = reading_q;
    left_due = left_q;
    index_d = index_q;
    beat_ready_o = 1'b0;
    confirm_o = 1'b0;
    waiting = 1'b0;
    write_ready_o = 1'b0;
    issue_o = 1'b0;
    sample_o = 1'b0;

    unique case (1'b1)
      state_q[Idle]: if (beat_valid_i) enter_due = only(Turn);

      state_q[Turn]: begin
        if (fresh_q && beat_i.kind inside {BeatWrite, BeatRead}) begin
          fresh_d = 1'b0;
          left_due = load(units);
        end else if (timer_over && gap_over) begin
          unique case (beat_i.kind)
            BeatWrite: begin
              if (left_q.none) begin
                beat_ready_o = 1'b1;
                fresh_d = 1'b1;
              end else if (config_i.ddr) begin
                if (allowed) enter_due = only(WriteStart);
              end else begin
                waiting = !write_valid;
                if (write_valid && allowed) enter_due = pulse;
              end
            end
            BeatRead: begin
              if (left_q.none) begin
                waiting = !empty;
                beat_ready_o = empty;
                if (empty) begin
                  fresh_d = 1'b1;
                  reading_due = 1'b0;
                end
              end else if (config_i.ddr) begin
                enter_due = only(ReadStart);
              end else begin
                reading_due = 1'b1;
                waiting = !room;
                if (room) begin
                  enter_due = only(ReadLow);
                  issue_o = 1'b1;
                  left_due = one_less(left_q);
                end
              end
            end
            BeatRelease: enter_due = only(Off);
            default: begin
              if (timed_out_q || (wrong_i && beat_i.then == WaitWb)) beat_ready_o = 1'b1;
              else if (allowed) enter_due = pulse;
            end
          endcase
        end
      end

      state_q[Setup]: if (timer_over) enter_due = only(Low);

      state_q[Low]: begin
        if (timer_over) begin
          enter_due = only(Turn);
          fresh_d = ends_beat;
          index_d = next_index;
          beat_ready_o = ends_beat;
          confirm_o = beat_i.then == WaitWb && (ends_beat || (!is_pulse && left_q.last));
          if (!is_pulse) left_due = one_less(left_q);
          write_ready_o = !is_pulse && !registers && left_q.count[0];
        end
      end

      state_q[WriteStart]: if (timer_over) enter_due = only(WriteData);

      state_q[WriteData]: begin
        write_ready_o = !registers && !expired_o;
        waiting = !write_valid;
        if (write_valid) left_due = one_less(left_q);
        if (write_valid && left_q.last) enter_due = only(WriteEnd);
      end

      state_q[WriteEnd]: begin
        if (timer_over) enter_due = only(Turn);
        confirm_o = timer_over && beat_i.then == WaitWb;
      end

      state_q[ReadLow]: begin
        if (timer_over) enter_due = only(Turn);
        sample_o = timer_over;
      end

      state_q[ReadStart]: begin
        if (timer_over) enter_due = only(ReadData);
        reading_due = timer_over;
      end

      state_q[ReadData]: begin
        waiting = !room;
        issue_o = room;
        if (room) left_due = one_less(left_q);
        if (room && left_q.last) enter_due = only(ReadEnd);
      end

      state_q[ReadEnd]: begin
        waiting = !empty;
        if (timer_over && empty) enter_due = only(Turn);
      end

      state_q[Off]: begin
        if (timer_over) begin
          enter_due = only(Idle);
          beat_ready_o = 1'b1;
        end
      end

      default: ;
    endcase
  end

  // A simulator looks before the reset too, whether only one state is.
  initial state_q = only(Idle);

  // Data are given up: the rest of them is left, the pins end as they would otherwise.
  always_comb begin
    enter_d = enter_due;
    left_d = left_due;
    reading_d = reading_due;
    timed_out_d = timed_out_q && !off_o;
    if (expired_o) begin
      timed_out_d = 1'b1;
      left_d = load('0);
      reading_d = 1'b0;
      if (state_q[WriteData]) enter_d = only(WriteEnd);
      if (state_q[ReadData]) enter_d = only(ReadEnd);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= only(Idle);
      fresh_q <= 1'b1;
      reading_q <= 1'b0;
      timed_out_q <= 1'b0;
      given_up_q <= 1'b0;
    end else begin
      if (enter_d != '0) state_q <= enter_d;
      fresh_q <= fresh_d;
      reading_q <= reading_d;
      timed_out_q <= timed_out_d;
      given_up_q <= due;
    end
  end

  always_ff @(posedge clk_i) begin
    left_q <= left_d;
    index_q <= index_d;
  end

  assign off_o = state_q[Off] && timer_over;
  assign timed_out_o = timed_out_q;
  assign reading_o = reading_q;
  assign issued_all_o = left_q.none;

  bus_pins #(
      .Ways(Ways)
  ) u_pins (
      .clk_i,
      .rst_ni,
      .config_i,
      .state_i(state_q),
      .enter_i(enter_d),
      .kind_i(beat_i.kind),
      .way_i,
      .ends_beat_i(ends_beat),
      .wait_i(wait_behind),
      .pulse_byte_i(pulse_byte),
      .burst_word_i(burst_word),
      .write_i(write_valid),
      .issue_i(room),
      .timer_over_o(timer_over),
      .gap_over_o(gap_over),
      .ce_no,
      .cle_o,
      .ale_o,
      .we_no,
      .re_no,
      .dq_o,
      .dq_oe_o,
      .dqs_o,
      .dqs_oe_o
  );

  `FM_ASSERT(OneState, $onehot(state_q))
  `FM_ASSERT(OneEntered, $onehot0(enter_d) && (enter_d & state_q) == '0)
  `FM_ASSERT_STREAM(u_assert_beat, beat_valid_i, beat_ready_o, beat_i)

endmodule
