// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Test top: a serial line's host with 4 KiB of host memory that nobody else uses, and at BAR 0 sixteen words, of which the last
// one counts writes. Controls are as ever; orders are seen in `reset_o`.
module uart_small (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic line_i,
    output logic line_o,
    output logic reset_o
);

  localparam int unsigned WindowBytes = 4096;
  typedef `FM_AXI_BAR_AW(14, 4) bar_aw_t;
  typedef `FM_AXI_BAR_W(256) bar_w_t;
  typedef `FM_AXI_BAR_AR(14, 4) bar_ar_t;
  typedef `FM_AXI_BAR_R(256, 4) bar_r_t;
  typedef `FM_AXI_R(256) r_beat_t;

  fm_uart_pkg::access_t access;
  logic done, failed, aw_valid, w_valid, ar_valid, b_valid_q, r_valid_q, b_ready, r_ready, window_valid, window_done, zero;
  logic [31:0] data, window_data;
  bar_aw_t aw;
  bar_w_t w;
  bar_ar_t ar;
  logic [9:0] window_place;
  logic [63:0] changed, clear;
  logic [31:0] words_q[16];
  logic [31:0] written;
  logic [3:0] place_q;
  logic unused_ar_ready, unused_aw_ready, unused_w_ready, unused_r_valid, unused_b_valid, unused;
  r_beat_t unused_r;
  fm_axi_pkg::id_t unused_r_id, unused_b_id;
  fm_axi_pkg::response_e unused_b_response;

  assign unused = ^{aw, w, ar, b_ready, r_ready};

  uart_host #(
      .BitCycles(4),
      .SilenceCycles(500)
  ) u_uart (
      .clk_i,
      .rst_ni,
      .line_i,
      .line_o,
      .access_o(access),
      .done_i(done),
      .failed_i(failed),
      .data_i(data)
  );

  host_access #(
      .WindowBytes(WindowBytes)
  ) u_access (
      .clk_i,
      .rst_ni,
      .access_i(access),
      .done_o(done),
      .failed_o(failed),
      .data_o(data),
      .aw_valid_o(aw_valid),
      .aw_ready_i(1'b1),
      .aw_o(aw),
      .w_valid_o(w_valid),
      .w_ready_i(!aw_valid),
      .w_o(w),
      .b_valid_i(b_valid_q),
      .b_ready_o(b_ready),
      .ar_valid_o(ar_valid),
      .ar_ready_i(1'b1),
      .ar_o(ar),
      .r_valid_i(r_valid_q),
      .r_ready_o(r_ready),
      .r_i('{data: {8{words_q[place_q]}}, id: '0, last: 1'b1}),
      .window_valid_o(window_valid),
      .window_place_o(window_place),
      .window_done_i(window_done),
      .window_data_i(window_data),
      .changed_i(changed),
      .clear_o(clear),
      .zero_o(zero),
      .function_reset_o(reset_o),
      .idle_i(1'b1),
      .sleeps_i(1'b0)
  );

  host_window #(
      .Bytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_ni,
      .ar_valid_i(1'b0),
      .ar_ready_o(unused_ar_ready),
      .ar_i('0),
      .r_valid_o(unused_r_valid),
      .r_ready_i(1'b0),
      .r_id_o(unused_r_id),
      .r_o(unused_r),
      .aw_valid_i(1'b0),
      .aw_ready_o(unused_aw_ready),
      .aw_i('0),
      .w_valid_i(1'b0),
      .w_ready_o(unused_w_ready),
      .w_i('0),
      .b_valid_o(unused_b_valid),
      .b_ready_i(1'b0),
      .b_id_o(unused_b_id),
      .b_response_o(unused_b_response),
      .valid_i(window_valid),
      .write_i(access.write),
      .place_i(window_place),
      .data_i(access.data),
      .done_o(window_done),
      .data_o(window_data),
      .changed_o(changed),
      .clear_i(clear),
      .zero_i(zero)
  );

  always_comb begin
    written = '0;
    for (int unsigned i = 0; i < 8; i++) if (w.strobe[i] == '1) written = w.data[i];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q <= 1'b0;
      r_valid_q <= 1'b0;
      for (int unsigned i = 0; i < 16; i++) words_q[i] <= '0;
    end else begin
      b_valid_q <= w_valid && !aw_valid;
      r_valid_q <= ar_valid;
      if (w_valid && !aw_valid) begin
        words_q[place_q] <= written;
        words_q[15] <= words_q[15] + 1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (aw_valid) place_q <= aw.address[5:2];
    if (ar_valid) place_q <= ar.address[5:2];
  end

endmodule
