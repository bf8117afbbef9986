// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// From completions to interrupts: completion queues, entries, coalescing, MSI-X.
//
// Contract: that of its parts, which share their ports' names with it.
// Latency: that of its parts.
// Reason: composition alone. Answers of writes go to the part whose write it was.
module completion_path
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues     = 17,
    parameter int unsigned Tags       = 256,
    parameter int unsigned TickCycles = 1562,
    parameter int unsigned DwordBits  = 10,
    parameter logic [15:0] LargestSize = 16'hffff,
    parameter bit          BlockTables = 1'b0,
    // Completions have a dword 1.
    parameter bit          Placed      = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              clear_i,
    input  logic                              configure_valid_i,
    output logic                              configure_ready_o,
    input  completion_queue_t                 configure_i,
    input  logic                              forget_valid_i,
    output logic                              forget_ready_o,
    input  forget_t                           forget_i,
    input  logic              [   Queues-1:0] submission_live_i,
    input  logic                              doorbell_valid_i,
    output logic                              doorbell_ready_o,
    input  doorbell_t                         doorbell_i,
    output logic                              bad_valid_o,
    output bad_doorbell_e                     bad_o,
    input  logic                              completion_valid_i,
    output logic                              completion_ready_o,
    input  completion_t                       completion_i,
    input  logic                              known_i,
    input  logic              [  TagBits-1:0] known_tag_i,
    input  logic              [QueueBits-1:0] known_queue_i,
    input  logic              [QueueBits-1:0] known_completion_i,
    input  logic              [         15:0] known_cid_i,
    output logic              [  TagBits-1:0] look_tag_o,
    input  logic                              look_ready_i,
    input  logic                              look_live_i,
    output logic                              head_request_valid_o,
    input  logic                              head_request_ready_i,
    output logic              [QueueBits-1:0] head_request_o,
    input  logic                              head_valid_i,
    input  place_t                            head_i,
    output logic                              free_valid_o,
    input  logic                              free_ready_i,
    output logic              [  TagBits-1:0] free_tag_o,
    output logic              [QueueBits-1:0] free_queue_o,
    output logic                              entry_valid_o,
    input  logic                              entry_ready_i,
    output host_write_t                       entry_o,
    output logic                              entry_data_valid_o,
    input  logic                              entry_data_ready_i,
    output logic              [127:0] entry_data_o,
    output logic                              message_valid_o,
    input  logic                              message_ready_i,
    output host_write_t                       message_o,
    output logic                              message_data_valid_o,
    input  logic                              message_data_ready_i,
    output logic              [31:0] message_data_o,
    input  logic                              written_valid_i,
    output logic                              written_ready_o,
    input  host_written_t                     written_i,
    input  coalescing_t                       coalescing_i,
    input  logic                              forbid_valid_i,
    input  logic              [         10:0] forbid_vector_i,
    input  logic                              forbid_i,
    input  logic                              function_reset_i,
    input  logic                              msix_enable_i,
    input  logic                              msix_mask_i,
    input  logic                              access_valid_i,
    output logic                              access_ready_o,
    input  logic                              access_write_i,
    input  logic                              access_pending_i,
    input  logic              [DwordBits-1:0] access_dword_i,
    input  logic              [         31:0] access_data_i,
    output logic                              answer_valid_o,
    output logic              [         31:0] answer_o,
    output logic                              fault_valid_o,
    output logic                              idle_o
);

  localparam int unsigned VectorBits = $clog2(Queues);

  typedef logic [QueueBits-1:0] index_t;

  logic moved_valid, post_valid, post_ready, posted_valid, posted_exists, posted_room;
  logic posted_phase, posted_interrupts;
  index_t moved, post;
  logic [63:0] posted_address;
  logic [10:0] posted_vector;
  logic [Queues-1:0] live;

  completion_queues #(
      .Queues(Queues),
      .LargestSize(LargestSize),
      .BlockTables(BlockTables)
  ) u_completion_queues (
      .clk_i,
      .rst_ni,
      .clear_i,
      .configure_valid_i, .configure_ready_o, .configure_i,
      .doorbell_valid_i, .doorbell_ready_o, .doorbell_i,
      .bad_valid_o, .bad_o,
      .moved_valid_o(moved_valid), .moved_o(moved),
      .post_valid_i(post_valid), .post_ready_o(post_ready), .post_i(post),
      .posted_valid_o(posted_valid), .posted_exists_o(posted_exists), .posted_room_o(posted_room),
      .posted_address_o(posted_address), .posted_phase_o(posted_phase), .posted_interrupts_o(posted_interrupts),
      .posted_vector_o(posted_vector),
      .live_o(live)
  );

  logic post_idle, post_written_ready, is_entry;
  logic announce_valid, announce_ready, announce_admin;
  logic [10:0] announce_vector;

  assign is_entry = written_i.client == WriteCompletion;
  assign written_ready_o = !is_entry || post_written_ready;

  completion_post #(
      .Queues(Queues),
      .Tags(Tags),
      .Dword1(Placed)
  ) u_post (
      .clk_i,
      .rst_ni,
      .clear_i,
      .completion_valid_i, .completion_ready_o, .completion_i,
      .known_i,
      .known_tag_i,
      .known_queue_i,
      .known_completion_i,
      .known_cid_i,
      .look_tag_o,
      .look_ready_i,
      .look_live_i,
      .head_request_valid_o, .head_request_ready_i, .head_request_o,
      .head_valid_i, .head_i,
      .post_valid_o(post_valid), .post_ready_i(post_ready), .post_o(post),
      .posted_valid_i(posted_valid), .posted_exists_i(posted_exists), .posted_room_i(posted_room),
      .posted_address_i(posted_address), .posted_phase_i(posted_phase), .posted_interrupts_i(posted_interrupts),
      .posted_vector_i(posted_vector),
      .moved_valid_i(moved_valid), .moved_i(moved),
      .submission_live_i,
      .completion_live_i(live),
      .forget_valid_i, .forget_ready_o, .forget_i,
      .free_valid_o, .free_ready_i, .free_tag_o, .free_queue_o,
      .write_valid_o(entry_valid_o), .write_ready_i(entry_ready_i), .write_o(entry_o),
      .data_valid_o(entry_data_valid_o), .data_ready_i(entry_data_ready_i), .data_o(entry_data_o),
      .written_valid_i(written_valid_i && is_entry), .written_ready_o(post_written_ready), .written_i,
      .announce_valid_o(announce_valid), .announce_ready_i(announce_ready), .announce_vector_o(announce_vector),
      .announce_admin_o(announce_admin),
      .fault_valid_o,
      .idle_o(post_idle)
  );

  logic raise_valid, msix_idle;
  logic [VectorBits-1:0] raise_vector;

  interrupt_coalescing #(
      .Vectors(Queues),
      .TickCycles(TickCycles)
  ) u_coalescing (
      .clk_i,
      .rst_ni,
      .clear_i,
      .coalescing_i,
      .forbid_valid_i, .forbid_vector_i, .forbid_i,
      .announce_valid_i(announce_valid), .announce_ready_o(announce_ready), .announce_vector_i(announce_vector),
      .announce_admin_i(announce_admin),
      .raise_valid_o(raise_valid), .raise_vector_o(raise_vector)
  );

  msix #(
      .Vectors(Queues),
      .DwordBits(DwordBits),
      .BlockTables(BlockTables)
  ) u_msix (
      .clk_i,
      .rst_ni,
      .clear_i,
      .reset_i(function_reset_i),
      .enable_i(msix_enable_i),
      .function_mask_i(msix_mask_i),
      .access_valid_i, .access_ready_o, .access_write_i, .access_pending_i, .access_dword_i, .access_data_i,
      .answer_valid_o, .answer_o,
      .raise_valid_i(raise_valid), .raise_vector_i(raise_vector),
      .write_valid_o(message_valid_o), .write_ready_i(message_ready_i), .write_o(message_o),
      .data_valid_o(message_data_valid_o), .data_ready_i(message_data_ready_i), .data_o(message_data_o),
      .written_valid_i(written_valid_i && written_ready_o), .written_i,
      .idle_o(msix_idle)
  );

  assign idle_o = post_idle && msix_idle;

  `FM_ASSERT_STREAM(u_assert_written, written_valid_i, written_ready_o, written_i)

endmodule
