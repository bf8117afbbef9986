// SPDX-License-Identifier: Apache-2.0

// Levels on the pins and the timers behind them, as the state of the bus demands.
//
// Contract: `state_i` is the state of the bus and `enter_i` the one that begins behind this cycle, if any. `timer_over_o` tells
// that a state may end, `gap_over_o` that nothing behind the last beat has to be waited for.
// A pin with two values changes at both levels of the clock: [0] while it is high, then [1].
// Latency: a level is on the pins from the first cycle of its state on, data of a burst a cycle
// after `write_i` or `issue_i`.
// Reason: one timer for the length of states, one for what a command asks for behind it, since that
// goes on over several states. The latter starts full, so that WP# is up long before the first
// command.
module bus_pins
  import fm_bus_pkg::*;
#(
    parameter int unsigned Ways = 8
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    // verilator lint_off UNUSEDSIGNAL
    input  fm_flash_pkg::bus_config_t         config_i,
    input  states_t                           state_i,
    input  states_t                           enter_i,
    // verilator lint_on UNUSEDSIGNAL
    input  kind_e                             kind_i,        // of the beat
    input  logic                   [     3:0] way_i,
    input  logic                              ends_beat_i,   // this byte does
    input  logic                   [     7:0] wait_i,        // behind it
    input  logic                   [     7:0] pulse_byte_i,
    input  logic                   [    15:0] burst_word_i,
    input  logic                              write_i,       // a word goes, in WriteData
    input  logic                              issue_i,       // a word is asked for, in ReadData
    output logic                              timer_over_o,
    output logic                              gap_over_o,
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

  typedef struct packed {
    logic [Ways-1:0] ce_n;
    logic            cle;
    logic            ale;
    logic            we_n;
    logic [1:0]      re_n;
    logic [1:0]      dqs;
    logic            drive;  // DQ and, in DDR, DQS
  } pins_t;

  // `over` is kept beside the count, since everything waits for it.
  typedef struct packed {
    logic       over;
    logic [7:0] left;
  } timer_t;

  localparam pins_t Released = '{'1, 1'b0, 1'b0, 1'b1, '1, '1, 1'b0};

  pins_t pins_d, pins_q;
  logic [15:0] dq_d, dq_q;
  timer_t timer_d, timer_q, gap_d, gap_q;
  logic behind_read_d, behind_read_q;  // the gap is tRHW: only what the host drives waits for it
  logic read_d, read_q;                // RE# or DQS is held low after a burst
  logic wrote_d, wrote_q;

  function automatic timer_t load(logic [7:0] cycles);
    return '{over: cycles == '0, left: cycles};
  endfunction

  function automatic timer_t count(timer_t timer);
    return timer.over ? timer : '{over: timer.left == 8'd1, left: timer.left - 1'b1};
  endfunction

  assign timer_over_o = timer_q.over;
  assign gap_over_o = gap_q.over ||
      (behind_read_q && !(kind_i inside {BeatCommand, BeatAddress}));

  // How long it lasts, and what it begins with on the pins.
  always_comb begin
    pins_d = pins_q;
    dq_d = dq_q;
    timer_d = count(timer_q);
    gap_d = count(gap_q);
    behind_read_d = behind_read_q;
    read_d = read_q;
    wrote_d = wrote_q;

    unique case (1'b1)
      state_i[Turn]: begin
        if (timer_over_o) begin
          pins_d.cle = 1'b0;
          pins_d.ale = 1'b0;
          if (kind_i == BeatRead) pins_d.drive = 1'b0;
          // Long before WE# falls, if need be: its way in is shorter then.
          dq_d = {2{pulse_byte_i}};
        end
      end
      state_i[WriteData]: begin
        pins_d.dqs = {1'b0, write_i};
        if (write_i) dq_d = burst_word_i;
      end
      state_i[WriteEnd]: pins_d.dqs = '0;
      state_i[ReadData]: pins_d.re_n = {1'b0, issue_i};
      state_i[ReadEnd]: pins_d.re_n = '0;
      default: ;
    endcase

    unique case (1'b1)
      enter_i[Turn]: begin
        pins_d.we_n = 1'b1;
        if (state_i[Idle]) begin
          timer_d = load(config_i.ce_setup);
          for (int unsigned way = 0; way < Ways; way++) pins_d.ce_n[way] = way_i != 4'(way);
          // The way became ready before the step was asked for.
          if (kind_i == BeatRead) begin
            gap_d = load(config_i.rr);
            behind_read_d = 1'b0;
          end
        end else if (state_i[Low]) begin
          timer_d = load(config_i.ce_hold);
          gap_d = ends_beat_i ? load(wait_i) : load('0);
          behind_read_d = 1'b0;
        end else if (state_i[ReadLow]) begin
          timer_d = load(config_i.re_high);
          pins_d.re_n = '1;
        end
      end
      enter_i[Setup], enter_i[Low]: begin
        // Setup is passed over if it takes no cycle.
        timer_d = enter_i[Setup] ? load(config_i.we_high - 1'b1) : load(config_i.we_low);
        pins_d.we_n = enter_i[Setup];
        pins_d.cle = kind_i == BeatCommand;
        pins_d.ale = kind_i == BeatAddress;
        pins_d.drive = 1'b1;
        wrote_d = 1'b0;
      end
      enter_i[WriteStart]: begin
        timer_d = load(config_i.write_preamble);
        pins_d.drive = 1'b1;
        pins_d.dqs = '0;
        wrote_d = 1'b1;
      end
      enter_i[WriteEnd]: timer_d = load(config_i.write_postamble);
      enter_i[ReadLow], enter_i[ReadStart]: begin
        timer_d = enter_i[ReadLow] ? load(config_i.re_low) : load(config_i.read_preamble);
        pins_d.re_n = '0;
        read_d = 1'b1;
      end
      enter_i[ReadEnd]: timer_d = load(config_i.read_postamble);
      enter_i[Off]: begin
        pins_d.ce_n = '1;
        timer_d = load('0);
        if (config_i.ddr && read_q) timer_d = load(config_i.read_preamble);
        if (wrote_q) timer_d = load(config_i.write_preamble);
      end
      enter_i[Idle]: begin
        pins_d = Released;
        read_d = 1'b0;
        wrote_d = 1'b0;
        if (read_q) begin
          gap_d = load(config_i.rhw);
          behind_read_d = 1'b1;
        end
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pins_q <= Released;
      timer_q <= load('0);
      gap_q <= load('1);
      behind_read_q <= 1'b1;
      read_q <= 1'b0;
      wrote_q <= 1'b0;
    end else begin
      pins_q <= pins_d;
      timer_q <= timer_d;
      gap_q <= gap_d;
      behind_read_q <= behind_read_d;
      read_q <= read_d;
      wrote_q <= wrote_d;
    end
  end

  always_ff @(posedge clk_i) begin
    dq_q <= dq_d;
  end

  assign ce_no = pins_q.ce_n;
  assign cle_o = pins_q.cle;
  assign ale_o = pins_q.ale;
  assign we_no = pins_q.we_n;
  assign re_no = pins_q.re_n;
  assign dq_o = dq_q;
  assign dq_oe_o = pins_q.drive;
  assign dqs_o = pins_q.dqs;
  assign dqs_oe_o = pins_q.drive && config_i.ddr;

endmodule
