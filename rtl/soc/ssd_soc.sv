// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// The whole controller with its processor in it.
//
// Contract: as `ssd_top`, but for the processor's bus. While `run_i` is down, `load_valid_i` puts words into program memory;
// then the processor runs the program (firmware/soc), whose places are those of `data_bridge`. What it writes to its
// trace window leaves by `trace_valid_o`, a word a cycle. `sleeps_o` is up while it waits for an interrupt, `waits_o` while it waits for registers or the
// data buffer memory.
// Latency: that of its parts.
// Reason: composition alone. Who holds the drive's image loads it, or program memory starts with it, from `ProgramFile`: that is the
// boot ROM.
module ssd_soc
  import fm_ssd_pkg::*;
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
    parameter int unsigned ProgramBytes  = 1 << 22,
    parameter              ProgramFile   = "",
    // Words of the processor's tables that are kept on the chip; none where all tables are in program memory.
    parameter int unsigned CacheWords    = 0,
    // As in ssd_top.
    parameter bit          HostClock     = 1'b0,
    parameter bit          FlashClock    = 1'b0,
    // As in nvme_host.
    parameter bit          Automated     = 1'b0,
    parameter int unsigned Queues        = 17,
    parameter logic [15:0] LargestSize   = 16'd1023,
    parameter int unsigned Tags          = 256,
    parameter int unsigned Lists         = 1,
    parameter int unsigned TickBits      = 23,
    parameter int unsigned TickCycles    = 1562,
    parameter int unsigned BarBits       = 14,
    parameter int unsigned IdBits        = 4,
    localparam int unsigned Managers = Channels + 2,
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
    // The processor: words of its program while it does not run, and what it tells.
    input  logic                                  load_valid_i,
    input  logic [31:0]                           load_address_i,
    input  logic [31:0]                           load_data_i,
    input  logic                                  run_i,
    output logic                                  sleeps_o,
    output logic                                  waits_o,
    output logic                                  trace_valid_o,
    output logic [3:0]                            trace_place_o,
    output logic [31:0]                           trace_data_o,
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

  logic processor_aw_valid, processor_aw_ready, processor_w_valid, processor_w_ready;
  logic processor_b_valid, processor_b_ready, processor_ar_valid, processor_ar_ready;
  logic processor_r_valid, processor_r_ready, irq;
  logic [19:0] processor_aw_addr, processor_ar_addr;
  fm_axi_pkg::lite_write_t processor_w;
  fm_axi_pkg::lite_read_t processor_r;
  fm_axi_pkg::response_e processor_b_resp;
  word_order_t wanted_word, word_order;
  word_answer_t wanted_answer, word_answer;

  ssd_top #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Channels(Channels),
      .Ways(Ways),
      .Ecc(Ecc),
      .ChunkBytes(ChunkBytes),
      .T(T),
      .MetadataBytes(MetadataBytes),
      .PollCycles(PollCycles),
      .PollEnhanced(PollEnhanced),
      .HostClock(HostClock),
      .FlashClock(FlashClock),
      .Automated(Automated),
      .Queues(Queues),
      .LargestSize(LargestSize),
      .Tags(Tags),
      .Lists(Lists),
      .TickBits(TickBits),
      .TickCycles(TickCycles),
      .BarBits(BarBits),
      .IdBits(IdBits),
      .WordAccess(1'b1)
  ) u_top (
      .*,
      .processor_aw_valid_i(processor_aw_valid), .processor_aw_ready_o(processor_aw_ready),
      .processor_aw_addr_i(processor_aw_addr),
      .processor_w_valid_i(processor_w_valid), .processor_w_ready_o(processor_w_ready), .processor_w_i(processor_w),
      .processor_b_valid_o(processor_b_valid), .processor_b_ready_i(processor_b_ready),
      .processor_b_resp_o(processor_b_resp),
      .processor_ar_valid_i(processor_ar_valid), .processor_ar_ready_o(processor_ar_ready),
      .processor_ar_addr_i(processor_ar_addr),
      .processor_r_valid_o(processor_r_valid), .processor_r_ready_i(processor_r_ready), .processor_r_o(processor_r),
      .irq_o(irq),
      .word_order_i(word_order),
      .word_answer_o(word_answer)
  );

  soc_processor #(
      .ProgramBytes(ProgramBytes),
      .ProgramFile(ProgramFile)
  ) u_processor (
      .*,
      .irq_i(irq),
      .aw_valid_o(processor_aw_valid), .aw_ready_i(processor_aw_ready), .aw_addr_o(processor_aw_addr),
      .w_valid_o(processor_w_valid), .w_ready_i(processor_w_ready), .w_o(processor_w),
      .b_valid_i(processor_b_valid), .b_ready_o(processor_b_ready), .b_resp_i(processor_b_resp),
      .ar_valid_o(processor_ar_valid), .ar_ready_i(processor_ar_ready), .ar_addr_o(processor_ar_addr),
      .r_valid_i(processor_r_valid), .r_ready_o(processor_r_ready), .r_i(processor_r),
      .word_order_o(wanted_word),
      .word_answer_i(wanted_answer)
  );

  if (CacheWords != 0) begin : gen_cache
    word_cache #(
        .Words(CacheWords)
    ) u_cache (
        .clk_i,
        .rst_ni,
        .order_i(wanted_word),
        .answer_o(wanted_answer),
        .order_o(word_order),
        .answer_i(word_answer)
    );
  end else begin : gen_no_cache
    assign word_order = wanted_word;
    assign wanted_answer = word_answer;
  end

endmodule
