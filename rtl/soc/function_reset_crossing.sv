// SPDX-License-Identifier: Apache-2.0

// A reset of the PCI function from the clock of a bridge to that of the host interface, and its end back.
//
// Contract: behind the last of several cycles with `reset_i` there comes a cycle of `reset_o`. `done_o` is down from the cycle of `reset_i` on, until
// `idle_i` was up behind that reset. Both sides are reset together.
// Latency: as fm_pulse_crossing each way, and twenty cycles of `clk_i`.
// Reason: the host interface needs some cycles to be seen as busy with a reset.
module function_reset_crossing (
    input  logic clk_i,
    input  logic rst_ni,
    output logic reset_o,
    input  logic idle_i,
    input  logic bridge_clk_i,
    input  logic bridge_rst_ni,
    input  logic reset_i,
    output logic done_o
);

  // Cycles after which all that a reset of the function begins is seen as under way, as in `host_absence`.
  localparam logic [3:0] Begun = 4'd15;

  logic waits_q, asked_q, done_seen, asked_seen, taken_q, done_q;
  logic [3:0] settles_q;

  assign done_o = !reset_i && !waits_q && asked_q == done_seen;

  always_ff @(posedge bridge_clk_i or negedge bridge_rst_ni) begin
    if (!bridge_rst_ni) begin
      waits_q <= 1'b0;
      asked_q <= 1'b0;
    end else begin
      waits_q <= reset_i || (waits_q && asked_q != done_seen);
      if (waits_q && asked_q == done_seen) asked_q <= !asked_q;
    end
  end

  fm_synchronizer u_asked (
      .clk_i,
      .rst_ni,
      .bits_i(asked_q),
      .bits_o(asked_seen)
  );

  fm_synchronizer u_done (
      .clk_i (bridge_clk_i),
      .rst_ni(bridge_rst_ni),
      .bits_i(done_q),
      .bits_o(done_seen)
  );

  assign reset_o = asked_seen != taken_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= 1'b0;
      done_q <= 1'b0;
      settles_q <= '0;
    end else begin
      taken_q <= asked_seen;
      if (taken_q == done_q) settles_q <= '0;
      else if (settles_q != Begun) settles_q <= settles_q + 1'b1;
      else if (idle_i) done_q <= taken_q;
    end
  end

endmodule
