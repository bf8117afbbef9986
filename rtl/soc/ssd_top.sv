// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// The whole controller: between a PCIe bridge, the data buffer memory, the processor and the chips.
//
// Contract: BAR 0, host memory, `host_reset_i`, `function_reset_i` and `idle_o` as in `nvme_host`; the data buffer memory is an AXI4 manager
// a channel; the processor's bus is AXI4-Lite, with the blocks of registers at the places of `fm_map_pkg`. `irq_o` is the processor's
// interrupt, of all lines that are enabled in the controller's registers.
// With HostClock the host interface runs at `host_clk_i`, with FlashClock the channels at `flash_clk_i`, and neither has anything to do
// with `clk_i` or the other; without, both are `clk_i`. Each reset is that of its clock (`fm_reset_sync`), all of the same one.
// With `WordAccess` the processor reaches words of the data buffer memory too, as in `word_access`.
// Latency: that of its parts.
// Reason: composition alone.
module ssd_top
  import fm_ssd_pkg::*, fm_map_pkg::*;
#(
    parameter int unsigned DataBits      = 256,
    parameter int unsigned Memories      = 1,
    parameter int unsigned Channels      = 2,
    parameter int unsigned Ways          = 2,
    parameter bit          Ecc           = 1'b1,
    parameter int unsigned ChunkBytes    = 256,
    parameter int unsigned T             = 13,
    parameter int unsigned MetadataBytes = 24,
    // As in flash_core.
    parameter int unsigned PollCycles    = 0,
    parameter bit          PollEnhanced  = 1'b0,
    parameter bit          WordAccess    = 1'b0,
    parameter bit          HostClock     = 1'b0,
    parameter bit          FlashClock    = 1'b0,
    // As in nvme_host.
    parameter bit          Automated     = 1'b0,
    parameter bit          Placed        = 1'b0,
    parameter int unsigned Queues        = 17,
    parameter logic [15:0] LargestSize   = 16'd1023,
    parameter int unsigned Tags          = 256,
    parameter int unsigned Lists         = 1,
    parameter int unsigned TickBits      = 23,
    parameter int unsigned TickCycles    = 1562,
    parameter int unsigned BarBits       = 14,
    parameter int unsigned IdBits        = 4,
    localparam int unsigned Managers = Channels + (WordAccess ? 2 : 1),
    localparam int unsigned MemoryIdBits = $clog2(Managers + 1) + fm_axi_pkg::IdBits,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type memory_burst_t = `FM_AXI_BURST(MemoryIdBits),
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    input  logic                                  host_clk_i,
    input  logic                                  host_rst_ni,
    input  logic                                  flash_clk_i,
    input  logic                                  flash_rst_ni,
    input  logic                                  host_reset_i,
    input  logic                                  function_reset_i,
    input  logic                                  msix_enable_i,
    input  logic                                  msix_mask_i,
    output logic                                  idle_o,
    // BAR 0.
    input  logic                                  bar_aw_valid_i,
    output logic                                  bar_aw_ready_o,
    input  bar_aw_t                               bar_aw_i,
    input  logic                                  bar_w_valid_i,
    output logic                                  bar_w_ready_o,
    input  bar_w_t                                bar_w_i,
    output logic                                  bar_b_valid_o,
    input  logic                                  bar_b_ready_i,
    output logic [IdBits-1:0]                     bar_b_id_o,
    input  logic                                  bar_ar_valid_i,
    output logic                                  bar_ar_ready_o,
    input  bar_ar_t                               bar_ar_i,
    output logic                                  bar_r_valid_o,
    input  logic                                  bar_r_ready_i,
    output bar_r_t                                bar_r_o,
    // Host memory.
    output logic                                  host_ar_valid_o,
    input  logic                                  host_ar_ready_i,
    output fm_axi_pkg::burst_t                    host_ar_o,
    input  logic                                  host_r_valid_i,
    output logic                                  host_r_ready_o,
    input  fm_axi_pkg::id_t                       host_r_id_i,
    input  r_beat_t                               host_r_i,
    output logic                                  host_aw_valid_o,
    input  logic                                  host_aw_ready_i,
    output fm_axi_pkg::burst_t                    host_aw_o,
    output logic                                  host_w_valid_o,
    input  logic                                  host_w_ready_i,
    output w_beat_t                               host_w_o,
    input  logic                                  host_b_valid_i,
    output logic                                  host_b_ready_o,
    input  fm_axi_pkg::response_e                 host_b_response_i,
    // The data buffer memory. Above the id of a burst stands the number of its manager.
    output logic [Memories-1:0]                   memory_ar_valid_o,
    input  logic [Memories-1:0]                   memory_ar_ready_i,
    output memory_burst_t [Memories-1:0]          memory_ar_o,
    input  logic [Memories-1:0]                   memory_r_valid_i,
    output logic [Memories-1:0]                   memory_r_ready_o,
    input  logic [Memories-1:0][MemoryIdBits-1:0] memory_r_id_i,
    input  r_beat_t [Memories-1:0]                memory_r_i,
    output logic [Memories-1:0]                   memory_aw_valid_o,
    input  logic [Memories-1:0]                   memory_aw_ready_i,
    output memory_burst_t [Memories-1:0]          memory_aw_o,
    output logic [Memories-1:0]                   memory_w_valid_o,
    input  logic [Memories-1:0]                   memory_w_ready_i,
    output w_beat_t [Memories-1:0]                memory_w_o,
    input  logic [Memories-1:0]                   memory_b_valid_i,
    output logic [Memories-1:0]                   memory_b_ready_o,
    input  logic [Memories-1:0][MemoryIdBits-1:0] memory_b_id_i,
    input  fm_axi_pkg::response_e [Memories-1:0]  memory_b_response_i,
    // The processor.
    input  logic                                  processor_aw_valid_i,
    output logic                                  processor_aw_ready_o,
    input  logic [19:0]                           processor_aw_addr_i,
    input  logic                                  processor_w_valid_i,
    output logic                                  processor_w_ready_o,
    input  fm_axi_pkg::lite_write_t               processor_w_i,
    output logic                                  processor_b_valid_o,
    input  logic                                  processor_b_ready_i,
    output fm_axi_pkg::response_e                 processor_b_resp_o,
    input  logic                                  processor_ar_valid_i,
    output logic                                  processor_ar_ready_o,
    input  logic [19:0]                           processor_ar_addr_i,
    output logic                                  processor_r_valid_o,
    input  logic                                  processor_r_ready_i,
    output fm_axi_pkg::lite_read_t                processor_r_o,
    output logic                                  irq_o,
    input  word_order_t                           word_order_i,
    output word_answer_t                          word_answer_o,
    // The pins of the chips, a lane a channel.
    output logic [Channels-1:0][Ways-1:0]         ce_no,
    output logic [Channels-1:0]                   cle_o,
    output logic [Channels-1:0]                   ale_o,
    output logic [Channels-1:0]                   we_no,
    output logic [Channels-1:0]                   wp_no,
    output logic [Channels-1:0]                   re_no,
    output logic [Channels-1:0][7:0]              dq_o,
    output logic [Channels-1:0]                   dq_oe_o,
    output logic [Channels-1:0]                   dqs_o,
    output logic [Channels-1:0]                   dqs_oe_o,
    input  logic [Channels-1:0][7:0]              dq_i,
    input  logic [Channels-1:0]                   dqs_i,
    input  logic [Channels-1:0][Ways-1:0]         rb_ni
);

  // -- the processor's bus --

  // Blocks: the host interface, the controller, the channels.
  `FM_REQUIRE(gen_data_bits, DataBits inside {64, 128, 256}, "ssd_top: DataBits is none of 64, 128 and 256")

  localparam int unsigned Blocks = Channels + 2;
  typedef logic [Blocks-1:0] blocks_t;

  blocks_t aw_target, ar_target, block_aw_valid, block_aw_ready, block_w_valid, block_b_valid, block_b_ready;
  blocks_t block_ar_valid, block_ar_ready, block_r_valid, block_r_ready;
  fm_axi_pkg::response_e [Blocks-1:0] block_b_resp;
  fm_axi_pkg::lite_read_t [Blocks-1:0] block_r;
  // Address and data are taken together.
  logic [1:0] unused_w_ready;

  // Of an address without the bits that are inside of every block.
  function automatic blocks_t target_of(logic [19:ControllerBits] address);
    target_of = '0;
    target_of[0] = address[19:HostBits] == HostBase[19:HostBits];
    target_of[1] = address[19:ControllerBits] == ControllerBase[19:ControllerBits];
    for (int unsigned c = 0; c < Channels; c++) begin
      target_of[2+c] = address[19:ChannelBits] == ChannelBase[19:ChannelBits] + (20 - ChannelBits)'(c);
    end
  endfunction

  assign aw_target = target_of(processor_aw_addr_i[19:ControllerBits]);
  assign ar_target = target_of(processor_ar_addr_i[19:ControllerBits]);

  lite_split #(
      .Blocks(Blocks)
  ) u_split (
      .clk_i,
      .rst_ni,
      .aw_target_i(aw_target),
      .aw_valid_i(processor_aw_valid_i), .aw_ready_o(processor_aw_ready_o),
      .w_valid_i(processor_w_valid_i), .w_ready_o(processor_w_ready_o),
      .b_valid_o(processor_b_valid_o), .b_ready_i(processor_b_ready_i), .b_resp_o(processor_b_resp_o),
      .ar_target_i(ar_target),
      .ar_valid_i(processor_ar_valid_i), .ar_ready_o(processor_ar_ready_o),
      .r_valid_o(processor_r_valid_o), .r_ready_i(processor_r_ready_i), .r_o(processor_r_o),
      .block_aw_valid_o(block_aw_valid), .block_aw_ready_i(block_aw_ready),
      .block_w_valid_o(block_w_valid),
      .block_b_valid_i(block_b_valid), .block_b_ready_o(block_b_ready), .block_b_resp_i(block_b_resp),
      .block_ar_valid_o(block_ar_valid), .block_ar_ready_i(block_ar_ready),
      .block_r_valid_i(block_r_valid), .block_r_ready_o(block_r_ready), .block_r_i(block_r)
  );

  // -- the controller's own registers --

  logic host_irq, order_valid, engine_busy, engine_differs, engine_failed;
  logic [Channels-1:0] channel_irq, fetch_failed, store_failed;
  entries_t entries;
  order_t order;

  controller_registers #(
      .Channels(Channels),
      .Ways(Ways),
      .Memories(Memories),
      .DataBits(DataBits)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .aw_valid_i(block_aw_valid[1]), .aw_ready_o(block_aw_ready[1]), .aw_addr_i(processor_aw_addr_i[ControllerBits-1:0]),
      .w_valid_i(block_w_valid[1]), .w_ready_o(unused_w_ready[1]), .w_i(processor_w_i),
      .b_valid_o(block_b_valid[1]), .b_ready_i(block_b_ready[1]), .b_resp_o(block_b_resp[1]),
      .ar_valid_i(block_ar_valid[1]), .ar_ready_o(block_ar_ready[1]), .ar_addr_i(processor_ar_addr_i[ControllerBits-1:0]),
      .r_valid_o(block_r_valid[1]), .r_ready_i(block_r_ready[1]), .r_o(block_r[1]),
      .irq_o,
      .channel_irq_i(channel_irq),
      .host_irq_i(host_irq),
      .entries_o(entries),
      .fetch_failed_i(fetch_failed),
      .store_failed_i(store_failed),
      .order_valid_o(order_valid), .order_o(order),
      .engine_busy_i(engine_busy),
      .engine_differs_i(engine_differs),
      .engine_failed_i(engine_failed)
  );

  // -- the memory --

  logic [Memories-1:0] host_ar_valid, host_ar_ready, host_r_valid, host_r_ready;
  logic [Memories-1:0] host_aw_valid, host_aw_ready, host_w_valid, host_w_ready, host_b_valid, host_b_ready;
  fm_axi_pkg::burst_t [Memories-1:0] host_ar, host_aw;
  fm_axi_pkg::id_t [Memories-1:0] host_r_id;
  w_beat_t [Memories-1:0] host_w;

  // Of the channels.
  logic [Channels-1:0] ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  fm_axi_pkg::burst_t [Channels-1:0] ar, aw;
  r_beat_t [Channels-1:0] r;
  w_beat_t [Channels-1:0] w;
  fm_axi_pkg::response_e [Channels-1:0] b_response;

  memory_side #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Channels(Channels),
      .WordAccess(WordAccess)
  ) u_memory (
      .*,
      .host_ar_valid_i(host_ar_valid), .host_ar_ready_o(host_ar_ready), .host_ar_i(host_ar),
      .host_r_valid_o(host_r_valid), .host_r_ready_i(host_r_ready),
      .host_aw_valid_i(host_aw_valid), .host_aw_ready_o(host_aw_ready), .host_aw_i(host_aw),
      .host_w_valid_i(host_w_valid), .host_w_ready_o(host_w_ready), .host_w_i(host_w),
      .host_b_valid_o(host_b_valid), .host_b_ready_i(host_b_ready),
      .flash_ar_valid_i(ar_valid), .flash_ar_ready_o(ar_ready), .flash_ar_i(ar),
      .flash_r_valid_o(r_valid), .flash_r_ready_i(r_ready), .flash_r_o(r),
      .flash_aw_valid_i(aw_valid), .flash_aw_ready_o(aw_ready), .flash_aw_i(aw),
      .flash_w_valid_i(w_valid), .flash_w_ready_o(w_ready), .flash_w_i(w),
      .flash_b_valid_o(b_valid), .flash_b_ready_i(b_ready), .flash_b_response_o(b_response),
      .order_valid_i(order_valid),
      .order_i(order),
      .engine_busy_o(engine_busy),
      .engine_differs_o(engine_differs),
      .engine_failed_o(engine_failed)
  );

  // -- the host --

  for (genvar m = 0; m < Memories; m++) begin : gen_host_id
    assign host_r_id[m] = memory_r_id_i[m][fm_axi_pkg::IdBits-1:0];
  end

  host_domain #(
      .HostClock(HostClock),
      .DataBits(DataBits),
      .Memories(Memories),
      .Automated(Automated),
      .Placed(Placed),
      .Queues(Queues),
      .LargestSize(LargestSize),
      .Tags(Tags),
      .Lists(Lists),
      .TickBits(TickBits),
      .TickCycles(TickCycles),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_host (
      .*,
      .memory_ar_valid_o(host_ar_valid), .memory_ar_ready_i(host_ar_ready), .memory_ar_o(host_ar),
      .memory_r_valid_i(host_r_valid), .memory_r_ready_o(host_r_ready), .memory_r_id_i(host_r_id),
      .memory_aw_valid_o(host_aw_valid), .memory_aw_ready_i(host_aw_ready), .memory_aw_o(host_aw),
      .memory_w_valid_o(host_w_valid), .memory_w_ready_i(host_w_ready), .memory_w_o(host_w),
      .memory_b_valid_i(host_b_valid), .memory_b_ready_o(host_b_ready),
      .processor_aw_valid_i(block_aw_valid[0]), .processor_aw_ready_o(block_aw_ready[0]),
      .processor_aw_addr_i(processor_aw_addr_i[HostBits-1:0]),
      .processor_w_valid_i(block_w_valid[0]), .processor_w_ready_o(unused_w_ready[0]), .processor_w_i,
      .processor_b_valid_o(block_b_valid[0]), .processor_b_ready_i(block_b_ready[0]),
      .processor_b_resp_o(block_b_resp[0]),
      .processor_ar_valid_i(block_ar_valid[0]), .processor_ar_ready_o(block_ar_ready[0]),
      .processor_ar_addr_i(processor_ar_addr_i[HostBits-1:0]),
      .processor_r_valid_o(block_r_valid[0]), .processor_r_ready_i(block_r_ready[0]), .processor_r_o(block_r[0]),
      .irq_o(host_irq)
  );

  // -- the flash --

  flash_domain #(
      .FlashClock(FlashClock),
      .DataBits(DataBits),
      .Channels(Channels),
      .Ways(Ways),
      .Ecc(Ecc),
      .ChunkBytes(ChunkBytes),
      .T(T),
      .MetadataBytes(MetadataBytes),
      .PollCycles(PollCycles),
      .PollEnhanced(PollEnhanced)
  ) u_flash (
      .*,
      .aw_valid_i(block_aw_valid[Blocks-1:2]), .aw_ready_o(block_aw_ready[Blocks-1:2]),
      .aw_addr_i(processor_aw_addr_i[ChannelBits-1:0]),
      .w_valid_i(block_w_valid[Blocks-1:2]), .w_i(processor_w_i),
      .b_valid_o(block_b_valid[Blocks-1:2]), .b_ready_i(block_b_ready[Blocks-1:2]), .b_resp_o(block_b_resp[Blocks-1:2]),
      .ar_valid_i(block_ar_valid[Blocks-1:2]), .ar_ready_o(block_ar_ready[Blocks-1:2]),
      .ar_addr_i(processor_ar_addr_i[ChannelBits-1:0]),
      .r_valid_o(block_r_valid[Blocks-1:2]), .r_ready_i(block_r_ready[Blocks-1:2]), .r_o(block_r[Blocks-1:2]),
      .irq_o(channel_irq),
      .entries_i(entries),
      .fetch_failed_o(fetch_failed),
      .store_failed_o(store_failed),
      .ar_memory_valid_o(ar_valid), .ar_memory_ready_i(ar_ready), .ar_memory_o(ar),
      .r_memory_valid_i(r_valid), .r_memory_ready_o(r_ready), .r_memory_i(r),
      .aw_memory_valid_o(aw_valid), .aw_memory_ready_i(aw_ready), .aw_memory_o(aw),
      .w_memory_valid_o(w_valid), .w_memory_ready_i(w_ready), .w_memory_o(w),
      .b_memory_valid_i(b_valid), .b_memory_ready_o(b_ready), .b_memory_response_i(b_response)
  );

endmodule
