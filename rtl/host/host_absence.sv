// SPDX-License-Identifier: Apache-2.0

// What a reset of the host's side, without the drive's, does here.
//
// Contract: `host_reset_i` belongs to the clock, and is up for a cycle or more; from that cycle on nothing that comes from the host's
// bridge means anything, and all that was under way with it is gone. `gone_o` is up from that cycle on, until `host_reset_i` is down and
// nothing is under way any more: accesses of BAR 0 (`bar_idle_i`), then, behind a reset of the function (`function_reset_o`, a cycle),
// those of host memory and all that leads to one (`idle_i`).
// Latency: that of what is under way, and some twenty cycles.
// Reason: what the host asked for last is done before the reset of the function, or it would have an effect behind it.
module host_absence (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic host_reset_i,
    input  logic bar_idle_i,
    input  logic idle_i,
    output logic gone_o,
    output logic function_reset_o
);

  typedef enum logic [1:0] {
    Here,
    Ends,    // accesses of BAR 0
    Resets,  // the function
    Settles  // all else
  } absence_e;

  // Cycles after which all that a reset of the function begins is seen as under way.
  localparam logic [3:0] Begun = 4'd15;

  absence_e state_d, state_q;
  logic [3:0] settles_q;

  assign gone_o = host_reset_i || state_q != Here;
  assign function_reset_o = state_q == Resets;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Here: if (host_reset_i) state_d = Ends;
      Ends: if (bar_idle_i) state_d = Resets;
      Resets: state_d = Settles;
      default: if (settles_q == Begun && idle_i && !host_reset_i) state_d = Here;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Here;
      settles_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q != Settles) settles_q <= '0;
      else if (settles_q != Begun) settles_q <= settles_q + 1'b1;
    end
  end

endmodule
