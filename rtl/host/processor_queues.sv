// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Creates and deletes queues for the processor, one at a time.
//
// Contract: a pulse of `submission_written_i` or `completion_written_i` takes what the registers say then,
// unless one is under way (`busy_o`): then it is dropped, and `dropped_o` pulses.
// Latency: one cycle.
// Reason: queues are made rarely, so one place for all of them will do, and registers may change
// meanwhile.
module processor_queues
  import fm_host_pkg::*;
  import fm_host_register_block_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  control_t          control_i,
    input  logic              submission_written_i,
    input  logic              completion_written_i,
    output logic              busy_o,
    output logic              dropped_o,
    output logic              submission_queue_valid_o,
    input  logic              submission_queue_ready_i,
    output submission_queue_t submission_queue_o,
    output logic              completion_queue_valid_o,
    input  logic              completion_queue_ready_i,
    output completion_queue_t completion_queue_o
);

  logic written, ended, busy_q, completion_q;
  logic create_q, interrupts_q;
  logic [1:0] priority_class_q;
  queue_t id_q, partner_q;
  place_t size_q;
  logic [51:0] page_q;

  // What other registers say is not looked at here.
  logic unused;
  assign unused = ^control_i;

  assign written = submission_written_i || completion_written_i;
  assign busy_o = busy_q;
  assign dropped_o = written && busy_q;
  assign submission_queue_valid_o = busy_q && !completion_q;
  assign completion_queue_valid_o = busy_q && completion_q;
  assign ended = completion_q ? completion_queue_ready_i : submission_queue_ready_i;

  assign submission_queue_o = '{
          create: create_q,
          id: id_q,
          size: size_q,
          page: page_q,
          completion: partner_q,
          priority_class: priority_class_q
      };
  assign completion_queue_o = '{
          create: create_q,
          id: id_q,
          size: size_q,
          page: page_q,
          interrupts: interrupts_q,
          vector: partner_q[10:0]
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= busy_q ? !ended : written;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      completion_q <= completion_written_i;
      create_q <= completion_written_i ? control_i.completion_queue.create
          : control_i.submission_queue.create;
      id_q <= completion_written_i ? control_i.completion_queue.id : control_i.submission_queue.id;
      interrupts_q <= control_i.completion_queue.interrupts;
      priority_class_q <= control_i.submission_queue.priority_class;
      page_q <= {control_i.queue_base_high.page, control_i.queue_base_low.page};
      size_q <= control_i.queue_shape.size;
      partner_q <= control_i.queue_shape.partner;
    end
  end

  `FM_ASSERT(OneWrite, !(submission_written_i && completion_written_i))
  `FM_ASSERT_STREAM(u_assert_submission, submission_queue_valid_o, submission_queue_ready_i,
                 submission_queue_o)
  `FM_ASSERT_STREAM(u_assert_completion, completion_queue_valid_o, completion_queue_ready_i,
                 completion_queue_o)

endmodule
