// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Fetched commands on their way to who runs them: the hardware (`io`) or the processor (`other`).
//
// Contract: commands leave in the order in which they came, those of each way. `left` pulses for each,
// in the cycle after. `command_check` says what goes to `io`, and reads the store for it (`read`).
// `running_count_o` counts the commands of `running_queue_i` that came to `io` and did not `end`: two cycles after
// `automated_i` has fallen, all that run are among them. A command is unread or running, or both while it waits for `io`.
// An `end` is of a command that left. The
// first Queues cycles after reset set all counts to zero. Without Automated all go to `other`.
// Latency: three cycles to `other` without a look at the entry; with it, and to `io`, seven.
// Reason: the queue of commands ends in a RAM's output; registers behind it, those of the check or a slice,
// keep the looks at tags and the counts out of the path from there.
module command_dispatch
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues    = 17,
    parameter int unsigned Tags      = 256,
    parameter bit          Automated = 1'b1,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        automated_i,
    input  logic        [         63:0] blocks_i,
    input  logic        [         16:0] transfer_blocks_i,
    input  logic                        command_valid_i,
    output logic                        command_ready_o,
    input  logic        [  TagBits-1:0] command_tag_i,
    input  logic        [QueueBits-1:0] command_queue_i,
    input  logic                        command_failed_i,
    output logic                        read_o,
    output logic        [  TagBits-1:0] read_tag_o,
    output logic                        read_half_o,
    input  logic        [        255:0] read_data_i,
    output logic                        other_valid_o,
    input  logic                        other_ready_i,
    output logic        [  TagBits-1:0] other_tag_o,
    output logic        [QueueBits-1:0] other_queue_o,
    output logic                        other_failed_o,
    output logic                        io_valid_o,
    input  logic                        io_ready_i,
    output io_command_t                 io_o,
    output logic                        left_valid_o,
    output logic        [QueueBits-1:0] left_queue_o,
    input  logic                        end_valid_i,
    input  logic        [  TagBits-1:0] end_tag_i,
    input  logic        [QueueBits-1:0] end_queue_i,
    input  logic        [QueueBits-1:0] running_queue_i,
    output logic        [    TagBits:0] running_count_o
);

  typedef struct packed {
    logic [TagBits-1:0]   tag;
    logic [QueueBits-1:0] source;
    logic                 failed;
  } command_t;

  logic next_valid, next_ready, room_for_all;
  command_t next;

  fm_fifo_block #(
      .Width($bits(command_t)),
      .Depth(Tags)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i(command_valid_i),
      .in_ready_o(room_for_all),
      .in_data_i({command_tag_i, command_queue_i, command_failed_i}),
      .out_valid_o(next_valid),
      .out_ready_i(next_ready),
      .out_data_o(next)
  );

  // Each has a tag of its own, so there are never more than Tags.
  assign command_ready_o = 1'b1;

  // What leaves.
  logic other_leaves, io_leaves, left_valid_q;
  logic [QueueBits-1:0] left_queue_q;

  assign other_leaves = other_valid_o && other_ready_i;
  assign io_leaves = io_valid_o && io_ready_i;
  assign left_valid_o = left_valid_q;
  assign left_queue_o = left_queue_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_valid_q <= 1'b0;
    end else begin
      left_valid_q <= other_leaves || io_leaves;
    end
  end

  // The check holds one command, and keeps its tag and queue beside both ways.
  always_ff @(posedge clk_i) begin
    left_queue_q <= other_queue_o;
  end

  if (Automated) begin : gen_check
    command_check #(
        .Queues(Queues),
        .Tags(Tags)
    ) u_check (
        .clk_i,
        .rst_ni,
        .automated_i,
        .blocks_i,
        .transfer_blocks_i,
        .command_valid_i(next_valid),
        .command_ready_o(next_ready),
        .command_tag_i(next.tag),
        .command_queue_i(next.source),
        .command_failed_i(next.failed),
        .read_o,
        .read_tag_o,
        .read_half_o,
        .read_data_i,
        .other_valid_o,
        .other_ready_i,
        .other_tag_o,
        .other_queue_o,
        .other_failed_o,
        .io_valid_o,
        .io_ready_i,
        .io_o
    );

    // Of each tag, whether its command went to `io`.
    logic io_waits_q, ends, end_of_io;

    assign ends = end_valid_i && end_of_io;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        io_waits_q <= 1'b0;
      end else begin
        io_waits_q <= io_valid_o && !io_ready_i;
      end
    end

    fm_ram_lut #(
        .Width(1),
        .Depth(Tags)
    ) u_ways (
        .clk_i,
        .write_i(other_valid_o || io_valid_o),
        .write_address_i(other_tag_o),
        .write_data_i(io_valid_o),
        .read_address_i(end_tag_i),
        .read_data_o(end_of_io)
    );

    queue_counts #(
        .Queues(Queues),
        .Tags(Tags),
        .Burst(1)
    ) u_running (
        .clk_i,
        .rst_ni,
        .came_valid_i(io_valid_o && !io_waits_q),
        .came_queue_i(other_queue_o),
        .came_count_i(1'b1),
        .left_valid_i(ends),
        .left_queue_i(end_queue_i),
        .queue_i(running_queue_i),
        .count_o(running_count_o)
    );
  end else begin : gen_no_check
    logic unused;

    fm_skid_buffer #(
        .Width($bits(command_t))
    ) u_slice (
        .clk_i,
        .rst_ni,
        .in_valid_i(next_valid),
        .in_ready_o(next_ready),
        .in_data_i(next),
        .out_valid_o(other_valid_o),
        .out_ready_i(other_ready_i),
        .out_data_o({other_tag_o, other_queue_o, other_failed_o})
    );

    assign read_o = 1'b0;
    assign read_tag_o = '0;
    assign read_half_o = 1'b0;
    assign io_valid_o = 1'b0;
    assign io_o = '0;
    assign running_count_o = '0;
    assign unused = ^{automated_i, blocks_i, transfer_blocks_i, read_data_i, end_valid_i, end_tag_i,
                      end_queue_i, running_queue_i};
  end

  `FM_ASSERT(RoomForAll, room_for_all)
  `FM_ASSERT_STREAM(u_assert_command, command_valid_i, command_ready_o, {
                 command_tag_i, command_queue_i, command_failed_i})
  `FM_ASSERT_STREAM(u_assert_other, other_valid_o, other_ready_i, {
                 other_tag_o, other_queue_o, other_failed_o})
  `FM_ASSERT_STREAM(u_assert_io, io_valid_o, io_ready_i, io_o)

endmodule
