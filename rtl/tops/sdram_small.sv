// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Test top: the SDRAM's controller with a bus of 128 bits.
module sdram_small (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        ar_valid_i,
    output logic        ar_ready_o,
    input  logic [2:0]  ar_id_i,
    input  logic [63:0] ar_address_i,
    input  logic [7:0]  ar_length_i,
    output logic        r_valid_o,
    input  logic        r_ready_i,
    output logic [2:0]  r_id_o,
    output logic [63:0] r_low_o,
    output logic [63:0] r_high_o,
    output logic [1:0]  r_response_o,
    output logic        r_last_o,
    input  logic        aw_valid_i,
    output logic        aw_ready_o,
    input  logic [2:0]  aw_id_i,
    input  logic [63:0] aw_address_i,
    input  logic [7:0]  aw_length_i,
    input  logic        w_valid_i,
    output logic        w_ready_o,
    input  logic [63:0] w_low_i,
    input  logic [63:0] w_high_i,
    input  logic [3:0]  w_strobe_i,
    input  logic        w_last_i,
    output logic        b_valid_o,
    input  logic        b_ready_i,
    output logic [2:0]  b_id_o,
    output logic [1:0]  b_response_o,
    output logic        sdram_cke_o,
    output logic        sdram_cs_no,
    output logic        sdram_ras_no,
    output logic        sdram_cas_no,
    output logic        sdram_we_no,
    output logic [1:0]  sdram_ba_o,
    output logic [12:0] sdram_a_o,
    output logic [1:0]  sdram_dqm_o,
    output logic [15:0] sdram_dq_o,
    output logic        sdram_dq_oe_o,
    input  logic [15:0] sdram_dq_i
);

  typedef `FM_AXI_R(128) r_beat_t;

  r_beat_t r;

  assign {r_high_o, r_low_o, r_response_o, r_last_o} = r;

  sdram #(
      .DataBits(128),
      .IdBits(3),
      .PowerUpCycles(200)
  ) u_sdram (
      .*,
      .ar_i({ar_id_i, ar_address_i, ar_length_i}),
      .r_o(r),
      .aw_i({aw_id_i, aw_address_i, aw_length_i}),
      .w_i({w_high_i, w_low_i, w_strobe_i, w_last_i}),
      .b_response_o(b_response_o),
      .pin_cke_o(sdram_cke_o),
      .pin_cs_no(sdram_cs_no),
      .pin_ras_no(sdram_ras_no),
      .pin_cas_no(sdram_cas_no),
      .pin_we_no(sdram_we_no),
      .pin_ba_o(sdram_ba_o),
      .pin_a_o(sdram_a_o),
      .pin_dqm_o(sdram_dqm_o),
      .pin_dq_o(sdram_dq_o),
      .pin_dq_oe_o(sdram_dq_oe_o),
      .pin_dq_i(sdram_dq_i)
  );

endmodule
