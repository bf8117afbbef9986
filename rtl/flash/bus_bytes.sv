// SPDX-License-Identifier: Apache-2.0

// What a beat puts on the bus: which byte, how many units of data, which wait behind it.
//
// Contract: follows its inputs. `index_i` counts the bytes of an address, `left_i` the units of
// data still to go, their lowest bits. A unit is a word of DDR; of registers, and in SDR, a byte.
// Latency: none.
// Reason: bytes of addresses and of registers come from the same step, so one selector serves both.
module bus_bytes
  import fm_bus_pkg::*;
(
    // verilator lint_off UNUSEDSIGNAL
    input  fm_flash_pkg::bus_config_t     config_i,
    // verilator lint_on UNUSEDSIGNAL
    input  beat_t                         beat_i,
    input  logic                   [15:0] column_i,
    input  logic                   [31:0] row_i,
    input  logic                   [15:0] words_i,
    input  logic                          fresh_i,
    input  logic                   [ 2:0] index_i,
    input  logic                   [ 2:0] left_i,
    input  logic                   [15:0] write_data_i,
    output logic                   [ 2:0] next_index_o,
    output logic                          ends_beat_o,    // with this byte
    output logic                   [ 7:0] pulse_byte_o,   // under WE#
    output logic                   [15:0] burst_word_o,   // under DQS
    output logic                   [16:0] units_o,
    output logic                   [ 7:0] wait_o
);

  logic is_write, registers;
  logic [2:0] index, last_index;
  logic [7:0] step_byte;

  assign is_write = beat_i.kind == BeatWrite;
  assign registers = beat_i.code[0];

  always_comb begin
    last_index = beat_i.code[5:3];
    if (last_index[2]) last_index[0] = config_i.long_row;
    index = index_i;
    if (fresh_i) index = beat_i.code[2:0];
    if (is_write) index = 3'd6 - left_i;
  end

  assign next_index_o = last_index == '0 ? '0 : index + 1'b1;
  assign ends_beat_o = beat_i.kind == BeatCommand ||
      (beat_i.kind == BeatAddress && index == last_index);

  always_comb begin
    unique case (index)
      3'd0:    step_byte = column_i[7:0];
      3'd1:    step_byte = column_i[15:8];
      3'd2:    step_byte = row_i[7:0];
      3'd3:    step_byte = row_i[15:8];
      3'd4:    step_byte = row_i[23:16];
      default: step_byte = row_i[31:24];
    endcase
  end

  assign burst_word_o = registers ? {2{step_byte}} : write_data_i;

  always_comb begin
    pulse_byte_o = step_byte;
    if (beat_i.kind == BeatCommand) pulse_byte_o = beat_i.code;
    else if (is_write && !registers) begin
      pulse_byte_o = left_i[0] ? write_data_i[15:8] : write_data_i[7:0];
    end
  end

  always_comb begin
    units_o = config_i.ddr && !registers ? {1'b0, words_i} : {words_i, 1'b0};
    if (is_write && registers) units_o = 17'd4;
    else if (beat_i.code == ReadFeature) units_o = 17'd4;
    else if (beat_i.code == ReadStatusByte) units_o = 17'd1;
  end

  always_comb begin
    unique case (beat_i.then)
      WaitAdl: wait_o = config_i.adl;
      WaitCcs: wait_o = config_i.ccs;
      WaitWhr: wait_o = config_i.whr;
      default: wait_o = '0;
    endcase
  end

endmodule
