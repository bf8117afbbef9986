// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Creates and deletes queues: the admin queues when the controller starts, others for the processor.
//
// Contract: `start_i` creates both admin queues. What the processor asks for while `session_i` is down is
// taken and dropped: it was meant for queues that are gone. So is what waits when `stop_i` pulses.
// Latency: one cycle.
// Reason: between a stop of the host and the processor's knowing of it, requests for the old queues may
// still come, and must not reach the new ones.
module queue_setup
  import fm_host_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     start_i,
    input  logic                     stop_i,
    input  logic                     session_i,
    input  logic              [11:0] admin_submission_size_i,
    input  logic              [51:0] admin_submission_page_i,
    input  logic              [11:0] admin_completion_size_i,
    input  logic              [51:0] admin_completion_page_i,
    input  logic                     submission_valid_i,
    output logic                     submission_ready_o,
    input  submission_queue_t        submission_i,
    input  logic                     completion_valid_i,
    output logic                     completion_ready_o,
    input  completion_queue_t        completion_i,
    output logic                     submission_valid_o,
    input  logic                     submission_ready_i,
    output submission_queue_t        submission_o,
    output logic                     completion_valid_o,
    input  logic                     completion_ready_i,
    output completion_queue_t        completion_o
);

  logic submission_valid_q, completion_valid_q;
  submission_queue_t submission_q;
  completion_queue_t completion_q;

  assign submission_valid_o = submission_valid_q;
  assign submission_o = submission_q;
  assign submission_ready_o = !submission_valid_q && !start_i;
  assign completion_valid_o = completion_valid_q;
  assign completion_o = completion_q;
  assign completion_ready_o = !completion_valid_q && !start_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      submission_valid_q <= 1'b0;
      completion_valid_q <= 1'b0;
    end else begin
      if (submission_ready_i) submission_valid_q <= 1'b0;
      if (completion_ready_i) completion_valid_q <= 1'b0;
      if (submission_ready_o) submission_valid_q <= submission_valid_i && session_i;
      if (completion_ready_o) completion_valid_q <= completion_valid_i && session_i;
      if (start_i || stop_i) {submission_valid_q, completion_valid_q} <= {2{start_i}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      submission_q <= '{
          create: 1'b1,
          id: '0,
          size: place_t'(admin_submission_size_i),
          page: admin_submission_page_i,
          completion: '0,
          priority_class: '0
      };
      completion_q <= '{
          create: 1'b1,
          id: '0,
          size: place_t'(admin_completion_size_i),
          page: admin_completion_page_i,
          interrupts: 1'b1,
          vector: '0
      };
    end else begin
      if (submission_ready_o) submission_q <= submission_i;
      if (completion_ready_o) completion_q <= completion_i;
    end
  end

  `FM_ASSERT_STREAM(u_assert_submission, submission_valid_i, submission_ready_o, submission_i)
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_i, completion_ready_o, completion_i)

endmodule
