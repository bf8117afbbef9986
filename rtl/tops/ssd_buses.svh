// SPDX-License-Identifier: Apache-2.0

// What tops of whole controllers share behind their ports (ssd_ports.svh): the buses that these ports are the fields of, and the
// rules of AXI, which are watched towards the host.

  typedef `FM_AXI_BAR_REQUEST(DataBits, BarBits, IdBits) bar_request_t;
  typedef `FM_AXI_BAR_RESPONSE(DataBits, IdBits) bar_response_t;
  typedef `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits) request_t;
  typedef `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits) response_t;
  typedef `FM_AXI_REQUEST(DataBits, MemoryIdBits) memory_request_t;
  typedef `FM_AXI_RESPONSE(DataBits, MemoryIdBits) memory_response_t;

  bar_request_t bar_request;
  bar_response_t bar_response;
  request_t host_request;
  response_t host_response;
  memory_request_t [Memories-1:0] memory_request;
  memory_response_t [Memories-1:0] memory_response;

  assign bar_request = {
      bar_aw_valid_i, bar_aw_address_i, bar_aw_id_i, bar_aw_size_i,
      bar_w_valid_i, bar_w_data_i, bar_w_strobe_i, bar_w_last_i, bar_b_ready_i,
      bar_ar_valid_i, bar_ar_address_i, bar_ar_id_i, bar_ar_length_i, bar_ar_size_i, bar_r_ready_i
  };
  assign {
      bar_aw_ready_o, bar_w_ready_o, bar_b_valid_o, bar_b_id_o,
      bar_ar_ready_o, bar_r_valid_o, bar_r_data_o, bar_r_id_o, bar_r_last_o
  } = bar_response;

  assign {
      host_aw_valid_o, host_aw_id_o, host_aw_address_o, host_aw_length_o,
      host_w_valid_o, host_w_data_o, host_w_strobe_o, host_w_last_o, host_b_ready_o,
      host_ar_valid_o, host_ar_id_o, host_ar_address_o, host_ar_length_o, host_r_ready_o
  } = host_request;
  assign host_response = {
      host_aw_ready_i, host_w_ready_i, host_b_valid_i, host_b_id_i, host_b_response_i,
      host_ar_ready_i, host_r_valid_i, host_r_id_i, host_r_data_i, host_r_response_i, host_r_last_i
  };

  for (genvar i = 0; i < Memories; i++) begin : gen_memory
    assign {
        memory_aw_valid_o[i], memory_aw_id_o[i], memory_aw_address_o[i], memory_aw_length_o[i],
        memory_w_valid_o[i], memory_w_data_o[i], memory_w_strobe_o[i], memory_w_last_o[i], memory_b_ready_o[i],
        memory_ar_valid_o[i], memory_ar_id_o[i], memory_ar_address_o[i], memory_ar_length_o[i], memory_r_ready_o[i]
    } = memory_request[i];
    assign memory_response[i] = {
        memory_aw_ready_i[i], memory_w_ready_i[i], memory_b_valid_i[i], memory_b_id_i[i], memory_b_response_i[i],
        memory_ar_ready_i[i], memory_r_valid_i[i], memory_r_id_i[i], memory_r_data_i[i], memory_r_response_i[i],
        memory_r_last_i[i]
    };
  end

  fm_axi_assert #(
      .DataBits(DataBits)
  ) u_assert_host (
      .clk_i(host_clk_i),
      .rst_ni(host_rst_ni && !host_reset_i),
      .ar_valid_i(host_request.ar_valid),
      .ar_ready_i(host_response.ar_ready),
      .ar_i(host_request.ar),
      .r_valid_i(host_response.r_valid),
      .r_ready_i(host_request.r_ready),
      .r_id_i(host_response.r_id),
      .r_i(host_response.r),
      .aw_valid_i(host_request.aw_valid),
      .aw_ready_i(host_response.aw_ready),
      .aw_i(host_request.aw),
      .w_valid_i(host_request.w_valid),
      .w_ready_i(host_response.w_ready),
      .w_i(host_request.w),
      .b_valid_i(host_response.b_valid),
      .b_ready_i(host_request.b_ready),
      .b_id_i(host_response.b_id),
      .b_response_i(host_response.b_response)
  );
