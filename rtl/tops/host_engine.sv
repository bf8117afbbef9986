// SPDX-License-Identifier: Apache-2.0

// Test top: the engine of commands that hardware runs.
module host_engine
  import fm_host_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [ 3:0] block_shift_i,
    input  logic [39:0] memory_base_i,
    input  logic        io_valid_i,
    output logic        io_ready_o,
    input  logic [ 7:0] io_tag_i,
    input  logic [ 1:0] io_kind_i,
    input  logic [63:0] io_start_i,
    input  logic [16:0] io_blocks_i,
    input  logic [63:0] io_prp1_i,
    input  logic [63:0] io_prp2_i,
    output logic        task_valid_o,
    input  logic        task_ready_i,
    output logic [ 7:0] task_tag_o,
    output logic        task_direction_o,
    output logic [ 1:0] task_source_o,
    output logic [63:0] task_prp1_o,
    output logic [63:0] task_prp2_o,
    output logic [31:0] task_host_offset_o,
    output logic [31:0] task_length_o,
    output logic [31:0] task_command_length_o,
    output logic [39:0] task_memory_o,
    input  logic        ended_valid_i,
    output logic        ended_ready_o,
    input  logic [ 7:0] ended_tag_i,
    input  logic        ended_direction_i,
    input  logic [ 2:0] ended_fault_i,
    output logic        completion_valid_o,
    input  logic        completion_ready_i,
    output logic [ 7:0] completion_tag_o,
    output logic [14:0] completion_status_o,
    output logic [63:0] completion_result_o
);

  io_command_t io;
  dma_descriptor_t descriptor;
  completion_t completion;

  assign io = '{
          tag: io_tag_i,
          kind: io_e'(io_kind_i),
          forced: 1'b0,
          start: io_start_i,
          blocks: io_blocks_i,
          prp1: io_prp1_i,
          prp2: io_prp2_i
      };
  assign {task_tag_o, task_direction_o, task_source_o, task_prp1_o, task_prp2_o, task_host_offset_o,
          task_length_o, task_command_length_o, task_memory_o} = descriptor;
  assign {completion_tag_o, completion_status_o, completion_result_o} = completion;

  command_engine u_engine (
      .clk_i,
      .rst_ni,
      .block_shift_i,
      .memory_base_i,
      .io_valid_i,
      .io_ready_o,
      .io_i(io),
      .task_valid_o,
      .task_ready_i,
      .task_o(descriptor),
      .ended_valid_i,
      .ended_ready_o,
      .ended_i({ended_tag_i, ended_direction_i, ended_fault_i}),
      .completion_valid_o,
      .completion_ready_i,
      .completion_o(completion)
  );

endmodule
