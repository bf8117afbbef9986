// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// What the tops of whole controllers share: the controller, with times short enough for tests.
`define FM_PORTS_CLOCKS \
    input logic host_clk_i, \
    input logic host_rst_ni, \
    input logic flash_clk_i, \
    input logic flash_rst_ni,
module ssd_bench #(
    parameter int unsigned Channels = 2,
    parameter int unsigned Ways     = 2,
    parameter int unsigned DataBits = 256,
    parameter bit          Ecc      = 1'b1,
    // Of a page.
    parameter int unsigned MetadataBytes = 24,
    // As in nvme_host.
    parameter bit          Automated = 1'b0,
    parameter bit          Placed    = 1'b0,
    // Host interface and channels have clocks of their own.
    parameter bit          OwnClocks = 1'b0,
    // As in flash_core.
    parameter int unsigned PollCycles = 0,
`include "ssd_ports.svh"

`include "ssd_buses.svh"

  fm_ssd_pkg::word_answer_t unused_word_answer;

  // An access may pause for 16,384 to 24,576 cycles, and four times that at 64 bits: as much data in front of it takes four times
  // the beats.
  ssd_top #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Channels(Channels),
      .Ways(Ways),
      .Ecc(Ecc),
      .MetadataBytes(MetadataBytes),
      .Automated(Automated),
      .Placed(Placed),
      .HostClock(OwnClocks),
      .FlashClock(OwnClocks),
      .PollCycles(PollCycles),
      .TickBits(DataBits < 128 ? 15 : 13),
      .TickCycles(256),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_top (
      .*,
      .bar_i(bar_request),
      .bar_o(bar_response),
      .host_o(host_request),
      .host_i(host_response),
      .memory_o(memory_request),
      .memory_i(memory_response),
      .processor_i({
          processor_aw_valid_i, processor_aw_addr_i, processor_w_valid_i, processor_w_data_i, processor_w_strb_i, processor_b_ready_i,
          processor_ar_valid_i, processor_ar_addr_i, processor_r_ready_i
      }),
      .processor_o({
          processor_aw_ready_o, processor_w_ready_o, processor_b_valid_o, processor_b_resp_o,
          processor_ar_ready_o, processor_r_valid_o, processor_r_data_o, processor_r_resp_o
      }),
      .word_order_i('0),
      .word_answer_o(unused_word_answer)
  );

endmodule
