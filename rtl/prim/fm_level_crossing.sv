// SPDX-License-Identifier: Apache-2.0

// Levels from one clock to another, or wires where both are the same.
//
// Contract: as fm_synchronizer if Cross, for levels that need not come from registers. Levels that belong together stand still
// while anybody looks at them.
// Latency: none; or a cycle of the one clock, and that of fm_synchronizer.
// Reason: as fm_crossing. What logic makes may swing between two levels, and only a register keeps that from being seen.
module fm_level_crossing #(
    parameter int unsigned Width = 1,
    parameter bit          Cross = 1'b1
) (
    input  logic             in_clk_i,
    input  logic             in_rst_ni,
    input  logic [Width-1:0] bits_i,
    input  logic             out_clk_i,
    input  logic             out_rst_ni,
    output logic [Width-1:0] bits_o
);

  if (Cross) begin : gen_registers
    logic [Width-1:0] bits_q;

    always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
      if (!in_rst_ni) bits_q <= '0;
      else bits_q <= bits_i;
    end

    fm_synchronizer #(
        .Width(Width)
    ) u_registers (
        .clk_i (out_clk_i),
        .rst_ni(out_rst_ni),
        .bits_i(bits_q),
        .bits_o
    );
  end else begin : gen_wire
    logic unused_clocks;
    assign unused_clocks = ^{in_clk_i, in_rst_ni, out_clk_i, out_rst_ni};
    assign bits_o = bits_i;
  end

endmodule
