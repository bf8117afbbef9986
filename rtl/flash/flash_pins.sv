// SPDX-License-Identifier: Apache-2.0

// Between flash_bus and the pins: registers, and cells for both levels of the clock. Generic.
//
// Contract: ports ending as those of flash_bus, inside with `bus_`, at the pins with `pin_`. DQ and
// DQS change together on the pins: the board, or the model of it, delays DQS by a quarter of a cycle
// towards the chip, and towards the controller as far as DQ needs.
// Latency: a cycle outwards; inwards none for the strobe, a cycle for the level of DQ.
// Reason: every output comes from a register or such a cell, so all of them leave alike.
module flash_pins #(
    parameter int unsigned Ways = 8
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic [Ways-1:0]      bus_ce_ni,
    input  logic                 bus_cle_i,
    input  logic                 bus_ale_i,
    input  logic                 bus_we_ni,
    input  logic                 bus_wp_ni,
    input  logic [     1:0]      bus_re_ni,
    input  logic [     1:0][7:0] bus_dq_i,
    input  logic                 bus_dq_oe_i,
    input  logic [     1:0]      bus_dqs_i,
    input  logic                 bus_dqs_oe_i,
    output logic                 bus_strobe_o,
    output logic [    15:0]      bus_capture_o,
    output logic [     7:0]      bus_dq_o,
    output logic [Ways-1:0]      bus_rb_no,
    output logic [Ways-1:0]      pin_ce_no,
    output logic                 pin_cle_o,
    output logic                 pin_ale_o,
    output logic                 pin_we_no,
    output logic                 pin_wp_no,
    output logic                 pin_re_no,
    output logic [     7:0]      pin_dq_o,
    output logic                 pin_dq_oe_o,
    output logic                 pin_dqs_o,
    output logic                 pin_dqs_oe_o,
    input  logic [     7:0]      pin_dq_i,
    input  logic                 pin_dqs_i,
    input  logic [Ways-1:0]      pin_rb_ni
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pin_ce_no <= '1;
      pin_cle_o <= 1'b0;
      pin_ale_o <= 1'b0;
      pin_we_no <= 1'b1;
      pin_wp_no <= 1'b0;
      pin_dq_oe_o <= 1'b0;
      pin_dqs_oe_o <= 1'b0;
    end else begin
      pin_ce_no <= bus_ce_ni;
      pin_cle_o <= bus_cle_i;
      pin_ale_o <= bus_ale_i;
      pin_we_no <= bus_we_ni;
      pin_wp_no <= bus_wp_ni;
      pin_dq_oe_o <= bus_dq_oe_i;
      pin_dqs_oe_o <= bus_dqs_oe_i;
    end
  end

  ddr_output #(
      .Width(8)
  ) u_dq (
      .clk_i,
      .rst_ni,
      .first_i(bus_dq_i[0]),
      .second_i(bus_dq_i[1]),
      .pin_o(pin_dq_o)
  );

  ddr_output #(
      .Width(2)
  ) u_strobes (
      .clk_i,
      .rst_ni,
      .first_i({bus_dqs_i[0], bus_re_ni[0]}),
      .second_i({bus_dqs_i[1], bus_re_ni[1]}),
      .pin_o({pin_dqs_o, pin_re_no})
  );

  ddr_input u_capture (
      .strobe_i(pin_dqs_i),
      .dq_i(pin_dq_i),
      .capture_o(bus_capture_o)
  );

  always_ff @(posedge clk_i) bus_dq_o <= pin_dq_i;

  assign bus_strobe_o = pin_dqs_i;
  assign bus_rb_no = pin_rb_ni;

endmodule
