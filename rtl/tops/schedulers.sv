// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Test top: the scheduler of a channel with eight ways, its packets taken apart.
module schedulers
  import fm_flash_pkg::*;
#(
    localparam int unsigned Ways  = 8,
    localparam int unsigned Depth = 16
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic [       1:0] model_i,
    input  logic              merge_planes_i,
    input  logic              merge_cache_read_i,
    input  logic              merge_cache_program_i,
    input  logic              jedec_i,
    input  logic [       1:0] plane_bits_i,
    input  logic [       4:0] plane_shift_i,
    input  logic [       4:0] lun_shift_i,
    input  logic              full_gives_back_i,
    input  logic [       4:0] low_ways_i,
    input  logic [       2:0] age_i,
    input  logic [      15:0] busy_timeout_i,
    input  logic              request_valid_i,
    output logic              request_ready_o,
    input  logic [      15:0] request_buffer_i,
    input  logic [      15:0] request_length_i,
    input  logic [      15:0] request_column_i,
    input  logic [      31:0] request_row_i,
    input  logic              request_silent_i,
    input  logic              request_plain_i,
    input  logic              request_bypass_i,
    input  logic              request_metadata_i,
    input  logic              request_irq_on_error_i,
    input  logic              request_irq_i,
    input  logic              request_urgent_i,
    input  logic [       2:0] request_stream_i,
    input  logic [       7:0] request_tag_i,
    input  logic [       3:0] request_way_i,
    input  logic [       2:0] request_reserved_i,
    input  logic [       6:0] request_operation_i,
    output logic [2*Ways-1:0] room_o,
    output logic              slot_valid_o,
    input  logic              slot_ready_i,
    output logic [       2:0] slot_stream_o,
    input  logic [       7:0] slot_i,
    input  logic [  Ways-1:0] ready_i,
    output logic              step_valid_o,
    input  logic              step_ready_i,
    output logic [       6:0] step_operation_o,
    output logic [       3:0] step_way_o,
    output logic [      31:0] step_row_o,
    output logic [      15:0] step_column_o,
    output logic [      15:0] step_length_o,
    output logic [      15:0] step_buffer_o,
    output logic              step_next_plane_o,
    output logic              step_plain_o,
    output logic              step_bypass_o,
    output logic              step_metadata_o,
    output logic              step_respond_o,
    output logic [       7:0] step_slot_o,
    output logic [       7:0] step_tag_o,
    output logic              step_irq_o,
    output logic              step_irq_on_error_o,
    input  logic              done_valid_i,
    input  logic [       3:0] done_way_i,
    input  logic              done_timed_out_i,
    input  logic [      31:0] done_value_i,
    output logic              completion_valid_o,
    input  logic              completion_ready_i,
    output logic [       7:0] completion_slot_o,
    output logic [       7:0] completion_tag_o,
    output logic [       3:0] completion_way_o,
    output logic              completion_irq_o,
    output logic              completion_irq_on_error_o,
    output logic [       2:0] completion_outcome_o,
    output logic [      31:0] completion_value_o,
    output logic [  Ways-1:0] occupied_o,
    output logic [  Ways-1:0] pending_o
);

  step_t step;
  logic [Ways-1:0] unused_halted, unused_giving;
  logic unused_quiet;
  completion_t completion;

  flash_scheduler #(
      .Ways(Ways),
      .Depth(Depth)
  ) u_scheduler (
      .clk_i,
      .rst_ni,
      .config_i('{
          model: model_e'(model_i),
          merge_planes: merge_planes_i,
          merge_cache_read: merge_cache_read_i,
          merge_cache_program: merge_cache_program_i,
          jedec: jedec_i,
          plane_bits: plane_bits_i,
          plane_shift: plane_shift_i,
          lun_shift: lun_shift_i,
          halt_on_failure: 1'b0,
          full_gives_back: full_gives_back_i,
          low_ways: low_ways_i,
          age: age_i,
          busy_timeout: busy_timeout_i
      }),
      .orders_i('0),
      .halted_o(unused_halted),
      .giving_o(unused_giving),
      .request_valid_i,
      .request_ready_o,
      .request_i('{
          buffer: request_buffer_i,
          length: request_length_i,
          column: request_column_i,
          row: request_row_i,
          silent: request_silent_i,
          plain: request_plain_i,
          bypass: request_bypass_i,
          metadata: request_metadata_i,
          irq_on_error: request_irq_on_error_i,
          irq: request_irq_i,
          urgent: request_urgent_i,
          stream: request_stream_i,
          tag: request_tag_i,
          way: request_way_i,
          reserved: request_reserved_i,
          operation: request_operation_i
      }),
      .room_o,
      .slot_valid_o,
      .slot_ready_i,
      .slot_stream_o,
      .slot_i,
      .ready_i,
      .hold_i(1'b0),
      .quiet_o(unused_quiet),
      .step_valid_o,
      .step_ready_i,
      .step_o(step),
      .done_valid_i,
      .done_i('{way: done_way_i, timed_out: done_timed_out_i, value: done_value_i}),
      .completion_valid_o,
      .completion_ready_i,
      .completion_o(completion),
      .occupied_o,
      .pending_o
  );

  assign step_operation_o = step.operation;
  assign step_way_o = step.way;
  assign step_row_o = step.row;
  assign step_column_o = step.column;
  assign step_length_o = step.length;
  assign step_buffer_o = step.buffer;
  assign step_next_plane_o = step.next_plane;
  assign step_plain_o = step.plain;
  assign step_bypass_o = step.bypass;
  assign step_metadata_o = step.metadata;
  assign step_respond_o = step.respond;
  assign step_slot_o = step.slot;
  assign step_tag_o = step.tag;
  assign step_irq_o = step.irq;
  assign step_irq_on_error_o = step.irq_on_error;

  assign completion_slot_o = completion.slot;
  assign completion_tag_o = completion.tag;
  assign completion_way_o = completion.way;
  assign completion_irq_o = completion.irq;
  assign completion_irq_on_error_o = completion.irq_on_error;
  assign completion_outcome_o = completion.outcome;
  assign completion_value_o = completion.value;

  // What page_path says of a page is nothing that the scheduler could know.
  logic rest;
  assign rest = completion.erased || completion.corrected != '0 || completion.most != '0 ||
      completion.lost != '0;
  `FM_ASSERT(NothingOfThePage, !completion_valid_o || !rest)

endmodule
