// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the processor's block of the host interface with its monitor, and a store of entries that
// others read too.
module processor_monitor
  import fm_host_pkg::*;
#(
    localparam int unsigned DataBits = 256,
    localparam int unsigned Queues = 17,
    localparam int unsigned Tags = 256
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    `FM_PORTS_LITE(, 15),
    output logic         irq_o,
    input  logic         event_valid_i,
    output logic         event_ready_o,
    input  logic [  2:0] event_kind_i,
    input  logic [  7:0] event_code_i,
    input  logic [  7:0] event_tag_i,
    input  logic [ 15:0] event_id_i,
    output logic         completion_valid_o,
    input  logic         completion_ready_i,
    output logic [  7:0] completion_tag_o,
    output logic [ 14:0] completion_status_o,
    output logic [ 63:0] completion_result_o,
    output logic         submission_queue_valid_o,
    input  logic         submission_queue_ready_i,
    output logic         submission_queue_create_o,
    output logic [ 15:0] submission_queue_id_o,
    output logic [ 15:0] submission_queue_size_o,
    output logic [ 51:0] submission_queue_page_o,
    output logic [ 15:0] submission_queue_completion_o,
    output logic [  1:0] submission_queue_priority_o,
    output logic         completion_queue_valid_o,
    input  logic         completion_queue_ready_i,
    output logic         completion_queue_create_o,
    output logic [ 15:0] completion_queue_id_o,
    output logic [ 15:0] completion_queue_size_o,
    output logic [ 51:0] completion_queue_page_o,
    output logic         completion_queue_interrupts_o,
    output logic [ 10:0] completion_queue_vector_o,
    output logic         ready_valid_o,
    output logic         ready_o,
    output logic         shutdown_done_o,
    output logic         fatal_o,
    output logic         weights_valid_o,
    output logic [ 26:0] weights_o,
    output logic         coalescing_valid_o,
    output logic [ 15:0] coalescing_o,
    output logic         forbid_valid_o,
    output logic [ 10:0] forbid_vector_o,
    output logic         forbid_o,
    output logic [  4:0] unread_queue_o,
    input  logic [  8:0] unread_count_i,
    input  logic [  8:0] running_count_i,
    input  logic         store_write_i,
    input  logic [  7:0] store_tag_i,
    input  logic         store_half_i,
    input  logic [255:0] store_data_i,
    input  logic         store_ready_i,
    input  logic         other_read_i,
    input  logic         fetched_valid_i,
    input  logic [  7:0] fetched_tag_i,
    input  logic         completed_valid_i,
    input  logic [  7:0] completed_tag_i,
    output logic         request_valid_o,
    input  logic         request_ready_i,
    output logic [  7:0] request_tag_o,
    output logic         request_direction_o,
    output logic [  1:0] request_pointer_o,
    output logic [ 31:0] request_host_offset_o,
    output logic [ 31:0] request_length_o,
    output logic [ 31:0] request_command_length_o,
    output logic [ 39:0] request_memory_o,
    input  logic         done_valid_i,
    output logic         done_ready_o,
    input  logic [  7:0] done_tag_i,
    input  logic         done_direction_i,
    input  logic [  2:0] done_fault_i,
    output logic         automated_o,
    output logic [ 63:0] blocks_o,
    output logic [ 16:0] transfer_blocks_o,
    output logic [  3:0] block_shift_o,
    output logic [ 39:0] memory_base_o,
    input  logic         io_read_i,
    input  logic         io_write_i,
    input  logic [ 19:0] io_sectors_i,
    input  logic         io_busy_i,
    input  logic         from_host_i,
    input  logic         to_host_i,
    input  logic [  7:0] to_host_strobe_i,
    input  logic         message_i,
    input  logic         wrong_doorbell_i
);

  logic store_valid, store_half;
  logic [7:0] store_tag;
  logic [255:0] store_data;
  completion_t completion;
  submission_queue_t submission_queue;
  completion_queue_t completion_queue;
  dma_request_t request;
  settings_t settings;
  data_watch_t watch;

  assign {ready_valid_o, ready_o, shutdown_done_o, weights_valid_o, weights_o, coalescing_valid_o, coalescing_o} =
      settings;
  assign watch = '{
          from_host: from_host_i,
          to_host: to_host_i,
          done: done_valid_i && done_ready_o,
          done_fault: done_fault_i != 3'(DmaNone),
          message: message_i
      };

  assign {completion_tag_o, completion_status_o, completion_result_o} = completion;
  assign {submission_queue_create_o, submission_queue_id_o, submission_queue_size_o,
          submission_queue_page_o, submission_queue_completion_o, submission_queue_priority_o} =
      submission_queue;
  assign {completion_queue_create_o, completion_queue_id_o, completion_queue_size_o,
          completion_queue_page_o, completion_queue_interrupts_o, completion_queue_vector_o} =
      completion_queue;
  assign {request_tag_o, request_direction_o, request_pointer_o, request_host_offset_o, request_length_o,
          request_command_length_o, request_memory_o} = request;

  host_processor #(
      .DataBits(DataBits),
      .Memories(2),
      .Queues(Queues),
      .Tags(Tags),
      .Placed(1'b1)
  ) u_processor (
      .w_i({w_data_i, w_strb_i}),
      .r_o({r_data_o, r_resp_o}),
      .event_i('{kind: event_e'(event_kind_i), code: event_code_i, tag: event_tag_i, id: event_id_i}),
      .completion_o(completion),
      .submission_queue_o(submission_queue),
      .completion_queue_o(completion_queue),
      .request_o(request),
      .done_i('{
              tag: done_tag_i,
              direction: direction_e'(done_direction_i),
              fault: dma_fault_e'(done_fault_i)
          }),
      .store_valid_o(store_valid),
      .store_tag_o(store_tag),
      .store_half_o(store_half),
      .store_data_i(store_data),
      .settings_o(settings),
      .vector_coalescing_o({forbid_valid_o, forbid_vector_o, forbid_o}),
      .automation_o({automated_o, blocks_o, transfer_blocks_o, block_shift_o, memory_base_o}),
      .watch_i(watch),
      .io_watch_i({io_read_i, io_write_i, io_sectors_i, io_busy_i}),
      .*
  );

  // Whoever else reads takes the store when this one does not.
  logic taken;
  assign taken = store_valid && store_ready_i;

  command_store #(
      .DataBits(DataBits),
      .Tags(Tags)
  ) u_store (
      .clk_i,
      .rst_ni,
      .write_i(store_write_i),
      .write_tag_i(store_tag_i),
      .write_beat_i({2'b0, store_half_i}),
      .write_data_i(store_data_i),
      .read_i(taken || other_read_i),
      .read_tag_i(taken ? store_tag : 8'(~store_tag)),
      .read_half_i(store_half),
      .read_data_o(store_data)
  );

endmodule
