// SPDX-License-Identifier: Apache-2.0

// Bytes from a serial line: a start bit, eight bits from the lowest on, a stop bit (8N1).
//
// Contract: `valid_o` is up for a cycle with each byte; with `broken_o` its stop bit was none, and the line has to be idle
// before the next byte is looked for. A start bit that is shorter than half a bit is none.
// Latency: a byte is there in the middle of its stop bit, two cycles later.
// Reason: each bit is taken in its middle, counted from the fall of the start bit: both ends may differ by 4 % in their clocks.
module uart_receiver #(
    parameter int unsigned BitCycles = 25
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       line_i,
    output logic       valid_o,
    output logic       broken_o,
    output logic [7:0] data_o
);

  localparam int unsigned CountBits = $clog2(BitCycles + 1);
  // Bits from the start bit to the stop bit, less one.
  localparam logic [3:0] StopBit = 4'd9;

  logic line, is_on_q, waits_q;
  logic [CountBits-1:0] count_q;
  logic [3:0] bit_q;
  logic [7:0] data_q;
  logic is_middle;

  fm_synchronizer u_line (
      .clk_i,
      .rst_ni,
      .bits_i(!line_i),
      .bits_o(line)
  );

  assign is_middle = is_on_q && count_q == '0;
  assign valid_o = is_middle && bit_q == StopBit;
  // `line` is the line the other way round: idle is zero, also out of reset.
  assign broken_o = line;
  assign data_o = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_on_q <= 1'b0;
      waits_q <= 1'b0;
    end else if (waits_q) begin
      waits_q <= line;
    end else if (!is_on_q) begin
      is_on_q <= line;
    end else if (is_middle && (bit_q == StopBit || (bit_q == '0 && !line))) begin
      is_on_q <= 1'b0;
      waits_q <= valid_o && broken_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!is_on_q) begin
      count_q <= CountBits'(BitCycles / 2 - 1);
      bit_q <= '0;
    end else if (is_middle) begin
      count_q <= CountBits'(BitCycles - 1);
      bit_q <= bit_q + 1'b1;
      if (bit_q != StopBit) data_q <= {!line, data_q[7:1]};
    end else begin
      count_q <= count_q - 1'b1;
    end
  end

endmodule
