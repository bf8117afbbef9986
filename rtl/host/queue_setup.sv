// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Creates and deletes queues: the admin queues when the controller starts, others for the processor.
//
// Contract: `start_i` creates both admin queues, first that of submissions. What the processor asks for is taken when the
// queues have it; what it asks for while `session_i` is down is
// taken and dropped: it was meant for queues that are gone. So is what waits when `stop_i` pulses. Before a queue of the
// processor's is created, `forget` takes care that nothing waits for one that had its number.
// Latency: two cycles, and that of `forget`; the admin completion queue follows when the other one was taken.
// Reason: queues are made rarely, so one register holds what is asked for of either kind. Between a stop of the host and the processor's knowing of it, requests for the old queues may
// still come, and must not reach the new ones. The processor waits for what it asked for, so that it finds no command of a
// queue later that it has had deleted.
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
    output completion_queue_t        completion_o,
    output logic                     forget_valid_o,
    input  logic                     forget_ready_i,
    output forget_t                  forget_o
);

  // What submission and completion queues have in common; `partner` is the completion queue or the vector.
  typedef struct packed {
    logic        create;
    queue_t      id;
    place_t      size;
    logic [51:0] page;
    queue_t      partner;
    logic [1:0]  priority_class;
    logic        interrupts;
  } queue_shape_t;

  logic submission_valid_q, completion_valid_q;
  // The admin completion queue follows.
  logic admin_due_q, admin_follows, free, loads;
  // What is held is the processor's, and something has to be forgotten first.
  logic asked_q, forgets_q;
  queue_shape_t shape_d, shape_q;

  assign free = !submission_valid_q && !completion_valid_q && !admin_due_q && !start_i;
  assign loads = free && session_i && (submission_valid_i || completion_valid_i);
  assign submission_ready_o = free ? !session_i : asked_q && submission_valid_o && submission_ready_i;
  assign completion_ready_o = free ? !session_i : asked_q && completion_valid_o && completion_ready_i;
  assign admin_follows = admin_due_q && !submission_valid_q;

  assign forget_valid_o = forgets_q;
  assign forget_o = '{submission: submission_valid_q, id: shape_q.id};
  assign submission_valid_o = submission_valid_q && !forgets_q;
  assign submission_o = '{
          create: shape_q.create,
          id: shape_q.id,
          size: shape_q.size,
          page: shape_q.page,
          completion: shape_q.partner,
          priority_class: shape_q.priority_class
      };
  assign completion_valid_o = completion_valid_q && !forgets_q;
  assign completion_o = '{
          create: shape_q.create,
          id: shape_q.id,
          size: shape_q.size,
          page: shape_q.page,
          interrupts: shape_q.interrupts,
          vector: shape_q.partner[10:0]
      };

  always_comb begin
    shape_d = '{
        create: completion_i.create,
        id: completion_i.id,
        size: completion_i.size,
        page: completion_i.page,
        partner: queue_t'(completion_i.vector),
        priority_class: submission_i.priority_class,
        interrupts: completion_i.interrupts
    };
    if (submission_valid_i) begin
      shape_d.create = submission_i.create;
      shape_d.id = submission_i.id;
      shape_d.size = submission_i.size;
      shape_d.page = submission_i.page;
      shape_d.partner = submission_i.completion;
    end
    if (start_i || admin_due_q) begin
      shape_d = '{
          create: 1'b1,
          size: start_i ? place_t'(admin_submission_size_i) : place_t'(admin_completion_size_i),
          page: start_i ? admin_submission_page_i : admin_completion_page_i,
          interrupts: 1'b1,
          default: '0
      };
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      submission_valid_q <= 1'b0;
      completion_valid_q <= 1'b0;
      admin_due_q <= 1'b0;
      asked_q <= 1'b0;
      forgets_q <= 1'b0;
    end else if (start_i || stop_i) begin
      submission_valid_q <= start_i;
      completion_valid_q <= 1'b0;
      admin_due_q <= start_i;
      asked_q <= 1'b0;
      forgets_q <= 1'b0;
    end else begin
      submission_valid_q <= free ? loads && submission_valid_i
                                 : submission_valid_q && !(submission_valid_o && submission_ready_i);
      completion_valid_q <= admin_follows || (free ? loads && !submission_valid_i
                                                   : completion_valid_q && !(completion_valid_o && completion_ready_i));
      if (admin_follows) admin_due_q <= 1'b0;
      if (free) asked_q <= loads;
      forgets_q <= free ? loads && shape_d.create : forgets_q && !forget_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i || admin_follows || free) shape_q <= shape_d;
  end

  `FM_ASSERT_STREAM(u_assert_submission, submission_valid_i, submission_ready_o, submission_i)
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_i, completion_ready_o, completion_i)

endmodule
