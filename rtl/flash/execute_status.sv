// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Executor of the status commands: READ STATUS and READ STATUS ENHANCED.
//
// Contract: while `run_i` is up, offers the beats of `operation_i` one after the other, from the
// command to the release of the way; a beat is done when `beat_ready_i` is up.
// Latency: a beat follows the one before in the next cycle.
// Reason: an executor knows the bytes of its group and nothing else. Timing, addresses and data
// are the PHY's, which the four executors share.
module execute_status
  import fm_bus_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     run_i,
    input  fm_flash_pkg::operation_e operation_i,
    output logic                     beat_valid_o,
    input  logic                     beat_ready_i,
    output beat_t                    beat_o
);

  typedef enum logic [1:0] {
    First,
    Row,
    Data,
    Last
  } state_e;

  state_e state_d, state_q;
  logic enhanced;

  assign enhanced = operation_i == fm_flash_pkg::ReadStatusEnhanced;
  assign beat_valid_o = run_i;

  always_comb begin
    state_d = First;
    beat_o  = release_way();
    unique case (state_q)
      First: begin
        beat_o  = enhanced ? command(8'h78) : beat(BeatCommand, 8'h70, WaitWhr);
        state_d = enhanced ? Row : Data;
      end
      Row: begin
        beat_o  = beat(BeatAddress, AddressRow, WaitWhr);
        state_d = Data;
      end
      Data: begin
        beat_o  = beat(BeatRead, ReadStatusByte, WaitNone);
        state_d = Last;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= First;
    end else if (run_i && beat_ready_i) begin
      state_q <= state_d;
    end
  end

  `FM_ASSERT_STREAM(u_assert_beat, beat_valid_o, beat_ready_i, beat_o)

endmodule
