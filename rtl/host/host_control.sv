// SPDX-License-Identifier: Apache-2.0

// The queues of the host interface: submission queues, fetch, tags, events, completions, interrupts.
//
// Contract: `tail` and `head` are the doorbells, `msix` accesses to the table, `enabling_i` what the controller registers
// say. `read`, `entry` and `message` go to the manager at host memory. `event` and `completion` are the processor's.
// Commands leave as they were fetched (`command`), and those that are the processor's come back (`other`); `left` tells
// in the cycle after that one went to either side. `store` reads half a command's entry; the data stand in the next
// cycle, and until anyone reads. `check` reads it too, and has precedence. `unread_count_o` is how many fetched commands
// of a queue did not leave. `look`: whether a tag's command is not complete and of the present enabling; it means
// something while `look_ready_o`. `data_quiet_i`: no write to host memory is under way elsewhere. `fetched` pulses for
// each tag that is taken, `completed` for each that is free again, also if its command was dropped.
// Latency: that of its parts.
// Reason: composition alone; each part says its own.
module host_control
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits   = 256,
    parameter int unsigned Queues     = 17,
    parameter int unsigned Tags       = 256,
    parameter int unsigned Burst      = 4,
    parameter int unsigned TickCycles = 1562,
    parameter int unsigned DwordBits  = 10,
    // The largest size of a queue, less one: places have as many bits as it needs.
    parameter logic [15:0] LargestSize = 16'hffff,
    // What queues and vectors do not change, in block RAM.
    parameter bit          BlockTables = 1'b0,
    // Completions have a dword 1.
    parameter bit          Placed      = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 function_reset_i,
    input  logic                 msix_enable_i,
    input  logic                 msix_mask_i,
    // What the host writes.
    input  logic                 msix_valid_i,
    output logic                 msix_ready_o,
    input  logic                 msix_write_i,
    input  logic                 msix_pending_i,
    input  logic [DwordBits-1:0] msix_dword_i,
    input  logic [31:0]          msix_data_i,
    output logic                 msix_answer_valid_o,
    output logic [31:0]          msix_answer_o,
    input  logic                 tail_valid_i,
    output logic                 tail_ready_o,
    input  doorbell_t            tail_i,
    input  logic                 head_valid_i,
    output logic                 head_ready_o,
    input  doorbell_t            head_i,
    input  enabling_t            enabling_i,
    output standing_t            standing_o,
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
    output logic [127:0]         entry_data_o,
    output logic                 message_valid_o,
    input  logic                 message_ready_i,
    output host_write_t          message_o,
    output logic                 message_data_valid_o,
    input  logic                 message_data_ready_i,
    output logic [31:0]          message_data_o,
    input  logic                 written_valid_i,
    output logic                 written_ready_o,
    input  host_written_t        written_i,
    // The processor.
    input  logic                 submission_configure_valid_i,
    output logic                 submission_configure_ready_o,
    input  submission_queue_t    submission_configure_i,
    input  logic                 completion_configure_valid_i,
    output logic                 completion_configure_ready_o,
    input  completion_queue_t    completion_configure_i,
    input  logic                 forget_valid_i,
    output logic                 forget_ready_o,
    input  forget_t              forget_i,
    input  vector_coalescing_t   vector_coalescing_i,
    input  logic                 fatal_i,
    output logic                 event_valid_o,
    input  logic                 event_ready_i,
    output event_t               event_o,
    input  logic [QueueBits-1:0] unread_queue_i,
    output logic [TagBits:0]     unread_count_o,
    // Commands on their way to who runs them, and their completions.
    output logic                 command_valid_o,
    input  logic                 command_ready_i,
    output logic [TagBits-1:0]   command_tag_o,
    output logic [QueueBits-1:0] command_queue_o,
    output logic                 command_failed_o,
    input  logic                 check_read_i,
    input  logic [TagBits-1:0]   check_tag_i,
    input  logic                 check_half_i,
    input  logic                 other_valid_i,
    output logic                 other_ready_o,
    input  logic [TagBits-1:0]   other_tag_i,
    input  logic [QueueBits-1:0] other_queue_i,
    input  logic                 other_failed_i,
    input  logic                 left_valid_i,
    input  logic [QueueBits-1:0] left_queue_i,
    input  logic                 completion_valid_i,
    output logic                 completion_ready_o,
    input  completion_t          completion_i,
    // The data path.
    input  logic                 store_valid_i,
    output logic                 store_ready_o,
    input  logic [TagBits-1:0]   store_tag_i,
    input  logic                 store_half_i,
    output logic [255:0]         store_data_o,
    input  logic [TagBits-1:0]   look_tag_i,
    output logic                 look_ready_o,
    output logic                 look_live_o,
    input  logic                 data_quiet_i,
    // What is counted.
    output logic                 fetched_valid_o,
    output logic [TagBits-1:0]   fetched_tag_o,
    output logic                 completed_valid_o,
    output logic [TagBits-1:0]   completed_tag_o,
    output logic [QueueBits-1:0] completed_queue_o,
    output logic                 wrong_doorbell_o
);

  typedef logic [QueueBits-1:0] index_t;
  typedef logic [TagBits-1:0] slot_t;

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
  logic fetch_fault, fetch_idle, store_read, held, session;
  logic [Queues-1:0] live;

  // The check of commands has precedence.
  assign store_ready_o = !check_read_i;
  assign store_read = check_read_i || store_valid_i;

  submission_path #(
      .DataBits(DataBits),
      .Queues(Queues),
      .Tags(Tags),
      .Burst(Burst),
      .LargestSize(LargestSize),
      .BlockTables(BlockTables)
  ) u_submission (
      .*,
      .clear_i(enabling_i.stop),
      .run_i(enabling_i.run && !sweeping),
      .weighted_i(enabling_i.weighted),
      .weights_changed_i(enabling_i.weights_changed),
      .weights_i(enabling_i.weights),
      .configure_valid_i(submission_configure_valid_i), .configure_ready_o(submission_configure_ready_o),
      .configure_i(submission_configure_i),
      .doorbell_valid_i(tail_valid_i), .doorbell_ready_o(tail_ready_o), .doorbell_i(tail_i),
      .bad_valid_o(bad_valid[0]), .bad_o(bad[0]),
      .head_request_valid_i(head_request_valid), .head_request_ready_o(head_request_ready),
      .head_request_i(head_request),
      .head_valid_o(sq_head_valid), .head_o(sq_head),
      .free_i(free_count),
      .take_valid_i(take_valid), .take_ready_o(take_ready), .take_tag_i(take_tag),
      .known_o(known),
      .known_tag_o(known_tag),
      .known_queue_o(known_queue),
      .known_completion_o(known_completion),
      .known_cid_o(known_cid),
      .store_read_i(store_read),
      .store_tag_i(check_read_i ? check_tag_i : store_tag_i),
      .store_half_i(check_read_i ? check_half_i : store_half_i),
      .held_valid_i(held), .held_queue_i(index_t'(event_o.id)),
      .live_o(live),
      .fault_valid_o(fetch_fault),
      .idle_o(fetch_idle)
  );

  // Commands that are not complete.
  logic free_valid, free_ready;
  slot_t free_tag;
  slot_t [1:0] look_tag;
  logic [2:0] look_live;
  logic [1:0] back_valid, back_ready, back_grant;
  slot_t [1:0] back_tag;
  index_t back_queue;
  logic fetched_valid_q;
  slot_t fetched_tag_q;

  assign look_live_o = look_live[2];
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
      .*,
      .drop_i(enabling_i.stop),
      .sweeping_o(sweeping),
      .take_valid_o(take_valid), .take_ready_i(take_ready), .take_tag_o(take_tag),
      .free_o(free_count),
      .free_valid_i(free_valid), .free_ready_o(free_ready), .free_tag_i(free_tag),
      .free_note_i(back_grant[1] ? back_queue : '0),
      .returned_o(completed_valid_o),
      .returned_tag_o(completed_tag_o),
      .returned_note_o(completed_queue_o),
      .look_tag_i({look_tag_i, look_tag}),
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

  assign look_tag[0] = other_tag_i;

  host_events #(
      .Queues(Queues),
      .Tags(Tags)
  ) u_events (
      .*,
      .enabled_i(enabling_i.enabled),
      .start_i(enabling_i.start),
      .stop_i(enabling_i.stop),
      .shutdown_i(enabling_i.shutdown),
      .bad_valid_i(bad_valid), .bad_i(bad),
      .command_valid_i(other_valid_i), .command_ready_o(other_ready_o), .command_tag_i(other_tag_i),
      .command_queue_i(other_queue_i), .command_failed_i(other_failed_i),
      .look_ready_i(look_ready_o),
      .look_live_i(look_live[0]),
      .free_valid_o(back_valid[0]), .free_ready_i(back_ready[0]), .free_tag_o(back_tag[0]),
      .held_o(held),
      .session_o(session)
  );

  logic post_fault, post_idle;

  completion_path #(
      .Queues(Queues),
      .Tags(Tags),
      .TickCycles(TickCycles),
      .DwordBits(DwordBits),
      .LargestSize(LargestSize),
      .BlockTables(BlockTables),
      .Placed(Placed)
  ) u_completion (
      .*,
      .clear_i(enabling_i.stop),
      .configure_valid_i(completion_configure_valid_i), .configure_ready_o(completion_configure_ready_o),
      .configure_i(completion_configure_i),
      .submission_live_i(live),
      .doorbell_valid_i(head_valid_i), .doorbell_ready_o(head_ready_o), .doorbell_i(head_i),
      .bad_valid_o(bad_valid[1]), .bad_o(bad[1]),
      .known_i(known),
      .known_tag_i(known_tag),
      .known_queue_i(known_queue),
      .known_completion_i(known_completion),
      .known_cid_i(known_cid),
      .look_tag_o(look_tag[1]),
      .look_ready_i(look_ready_o),
      .look_live_i(look_live[1]),
      .head_request_valid_o(head_request_valid), .head_request_ready_i(head_request_ready),
      .head_request_o(head_request),
      .head_valid_i(sq_head_valid), .head_i(sq_head),
      .free_valid_o(back_valid[1]), .free_ready_i(back_ready[1]), .free_tag_o(back_tag[1]), .free_queue_o(back_queue),
      .coalescing_i(enabling_i.coalescing),
      .forbid_valid_i(vector_coalescing_i.valid && session), .forbid_vector_i(vector_coalescing_i.vector),
      .forbid_i(vector_coalescing_i.forbid),
      .access_valid_i(msix_valid_i), .access_ready_o(msix_ready_o), .access_write_i(msix_write_i),
      .access_pending_i(msix_pending_i), .access_dword_i(msix_dword_i), .access_data_i(msix_data_i),
      .answer_valid_o(msix_answer_valid_o), .answer_o(msix_answer_o),
      .fault_valid_o(post_fault),
      .idle_o(post_idle)
  );

  assign wrong_doorbell_o = bad_valid != '0;
  assign standing_o = '{
      session: session,
      fault: fetch_fault || post_fault || fatal_i,
      quiet: fetch_idle && post_idle && data_quiet_i && !sweeping
  };

endmodule
