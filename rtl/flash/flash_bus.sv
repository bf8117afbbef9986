// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The bus of a channel: runs steps, one after the other, on the pins of the chips.
//
// Contract: a step is taken when the one before is over; `done` tells how it ended, in its last
// cycle. Only operations that are steps come, and only to ways that may take them. Steps that move
// words announce themselves on `open`, and are taken when that is; `open_words_i` is how many words
// of 16 bits then go over `write` or `read`, from `open_o` in the same cycle. `read_last_o` marks
// the last one. `abort_o` tells that words did not come or go for `data_timeout`: in the cycle before,
// the last one may have gone, and a word on `read` may be taken back behind it. What is offered from
// then on is void, no confirm command follows, and `done_o.timed_out` is set. Nor does one follow words
// that `write_error_i` says are wrong, which is known before the last of them goes; they end likewise. Register bytes of READ ID
// come packed, two in a word, in DDR too.
// `ready_o` is up for ways whose R/B# is high, and low from a command that makes them busy until
// tWB is over. `capture_i` are the bytes that the input cells took at the edges of `strobe_i`,
// `dq_i` the level of DQ a cycle before; the other pins as in bus_pins.
// Latency: a step's CE# falls three cycles after it was taken, and it may be taken in the cycle
// behind the last one of the step before.
// Reason: an executor for each group of commands says what to send, in beats; the PHY knows when.
// All that is kept of a step is what its beats need. Opening comes first, so that data are on their
// way while commands and addresses go out.
module flash_bus
  import fm_flash_pkg::*;
#(
    parameter int unsigned Ways = 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  bus_config_t                   config_i,
    input  logic                          step_valid_i,
    output logic                          step_ready_o,
    input  step_t                         step_i,
    output logic                          done_valid_o,
    output step_done_t                    done_o,
    output logic        [Ways-1:0]        ready_o,
    output logic                          open_valid_o,
    input  logic                          open_ready_i,
    output step_t                         open_o,
    input  logic        [    15:0]        open_words_i,
    input  logic                          write_valid_i,
    output logic                          write_ready_o,
    input  logic        [    15:0]        write_data_i,
    input  logic                          write_error_i,
    output logic                          read_valid_o,
    input  logic                          read_ready_i,
    output logic        [    15:0]        read_data_o,
    output logic                          read_last_o,
    output logic                          abort_o,
    output logic                          bus_busy_o,
    output logic        [Ways-1:0]        ce_no,
    output logic                          cle_o,
    output logic                          ale_o,
    output logic                          we_no,
    output logic                          wp_no,
    output logic        [     1:0]        re_no,
    output logic        [     1:0][7:0]   dq_o,
    output logic                          dq_oe_o,
    output logic        [     1:0]        dqs_o,
    output logic                          dqs_oe_o,
    input  logic                          strobe_i,
    input  logic        [    15:0]        capture_i,
    input  logic        [     7:0]        dq_i,
    input  logic        [Ways-1:0]        rb_ni
);

  `FM_REQUIRE(gen_too_many_ways, Ways >= 1 && Ways <= 16, "flash_bus: Ways is not 1 to 16")

  localparam int unsigned Groups = 4;

  // What beats need of the step that runs.
  typedef struct packed {
    operation_e  operation;
    logic [3:0]  way;
    logic [31:0] row;
    logic [15:0] column;
    logic        next_plane;
    logic        moves_words;
    logic [15:0] words;
  } turn_t;

  turn_t turn_q;
  logic running_q, abort_q, wp_n_q;
  logic moves_words, accept, over, timed_out, expired, wrong;
  logic [Groups-1:0] run, beat_valid;
  fm_bus_pkg::beat_t beat_of[Groups];
  fm_bus_pkg::beat_t beat, beat_out;
  logic load, beat_out_valid, beat_ready;
  logic offered_q;  // all beats of the step have been
  logic confirm, masked;
  logic reading, issue, issued_all, sample, room, empty, pop;

  assign moves_words = fm_scheduler_pkg::moves_page(step_i.operation);
  assign open_valid_o = step_valid_i && moves_words && !running_q;
  assign open_o = step_i;
  assign step_ready_o = !running_q && (!moves_words || open_ready_i);
  assign accept = step_valid_i && step_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      abort_q <= 1'b0;
      wp_n_q <= 1'b0;
    end else begin
      abort_q <= expired && turn_q.moves_words;
      wp_n_q <= 1'b1;
      if (accept) running_q <= 1'b1;
      else if (over) running_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      turn_q <= '{
          operation: step_i.operation,
          way: step_i.way,
          row: step_i.row,
          column: step_i.column,
          next_plane: step_i.next_plane,
          moves_words: moves_words,
          words: open_words_i
      };
    end
  end

  // One executor owns the bus from the first beat of a step to its last. The register slice behind
  // it takes what they look up out of the PHY's paths, and what the PHY waits for out of theirs.
  for (genvar group = 0; group < Groups; group++) begin : gen_run
    assign run[group] = running_q && !offered_q && turn_q.operation[6:5] == 2'(group);
  end

  execute_status u_status (
      .clk_i,
      .rst_ni,
      .run_i(run[GroupStatus]),
      .operation_i(turn_q.operation),
      .beat_valid_o(beat_valid[GroupStatus]), .beat_ready_i(load), .beat_o(beat_of[GroupStatus])
  );

  execute_other u_other (
      .clk_i,
      .rst_ni,
      .run_i(run[GroupOther]),
      .operation_i(turn_q.operation),
      .beat_valid_o(beat_valid[GroupOther]), .beat_ready_i(load), .beat_o(beat_of[GroupOther])
  );

  execute_read u_read (
      .clk_i,
      .rst_ni,
      .run_i(run[GroupRead]),
      .operation_i(turn_q.operation),
      .beat_valid_o(beat_valid[GroupRead]), .beat_ready_i(load), .beat_o(beat_of[GroupRead])
  );

  execute_program u_program (
      .clk_i,
      .rst_ni,
      .run_i(run[GroupProgram]),
      .operation_i(turn_q.operation),
      .next_plane_i(turn_q.next_plane),
      .beat_valid_o(beat_valid[GroupProgram]), .beat_ready_i(load), .beat_o(beat_of[GroupProgram])
  );

  assign beat = beat_of[turn_q.operation[6:5]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offered_q <= 1'b0;
    end else begin
      if (accept) offered_q <= 1'b0;
      else if (load && |beat_valid && beat.kind == fm_bus_pkg::BeatRelease) offered_q <= 1'b1;
    end
  end

  fm_skid_buffer #(
      .Width($bits(fm_bus_pkg::beat_t))
  ) u_beats (
      .clk_i,
      .rst_ni,
      .in_valid_i(|beat_valid), .in_ready_o(load), .in_data_i(beat),
      .out_valid_o(beat_out_valid), .out_ready_i(beat_ready), .out_data_o(beat_out)
  );

  bus_phy #(
      .Ways(Ways)
  ) u_phy (
      .clk_i,
      .rst_ni,
      .config_i,
      .beat_valid_i(beat_out_valid), .beat_ready_o(beat_ready), .beat_i(beat_out),
      .way_i(turn_q.way),
      .column_i(turn_q.column),
      .row_i(turn_q.row),
      .words_i(turn_q.words),
      .off_o(over),
      .wrong_i(wrong),
      .timed_out_o(timed_out),
      .expired_o(expired),
      .confirm_o(confirm),
      .masked_i(masked),
      .write_valid_i, .write_ready_o, .write_data_i,
      .reading_o(reading),
      .issue_o(issue),
      .issued_all_o(issued_all),
      .sample_o(sample),
      .room_i(room),
      .empty_i(empty),
      .progress_i(pop),
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

  bus_reader u_reader (
      .clk_i,
      .rst_ni,
      .ddr_i(config_i.ddr),
      .sample_delay_i(config_i.sample_delay),
      .code_i(beat_out.code[2:0]),
      .on_i(reading),
      .issue_i(issue),
      .issued_all_i(issued_all),
      .sample_i(sample),
      .room_o(room),
      .empty_o(empty),
      .pop_o(pop),
      .clear_i(accept),
      .value_o(done_o.value),
      .read_valid_o, .read_ready_i, .read_data_o, .read_last_o,
      .strobe_i,
      .capture_i,
      .dq_i
  );

  bus_ready #(
      .Ways(Ways)
  ) u_ready (
      .clk_i,
      .rst_ni,
      .wb_i(config_i.wb),
      .confirm_i(confirm),
      .way_i(turn_q.way),
      .masked_o(masked),
      .rb_ni,
      .ready_o
  );

  assign done_valid_o = over;
  assign done_o.way = turn_q.way;
  assign done_o.timed_out = timed_out || wrong;
  assign abort_o = abort_q;
  assign bus_busy_o = running_q;
  assign wrong = write_error_i && turn_q.moves_words && turn_q.operation[6:5] == GroupProgram;
  assign wp_no = wp_n_q;

  `FM_ASSERT_STREAM(u_assert_step, step_valid_i, step_ready_o, step_i)
  `FM_ASSERT_STREAM(u_assert_open, open_valid_o, open_ready_i, open_o)
  `FM_ASSERT_STREAM(u_assert_write, write_valid_i, write_ready_o || abort_o, write_data_i)
  `FM_ASSERT_STREAM(u_assert_read, read_valid_o, read_ready_i || expired, {read_last_o, read_data_o})

endmodule
