// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"
`include "ports.svh"

// Test top with parameters (models.csv): the host's DMA, with a short time-out, and AXI rules that are watched at all
// ports.
module host_data_bench #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Memories = 2,
    parameter int unsigned Lists    = 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    `FM_PORTS_HOST_DMA(DataBits),
    `FM_PORTS_MANAGER(host_, , DataBits, 6),
    `FM_PORTS_MANAGER(memory_, [Memories-1:0], DataBits, 6)
);

  typedef `FM_AXI_R(DataBits) r_beat_t;
  typedef `FM_AXI_W(DataBits) w_beat_t;

  fm_host_pkg::dma_descriptor_t descriptor;
  fm_host_pkg::dma_done_t done;
  fm_host_pkg::host_read_t entries;
  fm_host_pkg::host_read_beat_t entries_beat;
  fm_host_pkg::host_write_t completion, message;
  fm_host_pkg::host_written_t written;
  fm_axi_pkg::burst_t host_ar, host_aw, memory_ar, memory_aw;
  r_beat_t host_r;
  w_beat_t host_w;
  r_beat_t [Memories-1:0] memory_r;
  w_beat_t memory_w;
  fm_axi_pkg::response_e [Memories-1:0] memory_b_response;

  assign descriptor = '{
          tag: descriptor_tag_i,
          direction: fm_host_pkg::direction_e'(descriptor_direction_i),
          source: fm_host_pkg::dma_source_e'(descriptor_source_i),
          prp1: descriptor_prp1_i,
          prp2: descriptor_prp2_i,
          host_offset: descriptor_host_offset_i,
          length: descriptor_length_i,
          command_length: descriptor_command_length_i,
          memory: descriptor_memory_i
      };
  assign entries = '{
          address: entries_address_i,
          bytes: entries_bytes_i,
          id: entries_id_i
      };
  assign completion = '{
          address: completion_address_i,
          client: fm_host_pkg::WriteCompletion,
          id: completion_id_i
      };
  assign message = '{
          address: message_address_i,
          client: fm_host_pkg::WriteMessage,
          id: message_id_i
      };
  assign {done_tag_o, done_direction_o, done_fault_o} = done;
  assign {written_client_o, written_id_o, written_error_o} = written;
  assign {entries_beat_id_o, entries_beat_last_o, entries_beat_error_o} = entries_beat;
  assign {host_ar_id_o, host_ar_address_o, host_ar_length_o} = host_ar;
  assign {host_aw_id_o, host_aw_address_o, host_aw_length_o} = host_aw;
  assign host_r = {host_r_data_i, host_r_response_i, host_r_last_i};
  assign {host_w_data_o, host_w_strobe_o, host_w_last_o} = host_w;

  host_dma #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Lists(Lists),
      .TickBits(14)
  ) u_dma (
      .*,
      .gone_i(1'b0),
      .descriptor_i(descriptor),
      .done_o(done),
      .entries_i(entries),
      .entries_beat_o(entries_beat),
      .completion_i(completion),
      .completion_data_i({completion_high_i, completion_low_i}),
      .message_i(message),
      .written_o(written),
      .host_ar_o(host_ar),
      .host_r_i(host_r),
      .host_w_o(host_w),
      .host_aw_o(host_aw),
      .host_b_response_i(fm_axi_pkg::response_e'(host_b_response_i)),
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
      .b_response_i(fm_axi_pkg::response_e'(host_b_response_i))
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
