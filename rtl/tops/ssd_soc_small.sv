// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Test top: a whole controller with its processor, of two channels with two ways each, buses of 256 bits, two memory channels,
// and times short enough for tests. AXI rules are watched towards host and memory.
module ssd_soc_small #(
    localparam int unsigned DataBits = 256,
    localparam int unsigned Memories = 2,
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned BarBits  = 14,
    localparam int unsigned IdBits   = 4,
    localparam int unsigned Lanes    = DataBits / 32,
    localparam int unsigned MemoryIdBits = 9
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              host_reset_i,
    input  logic                              function_reset_i,
    input  logic                              msix_enable_i,
    input  logic                              msix_mask_i,
    output logic                              idle_o,
    input  logic                              bar_aw_valid_i,
    output logic                              bar_aw_ready_o,
    input  logic [BarBits-1:0]                bar_aw_address_i,
    input  logic [IdBits-1:0]                 bar_aw_id_i,
    input  logic [2:0]                        bar_aw_size_i,
    input  logic                              bar_w_valid_i,
    output logic                              bar_w_ready_o,
    input  logic [Lanes-1:0][31:0]            bar_w_data_i,
    input  logic [Lanes-1:0][3:0]             bar_w_strobe_i,
    input  logic                              bar_w_last_i,
    output logic                              bar_b_valid_o,
    input  logic                              bar_b_ready_i,
    output logic [IdBits-1:0]                 bar_b_id_o,
    input  logic                              bar_ar_valid_i,
    output logic                              bar_ar_ready_o,
    input  logic [BarBits-1:0]                bar_ar_address_i,
    input  logic [IdBits-1:0]                 bar_ar_id_i,
    input  logic [7:0]                        bar_ar_length_i,
    input  logic [2:0]                        bar_ar_size_i,
    output logic                              bar_r_valid_o,
    input  logic                              bar_r_ready_i,
    output logic [Lanes-1:0][31:0]            bar_r_data_o,
    output logic [IdBits-1:0]                 bar_r_id_o,
    output logic                              bar_r_last_o,
    output logic                              host_ar_valid_o,
    input  logic                              host_ar_ready_i,
    output logic [5:0]                        host_ar_id_o,
    output logic [63:0]                       host_ar_address_o,
    output logic [7:0]                        host_ar_length_o,
    input  logic                              host_r_valid_i,
    output logic                              host_r_ready_o,
    input  logic [5:0]                        host_r_id_i,
    input  logic [DataBits-1:0]               host_r_data_i,
    input  logic [1:0]                        host_r_response_i,
    input  logic                              host_r_last_i,
    output logic                              host_aw_valid_o,
    input  logic                              host_aw_ready_i,
    output logic [5:0]                        host_aw_id_o,
    output logic [63:0]                       host_aw_address_o,
    output logic [7:0]                        host_aw_length_o,
    output logic                              host_w_valid_o,
    input  logic                              host_w_ready_i,
    output logic [DataBits-1:0]               host_w_data_o,
    output logic [Lanes-1:0]                  host_w_strobe_o,
    output logic                              host_w_last_o,
    input  logic                              host_b_valid_i,
    output logic                              host_b_ready_o,
    input  logic [5:0]                        host_b_id_i,
    input  logic [1:0]                        host_b_response_i,
    output logic [Memories-1:0]               memory_ar_valid_o,
    input  logic [Memories-1:0]               memory_ar_ready_i,
    output logic [Memories-1:0][MemoryIdBits-1:0] memory_ar_id_o,
    output logic [Memories-1:0][63:0]         memory_ar_address_o,
    output logic [Memories-1:0][7:0]          memory_ar_length_o,
    input  logic [Memories-1:0]               memory_r_valid_i,
    output logic [Memories-1:0]               memory_r_ready_o,
    input  logic [Memories-1:0][MemoryIdBits-1:0] memory_r_id_i,
    input  logic [Memories-1:0][DataBits-1:0] memory_r_data_i,
    input  logic [Memories-1:0][1:0]          memory_r_response_i,
    input  logic [Memories-1:0]               memory_r_last_i,
    output logic [Memories-1:0]               memory_aw_valid_o,
    input  logic [Memories-1:0]               memory_aw_ready_i,
    output logic [Memories-1:0][MemoryIdBits-1:0] memory_aw_id_o,
    output logic [Memories-1:0][63:0]         memory_aw_address_o,
    output logic [Memories-1:0][7:0]          memory_aw_length_o,
    output logic [Memories-1:0]               memory_w_valid_o,
    input  logic [Memories-1:0]               memory_w_ready_i,
    output logic [Memories-1:0][DataBits-1:0] memory_w_data_o,
    output logic [Memories-1:0][Lanes-1:0]    memory_w_strobe_o,
    output logic [Memories-1:0]               memory_w_last_o,
    input  logic [Memories-1:0]               memory_b_valid_i,
    output logic [Memories-1:0]               memory_b_ready_o,
    input  logic [Memories-1:0][MemoryIdBits-1:0] memory_b_id_i,
    input  logic [Memories-1:0][1:0]          memory_b_response_i,
    input  logic                              load_valid_i,
    input  logic [31:0]                       load_address_i,
    input  logic [31:0]                       load_data_i,
    input  logic                              run_i,
    output logic                              sleeps_o,
    output logic                              waits_o,
    output logic                              trace_valid_o,
    output logic [3:0]                        trace_place_o,
    output logic [31:0]                       trace_data_o,
    output logic [Channels-1:0][Ways-1:0]      ce_no,
    output logic [Channels-1:0]                cle_o,
    output logic [Channels-1:0]                ale_o,
    output logic [Channels-1:0]                we_no,
    output logic [Channels-1:0]                wp_no,
    output logic [Channels-1:0]                re_no,
    output logic [Channels-1:0][7:0]           dq_o,
    output logic [Channels-1:0]                dq_oe_o,
    output logic [Channels-1:0]                dqs_o,
    output logic [Channels-1:0]                dqs_oe_o,
    input  logic [Channels-1:0][7:0]           dq_i,
    input  logic [Channels-1:0]                dqs_i,
    input  logic [Channels-1:0][Ways-1:0]      rb_ni
);

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

  assign {host_ar_id_o, host_ar_address_o, host_ar_length_o} = host_ar;
  assign {host_aw_id_o, host_aw_address_o, host_aw_length_o} = host_aw;
  assign host_r = {host_r_data_i, host_r_response_i, host_r_last_i};
  assign {host_w_data_o, host_w_strobe_o, host_w_last_o} = host_w;
  assign host_b_response = fm_axi_pkg::response_e'(host_b_response_i);

  // An access may pause for 16,384 to 24,576 cycles.
  ssd_soc #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Channels(Channels),
      .Ways(Ways),
      .TickBits(13),
      .TickCycles(256),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_soc (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni),
      .bar_aw_i({bar_aw_address_i, bar_aw_id_i, bar_aw_size_i}),
      .bar_w_i({bar_w_data_i, bar_w_strobe_i, bar_w_last_i}),
      .bar_ar_i({bar_ar_address_i, bar_ar_id_i, bar_ar_length_i, bar_ar_size_i}),
      .bar_r_o({bar_r_data_o, bar_r_id_o, bar_r_last_o}),
      .host_ar_o(host_ar),
      .host_r_i(host_r),
      .host_w_o(host_w),
      .host_aw_o(host_aw),
      .host_b_response_i(host_b_response),
      .memory_r_i(memory_r),
      .memory_w_o(memory_w),
      .memory_ar_o(memory_ar),
      .memory_aw_o(memory_aw),
      .memory_b_response_i(memory_b_response)
  );

  fm_axi_assert #(
      .DataBits(DataBits)
  ) u_assert_host (
      .clk_i,
      .rst_ni,
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
