// SPDX-License-Identifier: Apache-2.0
`timescale 1ps / 1ps

// A strobe by `ddr_output`, of a netlist with delays: bursts of any length, with pauses, as flash_bus makes them.
//
// Contract: ends with an error if the strobe has a level shorter than half a period, less the difference of the cells' delays.
// Latency: none.
// Reason: simulation without delays cannot show it.
module pin_register #(
    parameter Rise  = 1,
    parameter Value = 0,
    parameter Delay = 300
) (
    input  logic d,
    input  logic c,
    input  logic r,
    output logic q
);
  if (Rise != 0) begin : gen_rise
    always @(posedge c or negedge r) q <= #(Delay) r ? d : 1'(Value);
  end else begin : gen_fall
    always @(negedge c or negedge r) q <= #(Delay) r ? d : 1'(Value);
  end
endmodule

module pin_mux (
    input  logic a,
    input  logic b,
    input  logic s,
    output logic y
);
  always @(a or b or s) y <= #40 s ? b : a;
endmodule

module pin_xor (
    input  logic a,
    input  logic b,
    output logic y
);
  always @(a or b) y <= #40 a ^ b;
endmodule

module pins_tb;

  localparam int Half = 5000;
  // Registers of the two edges differ by 40.
  localparam int Shortest = Half - 100;

  logic clk, rst_n, issue, strobe;
  longint changed;
  int edges, levels, short_levels;

  ddr_output u_strobe (
      .clk_i(clk),
      .rst_ni(rst_n),
      .first_i(issue),
      .second_i(1'b0),
      .pin_o(strobe)
  );

  initial begin
    clk = 1'b0;
    forever #(Half) clk = !clk;
  end

  initial begin
    rst_n = 1'b1;
    issue = 1'b0;
    #1000 rst_n = 1'b0;
    #20000 rst_n = 1'b1;
    for (int word = 0; word < 2000; word++) begin
      @(posedge clk);
      issue <= #500 $urandom_range(3) != 0;
    end
    $display("%0d edges of the strobe, %0d levels too short", edges, short_levels);
    if (edges < 1000 || short_levels != 0) $fatal(1, "a level is shorter than %0d ps", Shortest);
    $finish;
  end

  // From the second change behind reset on.
  always @(strobe) begin
    if (rst_n && $time > 40000) begin
      edges++;
      if (levels > 0 && $time - changed < Shortest) short_levels++;
      levels++;
      changed = $time;
    end
  end

endmodule
