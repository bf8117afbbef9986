// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: a flash channel of two ways as software sees it, with a solver of its own, up to the pins.
module flash_channel_pins
  import fm_flash_pkg::*;
#(
    localparam int unsigned Ways = 2,
    localparam int unsigned M = 12,
    localparam int unsigned ErrorBits = 4
) (
    input logic clk_i,
    input logic rst_ni,
    `FM_PORTS_LITE(, 9),
    output logic                              irq_o,
    output logic fetch_valid_o,
    input logic fetch_ready_i,
    output logic [15:0] fetch_buffer_o,
    output logic [15:0] fetch_length_o,
    output logic [3:0] fetch_way_o,
    output logic store_valid_o,
    input logic store_ready_i,
    output logic [15:0] store_buffer_o,
    output logic [15:0] store_length_o,
    output logic [3:0] store_way_o,
    input logic data_in_valid_i,
    output logic data_in_ready_o,
    input logic [15:0] data_in_data_i,
    input logic data_in_last_i,
    input logic data_in_error_i,
    output logic data_out_valid_o,
    input logic data_out_ready_i,
    output logic [15:0] data_out_data_o,
    output logic data_out_last_o,
    input logic data_out_error_i,
    output logic [Ways-1:0] ce_no,
    output logic cle_o,
    output logic ale_o,
    output logic we_no,
    output logic wp_no,
    output logic re_no,
    output logic [7:0] dq_o,
    output logic dq_oe_o,
    output logic dqs_o,
    output logic dqs_oe_o,
    input logic [7:0] dq_i,
    input logic dqs_i,
    input logic [Ways-1:0] rb_ni
);

  packet_t fetch, store;
  assign fetch_buffer_o = fetch.buffer;
  assign fetch_length_o = fetch.length;
  assign fetch_way_o = fetch.way;
  assign store_buffer_o = store.buffer;
  assign store_length_o = store.length;
  assign store_way_o = store.way;

  logic syndrome_valid, syndrome_ready, syndrome_last;
  logic locator_valid, locator_last, locator_failed;
  logic [M-1:0] syndrome, locator;
  logic [ErrorBits-1:0] locator_errors;
  logic [Ways-1:0] bus_ce_n, bus_rb_n;
  logic bus_cle, bus_ale, bus_we_n, bus_wp_n, bus_dq_oe, bus_dqs_oe, bus_strobe;
  logic [1:0] bus_re_n, bus_dqs;
  logic [1:0][7:0] bus_dq_out;
  logic [7:0] bus_dq_in;
  logic [15:0] bus_capture;

  flash_channel #(
      .Ways(Ways)
  ) u_channel (
      .w_i({w_data_i, w_strb_i}),
      .r_o({r_data_o, r_resp_o}),
      .*,
      .fetch_o(fetch),
      .store_o(store),
      .syndrome_valid_o(syndrome_valid),
      .syndrome_ready_i(syndrome_ready),
      .syndrome_o(syndrome),
      .syndrome_last_o(syndrome_last),
      .locator_valid_i(locator_valid),
      .locator_i(locator),
      .locator_last_i(locator_last),
      .locator_errors_i(locator_errors),
      .locator_failed_i(locator_failed),
      .ce_no(bus_ce_n),
      .cle_o(bus_cle),
      .ale_o(bus_ale),
      .we_no(bus_we_n),
      .wp_no(bus_wp_n),
      .re_no(bus_re_n),
      .dq_o(bus_dq_out),
      .dq_oe_o(bus_dq_oe),
      .dqs_o(bus_dqs),
      .dqs_oe_o(bus_dqs_oe),
      .strobe_i(bus_strobe),
      .capture_i(bus_capture),
      .dq_i(bus_dq_in),
      .rb_ni(bus_rb_n)
  );

  flash_pins_bench #(
      .Ways(Ways)
  ) u_bench (
      .*,
      .syndrome_valid_i(syndrome_valid),
      .syndrome_ready_o(syndrome_ready),
      .syndrome_i(syndrome),
      .syndrome_last_i(syndrome_last),
      .locator_valid_o(locator_valid),
      .locator_o(locator),
      .locator_last_o(locator_last),
      .locator_errors_o(locator_errors),
      .locator_failed_o(locator_failed),
      .bus_ce_ni(bus_ce_n),
      .bus_cle_i(bus_cle),
      .bus_ale_i(bus_ale),
      .bus_we_ni(bus_we_n),
      .bus_wp_ni(bus_wp_n),
      .bus_re_ni(bus_re_n),
      .bus_dq_i(bus_dq_out),
      .bus_dq_oe_i(bus_dq_oe),
      .bus_dqs_i(bus_dqs),
      .bus_dqs_oe_i(bus_dqs_oe),
      .bus_strobe_o(bus_strobe),
      .bus_capture_o(bus_capture),
      .bus_dq_o(bus_dq_in),
      .bus_rb_no(bus_rb_n)
  );

endmodule
