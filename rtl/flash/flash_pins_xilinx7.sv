// SPDX-License-Identifier: Apache-2.0

// Between flash_bus and the pads of a Xilinx 7-series FPGA.
//
// Contract: as flash_pins towards the bus; `pad_` are the pads. `clk_dq_i` runs as `clk_i` does and
// leads it by a quarter of a cycle: DQ leaves with it, so that DQS has its edges in the middle of a
// byte. Bytes of commands hold shorter by as much, which `ce_hold` must allow for. `strobe_taps_i`
// delays DQS on its way in, in taps of the IDELAYE2: about a quarter of a cycle. An IDELAYCTRL has
// to run beside.
// Latency: as flash_pins, but DQ a quarter of a cycle less.
// Reason: leading DQ rather than late DQS leaves three quarters of a cycle between the clocks. DQS
// clocks the input cells through BUFIO, which is the shortest way, and the words behind them
// through BUFR, so all of DQ and DQS must be in one bank.
module flash_pins_xilinx7 #(
    parameter int unsigned Ways = 8
) (
    input  logic                 clk_i,
    input  logic                 clk_dq_i,
    input  logic                 rst_ni,
    input  logic [     4:0]      strobe_taps_i,
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
    output logic [Ways-1:0]      pad_ce_no,
    output logic                 pad_cle_o,
    output logic                 pad_ale_o,
    output logic                 pad_we_no,
    output logic                 pad_wp_no,
    output logic                 pad_re_no,
    inout  wire  [     7:0]      pad_dq_io,
    inout  wire                  pad_dqs_io,
    input  logic [Ways-1:0]      pad_rb_ni
);

  logic [7:0] dq_out, dq_in, dq_delayed;
  logic dqs_out, dqs_in, dqs_delayed, strobe;
  // One a pad, so that each fits into the pad's own register.
  (* keep *) logic [7:0] dq_release_q;
  logic dqs_release_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pad_ce_no <= '1;
      pad_cle_o <= 1'b0;
      pad_ale_o <= 1'b0;
      pad_we_no <= 1'b1;
      pad_wp_no <= 1'b0;
      dq_release_q <= '1;
      dqs_release_q <= 1'b1;
    end else begin
      pad_ce_no <= bus_ce_ni;
      pad_cle_o <= bus_cle_i;
      pad_ale_o <= bus_ale_i;
      pad_we_no <= bus_we_ni;
      pad_wp_no <= bus_wp_ni;
      dq_release_q <= {8{!bus_dq_oe_i}};
      dqs_release_q <= !bus_dqs_oe_i;
    end
  end

  ODDR #(
      .DDR_CLK_EDGE("SAME_EDGE"),
      .INIT(1'b1)
  ) u_re (
      .C(clk_i),
      .CE(1'b1),
      .D1(bus_re_ni[0]),
      .D2(bus_re_ni[1]),
      .R(1'b0),
      .S(!rst_ni),
      .Q(pad_re_no)
  );

  ODDR #(
      .DDR_CLK_EDGE("SAME_EDGE"),
      .INIT(1'b1)
  ) u_dqs (
      .C(clk_i),
      .CE(1'b1),
      .D1(bus_dqs_i[0]),
      .D2(bus_dqs_i[1]),
      .R(1'b0),
      .S(!rst_ni),
      .Q(dqs_out)
  );

  IOBUF u_dqs_pad (
      .I(dqs_out),
      .T(dqs_release_q),
      .O(dqs_in),
      .IO(pad_dqs_io)
  );

  IDELAYE2 #(
      .IDELAY_TYPE("VAR_LOAD"),
      .SIGNAL_PATTERN("CLOCK")
  ) u_dqs_delay (
      .C(clk_i),
      .LD(1'b1),
      .CE(1'b0),
      .INC(1'b0),
      .CINVCTRL(1'b0),
      .CNTVALUEIN(strobe_taps_i),
      .DATAIN(1'b0),
      .IDATAIN(dqs_in),
      .LDPIPEEN(1'b0),
      .REGRST(1'b0),
      .CNTVALUEOUT(),
      .DATAOUT(dqs_delayed)
  );

  BUFIO u_cell_clock (
      .I(dqs_delayed),
      .O(strobe)
  );

  BUFR #(
      .BUFR_DIVIDE("BYPASS")
  ) u_fabric_clock (
      .I(dqs_delayed),
      .CE(1'b1),
      .CLR(1'b0),
      .O(bus_strobe_o)
  );

  for (genvar bit_of = 0; bit_of < 8; bit_of++) begin : gen_dq
    ODDR #(
        .DDR_CLK_EDGE("SAME_EDGE")
    ) u_out (
        .C(clk_dq_i),
        .CE(1'b1),
        .D1(bus_dq_i[0][bit_of]),
        .D2(bus_dq_i[1][bit_of]),
        .R(1'b0),
        .S(1'b0),
        .Q(dq_out[bit_of])
    );

    IOBUF u_pad (
        .I(dq_out[bit_of]),
        .T(dq_release_q[bit_of]),
        .O(dq_in[bit_of]),
        .IO(pad_dq_io[bit_of])
    );

    // As long as that of the strobe would be without taps.
    IDELAYE2 #(
        .IDELAY_TYPE("FIXED"),
        .IDELAY_VALUE(0)
    ) u_delay (
        .C(1'b0),
        .LD(1'b0),
        .CE(1'b0),
        .INC(1'b0),
        .CINVCTRL(1'b0),
        .CNTVALUEIN('0),
        .DATAIN(1'b0),
        .IDATAIN(dq_in[bit_of]),
        .LDPIPEEN(1'b0),
        .REGRST(1'b0),
        .CNTVALUEOUT(),
        .DATAOUT(dq_delayed[bit_of])
    );

    IDDR #(
        .DDR_CLK_EDGE("OPPOSITE_EDGE")
    ) u_in (
        .C(strobe),
        .CE(1'b1),
        .D(dq_delayed[bit_of]),
        .R(1'b0),
        .S(1'b0),
        .Q1(bus_capture_o[bit_of]),
        .Q2(bus_capture_o[bit_of+8])
    );
  end

  always_ff @(posedge clk_i) bus_dq_o <= dq_in;

  assign bus_rb_no = pad_rb_ni;

endmodule
