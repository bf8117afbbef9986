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
// be answered then. `host_reset_i` tells that the bridge alone is reset, as in `host_absence`; what firmware sees of it is a reset of the
// function, and its commands and DMA requests end as behind one. Every burst is INCR and of the full width.
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
    // Weighted round robin with urgent class is on offer to the host.
    parameter bit          Weighted    = 1'b1,
    // It counts what it does; otherwise all counters are 0.
    parameter bit          Monitored   = 1'b1,
    // The host may place its data: commands name lists of logical blocks, and completions have a dword 1.
    parameter bit          Placed      = 1'b0,
    // PRP lists that are read at the same time, 1 or 2.
    parameter int unsigned Lists       = 1,
    // Of the buffer of each direction: more than a page of 4 KiB, and what the links bring meanwhile.
    parameter int unsigned RingBytes   = fm_transfer_pkg::ring_bytes(DataBits),
    // Tables of queues and vectors, and what waits for the DMA, in block RAM rather than in look-up tables.
    parameter bit          BlockTables = 1'b0,
    // An access of host or memory may pause for 2 to 3 times 2^TickBits cycles.
    parameter int unsigned TickBits    = 23,
    // For interrupt coalescing: a sixteenth of 100 us.
    parameter int unsigned TickCycles  = 1562,
    parameter int unsigned BarBits     = 14,
    parameter int unsigned IdBits      = 4,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 host_reset_i,
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

  `FM_REQUIRE(gen_data_bits, DataBits inside {64, 128, 256, 512}, "nvme_host: DataBits is none of 64, 128, 256 and 512")

  localparam int unsigned QueueBits = $clog2(Queues);
  localparam int unsigned TagBits = $clog2(Tags);
  localparam int unsigned DwordBits = BarBits - 4;
  typedef logic [TagBits-1:0] slot_t;
  typedef logic [QueueBits-1:0] index_t;

  // -- the host's registers --

  logic msix_valid, msix_ready, msix_write, msix_pending, msix_answer_valid;
  logic [DwordBits-1:0] msix_dword;
  logic [31:0] msix_data, msix_answer;
  logic tail_valid, tail_ready, head_valid, head_ready;
  doorbell_t tail, head;
  enabling_t enabling;
  standing_t standing;
  settings_t settings;
  logic asked_sq_valid, asked_sq_ready, asked_cq_valid, asked_cq_ready, sq_valid, sq_ready, cq_valid, cq_ready;
  logic forget_valid, forget_ready;
  forget_t forget;
  submission_queue_t asked_sq, sq;
  completion_queue_t asked_cq, cq;

  logic gone, bar_idle, absence_reset, function_reset;

  assign function_reset = function_reset_i || absence_reset;

  host_absence u_absence (
      .clk_i,
      .rst_ni,
      .host_reset_i,
      .bar_idle_i(bar_idle),
      .idle_i(idle_o),
      .gone_o(gone),
      .function_reset_o(absence_reset)
  );

  host_front #(
      .DataBits(DataBits),
      .BarBits(BarBits),
      .IdBits(IdBits),
      .LargestSize(LargestSize),
      .Weighted(Weighted)
  ) u_front (
      .clk_i,
      .rst_ni,
      .gone_i(gone),
      .bar_idle_o(bar_idle),
      .function_reset_i(function_reset),
      .aw_valid_i(bar_aw_valid_i), .aw_ready_o(bar_aw_ready_o), .aw_i(bar_aw_i),
      .w_valid_i(bar_w_valid_i), .w_ready_o(bar_w_ready_o), .w_i(bar_w_i),
      .b_valid_o(bar_b_valid_o), .b_ready_i(bar_b_ready_i), .b_id_o(bar_b_id_o),
      .ar_valid_i(bar_ar_valid_i), .ar_ready_o(bar_ar_ready_o), .ar_i(bar_ar_i),
      .r_valid_o(bar_r_valid_o), .r_ready_i(bar_r_ready_i), .r_o(bar_r_o),
      .msix_valid_o(msix_valid), .msix_ready_i(msix_ready), .msix_write_o(msix_write), .msix_pending_o(msix_pending),
      .msix_dword_o(msix_dword), .msix_data_o(msix_data),
      .msix_answer_valid_i(msix_answer_valid), .msix_answer_i(msix_answer),
      .tail_valid_o(tail_valid), .tail_ready_i(tail_ready), .tail_o(tail),
      .head_valid_o(head_valid), .head_ready_i(head_ready), .head_o(head),
      .enabling_o(enabling),
      .standing_i(standing),
      .settings_i(settings),
      .submission_queue_valid_i(asked_sq_valid), .submission_queue_ready_o(asked_sq_ready),
      .submission_queue_i(asked_sq),
      .completion_queue_valid_i(asked_cq_valid), .completion_queue_ready_o(asked_cq_ready),
      .completion_queue_i(asked_cq),
      .submission_configure_valid_o(sq_valid), .submission_configure_ready_i(sq_ready), .submission_configure_o(sq),
      .completion_configure_valid_o(cq_valid), .completion_configure_ready_i(cq_ready), .completion_configure_o(cq),
      .forget_valid_o(forget_valid), .forget_ready_i(forget_ready), .forget_o(forget)
  );

  // -- queues --

  logic read_valid, read_ready, beat_valid;
  host_read_t read;
  host_read_beat_t beat;
  logic [DataBits-1:0] beat_data;
  logic [127:0] entry_data;
  logic [31:0] message_data;
  logic entry_valid, entry_ready, entry_data_valid, entry_data_ready;
  logic message_valid, message_ready, message_data_valid, message_data_ready;
  logic written_valid, written_ready;
  host_write_t entry, message;
  host_written_t written;
  logic event_valid, event_ready, completion_valid, completion_ready, fatal;
  event_t told;
  completion_t completion;
  vector_coalescing_t vector_coalescing;
  index_t counted_queue, command_queue, other_queue, left_queue, completed_queue;
  logic [TagBits:0] unread_count, running_count;
  logic command_valid, command_ready, command_failed, check_read, check_half;
  logic other_valid, other_ready, other_failed, left_valid;
  slot_t command_tag, check_tag, other_tag;
  logic store_valid, store_ready, store_half, look_ready, look_live, data_quiet, host_idle;
  slot_t store_tag, look_tag;
  logic [255:0] store_data;
  logic fetched_valid, completed_valid, wrong_doorbell;
  slot_t fetched_tag, completed_tag;

  assign idle_o = standing.quiet && host_idle;

  host_control #(
      .DataBits(DataBits),
      .Queues(Queues),
      .Tags(Tags),
      .TickCycles(TickCycles),
      .DwordBits(DwordBits),
      .LargestSize(LargestSize),
      .BlockTables(BlockTables),
      .Placed(Placed)
  ) u_control (
      .clk_i,
      .rst_ni,
      .function_reset_i(function_reset),
      .msix_enable_i,
      .msix_mask_i,
      .msix_valid_i(msix_valid), .msix_ready_o(msix_ready), .msix_write_i(msix_write), .msix_pending_i(msix_pending),
      .msix_dword_i(msix_dword), .msix_data_i(msix_data),
      .msix_answer_valid_o(msix_answer_valid), .msix_answer_o(msix_answer),
      .tail_valid_i(tail_valid), .tail_ready_o(tail_ready), .tail_i(tail),
      .head_valid_i(head_valid), .head_ready_o(head_ready), .head_i(head),
      .enabling_i(enabling),
      .standing_o(standing),
      .read_valid_o(read_valid), .read_ready_i(read_ready), .read_o(read),
      .beat_valid_i(beat_valid), .beat_i(beat), .beat_data_i(beat_data),
      .entry_valid_o(entry_valid), .entry_ready_i(entry_ready), .entry_o(entry),
      .entry_data_valid_o(entry_data_valid), .entry_data_ready_i(entry_data_ready), .entry_data_o(entry_data),
      .message_valid_o(message_valid), .message_ready_i(message_ready), .message_o(message),
      .message_data_valid_o(message_data_valid), .message_data_ready_i(message_data_ready),
      .message_data_o(message_data),
      .written_valid_i(written_valid), .written_ready_o(written_ready), .written_i(written),
      .submission_configure_valid_i(sq_valid), .submission_configure_ready_o(sq_ready), .submission_configure_i(sq),
      .completion_configure_valid_i(cq_valid), .completion_configure_ready_o(cq_ready), .completion_configure_i(cq),
      .forget_valid_i(forget_valid), .forget_ready_o(forget_ready), .forget_i(forget),
      .vector_coalescing_i(vector_coalescing),
      .fatal_i(fatal),
      .event_valid_o(event_valid), .event_ready_i(event_ready), .event_o(told),
      .unread_queue_i(counted_queue),
      .unread_count_o(unread_count),
      .command_valid_o(command_valid), .command_ready_i(command_ready), .command_tag_o(command_tag),
      .command_queue_o(command_queue), .command_failed_o(command_failed),
      .check_read_i(check_read),
      .check_tag_i(check_tag),
      .check_half_i(check_half),
      .other_valid_i(other_valid), .other_ready_o(other_ready), .other_tag_i(other_tag), .other_queue_i(other_queue),
      .other_failed_i(other_failed),
      .left_valid_i(left_valid), .left_queue_i(left_queue),
      .completion_valid_i(completion_valid), .completion_ready_o(completion_ready), .completion_i(completion),
      .store_valid_i(store_valid), .store_ready_o(store_ready), .store_tag_i(store_tag), .store_half_i(store_half),
      .store_data_o(store_data),
      .look_tag_i(look_tag),
      .look_ready_o(look_ready),
      .look_live_o(look_live),
      .data_quiet_i(data_quiet),
      .fetched_valid_o(fetched_valid), .fetched_tag_o(fetched_tag),
      .completed_valid_o(completed_valid), .completed_tag_o(completed_tag), .completed_queue_o(completed_queue),
      .wrong_doorbell_o(wrong_doorbell)
  );

  // -- commands --

  automation_t automation;
  logic posted_valid, posted_ready, task_valid, task_ready, ended_valid, ended_ready;
  io_watch_t io_watch;
  completion_t posted;
  dma_descriptor_t made;
  dma_done_t ended;

  host_commands #(
      .Queues(Queues),
      .Tags(Tags),
      .Automated(Automated)
  ) u_commands (
      .clk_i,
      .rst_ni,
      .automation_i(automation),
      .command_valid_i(command_valid), .command_ready_o(command_ready), .command_tag_i(command_tag),
      .command_queue_i(command_queue), .command_failed_i(command_failed),
      .read_o(check_read),
      .read_tag_o(check_tag),
      .read_half_o(check_half),
      .read_data_i(store_data),
      .other_valid_o(other_valid), .other_ready_i(other_ready), .other_tag_o(other_tag), .other_queue_o(other_queue),
      .other_failed_o(other_failed),
      .left_valid_o(left_valid), .left_queue_o(left_queue),
      .end_valid_i(completed_valid), .end_tag_i(completed_tag), .end_queue_i(completed_queue),
      .completion_valid_o(completion_valid), .completion_ready_i(completion_ready), .completion_o(completion),
      .posted_valid_i(posted_valid), .posted_ready_o(posted_ready), .posted_i(posted),
      .running_queue_i(counted_queue),
      .running_count_o(running_count),
      .task_valid_o(task_valid), .task_ready_i(task_ready), .task_o(made),
      .ended_valid_i(ended_valid), .ended_ready_o(ended_ready), .ended_i(ended),
      .io_watch_o(io_watch)
  );

  // -- data --

  logic request_valid, request_ready, done_valid, done_ready;
  dma_request_t request;
  dma_done_t done;
  logic entry_read_valid, entry_read_ready, entry_read_half;
  slot_t entry_read_tag;
  data_watch_t watch;

  host_data_path #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Tags(Tags),
      .Lists(Lists),
      .TickBits(TickBits),
      .RingBytes(RingBytes),
      .BlockTables(BlockTables),
      .Automated(Automated)
  ) u_data (
      .*,
      .gone_i(gone),
      .request_valid_i(request_valid), .request_ready_o(request_ready), .request_i(request),
      .processor_done_valid_o(done_valid), .processor_done_ready_i(done_ready), .processor_done_o(done),
      .entry_read_valid_i(entry_read_valid), .entry_read_ready_o(entry_read_ready), .entry_read_tag_i(entry_read_tag),
      .entry_read_half_i(entry_read_half),
      .task_valid_i(task_valid), .task_ready_o(task_ready), .task_i(made),
      .ended_valid_o(ended_valid), .ended_ready_i(ended_ready), .ended_o(ended),
      .store_valid_o(store_valid), .store_ready_i(store_ready), .store_tag_o(store_tag), .store_half_o(store_half),
      .store_data_i(store_data),
      .look_tag_o(look_tag),
      .look_ready_i(look_ready),
      .look_live_i(look_live),
      .read_valid_i(read_valid), .read_ready_o(read_ready), .read_i(read),
      .beat_valid_o(beat_valid), .beat_o(beat), .beat_data_o(beat_data),
      .entry_valid_i(entry_valid), .entry_ready_o(entry_ready), .entry_i(entry),
      .entry_data_valid_i(entry_data_valid), .entry_data_ready_o(entry_data_ready), .entry_data_i(entry_data),
      .message_valid_i(message_valid), .message_ready_o(message_ready), .message_i(message),
      .message_data_valid_i(message_data_valid), .message_data_ready_o(message_data_ready),
      .message_data_i(message_data),
      .written_valid_o(written_valid), .written_ready_i(written_ready), .written_o(written),
      .quiet_o(data_quiet),
      .host_idle_o(host_idle),
      .watch_o(watch)
  );

  // -- the processor --

  host_processor #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Automated(Automated),
      .Queues(Queues),
      .LargestSize(LargestSize),
      .Tags(Tags),
      .Monitored(Monitored),
      .Placed(Placed)
  ) u_processor (
      .clk_i,
      .rst_ni,
      .aw_valid_i(processor_aw_valid_i), .aw_ready_o(processor_aw_ready_o), .aw_addr_i(processor_aw_addr_i),
      .w_valid_i(processor_w_valid_i), .w_ready_o(processor_w_ready_o), .w_i(processor_w_i),
      .b_valid_o(processor_b_valid_o), .b_ready_i(processor_b_ready_i), .b_resp_o(processor_b_resp_o),
      .ar_valid_i(processor_ar_valid_i), .ar_ready_o(processor_ar_ready_o), .ar_addr_i(processor_ar_addr_i),
      .r_valid_o(processor_r_valid_o), .r_ready_i(processor_r_ready_i), .r_o(processor_r_o),
      .irq_o,
      .event_valid_i(event_valid), .event_ready_o(event_ready), .event_i(told),
      .completion_valid_o(posted_valid), .completion_ready_i(posted_ready), .completion_o(posted),
      .submission_queue_valid_o(asked_sq_valid), .submission_queue_ready_i(asked_sq_ready),
      .submission_queue_o(asked_sq),
      .completion_queue_valid_o(asked_cq_valid), .completion_queue_ready_i(asked_cq_ready),
      .completion_queue_o(asked_cq),
      .settings_o(settings),
      .vector_coalescing_o(vector_coalescing),
      .fatal_o(fatal),
      .unread_queue_o(counted_queue),
      .unread_count_i(unread_count),
      .running_count_i(running_count),
      .store_valid_o(entry_read_valid), .store_ready_i(entry_read_ready), .store_tag_o(entry_read_tag),
      .store_half_o(entry_read_half), .store_data_i(store_data),
      .fetched_valid_i(fetched_valid), .fetched_tag_i(fetched_tag),
      .request_valid_o(request_valid), .request_ready_i(request_ready), .request_o(request),
      .done_valid_i(done_valid), .done_ready_o(done_ready), .done_i(done),
      .automation_o(automation),
      .completed_valid_i(completed_valid), .completed_tag_i(completed_tag),
      .io_watch_i(io_watch),
      .watch_i(watch),
      .to_host_strobe_i(host_w_o.strobe),
      .wrong_doorbell_i(wrong_doorbell)
  );

  `FM_ASSERT(IdleAsksNothing, !idle_o || !(host_ar_valid_o || host_aw_valid_o || host_w_valid_o))

endmodule
