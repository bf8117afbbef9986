// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the control half of the host interface, small: five queue pairs of up to 64 entries, 32
// tags, and a tick of the coalescing time every 64 cycles.
module host_controller
  import fm_host_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             function_reset_i,
    input  logic             msix_enable_i,
    input  logic             msix_mask_i,
    `FM_PORTS_BAR(, 256, 14, 4),
    output logic             read_valid_o,
    input  logic             read_ready_i,
    output logic     [ 63:0] read_address_o,
    output logic     [ 12:0] read_bytes_o,
    output logic     [  7:0] read_id_o,
    input  logic             beat_valid_i,
    input  logic     [  7:0] beat_id_i,
    input  logic             beat_last_i,
    input  logic             beat_error_i,
    input  logic     [255:0] beat_data_i,
    output logic             entry_valid_o,
    input  logic             entry_ready_i,
    output logic     [ 63:0] entry_address_o,
    output logic     [  2:0] entry_client_o,
    output logic     [  7:0] entry_id_o,
    output logic             entry_data_valid_o,
    input  logic             entry_data_ready_i,
    output logic     [127:0] entry_data_word_o,
    output logic             message_valid_o,
    input  logic             message_ready_i,
    output logic     [ 63:0] message_address_o,
    output logic     [  2:0] message_client_o,
    output logic     [  7:0] message_id_o,
    output logic             message_data_valid_o,
    input  logic             message_data_ready_i,
    output logic     [ 31:0] message_data_word_o,
    input  logic             written_valid_i,
    output logic             written_ready_o,
    input  logic     [  2:0] written_client_i,
    input  logic     [  7:0] written_id_i,
    input  logic             written_error_i,
    output logic             event_valid_o,
    input  logic             event_ready_i,
    output logic     [  2:0] event_kind_o,
    output logic     [  7:0] event_code_o,
    output logic     [  7:0] event_tag_o,
    output logic     [ 15:0] event_id_o,
    input  logic             completion_valid_i,
    output logic             completion_ready_o,
    input  logic     [  7:0] completion_tag_i,
    input  logic     [ 14:0] completion_status_i,
    input  logic     [ 63:0] completion_result_i,
    input  logic             submission_queue_valid_i,
    output logic             submission_queue_ready_o,
    input  logic             submission_queue_create_i,
    input  logic     [ 15:0] submission_queue_id_i,
    input  logic     [ 15:0] submission_queue_size_i,
    input  logic     [ 51:0] submission_queue_page_i,
    input  logic     [ 15:0] submission_queue_completion_i,
    input  logic     [  1:0] submission_queue_class_i,
    input  logic             completion_queue_valid_i,
    output logic             completion_queue_ready_o,
    input  logic             completion_queue_create_i,
    input  logic     [ 15:0] completion_queue_id_i,
    input  logic     [ 15:0] completion_queue_size_i,
    input  logic     [ 51:0] completion_queue_page_i,
    input  logic             completion_queue_interrupts_i,
    input  logic     [ 10:0] completion_queue_vector_i,
    input  logic             ready_valid_i,
    input  logic             ready_i,
    input  logic             shutdown_done_i,
    input  logic             fatal_i,
    input  logic             weights_valid_i,
    input  logic     [  2:0] weights_burst_i,
    input  logic     [  7:0] weights_low_i,
    input  logic     [  7:0] weights_medium_i,
    input  logic     [  7:0] weights_high_i,
    input  logic             coalescing_valid_i,
    input  logic     [  7:0] coalescing_threshold_i,
    input  logic     [  7:0] coalescing_time_i,
    input  logic             forbid_valid_i,
    input  logic     [ 10:0] forbid_vector_i,
    input  logic             forbid_i,
    input  logic     [  2:0] unread_queue_i,
    output logic     [  5:0] unread_count_o,
    output logic     [  5:0] running_count_o,
    input  logic             store_valid_i,
    output logic             store_ready_o,
    input  logic     [  4:0] store_tag_i,
    input  logic             store_half_i,
    output logic     [255:0] store_data_o,
    input  logic             automated_i,
    input  logic     [ 63:0] blocks_i,
    input  logic     [ 16:0] transfer_blocks_i,
    output logic             io_valid_o,
    input  logic             io_ready_i,
    output logic     [  7:0] io_tag_o,
    output logic     [  1:0] io_kind_o,
    output logic             io_forced_o,
    output logic     [ 63:0] io_start_o,
    output logic     [ 16:0] io_blocks_o,
    output logic     [ 63:0] io_prp1_o,
    output logic     [ 63:0] io_prp2_o,
    output logic             look_ready_o,
    input  logic     [  4:0] dma_look_tag_i,
    output logic             dma_look_live_o,
    input  logic             dma_quiet_i,
    output logic             quiet_o,
    output logic             fetched_valid_o,
    output logic     [  4:0] fetched_tag_o,
    output logic             completed_valid_o,
    output logic     [  4:0] completed_tag_o,
    output logic             wrong_doorbell_o
);

  host_read_t read_s;
  host_read_beat_t beat_s;
  host_write_t entry_s;
  host_write_t message_s;
  host_written_t written_s;
  event_t event_s;
  io_command_t io_s;
  completion_t completion_s;
  submission_queue_t submission_queue_s;
  completion_queue_t completion_queue_s;

  assign read_address_o = read_s.address;
  assign read_bytes_o = read_s.bytes;
  assign read_id_o = read_s.id;
  assign beat_s = '{
          id: beat_id_i,
          last: beat_last_i,
          error: beat_error_i
      };
  assign entry_address_o = entry_s.address;
  assign entry_client_o = entry_s.client;
  assign entry_id_o = entry_s.id;
  assign message_address_o = message_s.address;
  assign message_client_o = message_s.client;
  assign message_id_o = message_s.id;
  assign written_s = '{
          client: write_client_e'(written_client_i),
          id: written_id_i,
          error: written_error_i
      };
  assign event_kind_o = event_s.kind;
  assign event_code_o = event_s.code;
  assign event_tag_o = event_s.tag;
  assign event_id_o = event_s.id;
  assign {io_tag_o, io_kind_o, io_forced_o, io_start_o, io_blocks_o, io_prp1_o, io_prp2_o} = io_s;
  assign completion_s = '{
          tag: completion_tag_i,
          status: completion_status_i,
          result: completion_result_i
      };
  assign submission_queue_s = '{
          create: submission_queue_create_i,
          id: submission_queue_id_i,
          size: submission_queue_size_i,
          page: submission_queue_page_i,
          completion: submission_queue_completion_i,
          priority_class: submission_queue_class_i
      };
  assign completion_queue_s = '{
          create: completion_queue_create_i,
          id: completion_queue_id_i,
          size: completion_queue_size_i,
          page: completion_queue_page_i,
          interrupts: completion_queue_interrupts_i,
          vector: completion_queue_vector_i
      };

  logic msix_valid, msix_ready, msix_write, msix_pending, msix_answer_valid;
  logic [9:0] msix_dword;
  logic [31:0] msix_data, msix_answer;
  logic tail_valid, tail_ready, head_valid, head_ready;
  doorbell_t tail, head;
  enabling_t enabling;
  standing_t standing;
  settings_t settings;
  vector_coalescing_t vector_coalescing;
  logic sq_valid, sq_ready, cq_valid, cq_ready, forget_valid, forget_ready;
  forget_t forget;
  submission_queue_t sq;
  completion_queue_t cq;

  assign settings = '{
          ready_valid: ready_valid_i,
          ready: ready_i,
          shutdown_done: shutdown_done_i,
          weights_valid: weights_valid_i,
          weights: {weights_burst_i, weights_low_i, weights_medium_i, weights_high_i},
          coalescing_valid: coalescing_valid_i,
          coalescing: {coalescing_threshold_i, coalescing_time_i}
      };
  assign vector_coalescing = '{valid: forbid_valid_i, vector: forbid_vector_i, forbid: forbid_i};
  assign quiet_o = standing.quiet;

  logic unused_bar_idle;

  host_front #(
      .LargestSize(16'd63)
  ) u_front (
      .*,
      .gone_i(1'b0),
      .bar_idle_o(unused_bar_idle),
      .aw_i({aw_address_i, aw_id_i, aw_size_i}),
      .w_i({w_data_i, w_strobe_i, w_last_i}),
      .ar_i({ar_address_i, ar_id_i, ar_length_i, ar_size_i}),
      .r_o({r_data_o, r_id_o, r_last_o}),
      .msix_valid_o(msix_valid), .msix_ready_i(msix_ready), .msix_write_o(msix_write), .msix_pending_o(msix_pending),
      .msix_dword_o(msix_dword), .msix_data_o(msix_data),
      .msix_answer_valid_i(msix_answer_valid), .msix_answer_i(msix_answer),
      .tail_valid_o(tail_valid), .tail_ready_i(tail_ready), .tail_o(tail),
      .head_valid_o(head_valid), .head_ready_i(head_ready), .head_o(head),
      .enabling_o(enabling),
      .standing_i(standing),
      .settings_i(settings),
      .submission_queue_i(submission_queue_s),
      .completion_queue_i(completion_queue_s),
      .submission_configure_valid_o(sq_valid), .submission_configure_ready_i(sq_ready), .submission_configure_o(sq),
      .completion_configure_valid_o(cq_valid), .completion_configure_ready_i(cq_ready), .completion_configure_o(cq),
      .forget_valid_o(forget_valid), .forget_ready_i(forget_ready), .forget_o(forget)
  );

  logic command_valid, command_ready, command_failed, check_read, check_half;
  logic other_valid, other_ready, other_failed, left_valid;
  logic [4:0] command_tag, check_tag, other_tag;
  logic [2:0] command_queue, other_queue, left_queue, completed_queue;

  host_control #(
      .Queues(5),
      .Tags(32),
      .TickCycles(64)
  ) u_control (
      .*,
      .msix_valid_i(msix_valid), .msix_ready_o(msix_ready), .msix_write_i(msix_write), .msix_pending_i(msix_pending),
      .msix_dword_i(msix_dword), .msix_data_i(msix_data),
      .msix_answer_valid_o(msix_answer_valid), .msix_answer_o(msix_answer),
      .tail_valid_i(tail_valid), .tail_ready_o(tail_ready), .tail_i(tail),
      .head_valid_i(head_valid), .head_ready_o(head_ready), .head_i(head),
      .enabling_i(enabling),
      .standing_o(standing),
      .read_o(read_s),
      .beat_i(beat_s),
      .entry_o(entry_s),
      .entry_data_o(entry_data_word_o),
      .message_o(message_s),
      .message_data_o(message_data_word_o),
      .written_i(written_s),
      .submission_configure_valid_i(sq_valid), .submission_configure_ready_o(sq_ready), .submission_configure_i(sq),
      .completion_configure_valid_i(cq_valid), .completion_configure_ready_o(cq_ready), .completion_configure_i(cq),
      .forget_valid_i(forget_valid), .forget_ready_o(forget_ready), .forget_i(forget),
      .vector_coalescing_i(vector_coalescing),
      .event_o(event_s),
      .command_valid_o(command_valid), .command_ready_i(command_ready), .command_tag_o(command_tag),
      .command_queue_o(command_queue), .command_failed_o(command_failed),
      .check_read_i(check_read),
      .check_tag_i(check_tag),
      .check_half_i(check_half),
      .other_valid_i(other_valid), .other_ready_o(other_ready), .other_tag_i(other_tag), .other_queue_i(other_queue),
      .other_failed_i(other_failed),
      .left_valid_i(left_valid), .left_queue_i(left_queue),
      .completion_i(completion_s),
      .look_tag_i(dma_look_tag_i),
      .look_live_o(dma_look_live_o),
      .data_quiet_i(dma_quiet_i),
      .completed_queue_o(completed_queue)
  );

  command_dispatch #(
      .Queues(5),
      .Tags(32)
  ) u_dispatch (
      .*,
      .command_valid_i(command_valid), .command_ready_o(command_ready), .command_tag_i(command_tag),
      .command_queue_i(command_queue), .command_failed_i(command_failed),
      .read_o(check_read),
      .read_tag_o(check_tag),
      .read_half_o(check_half),
      .read_data_i(store_data_o),
      .other_valid_o(other_valid), .other_ready_i(other_ready), .other_tag_o(other_tag), .other_queue_o(other_queue),
      .other_failed_o(other_failed),
      .io_o(io_s),
      .left_valid_o(left_valid), .left_queue_o(left_queue),
      .end_valid_i(completed_valid_o), .end_tag_i(completed_tag_o), .end_queue_i(completed_queue),
      .running_queue_i(unread_queue_i)
  );

endmodule
