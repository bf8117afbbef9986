// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Takes the data that come from the chip.
//
// Contract: while `on_i` is up, each `issue_i` announces a unit, which comes by itself: in DDR as a
// word of the strobe, in SDR as a byte on `dq_i`, `sample_delay_i` cycles after `sample_i`.
// `room_o` tells whether another one may be asked for. Units go to the stream, bytes packed into
// words, low one first; or into `value_o`, which `clear_i` sets to zero. `issued_all_i` is up when
// no more is asked for; then `empty_o` means that all is through. `pop_o` tells that a unit went.
// With `on_i` low, what is inside is forgotten.
// Latency: see bus_capture; in SDR two cycles and the delay.
// Reason: what was asked for cannot be stopped. So units are counted when they are asked for, and
// no more are outside than the queues hold. The delay has to be shorter than a cycle of RE#.
module bus_reader (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        ddr_i,
    input  logic [ 7:0] sample_delay_i,
    input  logic [ 2:0] code_i,          // of the beat, one of Read*
    input  logic        on_i,
    input  logic        issue_i,
    input  logic        issued_all_i,
    input  logic        sample_i,
    output logic        room_o,
    output logic        empty_o,
    output logic        pop_o,
    input  logic        clear_i,
    output logic [31:0] value_o,
    output logic        read_valid_o,
    input  logic        read_ready_i,
    output logic [15:0] read_data_o,
    output logic        read_last_o,
    input  logic        strobe_i,
    input  logic [15:0] capture_i,
    input  logic [ 7:0] dq_i
);

  localparam int unsigned Words = 16;
  localparam int unsigned Bytes = 4;

  logic [4:0] outside_q;
  logic is_last, is_word, to_value, second_q;
  logic word_valid, byte_valid, unit_valid;
  logic [15:0] word;
  logic [7:0] sampled, unit, low_q;
  logic [2:0] pushed_q, popped_q;
  logic [7:0] delay_q;
  logic sampling_q, push_q;
  logic [31:0] value_q;

  assign room_o = ddr_i ? outside_q < 5'(Words) : outside_q < 5'(Bytes);
  assign empty_o = !on_i || outside_q == '0;
  assign is_last = issued_all_i && outside_q == 5'd1;

  // DDR.
  bus_capture #(
      .Depth(Words)
  ) u_capture (
      .clk_i,
      .rst_ni,
      .on_i,
      .strobe_i,
      .capture_i,
      .final_i(is_last),
      .valid_o(word_valid),
      .pop_i(pop_o && ddr_i),
      .data_o(word)
  );

  // SDR.
  fm_ram_lut #(
      .Width(8),
      .Depth(Bytes)
  ) u_bytes (
      .clk_i,
      .write_i(push_q),
      .write_address_i(pushed_q[1:0]),
      .write_data_i(dq_i),
      .read_address_i(popped_q[1:0]),
      .read_data_o(sampled)
  );

  assign byte_valid = pushed_q != popped_q;
  assign unit_valid = ddr_i ? word_valid : byte_valid;
  assign unit = ddr_i ? word[7:0] : sampled;

  // Where it goes.
  assign is_word = ddr_i && !code_i[0];
  assign to_value = code_i[1];
  assign read_valid_o = on_i && unit_valid && !to_value && (is_word || second_q);
  assign read_data_o = is_word ? word : {unit, low_q};
  assign read_last_o = is_last;
  assign pop_o = on_i && unit_valid && (read_ready_i || !read_valid_o);
  assign value_o = value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outside_q <= '0;
      second_q <= 1'b0;
      pushed_q <= '0;
      popped_q <= '0;
      sampling_q <= 1'b0;
      push_q <= 1'b0;
    end else if (!on_i) begin
      outside_q <= 5'(issue_i);
      second_q <= 1'b0;
      pushed_q <= '0;
      popped_q <= '0;
      sampling_q <= 1'b0;
      push_q <= 1'b0;
    end else begin
      if (issue_i && !pop_o) outside_q <= outside_q + 1'b1;
      if (pop_o && !issue_i) outside_q <= outside_q - 1'b1;
      if (pop_o) second_q <= !second_q;
      if (pop_o) popped_q <= popped_q + 1'b1;
      if (push_q) pushed_q <= pushed_q + 1'b1;
      sampling_q <= sample_i || (sampling_q && delay_q != '0);
      push_q <= sampling_q && delay_q == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sample_i) delay_q <= sample_delay_i;
    else delay_q <= delay_q - 1'b1;
    if (pop_o) low_q <= unit;
    if (clear_i) value_q <= '0;
    else if (pop_o && to_value) begin
      // The first of four bytes ends in the lowest place, and so does one alone.
      value_q <= code_i[2] ? {unit, value_q[31:8]} : {24'b0, unit};
    end
  end

  `FM_ASSERT(OutsideInRange, outside_q <= 5'(Words))

endmodule
