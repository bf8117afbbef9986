// SPDX-License-Identifier: Apache-2.0

// Test top: the reorder buffer of a channel, with fields and words of its packets as ports.
module reorder_buffers
  import fm_flash_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        slot_valid_i,
    output logic        slot_ready_o,
    input  logic [ 2:0] slot_stream_i,
    output logic [ 7:0] slot_o,
    input  logic        completion_valid_i,
    output logic        completion_ready_o,
    input  logic [ 7:0] completion_slot_i,
    input  logic [ 7:0] completion_tag_i,
    input  logic [ 3:0] completion_way_i,
    input  logic        completion_irq_i,
    input  logic        completion_irq_on_error_i,
    input  logic [ 2:0] completion_outcome_i,
    input  logic        completion_erased_i,
    input  logic [11:0] completion_corrected_i,
    input  logic [ 7:0] completion_most_i,
    input  logic [ 7:0] completion_lost_i,
    input  logic [31:0] completion_value_i,
    output logic        response_valid_o,
    input  logic        response_ready_i,
    output logic [31:0] response_word0_o,
    output logic [31:0] response_word1_o,
    output logic [31:0] response_word2_o,
    output logic        irq_o
);

  completion_t completion;
  assign completion = '{
      slot: completion_slot_i,
      tag: completion_tag_i,
      way: completion_way_i,
      irq: completion_irq_i,
      irq_on_error: completion_irq_on_error_i,
      outcome: outcome_e'(completion_outcome_i),
      erased: completion_erased_i,
      corrected: completion_corrected_i,
      most: completion_most_i,
      lost: completion_lost_i,
      value: completion_value_i
  };

  response_t response;
  assign {response_word2_o, response_word1_o, response_word0_o} = response;

  reorder_buffer u_buffer (
      .completion_i(completion),
      .response_o(response),
      .*
  );

endmodule
