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
    localparam type bar_request_t = `FM_AXI_BAR_REQUEST(DataBits, BarBits, IdBits),
    localparam type bar_response_t = `FM_AXI_BAR_RESPONSE(DataBits, IdBits),
    localparam type request_t = `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits),
    localparam type response_t = `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits),
    localparam type memory_request_t = `FM_AXI_REQUEST(DataBits, MemoryIdBits),
    localparam type memory_response_t = `FM_AXI_RESPONSE(DataBits, MemoryIdBits)
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
    // The processor: words of its program while it does not run, and what it tells.
    input  logic                            load_valid_i,
    input  logic [31:0]                     load_address_i,
    input  logic [31:0]                     load_data_i,
    input  logic                            run_i,
    output logic                            sleeps_o,
    output logic                            waits_o,
    output logic                            trace_valid_o,
    output logic [3:0]                      trace_place_o,
    output logic [31:0]                     trace_data_o,
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

  typedef `FM_LITE_REQUEST(fm_map_pkg::RegistersBits) lite_request_t;

  logic irq;
  lite_request_t registers_request;
  fm_axi_pkg::lite_response_t registers_response;
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
      .processor_i(registers_request),
      .processor_o(registers_response),
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
      .registers_o(registers_request),
      .registers_i(registers_response),
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
