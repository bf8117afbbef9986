// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// The control half of the host interface: registers, queues, fetch, completions, interrupts.
//
// Contract: BAR 0 is an AXI4 subordinate; its lower half has the controller registers and doorbells, its
// third quarter the MSI-X table, its last one the pending bits. `read` and `write` go to the manager at
// host memory. `event`, `completion` and the settings are the processor's. Settings that come while the
// processor does not know of the present enabling are dropped, and a disable undoes them. `store` reads
// half a command's entry; the data stand in the next cycle, and until anyone reads. With Automated and
// `automated_i`, commands that `command_check` finds plain go to `io` instead; they complete on `completion`
// as others do. `unread_count_o` is how many fetched commands of a queue `event` has yet to give,
// `running_count_o` how many went to `io` and are not complete. `dma_look`: whether a tag's command is not
// complete and of the present enabling; it means something while `look_ready_o`. `dma_quiet_i`: no write
// to host memory is under way elsewhere. `fetched` pulses for each tag that is taken, `completed` for each
// that is free again, also if its command was dropped.
// Latency: that of its parts.
// Reason: composition alone; each part says its own.
module host_control
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned BarBits     = 14,
    parameter int unsigned IdBits      = 4,
    parameter int unsigned Queues      = 17,
    parameter logic [15:0] LargestSize = 16'd1023,
    parameter bit          Weighted    = 1'b1,
    parameter int unsigned Tags        = 256,
    parameter int unsigned Burst       = 4,
    parameter int unsigned TickCycles  = 1562,
    parameter bit          Automated   = 1'b1,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags),
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 function_reset_i,
    input  logic                 msix_enable_i,
    input  logic                 msix_mask_i,
    // BAR 0.
    input  logic                 aw_valid_i,
    output logic                 aw_ready_o,
    input  bar_aw_t              aw_i,
    input  logic                 w_valid_i,
    output logic                 w_ready_o,
    input  bar_w_t               w_i,
    output logic                 b_valid_o,
    input  logic                 b_ready_i,
    output logic [IdBits-1:0]    b_id_o,
    input  logic                 ar_valid_i,
    output logic                 ar_ready_o,
    input  bar_ar_t              ar_i,
    output logic                 r_valid_o,
    input  logic                 r_ready_i,
    output bar_r_t               r_o,
    // Host memory.
    output logic                 read_valid_o,
    input  logic                 read_ready_i,
    output host_read_t           read_o,
    input  logic                 beat_valid_i,
    input  host_read_beat_t      beat_i,
    input  logic [DataBits-1:0]  beat_data_i,
    output logic                 entry_valid_o,
    input  logic                 entry_ready_i,
    output host_write_t          entry_o,
    output logic                 entry_data_valid_o,
    input  logic                 entry_data_ready_i,
    output logic [DataBits-1:0]  entry_data_o,
    output logic                 message_valid_o,
    input  logic                 message_ready_i,
    output host_write_t          message_o,
    output logic                 message_data_valid_o,
    input  logic                 message_data_ready_i,
    output logic [DataBits-1:0]  message_data_o,
    input  logic                 written_valid_i,
    output logic                 written_ready_o,
    input  host_written_t        written_i,
    // The processor.
    output logic                 event_valid_o,
    input  logic                 event_ready_i,
    output event_t               event_o,
    input  logic                 completion_valid_i,
    output logic                 completion_ready_o,
    input  completion_t          completion_i,
    input  logic                 submission_queue_valid_i,
    output logic                 submission_queue_ready_o,
    input  submission_queue_t    submission_queue_i,
    input  logic                 completion_queue_valid_i,
    output logic                 completion_queue_ready_o,
    input  completion_queue_t    completion_queue_i,
    input  logic                 ready_valid_i,
    input  logic                 ready_i,
    input  logic                 shutdown_done_i,
    input  logic                 fatal_i,
    input  logic                 weights_valid_i,
    input  weights_t             weights_i,
    input  logic                 coalescing_valid_i,
    input  coalescing_t          coalescing_i,
    input  logic                 forbid_valid_i,
    input  logic [10:0]          forbid_vector_i,
    input  logic                 forbid_i,
    input  logic [QueueBits-1:0] unread_queue_i,
    output logic [TagBits:0]     unread_count_o,
    output logic [TagBits:0]     running_count_o,
    input  logic                 store_valid_i,
    output logic                 store_ready_o,
    input  logic [TagBits-1:0]   store_tag_i,
    input  logic                 store_half_i,
    output logic [255:0]         store_data_o,
    // Commands that the hardware runs, and its data.
    input  logic                 automated_i,
    input  logic [63:0]          blocks_i,
    input  logic [16:0]          transfer_blocks_i,
    output logic                 io_valid_o,
    input  logic                 io_ready_i,
    output io_command_t          io_o,
    output logic                 look_ready_o,
    input  logic [TagBits-1:0]   dma_look_tag_i,
    output logic                 dma_look_live_o,
    input  logic                 dma_quiet_i,
    output logic                 quiet_o,
    // What the monitor counts.
    output logic                 fetched_valid_o,
    output logic [TagBits-1:0]   fetched_tag_o,
    output logic                 completed_valid_o,
    output logic [TagBits-1:0]   completed_tag_o,
    output logic                 wrong_doorbell_o
);

  typedef logic [QueueBits-1:0] index_t;
  typedef logic [TagBits-1:0] slot_t;

  logic msix_valid, msix_ready, msix_write, msix_pending, msix_answer_valid;
  logic [BarBits-5:0] msix_dword;
  logic [31:0] msix_data, msix_answer;
  logic tail_valid, tail_ready, head_valid, head_ready;
  doorbell_t tail, head;
  logic start, stop, shutdown, enabled, run, weighted, session, fault, quiet;
  logic sq_valid, sq_ready, cq_valid, cq_ready, weights_changed;
  submission_queue_t sq;
  completion_queue_t cq;
  weights_t weights;
  coalescing_t coalescing;

  host_front #(
      .DataBits(DataBits),
      .BarBits(BarBits),
      .IdBits(IdBits),
      .LargestSize(LargestSize),
      .Weighted(Weighted)
  ) u_front (
      .clk_i,
      .rst_ni,
      .function_reset_i,
      .aw_valid_i,
      .aw_ready_o,
      .aw_i,
      .w_valid_i,
      .w_ready_o,
      .w_i,
      .b_valid_o,
      .b_ready_i,
      .b_id_o,
      .ar_valid_i,
      .ar_ready_o,
      .ar_i,
      .r_valid_o,
      .r_ready_i,
      .r_o,
      .msix_valid_o(msix_valid),
      .msix_ready_i(msix_ready),
      .msix_write_o(msix_write),
      .msix_pending_o(msix_pending),
      .msix_dword_o(msix_dword),
      .msix_data_o(msix_data),
      .msix_answer_valid_i(msix_answer_valid),
      .msix_answer_i(msix_answer),
      .tail_valid_o(tail_valid),
      .tail_ready_i(tail_ready),
      .tail_o(tail),
      .head_valid_o(head_valid),
      .head_ready_i(head_ready),
      .head_o(head),
      .start_o(start),
      .stop_o(stop),
      .shutdown_o(shutdown),
      .enabled_o(enabled),
      .run_o(run),
      .weighted_o(weighted),
      .session_i(session),
      .ready_valid_i,
      .ready_i,
      .shutdown_done_i,
      .fault_i(fault),
      .quiet_i(quiet),
      .submission_queue_valid_i,
      .submission_queue_ready_o,
      .submission_queue_i,
      .completion_queue_valid_i,
      .completion_queue_ready_o,
      .completion_queue_i,
      .submission_configure_valid_o(sq_valid),
      .submission_configure_ready_i(sq_ready),
      .submission_configure_o(sq),
      .completion_configure_valid_o(cq_valid),
      .completion_configure_ready_i(cq_ready),
      .completion_configure_o(cq),
      .weights_valid_i,
      .weights_i,
      .weights_changed_o(weights_changed),
      .weights_o(weights),
      .coalescing_valid_i,
      .coalescing_i,
      .coalescing_o(coalescing)
  );

  logic [1:0] bad_valid;
  bad_doorbell_e [1:0] bad;
  logic head_request_valid, head_request_ready, sq_head_valid;
  index_t head_request;
  place_t sq_head;
  logic known;
  slot_t known_tag;
  index_t known_queue, known_completion;
  logic [15:0] known_cid;
  logic [TagBits:0] free_count;
  logic take_valid, take_ready, sweeping;
  slot_t take_tag;
  logic command_valid, command_ready, command_failed, fetch_fault, fetch_idle;
  slot_t command_tag;
  index_t command_queue;
  logic store_read, check_read, check_half;
  slot_t check_tag;
  logic left_valid, held;
  index_t left_queue;

  // The check of commands has precedence.
  assign store_ready_o = !check_read;
  assign store_read = check_read || store_valid_i;

  submission_path #(
      .DataBits(DataBits),
      .Queues(Queues),
      .Tags(Tags),
      .Burst(Burst)
  ) u_submission (
      .clk_i,
      .rst_ni,
      .clear_i(stop),
      .run_i(run && !sweeping),
      .weighted_i(weighted),
      .weights_changed_i(weights_changed),
      .weights_i(weights),
      .configure_valid_i(sq_valid),
      .configure_ready_o(sq_ready),
      .configure_i(sq),
      .doorbell_valid_i(tail_valid),
      .doorbell_ready_o(tail_ready),
      .doorbell_i(tail),
      .bad_valid_o(bad_valid[0]),
      .bad_o(bad[0]),
      .head_request_valid_i(head_request_valid),
      .head_request_ready_o(head_request_ready),
      .head_request_i(head_request),
      .head_valid_o(sq_head_valid),
      .head_o(sq_head),
      .free_i(free_count),
      .take_valid_i(take_valid),
      .take_ready_o(take_ready),
      .take_tag_i(take_tag),
      .read_valid_o,
      .read_ready_i,
      .read_o,
      .beat_valid_i,
      .beat_i,
      .beat_data_i,
      .known_o(known),
      .known_tag_o(known_tag),
      .known_queue_o(known_queue),
      .known_completion_o(known_completion),
      .known_cid_o(known_cid),
      .command_valid_o(command_valid),
      .command_ready_i(command_ready),
      .command_tag_o(command_tag),
      .command_queue_o(command_queue),
      .command_failed_o(command_failed),
      .store_read_i(store_read),
      .store_tag_i(check_read ? check_tag : store_tag_i),
      .store_half_i(check_read ? check_half : store_half_i),
      .store_data_o,
      .left_valid_i(left_valid),
      .left_queue_i(left_queue),
      .held_valid_i(held),
      .held_queue_i(index_t'(event_o.id)),
      .unread_queue_i,
      .unread_count_o,
      .fault_valid_o(fetch_fault),
      .idle_o(fetch_idle)
  );

  // Commands that are not complete.
  logic free_valid, free_ready, look_ready;
  slot_t free_tag;
  slot_t [1:0] look_tag;
  logic [2:0] look_live;
  logic [1:0] back_valid, back_ready, back_grant;
  slot_t [1:0] back_tag;
  index_t back_queue, completed_queue;
  logic fetched_valid_q;
  slot_t fetched_tag_q;

  assign look_ready_o = look_ready;
  assign dma_look_live_o = look_live[2];
  assign fetched_valid_o = fetched_valid_q;
  assign fetched_tag_o = fetched_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetched_valid_q <= 1'b0;
    end else begin
      fetched_valid_q <= take_valid && take_ready;
    end
  end

  always_ff @(posedge clk_i) begin
    fetched_tag_q <= take_tag;
  end

  command_slots #(
      .Tags(Tags),
      .Lookers(3),
      .NoteBits(QueueBits)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .drop_i(stop),
      .sweeping_o(sweeping),
      .take_valid_o(take_valid),
      .take_ready_i(take_ready),
      .take_tag_o(take_tag),
      .free_o(free_count),
      .free_valid_i(free_valid),
      .free_ready_o(free_ready),
      .free_tag_i(free_tag),
      .free_note_i(back_grant[1] ? back_queue : '0),
      .returned_o(completed_valid_o),
      .returned_tag_o(completed_tag_o),
      .returned_note_o(completed_queue),
      .look_ready_o(look_ready),
      .look_tag_i({dma_look_tag_i, look_tag}),
      .look_live_o(look_live)
  );

  // Tags come back from events and completions in turn.
  fm_arbiter_round_robin #(
      .Requests(2)
  ) u_back (
      .clk_i,
      .rst_ni,
      .request_i(back_valid),
      .accept_i(free_ready),
      .grant_o(back_grant)
  );

  assign free_valid = back_valid != '0;
  assign back_ready = free_ready ? back_grant : '0;
  assign free_tag = back_grant[1] ? back_tag[1] : back_tag[0];

  // To the hardware or the processor.
  logic other_valid, other_ready, other_failed;
  slot_t other_tag;
  index_t other_queue;

  command_dispatch #(
      .Queues(Queues),
      .Tags(Tags),
      .Automated(Automated)
  ) u_dispatch (
      .clk_i,
      .rst_ni,
      .automated_i,
      .blocks_i,
      .transfer_blocks_i,
      .command_valid_i(command_valid),
      .command_ready_o(command_ready),
      .command_tag_i(command_tag),
      .command_queue_i(command_queue),
      .command_failed_i(command_failed),
      .read_o(check_read),
      .read_tag_o(check_tag),
      .read_half_o(check_half),
      .read_data_i(store_data_o),
      .other_valid_o(other_valid),
      .other_ready_i(other_ready),
      .other_tag_o(other_tag),
      .other_queue_o(other_queue),
      .other_failed_o(other_failed),
      .io_valid_o,
      .io_ready_i,
      .io_o,
      .left_valid_o(left_valid),
      .left_queue_o(left_queue),
      .end_valid_i(completed_valid_o),
      .end_tag_i(completed_tag_o),
      .end_queue_i(completed_queue),
      .running_queue_i(unread_queue_i),
      .running_count_o
  );

  assign look_tag[0] = other_tag;

  host_events #(
      .Queues(Queues),
      .Tags(Tags)
  ) u_events (
      .clk_i,
      .rst_ni,
      .enabled_i(enabled),
      .start_i(start),
      .stop_i(stop),
      .shutdown_i(shutdown),
      .bad_valid_i(bad_valid),
      .bad_i(bad),
      .command_valid_i(other_valid),
      .command_ready_o(other_ready),
      .command_tag_i(other_tag),
      .command_queue_i(other_queue),
      .command_failed_i(other_failed),
      .look_ready_i(look_ready),
      .look_live_i(look_live[0]),
      .free_valid_o(back_valid[0]),
      .free_ready_i(back_ready[0]),
      .free_tag_o(back_tag[0]),
      .event_valid_o,
      .event_ready_i,
      .event_o,
      .held_o(held),
      .session_o(session)
  );

  logic post_fault, post_idle;

  completion_path #(
      .DataBits(DataBits),
      .Queues(Queues),
      .Tags(Tags),
      .TickCycles(TickCycles),
      .DwordBits(BarBits - 4)
  ) u_completion (
      .clk_i,
      .rst_ni,
      .clear_i(stop),
      .configure_valid_i(cq_valid),
      .configure_ready_o(cq_ready),
      .configure_i(cq),
      .doorbell_valid_i(head_valid),
      .doorbell_ready_o(head_ready),
      .doorbell_i(head),
      .bad_valid_o(bad_valid[1]),
      .bad_o(bad[1]),
      .completion_valid_i,
      .completion_ready_o,
      .completion_i,
      .known_i(known),
      .known_tag_i(known_tag),
      .known_queue_i(known_queue),
      .known_completion_i(known_completion),
      .known_cid_i(known_cid),
      .look_tag_o(look_tag[1]),
      .look_ready_i(look_ready),
      .look_live_i(look_live[1]),
      .head_request_valid_o(head_request_valid),
      .head_request_ready_i(head_request_ready),
      .head_request_o(head_request),
      .head_valid_i(sq_head_valid),
      .head_i(sq_head),
      .free_valid_o(back_valid[1]),
      .free_ready_i(back_ready[1]),
      .free_tag_o(back_tag[1]),
      .free_queue_o(back_queue),
      .entry_valid_o,
      .entry_ready_i,
      .entry_o,
      .entry_data_valid_o,
      .entry_data_ready_i,
      .entry_data_o,
      .message_valid_o,
      .message_ready_i,
      .message_o,
      .message_data_valid_o,
      .message_data_ready_i,
      .message_data_o,
      .written_valid_i,
      .written_ready_o,
      .written_i,
      .coalescing_i(coalescing),
      .forbid_valid_i(forbid_valid_i && session),
      .forbid_vector_i,
      .forbid_i,
      .function_reset_i,
      .msix_enable_i,
      .msix_mask_i,
      .access_valid_i(msix_valid),
      .access_ready_o(msix_ready),
      .access_write_i(msix_write),
      .access_pending_i(msix_pending),
      .access_dword_i(msix_dword),
      .access_data_i(msix_data),
      .answer_valid_o(msix_answer_valid),
      .answer_o(msix_answer),
      .fault_valid_o(post_fault),
      .idle_o(post_idle)
  );

  assign wrong_doorbell_o = bad_valid != '0;
  assign fault = fetch_fault || post_fault || fatal_i;
  assign quiet_o = quiet;
  assign quiet = fetch_idle && post_idle && dma_quiet_i && !sweeping;

endmodule
