// SPDX-License-Identifier: Apache-2.0

// Test top: the check of commands, with the store of their entries.
module host_check
  import fm_host_pkg::*;
#(
    localparam int unsigned Tags = 32,
    localparam int unsigned TagBits = 5,
    localparam int unsigned QueueBits = 3
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 automated_i,
    input  logic [         63:0] blocks_i,
    input  logic [         16:0] transfer_blocks_i,
    input  logic                 store_write_i,
    input  logic [  TagBits-1:0] store_tag_i,
    input  logic                 store_beat_i,
    input  logic [        255:0] store_data_i,
    input  logic                 command_valid_i,
    output logic                 command_ready_o,
    input  logic [  TagBits-1:0] command_tag_i,
    input  logic [QueueBits-1:0] command_queue_i,
    input  logic                 command_failed_i,
    output logic                 other_valid_o,
    input  logic                 other_ready_i,
    output logic [  TagBits-1:0] other_tag_o,
    output logic [QueueBits-1:0] other_queue_o,
    output logic                 other_failed_o,
    output logic                 io_valid_o,
    input  logic                 io_ready_i,
    output logic [          7:0] io_tag_o,
    output logic [          1:0] io_kind_o,
    output logic                 io_forced_o,
    output logic [         63:0] io_start_o,
    output logic [         16:0] io_blocks_o,
    output logic [         63:0] io_prp1_o,
    output logic [         63:0] io_prp2_o
);

  logic read, read_half;
  logic [TagBits-1:0] read_tag;
  logic [255:0] read_data;
  io_command_t io;

  assign {io_tag_o, io_kind_o, io_forced_o, io_start_o, io_blocks_o, io_prp1_o, io_prp2_o} = io;

  command_store #(
      .Tags(Tags)
  ) u_store (
      .clk_i,
      .rst_ni,
      .write_i(store_write_i),
      .write_tag_i(store_tag_i),
      .write_beat_i({2'b0, store_beat_i}),
      .write_data_i(store_data_i),
      .read_i(read),
      .read_tag_i(read_tag),
      .read_half_i(read_half),
      .read_data_o(read_data)
  );

  command_check #(
      .Queues(5),
      .Tags(Tags)
  ) u_check (
      .clk_i,
      .rst_ni,
      .automated_i,
      .blocks_i,
      .transfer_blocks_i,
      .command_valid_i,
      .command_ready_o,
      .command_tag_i,
      .command_queue_i,
      .command_failed_i,
      .read_o(read),
      .read_tag_o(read_tag),
      .read_half_o(read_half),
      .read_data_i(read_data),
      .other_valid_o,
      .other_ready_i,
      .other_tag_o,
      .other_queue_o,
      .other_failed_o,
      .io_valid_o,
      .io_ready_i,
      .io_o(io)
  );

endmodule
