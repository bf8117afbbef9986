// SPDX-License-Identifier: Apache-2.0

`include "ports.svh"

// Test top: the registers of a channel, with words of its packets and bits of its choices as ports.
module channel_registers
  import fm_flash_pkg::*;
#(
    localparam int unsigned Ways = 8
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    `FM_PORTS_LITE(, 9),
    output logic                                 irq_o,
    output logic [$bits(scheduler_config_t)-1:0] scheduler_config_o,
    output logic [      $bits(way_orders_t)-1:0] orders_o,
    input  logic [                     Ways-1:0] halted_i,
    input  logic [                     Ways-1:0] giving_i,
    output logic [      $bits(bus_config_t)-1:0] bus_config_o,
    output logic                                 request_valid_o,
    input  logic                                 request_ready_i,
    output logic [                         31:0] request_word0_o,
    output logic [                         31:0] request_word1_o,
    output logic [                         31:0] request_word2_o,
    output logic [                         31:0] request_word3_o,
    input  logic                                 response_valid_i,
    output logic                                 response_ready_o,
    input  logic [                         31:0] response_word0_i,
    input  logic [                         31:0] response_word1_i,
    input  logic [                         31:0] response_word2_i,
    input  logic                                 irq_i,
    input  logic [                   Ways*2-1:0] room_i,
    input  logic [                     Ways-1:0] ready_i,
    input  logic [                     Ways-1:0] pending_i,
    input  logic [                     Ways-1:0] occupied_i,
    input  logic                                 bus_busy_i,
    input  logic                                 word_out_i,
    input  logic                                 word_in_i,
    input  logic                                 step_i,
    input  logic [                          1:0] step_group_i,
    input  logic                                 given_up_i,
    input  logic                                 completion_i,
    input  logic [                          2:0] outcome_i,
    input  logic [                         11:0] corrected_i,
    input  logic [                          7:0] lost_i
);

  request_t request;
  assign {request_word3_o, request_word2_o, request_word1_o, request_word0_o} = 128'(request);

  watch_t watch;
  assign watch = '{
      bus_busy: bus_busy_i,
      word_out: word_out_i,
      word_in: word_in_i,
      step: step_i,
      group: group_e'(step_group_i),
      given_up: given_up_i,
      completion: completion_i,
      outcome: outcome_e'(outcome_i),
      corrected: corrected_i,
      lost: lost_i
  };

  flash_registers #(
      .Ways(Ways)
  ) u_registers (
      .w_i({w_data_i, w_strb_i}),
      .r_o({r_data_o, r_resp_o}),
      .request_o(request),
      .response_i({response_word2_i, response_word1_i, response_word0_i}),
      .watch_i(watch),
      .*
  );

endmodule
