// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Which ways are ready.
//
// Contract: `ready_o` follows R/B# (1 is ready), but from `confirm_i` on the way `way_i` is busy
// until tWB is over, whatever its pin says. Meanwhile `masked_o` is up, and no other way may be
// confirmed.
// Latency: three cycles from a pin.
// Reason: one timer for all ways. Commands are longer than tWB or nearly so, thus waiting for it
// is rare, and a timer a way would be as large as the rest of the bus. Behind tWB come as many
// cycles as the way to the pins and back takes. What leaves is a register, since the choice of the
// next step begins with it.
module bus_ready #(
    parameter int unsigned Ways = 8
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic [     7:0] wb_i,
    input  logic            confirm_i,
    input  logic [     3:0] way_i,
    output logic            masked_o,
    input  logic [Ways-1:0] rb_ni,
    output logic [Ways-1:0] ready_o
);

  localparam int unsigned WayThere = 1;  // register of the pin
  localparam int unsigned WayBack = 3;   // synchroniser, and a cycle that it may lose

  (* ASYNC_REG = "TRUE" *)logic [Ways-1:0] early_q, level_q;
  logic [Ways-1:0] ready_d, ready_q;
  logic [7:0] timer_q;
  logic [WayThere+WayBack-1:0] tail_q;
  logic [3:0] way_q;
  logic running_q;

  assign masked_o = running_q || tail_q != '0;

  always_comb begin
    ready_d = level_q;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (masked_o && way_q == 4'(way)) ready_d[way] = 1'b0;
      if (confirm_i && way_i == 4'(way)) ready_d[way] = 1'b0;
    end
  end

  assign ready_o = ready_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      early_q   <= '0;
      level_q   <= '0;
      ready_q   <= '0;
      running_q <= 1'b0;
      tail_q    <= '0;
    end else begin
      early_q <= rb_ni;
      level_q <= early_q;
      ready_q <= ready_d;
      tail_q  <= {tail_q[$bits(tail_q)-2:0], running_q};
      if (confirm_i) running_q <= 1'b1;
      else if (timer_q == '0) running_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    // Nothing waits for it before a command confirms, which is known late.
    if (!masked_o) way_q <= way_i;
    if (!running_q) timer_q <= wb_i;
    else if (timer_q != '0) timer_q <= timer_q - 1'b1;
  end

  `FM_ASSERT(ConfirmedWhenUnmasked, !confirm_i || !masked_o)

endmodule
