// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"
`include "ports.svh"

// Test top with parameters (models.csv): the whole host interface, with times short enough for tests, and AXI rules that are
// watched towards host and memory.
module nvme_host_bench #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Memories = 2,
    parameter int unsigned Lists    = 1,
    parameter bit Automated         = 1'b1,
    parameter int unsigned Queues   = 17,
    parameter bit Weighted          = 1'b1,
    parameter bit Monitored         = 1'b1,
    parameter bit Placed            = 1'b1,
    parameter int unsigned RingBytes = fm_transfer_pkg::ring_bytes(DataBits),
    parameter bit BlockTables       = 1'b0,
    localparam int unsigned BarBits = 14,
    localparam int unsigned IdBits = 4
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic host_reset_i,
    input  logic function_reset_i,
    input  logic msix_enable_i,
    input  logic msix_mask_i,
    output logic idle_o,
    `FM_PORTS_BAR(bar_, DataBits, BarBits, IdBits),
    `FM_PORTS_MANAGER(host_, , DataBits, 6),
    `FM_PORTS_MANAGER(memory_, [Memories-1:0], DataBits, 6),
    `FM_PORTS_LITE(processor_, 15),
    output logic irq_o
);

  typedef `FM_AXI_R(DataBits) r_beat_t;
  typedef `FM_AXI_W(DataBits) w_beat_t;

  fm_axi_pkg::burst_t host_ar, host_aw, memory_ar, memory_aw;
  r_beat_t host_r;
  w_beat_t host_w;
  r_beat_t [Memories-1:0] memory_r;
  w_beat_t memory_w;
  fm_axi_pkg::response_e host_b_response;
  fm_axi_pkg::response_e [Memories-1:0] memory_b_response;

  assign {host_ar_id_o, host_ar_address_o, host_ar_length_o} = host_ar;
  assign {host_aw_id_o, host_aw_address_o, host_aw_length_o} = host_aw;
  assign host_r = {host_r_data_i, host_r_response_i, host_r_last_i};
  assign {host_w_data_o, host_w_strobe_o, host_w_last_o} = host_w;
  assign host_b_response = fm_axi_pkg::response_e'(host_b_response_i);

  // An access may pause for 16,384 to 24,576 cycles.
  nvme_host #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Lists(Lists),
      .Automated(Automated),
      .Queues(Queues),
      .Weighted(Weighted),
      .Monitored(Monitored),
      .Placed(Placed),
      .RingBytes(RingBytes),
      .BlockTables(BlockTables),
      .TickBits(13),
      .TickCycles(128),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_host (
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
      .memory_ar_o(memory_ar),
      .memory_r_i(memory_r),
      .memory_w_o(memory_w),
      .memory_aw_o(memory_aw),
      .memory_b_response_i(memory_b_response)
  );

  fm_axi_assert #(
      .DataBits(DataBits)
  ) u_assert_host (
      .clk_i,
      .rst_ni(rst_ni && !host_reset_i),
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
    assign {memory_ar_id_o[i], memory_ar_address_o[i], memory_ar_length_o[i]} = memory_ar;
    assign {memory_aw_id_o[i], memory_aw_address_o[i], memory_aw_length_o[i]} = memory_aw;
    assign {memory_w_data_o[i], memory_w_strobe_o[i], memory_w_last_o[i]} = memory_w;
    assign memory_r[i] = {memory_r_data_i[i], memory_r_response_i[i], memory_r_last_i[i]};
    assign memory_b_response[i] = fm_axi_pkg::response_e'(memory_b_response_i[i]);

    fm_axi_assert #(
        .DataBits(DataBits),
        .AddressBits(40)
    ) u_assert (
        .clk_i,
        .rst_ni,
        .ar_valid_i(memory_ar_valid_o[i]),
        .ar_ready_i(memory_ar_ready_i[i]),
        .ar_i(memory_ar),
        .r_valid_i(memory_r_valid_i[i]),
        .r_ready_i(memory_r_ready_o[i]),
        .r_id_i(memory_r_id_i[i]),
        .r_i(memory_r[i]),
        .aw_valid_i(memory_aw_valid_o[i]),
        .aw_ready_i(memory_aw_ready_i[i]),
        .aw_i(memory_aw),
        .w_valid_i(memory_w_valid_o[i]),
        .w_ready_i(memory_w_ready_i[i]),
        .w_i(memory_w),
        .b_valid_i(memory_b_valid_i[i]),
        .b_ready_i(memory_b_ready_o[i]),
        .b_id_i(memory_b_id_i[i]),
        .b_response_i(memory_b_response[i])
    );
  end

endmodule
