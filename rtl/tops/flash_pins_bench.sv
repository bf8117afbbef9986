// SPDX-License-Identifier: Apache-2.0

// What the tops of a whole channel have in common: a solver of its own, and its pins.
module flash_pins_bench #(
    parameter int unsigned Ways = 8,
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T = 13,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // Of the channel.
    input  logic                      syndrome_valid_i,
    output logic                      syndrome_ready_o,
    input  logic [M-1:0]              syndrome_i,
    input  logic                      syndrome_last_i,
    output logic                      locator_valid_o,
    output logic [M-1:0]              locator_o,
    output logic                      locator_last_o,
    output logic [ErrorBits-1:0]      locator_errors_o,
    output logic                      locator_failed_o,
    input  logic [Ways-1:0]           bus_ce_ni,
    input  logic                      bus_cle_i,
    input  logic                      bus_ale_i,
    input  logic                      bus_we_ni,
    input  logic                      bus_wp_ni,
    input  logic [1:0]                bus_re_ni,
    input  logic [1:0][7:0]           bus_dq_i,
    input  logic                      bus_dq_oe_i,
    input  logic [1:0]                bus_dqs_i,
    input  logic                      bus_dqs_oe_i,
    output logic                      bus_strobe_o,
    output logic [15:0]               bus_capture_o,
    output logic [7:0]                bus_dq_o,
    output logic [Ways-1:0]           bus_rb_no,
    // The pins.
    output logic [Ways-1:0]           ce_no,
    output logic                      cle_o,
    output logic                      ale_o,
    output logic                      we_no,
    output logic                      wp_no,
    output logic                      re_no,
    output logic [7:0]                dq_o,
    output logic                      dq_oe_o,
    output logic                      dqs_o,
    output logic                      dqs_oe_o,
    input  logic [7:0]                dq_i,
    input  logic                      dqs_i,
    input  logic [Ways-1:0]           rb_ni
);

  bch_shared_solver #(
      .Channels(1),
      .ChunkBytes(ChunkBytes),
      .T(T)
  ) u_solver (
      .*
  );

  flash_pins #(
      .Ways(Ways)
  ) u_pins (
      .*,
      .pin_ce_no(ce_no),
      .pin_cle_o(cle_o),
      .pin_ale_o(ale_o),
      .pin_we_no(we_no),
      .pin_wp_no(wp_no),
      .pin_re_no(re_no),
      .pin_dq_o(dq_o),
      .pin_dq_oe_o(dq_oe_o),
      .pin_dqs_o(dqs_o),
      .pin_dqs_oe_o(dqs_oe_o),
      .pin_dq_i(dq_i),
      .pin_dqs_i(dqs_i),
      .pin_rb_ni(rb_ni)
  );

endmodule
