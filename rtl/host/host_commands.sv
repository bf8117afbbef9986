// SPDX-License-Identifier: Apache-2.0

// Who runs a command: the hardware by itself, or the processor.
//
// Contract: fetched commands come by `command` and go on by `other` to the processor, or become `task`s of the data
// path, whose ends come by `ended`; `command_dispatch` says which. `posted` are the processor's completions,
// `completion` those of both. `io_watch_o` tells what the hardware begins, in that cycle, and whether it has not completed all
// of it. Without Automated all commands are the processor's.
// Latency: that of its parts.
// Reason: composition alone.
module host_commands
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues    = 17,
    parameter int unsigned Tags      = 256,
    parameter bit          Automated = 1'b1,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  automation_t          automation_i,
    // The queues.
    input  logic                 command_valid_i,
    output logic                 command_ready_o,
    input  logic [TagBits-1:0]   command_tag_i,
    input  logic [QueueBits-1:0] command_queue_i,
    input  logic                 command_failed_i,
    output logic                 read_o,
    output logic [TagBits-1:0]   read_tag_o,
    output logic                 read_half_o,
    input  logic [255:0]         read_data_i,
    output logic                 other_valid_o,
    input  logic                 other_ready_i,
    output logic [TagBits-1:0]   other_tag_o,
    output logic [QueueBits-1:0] other_queue_o,
    output logic                 other_failed_o,
    output logic                 left_valid_o,
    output logic [QueueBits-1:0] left_queue_o,
    input  logic                 end_valid_i,
    input  logic [TagBits-1:0]   end_tag_i,
    input  logic [QueueBits-1:0] end_queue_i,
    output logic                 completion_valid_o,
    input  logic                 completion_ready_i,
    output completion_t          completion_o,
    // The processor.
    input  logic                 posted_valid_i,
    output logic                 posted_ready_o,
    input  completion_t          posted_i,
    input  logic [QueueBits-1:0] running_queue_i,
    output logic [TagBits:0]     running_count_o,
    // The data path.
    output logic                 task_valid_o,
    input  logic                 task_ready_i,
    output dma_descriptor_t      task_o,
    input  logic                 ended_valid_i,
    output logic                 ended_ready_o,
    input  dma_done_t            ended_i,
    // What is counted.
    output io_watch_t            io_watch_o
);

  logic io_valid, io_ready;
  io_command_t io;

  command_dispatch #(
      .Queues(Queues),
      .Tags(Tags),
      .Automated(Automated)
  ) u_dispatch (
      .*,
      .automated_i(automation_i.enable),
      .blocks_i(automation_i.blocks),
      .transfer_blocks_i(automation_i.transfer_blocks),
      .io_valid_o(io_valid), .io_ready_i(io_ready), .io_o(io)
  );

  logic made_valid, made_ready;
  completion_t made;

  // Commands that went to the hardware and are not complete.
  logic begins, ends;
  logic [TagBits:0] inside_q;

  assign begins = io_valid && io_ready;
  assign ends = made_valid && made_ready;
  assign io_watch_o = '{
          read: begins && io.kind == IoRead,
          write: begins && io.kind == IoWrite,
          sectors: automation_i.block_shift == 4'd12 ? {io.blocks, 3'b000} : 20'(io.blocks),
          busy: inside_q != '0
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else inside_q <= inside_q + (TagBits + 1)'(begins) - (TagBits + 1)'(ends);
  end

  if (Automated) begin : gen_engine
    command_engine #(
        .Tags(Tags)
    ) u_engine (
        .*,
        .block_shift_i(automation_i.block_shift),
        .memory_base_i(automation_i.memory_base),
        .io_valid_i(io_valid), .io_ready_o(io_ready), .io_i(io),
        .completion_valid_o(made_valid), .completion_ready_i(made_ready), .completion_o(made)
    );
  end else begin : gen_no_engine
    logic unused;
    assign unused = ^{io, task_ready_i, ended_valid_i, ended_i, made_ready, automation_i};
    assign io_ready = 1'b0;
    assign task_valid_o = 1'b0;
    assign task_o = '0;
    assign ended_ready_o = 1'b0;
    assign made_valid = 1'b0;
    assign made = '0;
  end

  logic unused_last;
  logic [1:0] unused_source;

  fm_stream_merge #(
      .Streams(2),
      .Width($bits(completion_t))
  ) u_completions (
      .clk_i,
      .rst_ni,
      .in_valid_i({made_valid, posted_valid_i}), .in_ready_o({made_ready, posted_ready_o}),
      .in_data_i({made, posted_i}), .in_last_i(2'b11),
      .out_valid_o(completion_valid_o), .out_ready_i(completion_ready_i), .out_data_o(completion_o),
      .out_last_o(unused_last), .out_source_o(unused_source)
  );

endmodule
