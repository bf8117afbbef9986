// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// All that moves between host, queues and the drive's memory.
//
// Contract: requests of the processor and tasks of the engine end as `dma_issue` says; entries, completions and messages
// of the queues go through the same ports to host memory, each write with its data. Reads of half a command's entry
// (`store`) are those of the processor (`entry_read`) and of `dma_issue`, in turn. With `quiet_o` up, no descriptor that
// was found live is under way; with `host_idle_o`, host memory owes no answer.
// Latency: that of its parts.
// Reason: composition alone.
module host_data_path
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits  = 256,
    parameter int unsigned Memories  = 1,
    parameter int unsigned Tags      = 256,
    parameter int unsigned Lists     = 1,
    parameter int unsigned TickBits  = 23,
    parameter int unsigned RingBytes = fm_transfer_pkg::ring_bytes(DataBits),
    parameter bit          BlockTables = 1'b0,
    parameter bit          Automated = 1'b1,
    localparam int unsigned TagBits = $clog2(Tags),
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // Host memory is not there.
    input  logic                                 gone_i,
    // The processor.
    input  logic                                 request_valid_i,
    output logic                                 request_ready_o,
    input  dma_request_t                         request_i,
    output logic                                 processor_done_valid_o,
    input  logic                                 processor_done_ready_i,
    output dma_done_t                            processor_done_o,
    input  logic                                 entry_read_valid_i,
    output logic                                 entry_read_ready_o,
    input  logic [TagBits-1:0]                   entry_read_tag_i,
    input  logic                                 entry_read_half_i,
    // The engine.
    input  logic                                 task_valid_i,
    output logic                                 task_ready_o,
    input  dma_descriptor_t                      task_i,
    output logic                                 ended_valid_o,
    input  logic                                 ended_ready_i,
    output dma_done_t                            ended_o,
    // The queues.
    output logic                                 store_valid_o,
    input  logic                                 store_ready_i,
    output logic [TagBits-1:0]                   store_tag_o,
    output logic                                 store_half_o,
    input  logic [255:0]                         store_data_i,
    output logic [TagBits-1:0]                   look_tag_o,
    input  logic                                 look_ready_i,
    input  logic                                 look_live_i,
    input  logic                                 read_valid_i,
    output logic                                 read_ready_o,
    input  host_read_t                           read_i,
    output logic                                 beat_valid_o,
    output host_read_beat_t                      beat_o,
    output logic [DataBits-1:0]                  beat_data_o,
    input  logic                                 entry_valid_i,
    output logic                                 entry_ready_o,
    input  host_write_t                          entry_i,
    input  logic                                 entry_data_valid_i,
    output logic                                 entry_data_ready_o,
    input  logic [127:0]                         entry_data_i,
    input  logic                                 message_valid_i,
    output logic                                 message_ready_o,
    input  host_write_t                          message_i,
    input  logic                                 message_data_valid_i,
    output logic                                 message_data_ready_o,
    input  logic [31:0]                          message_data_i,
    output logic                                 written_valid_o,
    input  logic                                 written_ready_i,
    output host_written_t                        written_o,
    output logic                                 quiet_o,
    output logic                                 host_idle_o,
    // Host memory.
    output logic                                 host_ar_valid_o,
    input  logic                                 host_ar_ready_i,
    output fm_axi_pkg::burst_t                   host_ar_o,
    input  logic                                 host_r_valid_i,
    output logic                                 host_r_ready_o,
    input  fm_axi_pkg::id_t                      host_r_id_i,
    input  r_beat_t                              host_r_i,
    output logic                                 host_aw_valid_o,
    input  logic                                 host_aw_ready_i,
    output fm_axi_pkg::burst_t                   host_aw_o,
    output logic                                 host_w_valid_o,
    input  logic                                 host_w_ready_i,
    output w_beat_t                              host_w_o,
    input  logic                                 host_b_valid_i,
    output logic                                 host_b_ready_o,
    input  fm_axi_pkg::response_e                host_b_response_i,
    // The memory channels. Of reads and writes, address and data are the same for all channels.
    output logic [Memories-1:0]                  memory_ar_valid_o,
    input  logic [Memories-1:0]                  memory_ar_ready_i,
    output fm_axi_pkg::burst_t                   memory_ar_o,
    input  logic [Memories-1:0]                  memory_r_valid_i,
    output logic [Memories-1:0]                  memory_r_ready_o,
    input  fm_axi_pkg::id_t [Memories-1:0]       memory_r_id_i,
    input  r_beat_t [Memories-1:0]               memory_r_i,
    output logic [Memories-1:0]                  memory_aw_valid_o,
    input  logic [Memories-1:0]                  memory_aw_ready_i,
    output fm_axi_pkg::burst_t                   memory_aw_o,
    output logic [Memories-1:0]                  memory_w_valid_o,
    input  logic [Memories-1:0]                  memory_w_ready_i,
    output w_beat_t                              memory_w_o,
    input  logic [Memories-1:0]                  memory_b_valid_i,
    output logic [Memories-1:0]                  memory_b_ready_o,
    input  fm_axi_pkg::response_e [Memories-1:0] memory_b_response_i,
    // What is counted.
    output data_watch_t                          watch_o
);

  logic prp_read_valid, prp_read_ready, prp_read_half;
  logic [TagBits-1:0] prp_read_tag;
  logic descriptor_valid, descriptor_ready, done_valid, done_ready, end_valid, end_ready;
  dma_descriptor_t descriptor;
  dma_done_t done, ending;
  logic issue_idle, dma_idle, unused_last;
  logic [1:0] unused_source;

  assign quiet_o = issue_idle && dma_idle;

  fm_stream_merge #(
      .Streams(2),
      .Width(TagBits + 1)
  ) u_store_reads (
      .clk_i,
      .rst_ni,
      .in_valid_i({prp_read_valid, entry_read_valid_i}), .in_ready_o({prp_read_ready, entry_read_ready_o}),
      .in_data_i({prp_read_tag, prp_read_half, entry_read_tag_i, entry_read_half_i}), .in_last_i(2'b11),
      .out_valid_o(store_valid_o), .out_ready_i(store_ready_i), .out_data_o({store_tag_o, store_half_o}),
      .out_last_o(unused_last), .out_source_o(unused_source)
  );

  dma_issue #(
      .Tags(Tags)
  ) u_issue (
      .*,
      .store_valid_o(prp_read_valid), .store_ready_i(prp_read_ready), .store_tag_o(prp_read_tag),
      .store_half_o(prp_read_half),
      .descriptor_valid_o(descriptor_valid), .descriptor_ready_i(descriptor_ready), .descriptor_o(descriptor),
      .done_valid_i(end_valid), .done_ready_o(end_ready), .done_i(ending),
      .idle_o(issue_idle)
  );

  // Whoever makes an end wait stays out of the DMA's paths.
  fm_skid_buffer #(
      .Width($bits(dma_done_t))
  ) u_ends (
      .clk_i,
      .rst_ni,
      .in_valid_i(done_valid), .in_ready_o(done_ready), .in_data_i(done),
      .out_valid_o(end_valid), .out_ready_i(end_ready), .out_data_o(ending)
  );

  // Entries and messages go with their data.
  logic entry_ready, message_ready;

  assign entry_ready_o = entry_ready && entry_data_valid_i;
  assign entry_data_ready_o = entry_ready && entry_valid_i;
  assign message_ready_o = message_ready && message_data_valid_i;
  assign message_data_ready_o = message_ready && message_valid_i;

  host_dma #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Lists(Lists),
      .TickBits(TickBits),
      .RingBytes(RingBytes),
      .BlockTables(BlockTables),
      .Zeros(Automated)
  ) u_dma (
      .*,
      .descriptor_valid_i(descriptor_valid), .descriptor_ready_o(descriptor_ready), .descriptor_i(descriptor),
      .done_valid_o(done_valid), .done_ready_i(done_ready), .done_o(done),
      .idle_o(dma_idle),
      .entries_valid_i(read_valid_i), .entries_ready_o(read_ready_o), .entries_i(read_i),
      .entries_beat_valid_o(beat_valid_o), .entries_beat_ready_i(1'b1), .entries_beat_o(beat_o),
      .entries_beat_data_o(beat_data_o),
      .completion_valid_i(entry_valid_i && entry_data_valid_i), .completion_ready_o(entry_ready),
      .completion_i(entry_i), .completion_data_i(entry_data_i),
      .message_valid_i(message_valid_i && message_data_valid_i), .message_ready_o(message_ready)
  );

  assign watch_o = '{
      from_host: host_r_valid_i && host_r_ready_o,
      to_host: host_w_valid_o && host_w_ready_i,
      done: done_valid && done_ready,
      done_fault: done.fault != DmaNone,
      message: message_valid_i && message_ready_o
  };

endmodule
