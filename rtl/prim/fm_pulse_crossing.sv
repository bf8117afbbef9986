// SPDX-License-Identifier: Apache-2.0

// Pulses from one clock to another, or a wire where both are the same.
//
// Contract: behind each pulse comes one of a cycle of the other clock. Pulses that come before the last one was seen to
// have arrived become one. Both sides are reset together.
// Latency: none; or two to four cycles of the other clock, and twice that until the next one is sent.
// Reason: a level that changes for each pulse is seen however slow the other clock is. What pulses here is collected in
// a register that stays set, so that one pulse stands for several.
module fm_pulse_crossing #(
    parameter bit Cross = 1'b1
) (
    input  logic in_clk_i,
    input  logic in_rst_ni,
    input  logic pulse_i,
    input  logic out_clk_i,
    input  logic out_rst_ni,
    output logic pulse_o
);

  if (Cross) begin : gen_levels
    logic waits_q, sent_q, arrived, seen, seen_q;

    always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
      if (!in_rst_ni) begin
        waits_q <= 1'b0;
        sent_q  <= 1'b0;
      end else begin
        if (pulse_i) waits_q <= 1'b1;
        else if (sent_q == arrived) waits_q <= 1'b0;
        if (waits_q && sent_q == arrived) sent_q <= !sent_q;
      end
    end

    fm_synchronizer u_seen (
        .clk_i (out_clk_i),
        .rst_ni(out_rst_ni),
        .bits_i(sent_q),
        .bits_o(seen)
    );

    always_ff @(posedge out_clk_i or negedge out_rst_ni) begin
      if (!out_rst_ni) seen_q <= 1'b0;
      else seen_q <= seen;
    end

    assign pulse_o = seen != seen_q;

    fm_synchronizer u_arrived (
        .clk_i (in_clk_i),
        .rst_ni(in_rst_ni),
        .bits_i(seen_q),
        .bits_o(arrived)
    );
  end else begin : gen_wire
    logic unused_clocks;
    assign unused_clocks = ^{in_clk_i, in_rst_ni, out_clk_i, out_rst_ni};
    assign pulse_o = pulse_i;
  end

endmodule
