// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// All flash channels with a clock of their own, or with that of the controller.
//
// Contract: `clk_i` is the controller's clock, that of the registers' bus and the memory; `flash_clk_i` that of channels and
// chips. Without FlashClock both are the same, and so are the resets. `entries_i` stands still while a channel has work. The rest is
// as in `flash_side`.
// Latency: that of `flash_side`, and with FlashClock that of fm_fifo_async on each way.
// Reason: the chips' interface wants a clock that its rate is made of (Cosmos+: 100 MHz for 200 MT/s), whatever the rest can do.
module flash_domain
  import fm_ssd_pkg::*, fm_map_pkg::*;
#(
    parameter bit          FlashClock    = 1'b0,
    parameter int unsigned DataBits      = 256,
    parameter int unsigned Channels      = 2,
    parameter int unsigned Ways          = 2,
    parameter bit          Ecc           = 1'b1,
    parameter int unsigned ChunkBytes    = 256,
    parameter int unsigned T             = 13,
    parameter int unsigned MetadataBytes = 24,
    // As in flash_core.
    parameter int unsigned PollCycles    = 0,
    parameter bit          PollEnhanced  = 1'b0,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type request_t = `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits),
    localparam type response_t = `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits),
    localparam type lite_request_t = `FM_LITE_REQUEST(RegistersBits)
) (
    input  logic                                      clk_i,
    input  logic                                      rst_ni,
    input  logic                                      flash_clk_i,
    input  logic                                      flash_rst_ni,
    // Registers and memory, a lane a channel.
    input  lite_request_t [Channels-1:0]              registers_i,
    output fm_axi_pkg::lite_response_t [Channels-1:0] registers_o,
    output logic [Channels-1:0]                       irq_o,
    input  entries_t                                  entries_i,
    output logic [Channels-1:0]                       fetch_failed_o,
    output logic [Channels-1:0]                       store_failed_o,
    output request_t [Channels-1:0]                   memory_o,
    input  response_t [Channels-1:0]                  memory_i,
    // The pins of the chips, a lane a channel.
    output logic [Channels-1:0][Ways-1:0]             ce_no,
    output logic [Channels-1:0]                       cle_o,
    output logic [Channels-1:0]                       ale_o,
    output logic [Channels-1:0]                       we_no,
    output logic [Channels-1:0]                       wp_no,
    output logic [Channels-1:0]                       re_no,
    output logic [Channels-1:0][7:0]                  dq_o,
    output logic [Channels-1:0]                       dq_oe_o,
    output logic [Channels-1:0]                       dqs_o,
    output logic [Channels-1:0]                       dqs_oe_o,
    input  logic [Channels-1:0][7:0]                  dq_i,
    input  logic [Channels-1:0]                       dqs_i,
    input  logic [Channels-1:0][Ways-1:0]             rb_ni
);

  // At the flash's clock.
  logic [Channels-1:0] aw_valid, aw_ready, w_valid, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready;
  logic [Channels-1:0][ChannelBits-1:0] aw_addr, ar_addr;
  fm_axi_pkg::lite_write_t [Channels-1:0] w;
  fm_axi_pkg::response_e [Channels-1:0] b_resp;
  fm_axi_pkg::lite_read_t [Channels-1:0] r;
  logic [Channels-1:0] irq, fetch_failed, store_failed;
  logic [Channels-1:0] ar_memory_valid, ar_memory_ready, r_memory_valid, r_memory_ready;
  logic [Channels-1:0] aw_memory_valid, aw_memory_ready, w_memory_valid, w_memory_ready, b_memory_valid, b_memory_ready;
  fm_axi_pkg::burst_t [Channels-1:0] ar_memory, aw_memory;
  r_beat_t [Channels-1:0] r_memory;
  w_beat_t [Channels-1:0] w_memory;
  fm_axi_pkg::response_e [Channels-1:0] b_memory_response;
  entries_t entries;

  fm_level_crossing #(
      .Width($bits(entries_t)),
      .Cross(FlashClock)
  ) u_entries (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .bits_i(entries_i),
      .out_clk_i(flash_clk_i), .out_rst_ni(flash_rst_ni), .bits_o(entries)
  );

  fm_level_crossing #(
      .Width(Channels),
      .Cross(FlashClock)
  ) u_irq (
      .in_clk_i(flash_clk_i), .in_rst_ni(flash_rst_ni), .bits_i(irq),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .bits_o(irq_o)
  );

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    // A channel has one access of a direction under way, and needs no ids; addresses of registers are those inside of it.
    logic unused;
    assign unused = ^{memory_i[c].r_id, memory_i[c].b_id, registers_i[c].aw_addr[RegistersBits-1:ChannelBits],
        registers_i[c].ar_addr[RegistersBits-1:ChannelBits]};

    fm_lite_crossing #(
        .AddressBits(ChannelBits),
        .Cross(FlashClock)
    ) u_registers (
        .clk_i,
        .rst_ni,
        .aw_valid_i(registers_i[c].aw_valid), .aw_ready_o(registers_o[c].aw_ready),
        .aw_addr_i(registers_i[c].aw_addr[ChannelBits-1:0]),
        .w_valid_i(registers_i[c].w_valid), .w_ready_o(registers_o[c].w_ready), .w_i(registers_i[c].w),
        .b_valid_o(registers_o[c].b_valid), .b_ready_i(registers_i[c].b_ready), .b_resp_o(registers_o[c].b_resp),
        .ar_valid_i(registers_i[c].ar_valid), .ar_ready_o(registers_o[c].ar_ready),
        .ar_addr_i(registers_i[c].ar_addr[ChannelBits-1:0]),
        .r_valid_o(registers_o[c].r_valid), .r_ready_i(registers_i[c].r_ready), .r_o(registers_o[c].r),
        .block_clk_i(flash_clk_i), .block_rst_ni(flash_rst_ni),
        .block_aw_valid_o(aw_valid[c]), .block_aw_ready_i(aw_ready[c]), .block_aw_addr_o(aw_addr[c]),
        .block_w_valid_o(w_valid[c]), .block_w_o(w[c]),
        .block_b_valid_i(b_valid[c]), .block_b_ready_o(b_ready[c]), .block_b_resp_i(b_resp[c]),
        .block_ar_valid_o(ar_valid[c]), .block_ar_ready_i(ar_ready[c]), .block_ar_addr_o(ar_addr[c]),
        .block_r_valid_i(r_valid[c]), .block_r_ready_o(r_ready[c]), .block_r_i(r[c])
    );

    fm_pulse_crossing #(
        .Cross(FlashClock)
    ) u_fetch_failed (
        .in_clk_i(flash_clk_i), .in_rst_ni(flash_rst_ni), .pulse_i(fetch_failed[c]),
        .out_clk_i(clk_i), .out_rst_ni(rst_ni), .pulse_o(fetch_failed_o[c])
    );

    fm_pulse_crossing #(
        .Cross(FlashClock)
    ) u_store_failed (
        .in_clk_i(flash_clk_i), .in_rst_ni(flash_rst_ni), .pulse_i(store_failed[c]),
        .out_clk_i(clk_i), .out_rst_ni(rst_ni), .pulse_o(store_failed_o[c])
    );

    fm_axi_crossing #(
        .ReadBits($bits(r_beat_t)),
        .WriteBits($bits(w_beat_t)),
        .Cross(FlashClock)
    ) u_memory (
        .clk_i(flash_clk_i), .rst_ni(flash_rst_ni),
        .ar_valid_i(ar_memory_valid[c]), .ar_ready_o(ar_memory_ready[c]), .ar_i(ar_memory[c]),
        .r_valid_o(r_memory_valid[c]), .r_ready_i(r_memory_ready[c]), .r_o(r_memory[c]),
        .aw_valid_i(aw_memory_valid[c]), .aw_ready_o(aw_memory_ready[c]), .aw_i(aw_memory[c]),
        .w_valid_i(w_memory_valid[c]), .w_ready_o(w_memory_ready[c]), .w_i(w_memory[c]),
        .b_valid_o(b_memory_valid[c]), .b_ready_i(b_memory_ready[c]), .b_response_o(b_memory_response[c]),
        .memory_clk_i(clk_i), .memory_rst_ni(rst_ni),
        .memory_ar_valid_o(memory_o[c].ar_valid), .memory_ar_ready_i(memory_i[c].ar_ready), .memory_ar_o(memory_o[c].ar),
        .memory_r_valid_i(memory_i[c].r_valid), .memory_r_ready_o(memory_o[c].r_ready), .memory_r_i(memory_i[c].r),
        .memory_aw_valid_o(memory_o[c].aw_valid), .memory_aw_ready_i(memory_i[c].aw_ready), .memory_aw_o(memory_o[c].aw),
        .memory_w_valid_o(memory_o[c].w_valid), .memory_w_ready_i(memory_i[c].w_ready), .memory_w_o(memory_o[c].w),
        .memory_b_valid_i(memory_i[c].b_valid), .memory_b_ready_o(memory_o[c].b_ready),
        .memory_b_response_i(memory_i[c].b_response)
    );
  end

  flash_side #(
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
      .clk_i(flash_clk_i),
      .rst_ni(flash_rst_ni),
      .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_addr_i(aw_addr), .w_valid_i(w_valid), .w_i(w),
      .b_valid_o(b_valid), .b_ready_i(b_ready), .b_resp_o(b_resp),
      .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_addr_i(ar_addr),
      .r_valid_o(r_valid), .r_ready_i(r_ready), .r_o(r),
      .irq_o(irq),
      .entries_i(entries),
      .fetch_failed_o(fetch_failed),
      .store_failed_o(store_failed),
      .ar_memory_valid_o(ar_memory_valid), .ar_memory_ready_i(ar_memory_ready), .ar_memory_o(ar_memory),
      .r_memory_valid_i(r_memory_valid), .r_memory_ready_o(r_memory_ready), .r_memory_i(r_memory),
      .aw_memory_valid_o(aw_memory_valid), .aw_memory_ready_i(aw_memory_ready), .aw_memory_o(aw_memory),
      .w_memory_valid_o(w_memory_valid), .w_memory_ready_i(w_memory_ready), .w_memory_o(w_memory),
      .b_memory_valid_i(b_memory_valid), .b_memory_ready_o(b_memory_ready), .b_memory_response_i(b_memory_response)
  );

endmodule
