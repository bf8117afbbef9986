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
    localparam type bar_request_t = `FM_AXI_BAR_REQUEST(DataBits, BarBits, IdBits),
    localparam type bar_response_t = `FM_AXI_BAR_RESPONSE(DataBits, IdBits),
    localparam type request_t = `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits),
    localparam type response_t = `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits),
    localparam type memory_request_t = `FM_AXI_REQUEST(DataBits, MemoryIdBits),
    localparam type memory_response_t = `FM_AXI_RESPONSE(DataBits, MemoryIdBits),
    localparam type lite_request_t = `FM_LITE_REQUEST(RegistersBits)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            host_clk_i,
    input  logic                            host_rst_ni,
    input  logic                            flash_clk_i,
    input  logic                            flash_rst_ni,
    input  logic                            host_reset_i,
    input  logic                            function_reset_i,
    input  logic                            msix_enable_i,
    input  logic                            msix_mask_i,
    output logic                            idle_o,
    // BAR 0.
    input  bar_request_t                    bar_i,
    output bar_response_t                   bar_o,
    // Host memory.
    output request_t                        host_o,
    input  response_t                       host_i,
    // The data buffer memory. Above the id of a burst stands the number of its manager.
    output memory_request_t [Memories-1:0]  memory_o,
    input  memory_response_t [Memories-1:0] memory_i,
    // The processor.
    input  lite_request_t                   processor_i,
    output fm_axi_pkg::lite_response_t      processor_o,
    output logic                            irq_o,
    input  word_order_t                     word_order_i,
    output word_answer_t                    word_answer_o,
    // The pins of the chips, a lane a channel.
    output logic [Channels-1:0][Ways-1:0]   ce_no,
    output logic [Channels-1:0]             cle_o,
    output logic [Channels-1:0]             ale_o,
    output logic [Channels-1:0]             we_no,
    output logic [Channels-1:0]             wp_no,
    output logic [Channels-1:0]             re_no,
    output logic [Channels-1:0][7:0]        dq_o,
    output logic [Channels-1:0]             dq_oe_o,
    output logic [Channels-1:0]             dqs_o,
    output logic [Channels-1:0]             dqs_oe_o,
    input  logic [Channels-1:0][7:0]        dq_i,
    input  logic [Channels-1:0]             dqs_i,
    input  logic [Channels-1:0][Ways-1:0]   rb_ni
);

  // -- the processor's bus --

  // Blocks: the host interface, the controller, the channels.
  `FM_REQUIRE(gen_data_bits, DataBits inside {64, 128, 256}, "ssd_top: DataBits is none of 64, 128 and 256")

  localparam int unsigned Blocks = Channels + 2;
  typedef logic [Blocks-1:0] blocks_t;

  blocks_t aw_target, ar_target;
  lite_request_t [Blocks-1:0] block_request;
  fm_axi_pkg::lite_response_t [Blocks-1:0] block_response;

  // Of an address without the bits that are inside of every block.
  function automatic blocks_t target_of(logic [RegistersBits-1:ControllerBits] address);
    target_of = '0;
    target_of[0] = address[RegistersBits-1:HostBits] == HostBase[RegistersBits-1:HostBits];
    target_of[1] = address[RegistersBits-1:ControllerBits] == ControllerBase[RegistersBits-1:ControllerBits];
    for (int unsigned c = 0; c < Channels; c++) begin
      target_of[2+c] = address[RegistersBits-1:ChannelBits] == ChannelBase[RegistersBits-1:ChannelBits] + (RegistersBits - ChannelBits)'(c);
    end
  endfunction

  assign aw_target = target_of(processor_i.aw_addr[RegistersBits-1:ControllerBits]);
  assign ar_target = target_of(processor_i.ar_addr[RegistersBits-1:ControllerBits]);

  lite_split #(
      .Blocks(Blocks),
      .AddressBits(RegistersBits)
  ) u_split (
      .clk_i,
      .rst_ni,
      .aw_target_i(aw_target),
      .ar_target_i(ar_target),
      .bus_i(processor_i),
      .bus_o(processor_o),
      .block_o(block_request),
      .block_i(block_response)
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
      .aw_valid_i(block_request[1].aw_valid), .aw_ready_o(block_response[1].aw_ready),
      .aw_addr_i(block_request[1].aw_addr[ControllerBits-1:0]),
      .w_valid_i(block_request[1].w_valid), .w_ready_o(block_response[1].w_ready), .w_i(block_request[1].w),
      .b_valid_o(block_response[1].b_valid), .b_ready_i(block_request[1].b_ready), .b_resp_o(block_response[1].b_resp),
      .ar_valid_i(block_request[1].ar_valid), .ar_ready_o(block_response[1].ar_ready),
      .ar_addr_i(block_request[1].ar_addr[ControllerBits-1:0]),
      .r_valid_o(block_response[1].r_valid), .r_ready_i(block_request[1].r_ready), .r_o(block_response[1].r),
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

  request_t [Memories-1:0] host_request;
  response_t [Memories-1:0] host_response;
  request_t [Channels-1:0] flash_request;
  response_t [Channels-1:0] flash_response;

  memory_side #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Channels(Channels),
      .WordAccess(WordAccess)
  ) u_memory (
      .*,
      .host_i(host_request),
      .host_o(host_response),
      .flash_i(flash_request),
      .flash_o(flash_response),
      .order_valid_i(order_valid),
      .order_i(order),
      .engine_busy_o(engine_busy),
      .engine_differs_o(engine_differs),
      .engine_failed_o(engine_failed)
  );

  // -- the host --

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
      .memory_o(host_request),
      .memory_i(host_response),
      .processor_i(block_request[0]),
      .processor_o(block_response[0]),
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
      .registers_i(block_request[Blocks-1:2]),
      .registers_o(block_response[Blocks-1:2]),
      .irq_o(channel_irq),
      .entries_i(entries),
      .fetch_failed_o(fetch_failed),
      .store_failed_o(store_failed),
      .memory_o(flash_request),
      .memory_i(flash_response)
  );

endmodule
