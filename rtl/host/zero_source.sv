// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Answers reads that nobody has to be asked for: their data is zeros.
//
// Contract: `read` is a slot and its beats minus one; `beat` gives them, in the cycles in which it is taken.
// With `lost_i` what is left is dropped, since the slots do not wait for it any more.
// Latency: one cycle to the first beat. One beat a cycle; between reads a cycle is lost.
// Reason: zeros go the way of data from the host, so that they keep its order and meet any alignment. Whether a read can
// be taken does not depend on whether a beat is: the way from there to the reads is long.
module zero_source #(
    parameter int unsigned SlotBits = 4
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                lost_i,
    input  logic                read_valid_i,
    output logic                read_ready_o,
    input  logic [SlotBits-1:0] read_slot_i,
    input  logic [         7:0] read_length_i,
    output logic                beat_valid_o,
    input  logic                beat_take_i,
    output logic [SlotBits-1:0] beat_slot_o,
    output logic                beat_first_o,
    output logic                beat_last_o
);

  logic busy_q, first_q, takes, ends;
  logic [SlotBits-1:0] slot_q;
  logic [7:0] left_q;

  assign beat_valid_o = busy_q;
  assign beat_slot_o = slot_q;
  assign beat_first_o = first_q;
  assign beat_last_o = left_q == '0;
  assign ends = beat_take_i && beat_last_o;
  assign read_ready_o = !busy_q;
  assign takes = read_valid_i && read_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= takes || (busy_q && !ends && !lost_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes) begin
      slot_q <= read_slot_i;
      left_q <= read_length_i;
      first_q <= 1'b1;
    end else if (busy_q && beat_take_i) begin
      left_q <= left_q - 1'b1;
      first_q <= 1'b0;
    end
  end

endmodule
