// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Takes the steps that move words, one at a time, and knows when the words of one are over.
//
// Contract: a step on `open` is taken when the one before has no words left in front of the codec
// and there is room for what it will leave: `expect_ready_i` and `end_ready_i` for a read,
// `fetch_ready_i` for a program. `start_o` is up with it, and `start_program_o`, or `start_read_o`
// if there are words to come. A step is over when the framer is idle and the last word of a program
// has left (`written_i`); or, for the bus, at `abort_i`. Then `aborted_o` is up until its words are
// over all the same. `end_o` tells page_completion of a read, with what comes beside it.
// Latency: two cycles from the last word to the next step.
// Reason: a buffer that stands still holds the codec, and the words of a step that was aborted
// stay in front of it. The bus must not wait for that. So when `impatient_i` is up, a step that
// waits on `open` has the one before it aborted; if that was done, it is taken as *void*: none of
// its words moves, until the bus aborts it too. `yield_o` is up with either.
module page_control (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                open_valid_i,
    output logic                open_ready_o,
    input  fm_flash_pkg::step_t open_i,
    input  logic                abort_i,
    input  logic                expect_ready_i,
    input  logic                fetch_ready_i,
    input  logic                framer_idle_i,
    input  logic                written_i,
    input  logic                impatient_i,
    output logic                start_o,
    output logic                start_read_o,
    output logic                start_program_o,
    output logic                yield_o,
    output logic                reading_o,
    output logic                writing_o,
    output logic                aborted_o,
    output logic                end_o,
    input  logic                end_ready_i,
    output fm_page_pkg::owner_t end_owner_o,
    output logic                end_verdict_o,
    output logic                end_timed_out_o
);

  logic busy_q, reading_q, aborted_q, tail_q, void_q, empty_q;
  logic is_read, is_empty, take, take_void, over, stop, yields, cut;
  fm_page_pkg::owner_t owner_q;

  assign is_read = open_i.operation[6:5] == fm_flash_pkg::GroupRead;
  assign is_empty = open_i.length == '0 && !open_i.metadata;

  assign start_o = open_valid_i && !busy_q && !void_q &&
                   (is_read ? expect_ready_i && end_ready_i : fetch_ready_i);
  assign start_read_o = start_o && is_read && !is_empty;
  assign start_program_o = start_o && !is_read;
  assign yields = open_valid_i && impatient_i && !start_o && !void_q;
  assign take_void = yields && (!busy_q || aborted_q);
  assign cut = yields && !take_void;
  assign take = start_o || take_void;
  assign open_ready_o = take;
  assign yield_o = yields;

  // A void step that moves no words is not aborted by the bus.
  assign stop = abort_i || cut || (void_q && empty_q);
  assign over = busy_q && framer_idle_i && !tail_q;

  assign reading_o = busy_q && reading_q;
  assign writing_o = busy_q && !reading_q;
  assign aborted_o = aborted_q;

  assign end_o = void_q ? stop : reading_o && !aborted_q && (over || stop);
  assign end_owner_o = owner_q;
  assign end_verdict_o = !void_q && !empty_q;
  assign end_timed_out_o = void_q || !over;

  always_ff @(posedge clk_i) begin
    if (take) begin
      owner_q.slot         <= open_i.slot;
      owner_q.tag          <= open_i.tag;
      owner_q.way          <= open_i.way;
      owner_q.irq          <= open_i.irq;
      owner_q.irq_on_error <= open_i.irq_on_error;
      owner_q.respond      <= open_i.respond && is_read;
      empty_q              <= is_empty;
    end
    if (start_o) begin
      reading_q <= is_read;
      tail_q    <= !is_read && !is_empty;
    end else if (written_i) begin
      tail_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      aborted_q <= 1'b0;
      void_q    <= 1'b0;
    end else begin
      busy_q    <= start_o || (busy_q && !over);
      aborted_q <= busy_q && !over && (aborted_q || (stop && !void_q));
      void_q    <= take_void || (void_q && !stop);
    end
  end

  `FM_ASSERT(EndOnlyWhenReady, !end_o || end_ready_i)
  `FM_ASSERT_STREAM(u_assert_open, open_valid_i, open_ready_o, open_i)

endmodule
