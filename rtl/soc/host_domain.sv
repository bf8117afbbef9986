// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// The host interface with a clock of its own, or with that of the controller.
//
// Contract: `clk_i` is the controller's clock, that of the memory channels and of the processor; `host_clk_i` that of BAR 0, host
// memory, `host_reset_i`, `function_reset_i`, `msix_enable_i`, `msix_mask_i` and `idle_o`. Without HostClock both are the same, and so are the resets.
// The rest is as in `nvme_host`.
// Latency: that of `nvme_host`, and with HostClock that of fm_fifo_async on each way.
// Reason: a PCIe bridge gives a clock (OpenExpress: 250 MHz), and what firmware and memory work at is another.
module host_domain
  import fm_ssd_pkg::*, fm_map_pkg::*;
#(
    parameter bit          HostClock   = 1'b0,
    parameter int unsigned DataBits    = 256,
    parameter int unsigned Memories    = 1,
    // As in nvme_host.
    parameter bit          Automated   = 1'b0,
    parameter bit          Placed      = 1'b0,
    parameter int unsigned Queues      = 17,
    parameter logic [15:0] LargestSize = 16'd1023,
    parameter int unsigned Tags        = 256,
    parameter int unsigned Lists       = 1,
    parameter int unsigned TickBits    = 23,
    parameter int unsigned TickCycles  = 1562,
    parameter int unsigned BarBits     = 14,
    parameter int unsigned IdBits      = 4,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type bar_request_t = `FM_AXI_BAR_REQUEST(DataBits, BarBits, IdBits),
    localparam type bar_response_t = `FM_AXI_BAR_RESPONSE(DataBits, IdBits),
    localparam type request_t = `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits),
    localparam type response_t = `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits),
    localparam type lite_request_t = `FM_LITE_REQUEST(RegistersBits)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       host_clk_i,
    input  logic                       host_rst_ni,
    input  logic                       host_reset_i,
    input  logic                       function_reset_i,
    input  logic                       msix_enable_i,
    input  logic                       msix_mask_i,
    output logic                       idle_o,
    // BAR 0.
    input  bar_request_t               bar_i,
    output bar_response_t              bar_o,
    // Host memory.
    output request_t                   host_o,
    input  response_t                  host_i,
    // The memory channels.
    output request_t [Memories-1:0]    memory_o,
    input  response_t [Memories-1:0]   memory_i,
    // The processor.
    input  lite_request_t              processor_i,
    output fm_axi_pkg::lite_response_t processor_o,
    output logic                       irq_o
);

  // Answers to writes come in order, and addresses of the processor's bus are those of this block.
  logic unused;
  assign unused = ^{host_i.b_id, processor_i.aw_addr[RegistersBits-1:HostBits], processor_i.ar_addr[RegistersBits-1:HostBits]};

  logic [Memories-1:0] ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  fm_axi_pkg::burst_t ar, aw;
  fm_axi_pkg::id_t [Memories-1:0] r_id;
  r_beat_t [Memories-1:0] r;
  w_beat_t w;
  fm_axi_pkg::response_e [Memories-1:0] b_response;

  for (genvar m = 0; m < Memories; m++) begin : gen_memory
    fm_axi_crossing #(
        .ReadBits(fm_axi_pkg::IdBits + $bits(r_beat_t)),
        .WriteBits($bits(w_beat_t)),
        .Cross(HostClock)
    ) u_memory (
        .clk_i(host_clk_i), .rst_ni(host_rst_ni),
        .ar_valid_i(ar_valid[m]), .ar_ready_o(ar_ready[m]), .ar_i(ar),
        .r_valid_o(r_valid[m]), .r_ready_i(r_ready[m]), .r_o({r_id[m], r[m]}),
        .aw_valid_i(aw_valid[m]), .aw_ready_o(aw_ready[m]), .aw_i(aw),
        .w_valid_i(w_valid[m]), .w_ready_o(w_ready[m]), .w_i(w),
        .b_valid_o(b_valid[m]), .b_ready_i(b_ready[m]), .b_response_o(b_response[m]),
        .memory_clk_i(clk_i), .memory_rst_ni(rst_ni),
        .memory_ar_valid_o(memory_o[m].ar_valid), .memory_ar_ready_i(memory_i[m].ar_ready), .memory_ar_o(memory_o[m].ar),
        .memory_r_valid_i(memory_i[m].r_valid), .memory_r_ready_o(memory_o[m].r_ready),
        .memory_r_i({memory_i[m].r_id, memory_i[m].r}),
        .memory_aw_valid_o(memory_o[m].aw_valid), .memory_aw_ready_i(memory_i[m].aw_ready), .memory_aw_o(memory_o[m].aw),
        .memory_w_valid_o(memory_o[m].w_valid), .memory_w_ready_i(memory_i[m].w_ready), .memory_w_o(memory_o[m].w),
        .memory_b_valid_i(memory_i[m].b_valid), .memory_b_ready_o(memory_o[m].b_ready),
        .memory_b_response_i(memory_i[m].b_response)
    );
    logic unused_b_id;
    assign unused_b_id = ^memory_i[m].b_id;
  end

  logic reg_aw_valid, reg_aw_ready, reg_w_valid, reg_b_valid, reg_b_ready;
  // Address and data are taken together.
  logic unused_w_ready;
  logic reg_ar_valid, reg_ar_ready, reg_r_valid, reg_r_ready, irq;
  logic [HostBits-1:0] reg_aw_addr, reg_ar_addr;
  fm_axi_pkg::lite_write_t reg_w;
  fm_axi_pkg::lite_read_t reg_r;
  fm_axi_pkg::response_e reg_b_resp;

  fm_lite_crossing #(
      .AddressBits(HostBits),
      .Cross(HostClock)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .aw_valid_i(processor_i.aw_valid), .aw_ready_o(processor_o.aw_ready), .aw_addr_i(processor_i.aw_addr[HostBits-1:0]),
      .w_valid_i(processor_i.w_valid), .w_ready_o(processor_o.w_ready), .w_i(processor_i.w),
      .b_valid_o(processor_o.b_valid), .b_ready_i(processor_i.b_ready), .b_resp_o(processor_o.b_resp),
      .ar_valid_i(processor_i.ar_valid), .ar_ready_o(processor_o.ar_ready), .ar_addr_i(processor_i.ar_addr[HostBits-1:0]),
      .r_valid_o(processor_o.r_valid), .r_ready_i(processor_i.r_ready), .r_o(processor_o.r),
      .block_clk_i(host_clk_i), .block_rst_ni(host_rst_ni),
      .block_aw_valid_o(reg_aw_valid), .block_aw_ready_i(reg_aw_ready), .block_aw_addr_o(reg_aw_addr),
      .block_w_valid_o(reg_w_valid), .block_w_o(reg_w),
      .block_b_valid_i(reg_b_valid), .block_b_ready_o(reg_b_ready), .block_b_resp_i(reg_b_resp),
      .block_ar_valid_o(reg_ar_valid), .block_ar_ready_i(reg_ar_ready), .block_ar_addr_o(reg_ar_addr),
      .block_r_valid_i(reg_r_valid), .block_r_ready_o(reg_r_ready), .block_r_i(reg_r)
  );

  fm_level_crossing #(
      .Cross(HostClock)
  ) u_irq (
      .in_clk_i(host_clk_i), .in_rst_ni(host_rst_ni), .bits_i(irq),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .bits_o(irq_o)
  );

  nvme_host #(
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
      .clk_i(host_clk_i),
      .rst_ni(host_rst_ni),
      .bar_aw_valid_i(bar_i.aw_valid), .bar_aw_ready_o(bar_o.aw_ready), .bar_aw_i(bar_i.aw),
      .bar_w_valid_i(bar_i.w_valid), .bar_w_ready_o(bar_o.w_ready), .bar_w_i(bar_i.w),
      .bar_b_valid_o(bar_o.b_valid), .bar_b_ready_i(bar_i.b_ready), .bar_b_id_o(bar_o.b_id),
      .bar_ar_valid_i(bar_i.ar_valid), .bar_ar_ready_o(bar_o.ar_ready), .bar_ar_i(bar_i.ar),
      .bar_r_valid_o(bar_o.r_valid), .bar_r_ready_i(bar_i.r_ready), .bar_r_o(bar_o.r),
      .host_ar_valid_o(host_o.ar_valid), .host_ar_ready_i(host_i.ar_ready), .host_ar_o(host_o.ar),
      .host_r_valid_i(host_i.r_valid), .host_r_ready_o(host_o.r_ready), .host_r_id_i(host_i.r_id), .host_r_i(host_i.r),
      .host_aw_valid_o(host_o.aw_valid), .host_aw_ready_i(host_i.aw_ready), .host_aw_o(host_o.aw),
      .host_w_valid_o(host_o.w_valid), .host_w_ready_i(host_i.w_ready), .host_w_o(host_o.w),
      .host_b_valid_i(host_i.b_valid), .host_b_ready_o(host_o.b_ready), .host_b_response_i(host_i.b_response),
      .memory_ar_valid_o(ar_valid), .memory_ar_ready_i(ar_ready), .memory_ar_o(ar),
      .memory_r_valid_i(r_valid), .memory_r_ready_o(r_ready), .memory_r_id_i(r_id), .memory_r_i(r),
      .memory_aw_valid_o(aw_valid), .memory_aw_ready_i(aw_ready), .memory_aw_o(aw),
      .memory_w_valid_o(w_valid), .memory_w_ready_i(w_ready), .memory_w_o(w),
      .memory_b_valid_i(b_valid), .memory_b_ready_o(b_ready), .memory_b_response_i(b_response),
      .processor_aw_valid_i(reg_aw_valid), .processor_aw_ready_o(reg_aw_ready), .processor_aw_addr_i(reg_aw_addr),
      .processor_w_valid_i(reg_w_valid), .processor_w_ready_o(unused_w_ready), .processor_w_i(reg_w),
      .processor_b_valid_o(reg_b_valid), .processor_b_ready_i(reg_b_ready), .processor_b_resp_o(reg_b_resp),
      .processor_ar_valid_i(reg_ar_valid), .processor_ar_ready_o(reg_ar_ready), .processor_ar_addr_i(reg_ar_addr),
      .processor_r_valid_o(reg_r_valid), .processor_r_ready_i(reg_r_ready), .processor_r_o(reg_r),
      .irq_o(irq)
  );

endmodule
