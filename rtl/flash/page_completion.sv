// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Completes the steps that read pages, each as soon as it is known how it ended.
//
// Contract: `end_i`, up only while `end_ready_o` is, tells that the words of a step are over on the
// bus. `end_verdict_i` says that a verdict will follow from the codec, `end_timed_out_i` that it
// did not end well. Verdicts come in the order of the steps; `verdict_valid_i` holds one up until
// `judged_o`, and beside it `refused_i`: the buffer has not got all of the page. A step that timed out is completed with its
// verdict, too, whatever that is: only then have the last of its words left for the buffer, whose entry the firmware may give to
// another request. A step that has to wait too long for its verdict is completed without;
// the verdict that comes later is dropped. Steps that are not to be answered leave no completion.
// Too long is `timeout_i` times 16 cycles in which nothing moves, which `moves_i` tells. A step
// that `others_wait_i` speaks of may wait as long: then `impatient_o` is up, if none waits here.
// Latency: one cycle after the verdict.
// Reason: words may be stuck in the path for as long as the buffer does not take them, but an
// answer must come in time. What waits here need not know whether others do, whose steps are long in coming.
module page_completion #(
    parameter int unsigned Pages = 4,
    localparam int unsigned LateBits = $clog2(Pages + 2)
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          end_i,
    output logic                          end_ready_o,
    input  fm_page_pkg::owner_t           end_owner_i,
    input  logic                          end_verdict_i,
    input  logic                          end_timed_out_i,
    input  logic                   [15:0] timeout_i,
    input  logic                          moves_i,
    input  logic                          others_wait_i,
    output logic                          impatient_o,
    input  logic                          verdict_valid_i,
    input  fm_page_pkg::verdict_t         verdict_i,
    input  logic                          refused_i,
    output logic                          judged_o,
    output logic                          completion_valid_o,
    input  logic                          completion_ready_i,
    output fm_flash_pkg::completion_t     completion_o
);

  localparam int unsigned LevelBits = $clog2(Pages + 1);

  fm_page_pkg::owner_t owner;
  logic valid, has_verdict, timed_out, judge, late, gives_up, finish, leaves_verdict;
  logic completion_valid_q, free, due;
  logic [LateBits-1:0] late_q;
  logic [LevelBits-1:0] unused_level;
  logic unused_over;
  fm_flash_pkg::completion_t completion_q;

  fm_fifo #(
      .Width($bits(fm_page_pkg::owner_t) + 2),
      .Depth(Pages)
  ) u_steps (
      .clk_i,
      .rst_ni,
      .in_valid_i(end_i),
      .in_ready_o(end_ready_o),
      .in_data_i({end_owner_i, end_verdict_i, end_timed_out_i}),
      .out_valid_o(valid),
      .out_ready_i(finish),
      .out_data_o({owner, has_verdict, timed_out}),
      .level_o(unused_level)
  );

  fm_patience u_patience (
      .clk_i,
      .rst_ni,
      .limit_i(timeout_i),
      .waiting_i(valid || others_wait_i),
      .progress_i(moves_i || finish),
      .over_o(unused_over),
      .due_o(due)
  );

  // Verdicts on steps that were completed without come first.
  assign late = verdict_valid_i && late_q != '0;
  assign free = !completion_valid_q || completion_ready_i;
  assign judge = valid && free && has_verdict && verdict_valid_i && !late;
  assign gives_up = due && has_verdict && !judge;
  assign finish = valid && free && (judge || gives_up || !has_verdict);
  assign leaves_verdict = finish && has_verdict && !judge;
  assign judged_o = late || judge;
  assign impatient_o = due && others_wait_i && !valid;

  assign completion_valid_o = completion_valid_q;
  assign completion_o = completion_q;

  always_ff @(posedge clk_i) begin
    if (finish) begin
      completion_q.slot         <= owner.slot;
      completion_q.tag          <= owner.tag;
      completion_q.way          <= owner.way;
      completion_q.irq          <= owner.irq;
      completion_q.irq_on_error <= owner.irq_on_error;
      completion_q.outcome      <= fm_flash_pkg::Success;
      if (judge && (verdict_i.lost != '0 || refused_i)) completion_q.outcome <= fm_flash_pkg::Uncorrectable;
      if (gives_up || timed_out) completion_q.outcome <= fm_flash_pkg::TimedOut;
      completion_q.value        <= '0;
      {completion_q.erased, completion_q.corrected, completion_q.most, completion_q.lost} <=
          gives_up || timed_out || !has_verdict ? '0 : verdict_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      completion_valid_q <= 1'b0;
      late_q <= '0;
    end else begin
      if (free) completion_valid_q <= finish && owner.respond;
      if (leaves_verdict && !late) late_q <= late_q + 1'b1;
      if (late && !leaves_verdict) late_q <= late_q - 1'b1;
    end
  end

  `FM_ASSERT(EndOnlyWhenReady, !end_i || end_ready_o)
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_o, completion_ready_i, completion_o)

endmodule
