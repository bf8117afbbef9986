// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// What the tops of whole controllers share: the controller, with times short enough for tests. AXI rules are watched towards
// the host.
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

  typedef `FM_AXI_R(DataBits) r_beat_t;
  typedef `FM_AXI_W(DataBits) w_beat_t;
  typedef `FM_AXI_BURST(MemoryIdBits) memory_burst_t;

  fm_axi_pkg::burst_t host_ar, host_aw;
  r_beat_t host_r;
  w_beat_t host_w;
  r_beat_t [Memories-1:0] memory_r;
  w_beat_t [Memories-1:0] memory_w;
  memory_burst_t [Memories-1:0] memory_ar, memory_aw;
  fm_axi_pkg::response_e host_b_response;
  fm_axi_pkg::response_e [Memories-1:0] memory_b_response;
  fm_ssd_pkg::word_answer_t unused_word_answer;

  assign {host_ar_id_o, host_ar_address_o, host_ar_length_o} = host_ar;
  assign {host_aw_id_o, host_aw_address_o, host_aw_length_o} = host_aw;
  assign host_r = {host_r_data_i, host_r_response_i, host_r_last_i};
  assign {host_w_data_o, host_w_strobe_o, host_w_last_o} = host_w;
  assign host_b_response = fm_axi_pkg::response_e'(host_b_response_i);

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
      .bar_aw_i({bar_aw_address_i, bar_aw_id_i, bar_aw_size_i}),
      .bar_w_i({bar_w_data_i, bar_w_strobe_i, bar_w_last_i}),
      .bar_ar_i({bar_ar_address_i, bar_ar_id_i, bar_ar_length_i, bar_ar_size_i}),
      .bar_r_o({bar_r_data_o, bar_r_id_o, bar_r_last_o}),
      .processor_w_i({processor_w_data_i, processor_w_strb_i}),
      .processor_r_o({processor_r_data_o, processor_r_resp_o}),
      .host_ar_o(host_ar),
      .host_r_i(host_r),
      .host_w_o(host_w),
      .host_aw_o(host_aw),
      .host_b_response_i(host_b_response),
      .memory_r_i(memory_r),
      .memory_w_o(memory_w),
      .memory_ar_o(memory_ar),
      .memory_aw_o(memory_aw),
      .memory_b_response_i(memory_b_response),
      .word_order_i('0),
      .word_answer_o(unused_word_answer)
  );

  fm_axi_assert #(
      .DataBits(DataBits)
  ) u_assert_host (
      .clk_i(host_clk_i),
      .rst_ni(host_rst_ni && !host_reset_i),
      .ar_valid_i(host_ar_valid_o),
      .ar_ready_i(host_ar_ready_i),
      .ar_i(host_ar),
      .r_valid_i(host_r_valid_i),
      .r_ready_i(host_r_ready_o),
      .r_id_i(host_r_id_i),
      .r_i(host_r),
      .aw_valid_i(host_aw_valid_o),
      .aw_ready_i(host_aw_ready_i),
      .aw_i(host_aw),
      .w_valid_i(host_w_valid_o),
      .w_ready_i(host_w_ready_i),
      .w_i(host_w),
      .b_valid_i(host_b_valid_i),
      .b_ready_i(host_b_ready_o),
      .b_id_i(host_b_id_i),
      .b_response_i(host_b_response)
  );

  for (genvar i = 0; i < Memories; i++) begin : gen_memory
    assign {memory_ar_id_o[i], memory_ar_address_o[i], memory_ar_length_o[i]} = memory_ar[i];
    assign {memory_aw_id_o[i], memory_aw_address_o[i], memory_aw_length_o[i]} = memory_aw[i];
    assign {memory_w_data_o[i], memory_w_strobe_o[i], memory_w_last_o[i]} = memory_w[i];
    assign memory_r[i] = {memory_r_data_i[i], memory_r_response_i[i], memory_r_last_i[i]};
    assign memory_b_response[i] = fm_axi_pkg::response_e'(memory_b_response_i[i]);
  end

endmodule
