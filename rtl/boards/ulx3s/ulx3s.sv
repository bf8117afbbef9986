// SPDX-License-Identifier: Apache-2.0

// The whole controller on a ULX3S board with an LFE5U-85F: serial line of the FTDI chip, SDRAM, and two flash channels of two chips at the
// pin headers. docs/rtl.md, "On an FPGA", says which pin is what.
//
// Contract: pads alone. The clock is the board's, 25 MHz; button 0 resets.
// Latency: that of `ssd_fpga`.
// Reason: what simulation cannot have, drivers that let go, stands here and nowhere else.
module ulx3s #(
    parameter ProgramFile = "program.hex"
) (
    input  logic            clk_25mhz,
    input  logic            reset_n,
    input  logic            ftdi_txd,
    output logic            ftdi_rxd,
    output logic [1:0]      led,
    output logic            sdram_clk,
    output logic            sdram_cke,
    output logic            sdram_csn,
    output logic            sdram_rasn,
    output logic            sdram_casn,
    output logic            sdram_wen,
    output logic [1:0]      sdram_ba,
    output logic [12:0]     sdram_a,
    output logic [1:0]      sdram_dqm,
    inout  wire  [15:0]     sdram_d,
    output logic [1:0][1:0] flash_ce_n,
    output logic [1:0]      flash_cle,
    output logic [1:0]      flash_ale,
    output logic [1:0]      flash_we_n,
    output logic [1:0]      flash_wp_n,
    output logic [1:0]      flash_re_n,
    inout  wire  [1:0][7:0] flash_dq,
    inout  wire  [1:0]      flash_dqs,
    input  logic [1:0][1:0] flash_rb_n
);

  logic rst_n, sdram_dq_oe;
  logic [15:0] sdram_dq;
  logic [1:0] dq_oe, dqs, dqs_oe;
  logic [1:0][7:0] dq;

  fm_reset_sync u_reset (
      .clk_i(clk_25mhz),
      .rst_ni(reset_n),
      .rst_no(rst_n)
  );

  // 1 Mbaud, and an LED for the reset that is over.
  ssd_fpga #(
      .ProgramFile(ProgramFile),
      .BitCycles(25)
  ) u_ssd (
      .clk_i(clk_25mhz),
      .rst_ni(rst_n),
      .line_i(ftdi_txd),
      .line_o(ftdi_rxd),
      .alive_o(led[0]),
      .sdram_cke_o(sdram_cke),
      .sdram_cs_no(sdram_csn),
      .sdram_ras_no(sdram_rasn),
      .sdram_cas_no(sdram_casn),
      .sdram_we_no(sdram_wen),
      .sdram_ba_o(sdram_ba),
      .sdram_a_o(sdram_a),
      .sdram_dqm_o(sdram_dqm),
      .sdram_dq_o(sdram_dq),
      .sdram_dq_oe_o(sdram_dq_oe),
      .sdram_dq_i(sdram_d),
      .ce_no(flash_ce_n),
      .cle_o(flash_cle),
      .ale_o(flash_ale),
      .we_no(flash_we_n),
      .wp_no(flash_wp_n),
      .re_no(flash_re_n),
      .dq_o(dq),
      .dq_oe_o(dq_oe),
      .dqs_o(dqs),
      .dqs_oe_o(dqs_oe),
      .dq_i(flash_dq),
      .dqs_i(flash_dqs),
      .rb_ni(flash_rb_n)
  );

  assign led[1] = rst_n;
  assign sdram_clk = !clk_25mhz;
  assign sdram_d = sdram_dq_oe ? sdram_dq : 'z;
  for (genvar i = 0; i < 2; i++) begin : gen_channel
    assign flash_dq[i] = dq_oe[i] ? dq[i] : 'z;
    assign flash_dqs[i] = dqs_oe[i] ? dqs[i] : 'z;
  end

endmodule
