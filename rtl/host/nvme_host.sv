// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// The NVMe host interface: all between a PCIe bridge, the drive's memory, and the processor.
//
// Contract: BAR 0 is an AXI4 subordinate (`bar`), host memory an AXI4 manager (`host`), the drive's
// memory a manager a channel, striped (`memory`), the processor's registers AXI4-Lite (`processor`,
// docs/spec/host-registers.md). With Automated, and where the processor lets it, reads, writes, flushes
// and write zeroes run to their completion without it. `function_reset_i`, `msix_enable_i` and
// `msix_mask_i` come from the configuration space. `idle_o` is up when nothing is under way to host memory,
// messages and late answers included, and nothing that was begun leads to an access; the reset of the function may
// be answered then. Every burst is INCR and of the full width.
// Latency: that of its parts.
// Reason: composition alone; each part says its own.
module nvme_host
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned Memories    = 1,
    parameter bit          Automated   = 1'b1,
    parameter int unsigned Queues      = 17,
    parameter logic [15:0] LargestSize = 16'd1023,
    parameter int unsigned Tags        = 256,
    // PRP lists that are read at the same time, 1 or 2.
    parameter int unsigned Lists       = 1,
    // An access of host or memory may pause for 2 to 3 times 2^TickBits cycles.
    parameter int unsigned TickBits    = 23,
    // For interrupt coalescing: a sixteenth of 100 us.
    parameter int unsigned TickCycles  = 1562,
    parameter int unsigned BarBits     = 14,
    parameter int unsigned IdBits      = 4,
    localparam int unsigned Lanes = DataBits / 32,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 function_reset_i,
    input  logic                                 msix_enable_i,
    input  logic                                 msix_mask_i,
    output logic                                 idle_o,
    // BAR 0.
    input  logic                                 bar_aw_valid_i,
    output logic                                 bar_aw_ready_o,
    input  bar_aw_t                              bar_aw_i,
    input  logic                                 bar_w_valid_i,
    output logic                                 bar_w_ready_o,
    input  bar_w_t                               bar_w_i,
    output logic                                 bar_b_valid_o,
    input  logic                                 bar_b_ready_i,
    output logic [IdBits-1:0]                    bar_b_id_o,
    input  logic                                 bar_ar_valid_i,
    output logic                                 bar_ar_ready_o,
    input  bar_ar_t                              bar_ar_i,
    output logic                                 bar_r_valid_o,
    input  logic                                 bar_r_ready_i,
    output bar_r_t                               bar_r_o,
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
    // The processor.
    input  logic                                 processor_aw_valid_i,
    output logic                                 processor_aw_ready_o,
    input  logic [14:0]                          processor_aw_addr_i,
    input  logic                                 processor_w_valid_i,
    output logic                                 processor_w_ready_o,
    input  fm_axi_pkg::lite_write_t              processor_w_i,
    output logic                                 processor_b_valid_o,
    input  logic                                 processor_b_ready_i,
    output fm_axi_pkg::response_e                processor_b_resp_o,
    input  logic                                 processor_ar_valid_i,
    output logic                                 processor_ar_ready_o,
    input  logic [14:0]                          processor_ar_addr_i,
    output logic                                 processor_r_valid_o,
    input  logic                                 processor_r_ready_i,
    output fm_axi_pkg::lite_read_t               processor_r_o,
    output logic                                 irq_o
);

  localparam int unsigned QueueBits = $clog2(Queues);
  localparam int unsigned TagBits = $clog2(Tags);
  typedef logic [TagBits-1:0] slot_t;

  // -- registers, queues, interrupts --

  logic read_valid, read_ready, beat_valid;
  host_read_t read;
  host_read_beat_t beat;
  logic [DataBits-1:0] beat_data;
  logic entry_valid, entry_data_valid, entry_ready;
  logic message_valid, message_data_valid, message_ready;
  logic written_valid, written_ready;
  host_write_t entry, message;
  logic [DataBits-1:0] entry_data, message_data;
  host_written_t written;
  logic event_valid, event_ready, completion_valid, completion_ready;
  event_t told;
  completion_t completion;
  logic sq_valid, sq_ready, cq_valid, cq_ready;
  submission_queue_t sq;
  completion_queue_t cq;
  logic ready_valid, ready, shutdown_done, fatal, weights_valid, coalescing_valid, forbid_valid;
  logic forbid;
  weights_t weights;
  coalescing_t coalescing;
  logic [10:0] forbid_vector;
  logic [QueueBits-1:0] counted_queue;
  logic [TagBits:0] unread_count, running_count;
  logic store_valid, store_ready, store_half, look_ready, look_live;
  slot_t store_tag, look_tag;
  logic [255:0] store_data;
  logic automated, io_valid, io_ready;
  logic [63:0] blocks;
  logic [16:0] transfer_blocks;
  io_command_t io;
  logic issue_idle, dma_idle, control_quiet, host_idle;

  assign idle_o = control_quiet && host_idle;
  logic fetched_valid, completed_valid, wrong_doorbell;
  slot_t fetched_tag, completed_tag;

  host_control #(
      .DataBits(DataBits),
      .BarBits(BarBits),
      .IdBits(IdBits),
      .Queues(Queues),
      .LargestSize(LargestSize),
      .Tags(Tags),
      .TickCycles(TickCycles),
      .Automated(Automated)
  ) u_control (
      .clk_i,
      .rst_ni,
      .function_reset_i,
      .msix_enable_i,
      .msix_mask_i,
      .aw_valid_i(bar_aw_valid_i),
      .aw_ready_o(bar_aw_ready_o),
      .aw_i(bar_aw_i),
      .w_valid_i(bar_w_valid_i),
      .w_ready_o(bar_w_ready_o),
      .w_i(bar_w_i),
      .b_valid_o(bar_b_valid_o),
      .b_ready_i(bar_b_ready_i),
      .b_id_o(bar_b_id_o),
      .ar_valid_i(bar_ar_valid_i),
      .ar_ready_o(bar_ar_ready_o),
      .ar_i(bar_ar_i),
      .r_valid_o(bar_r_valid_o),
      .r_ready_i(bar_r_ready_i),
      .r_o(bar_r_o),
      .read_valid_o(read_valid),
      .read_ready_i(read_ready),
      .read_o(read),
      .beat_valid_i(beat_valid),
      .beat_i(beat),
      .beat_data_i(beat_data),
      .entry_valid_o(entry_valid),
      .entry_ready_i(entry_ready && entry_data_valid),
      .entry_o(entry),
      .entry_data_valid_o(entry_data_valid),
      .entry_data_ready_i(entry_ready && entry_valid),
      .entry_data_o(entry_data),
      .message_valid_o(message_valid),
      .message_ready_i(message_ready && message_data_valid),
      .message_o(message),
      .message_data_valid_o(message_data_valid),
      .message_data_ready_i(message_ready && message_valid),
      .message_data_o(message_data),
      .written_valid_i(written_valid),
      .written_ready_o(written_ready),
      .written_i(written),
      .event_valid_o(event_valid),
      .event_ready_i(event_ready),
      .event_o(told),
      .completion_valid_i(completion_valid),
      .completion_ready_o(completion_ready),
      .completion_i(completion),
      .submission_queue_valid_i(sq_valid),
      .submission_queue_ready_o(sq_ready),
      .submission_queue_i(sq),
      .completion_queue_valid_i(cq_valid),
      .completion_queue_ready_o(cq_ready),
      .completion_queue_i(cq),
      .ready_valid_i(ready_valid),
      .ready_i(ready),
      .shutdown_done_i(shutdown_done),
      .fatal_i(fatal),
      .weights_valid_i(weights_valid),
      .weights_i(weights),
      .coalescing_valid_i(coalescing_valid),
      .coalescing_i(coalescing),
      .forbid_valid_i(forbid_valid),
      .forbid_vector_i(forbid_vector),
      .forbid_i(forbid),
      .unread_queue_i(counted_queue),
      .unread_count_o(unread_count),
      .running_count_o(running_count),
      .store_valid_i(store_valid),
      .store_ready_o(store_ready),
      .store_tag_i(store_tag),
      .store_half_i(store_half),
      .store_data_o(store_data),
      .automated_i(automated),
      .blocks_i(blocks),
      .transfer_blocks_i(transfer_blocks),
      .io_valid_o(io_valid),
      .io_ready_i(io_ready),
      .io_o(io),
      .look_ready_o(look_ready),
      .dma_look_tag_i(look_tag),
      .dma_look_live_o(look_live),
      .dma_quiet_i(issue_idle && dma_idle),
      .quiet_o(control_quiet),
      .fetched_valid_o(fetched_valid),
      .fetched_tag_o(fetched_tag),
      .completed_valid_o(completed_valid),
      .completed_tag_o(completed_tag),
      .wrong_doorbell_o(wrong_doorbell)
  );

  // Entries and messages go with their data.
  logic unused_data;
  assign unused_data = ^{entry_data[DataBits-1:128], message_data[DataBits-1:32]};

  // -- the processor --

  logic entry_read_valid, entry_read_ready, entry_read_half;
  slot_t entry_read_tag;
  logic request_valid, request_ready, processor_done_valid, processor_done_ready;
  dma_request_t request;
  dma_done_t processor_done;
  logic [1:0] post_valid, post_ready;
  completion_t [1:0] post;
  logic [3:0] block_shift;
  logic [39:0] memory_base;
  logic capture, monitor_busy;
  logic [5:0] monitor_word;
  logic [31:0] monitor_data;

  host_processor #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Automated(Automated),
      .Queues(Queues),
      .LargestSize(LargestSize),
      .Tags(Tags)
  ) u_processor (
      .clk_i,
      .rst_ni,
      .aw_valid_i(processor_aw_valid_i),
      .aw_ready_o(processor_aw_ready_o),
      .aw_addr_i(processor_aw_addr_i),
      .w_valid_i(processor_w_valid_i),
      .w_ready_o(processor_w_ready_o),
      .w_i(processor_w_i),
      .b_valid_o(processor_b_valid_o),
      .b_ready_i(processor_b_ready_i),
      .b_resp_o(processor_b_resp_o),
      .ar_valid_i(processor_ar_valid_i),
      .ar_ready_o(processor_ar_ready_o),
      .ar_addr_i(processor_ar_addr_i),
      .r_valid_o(processor_r_valid_o),
      .r_ready_i(processor_r_ready_i),
      .r_o(processor_r_o),
      .irq_o,
      .event_valid_i(event_valid),
      .event_ready_o(event_ready),
      .event_i(told),
      .completion_valid_o(post_valid[0]),
      .completion_ready_i(post_ready[0]),
      .completion_o(post[0]),
      .submission_queue_valid_o(sq_valid),
      .submission_queue_ready_i(sq_ready),
      .submission_queue_o(sq),
      .completion_queue_valid_o(cq_valid),
      .completion_queue_ready_i(cq_ready),
      .completion_queue_o(cq),
      .ready_valid_o(ready_valid),
      .ready_o(ready),
      .shutdown_done_o(shutdown_done),
      .fatal_o(fatal),
      .weights_valid_o(weights_valid),
      .weights_o(weights),
      .coalescing_valid_o(coalescing_valid),
      .coalescing_o(coalescing),
      .forbid_valid_o(forbid_valid),
      .forbid_vector_o(forbid_vector),
      .forbid_o(forbid),
      .unread_queue_o(counted_queue),
      .unread_count_i(unread_count),
      .running_count_i(running_count),
      .store_valid_o(entry_read_valid),
      .store_ready_i(entry_read_ready),
      .store_tag_o(entry_read_tag),
      .store_half_o(entry_read_half),
      .store_data_i(store_data),
      .request_valid_o(request_valid),
      .request_ready_i(request_ready),
      .request_o(request),
      .done_valid_i(processor_done_valid),
      .done_ready_o(processor_done_ready),
      .done_i(processor_done),
      .fetched_valid_i(fetched_valid),
      .fetched_tag_i(fetched_tag),
      .automated_o(automated),
      .blocks_o(blocks),
      .transfer_blocks_o(transfer_blocks),
      .block_shift_o(block_shift),
      .memory_base_o(memory_base),
      .capture_o(capture),
      .monitor_busy_i(monitor_busy),
      .monitor_word_o(monitor_word),
      .monitor_data_i(monitor_data)
  );

  // -- what the hardware runs by itself --

  logic task_valid, task_ready, ended_valid, ended_ready;
  dma_descriptor_t made;
  dma_done_t ended;

  if (Automated) begin : gen_engine
    command_engine u_engine (
        .clk_i,
        .rst_ni,
        .block_shift_i(block_shift),
        .memory_base_i(memory_base),
        .io_valid_i(io_valid),
        .io_ready_o(io_ready),
        .io_i(io),
        .task_valid_o(task_valid),
        .task_ready_i(task_ready),
        .task_o(made),
        .ended_valid_i(ended_valid),
        .ended_ready_o(ended_ready),
        .ended_i(ended),
        .completion_valid_o(post_valid[1]),
        .completion_ready_i(post_ready[1]),
        .completion_o(post[1])
    );
  end else begin : gen_no_engine
    logic unused;
    assign unused = ^{io_valid, io, task_ready, ended_valid, ended, post_ready[1], block_shift,
                      memory_base};
    assign io_ready = 1'b0;
    assign task_valid = 1'b0;
    assign made = '0;
    assign ended_ready = 1'b0;
    assign post_valid[1] = 1'b0;
    assign post[1] = '0;
  end

  logic unused_post_last, unused_store_last;
  logic [1:0] unused_post_source, unused_store_source;

  fm_stream_merge #(
      .Streams(2),
      .Width($bits(completion_t))
  ) u_posts (
      .clk_i,
      .rst_ni,
      .in_valid_i(post_valid),
      .in_ready_o(post_ready),
      .in_data_i(post),
      .in_last_i(2'b11),
      .out_valid_o(completion_valid),
      .out_ready_i(completion_ready),
      .out_data_o(completion),
      .out_last_o(unused_post_last),
      .out_source_o(unused_post_source)
  );

  // -- data --

  logic prp_read_valid, prp_read_ready, prp_read_half;
  slot_t prp_read_tag;
  logic descriptor_valid, descriptor_ready, done_valid, done_ready, end_valid, end_ready;
  dma_descriptor_t descriptor;
  dma_done_t done, ending;

  fm_stream_merge #(
      .Streams(2),
      .Width(TagBits + 1)
  ) u_store_reads (
      .clk_i,
      .rst_ni,
      .in_valid_i({prp_read_valid, entry_read_valid}),
      .in_ready_o({prp_read_ready, entry_read_ready}),
      .in_data_i({prp_read_tag, prp_read_half, entry_read_tag, entry_read_half}),
      .in_last_i(2'b11),
      .out_valid_o(store_valid),
      .out_ready_i(store_ready),
      .out_data_o({store_tag, store_half}),
      .out_last_o(unused_store_last),
      .out_source_o(unused_store_source)
  );

  dma_issue #(
      .Tags(Tags)
  ) u_issue (
      .clk_i,
      .rst_ni,
      .request_valid_i(request_valid),
      .request_ready_o(request_ready),
      .request_i(request),
      .processor_done_valid_o(processor_done_valid),
      .processor_done_ready_i(processor_done_ready),
      .processor_done_o(processor_done),
      .task_valid_i(task_valid),
      .task_ready_o(task_ready),
      .task_i(made),
      .ended_valid_o(ended_valid),
      .ended_ready_i(ended_ready),
      .ended_o(ended),
      .store_valid_o(prp_read_valid),
      .store_ready_i(prp_read_ready),
      .store_tag_o(prp_read_tag),
      .store_half_o(prp_read_half),
      .store_data_i(store_data),
      .look_tag_o(look_tag),
      .look_ready_i(look_ready),
      .look_live_i(look_live),
      .descriptor_valid_o(descriptor_valid),
      .descriptor_ready_i(descriptor_ready),
      .descriptor_o(descriptor),
      .done_valid_i(end_valid),
      .done_ready_o(end_ready),
      .done_i(ending),
      .idle_o(issue_idle)
  );

  // Whoever makes an end wait stays out of the DMA's paths.
  fm_skid_buffer #(
      .Width($bits(dma_done_t))
  ) u_ends (
      .clk_i,
      .rst_ni,
      .in_valid_i(done_valid),
      .in_ready_o(done_ready),
      .in_data_i(done),
      .out_valid_o(end_valid),
      .out_ready_i(end_ready),
      .out_data_o(ending)
  );

  host_dma #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Lists(Lists),
      .TickBits(TickBits),
      .Zeros(Automated)
  ) u_dma (
      .clk_i,
      .rst_ni,
      .descriptor_valid_i(descriptor_valid),
      .descriptor_ready_o(descriptor_ready),
      .descriptor_i(descriptor),
      .done_valid_o(done_valid),
      .done_ready_i(done_ready),
      .done_o(done),
      .idle_o(dma_idle),
      .host_idle_o(host_idle),
      .entries_valid_i(read_valid),
      .entries_ready_o(read_ready),
      .entries_i(read),
      .entries_beat_valid_o(beat_valid),
      .entries_beat_ready_i(1'b1),
      .entries_beat_o(beat),
      .entries_beat_data_o(beat_data),
      .completion_valid_i(entry_valid && entry_data_valid),
      .completion_ready_o(entry_ready),
      .completion_i(entry),
      .completion_data_i(entry_data[127:0]),
      .message_valid_i(message_valid && message_data_valid),
      .message_ready_o(message_ready),
      .message_i(message),
      .message_data_i(message_data[31:0]),
      .written_valid_o(written_valid),
      .written_ready_i(written_ready),
      .written_o(written),
      .host_ar_valid_o,
      .host_ar_ready_i,
      .host_ar_o,
      .host_r_valid_i,
      .host_r_ready_o,
      .host_r_id_i,
      .host_r_i,
      .host_aw_valid_o,
      .host_aw_ready_i,
      .host_aw_o,
      .host_w_valid_o,
      .host_w_ready_i,
      .host_w_o,
      .host_b_valid_i,
      .host_b_ready_o,
      .host_b_response_i,
      .memory_ar_valid_o,
      .memory_ar_ready_i,
      .memory_ar_o,
      .memory_r_valid_i,
      .memory_r_ready_o,
      .memory_r_id_i,
      .memory_r_i,
      .memory_aw_valid_o,
      .memory_aw_ready_i,
      .memory_aw_o,
      .memory_w_valid_o,
      .memory_w_ready_i,
      .memory_w_o,
      .memory_b_valid_i,
      .memory_b_ready_o,
      .memory_b_response_i
  );

  // -- counts --

  logic [Lanes-1:0][3:0] sent_bytes;

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) sent_bytes[lane] = {4{host_w_o.strobe[lane]}};
  end

  host_monitor #(
      .DataBits(DataBits),
      .Tags(Tags)
  ) u_monitor (
      .clk_i,
      .rst_ni,
      .fetched_valid_i(fetched_valid),
      .fetched_tag_i(fetched_tag),
      .completed_valid_i(completed_valid),
      .completed_tag_i(completed_tag),
      .io_i(io_valid && io_ready),
      .from_host_i(host_r_valid_i && host_r_ready_o),
      .to_host_i(host_w_valid_o && host_w_ready_i),
      .to_host_strobe_i(sent_bytes),
      .done_i(done_valid && done_ready),
      .done_fault_i(done.fault != DmaNone),
      .message_i(message_valid && message_ready),
      .wrong_doorbell_i(wrong_doorbell),
      .capture_i(capture),
      .busy_o(monitor_busy),
      .read_word_i(monitor_word),
      .read_data_o(monitor_data)
  );

  `FM_ASSERT(IdleAsksNothing, !idle_o || !(host_ar_valid_o || host_aw_valid_o || host_w_valid_o))

endmodule
