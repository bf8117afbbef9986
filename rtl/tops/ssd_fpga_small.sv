// SPDX-License-Identifier: Apache-2.0

// Test top: the controller as it stands on an FPGA board, of two channels with two ways each. Its line and its pauses are as fast as tests
// want them; its program is in program.hex of the folder that the test runs in.
module ssd_fpga_small #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           line_i,
    output logic                           line_o,
    output logic                           alive_o,
    output logic                           sdram_cke_o,
    output logic                           sdram_cs_no,
    output logic                           sdram_ras_no,
    output logic                           sdram_cas_no,
    output logic                           sdram_we_no,
    output logic [1:0]                     sdram_ba_o,
    output logic [12:0]                    sdram_a_o,
    output logic [1:0]                     sdram_dqm_o,
    output logic [15:0]                    sdram_dq_o,
    output logic                           sdram_dq_oe_o,
    input  logic [15:0]                    sdram_dq_i,
    output logic [Channels-1:0][Ways-1:0]  ce_no,
    output logic [Channels-1:0]            cle_o,
    output logic [Channels-1:0]            ale_o,
    output logic [Channels-1:0]            we_no,
    output logic [Channels-1:0]            wp_no,
    output logic [Channels-1:0]            re_no,
    output logic [Channels-1:0][7:0]       dq_o,
    output logic [Channels-1:0]            dq_oe_o,
    output logic [Channels-1:0]            dqs_o,
    output logic [Channels-1:0]            dqs_oe_o,
    input  logic [Channels-1:0][7:0]       dq_i,
    input  logic [Channels-1:0]            dqs_i,
    input  logic [Channels-1:0][Ways-1:0]  rb_ni
);

  ssd_fpga #(
      .Channels(Channels),
      .Ways(Ways),
      .ProgramFile("program.hex"),
      .BitCycles(4),
      .SilenceCycles(1000),
      .PowerUpCycles(200)
  ) u_ssd (
      .*
  );

endmodule
