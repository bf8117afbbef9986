// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Bytes onto a serial line: a start bit, eight bits from the lowest on, a stop bit (8N1).
//
// Contract: a stream of bytes; the line is up while there is none.
// Latency: ten bits a byte.
// Reason: the line comes from a register, so it has no glitches.
module uart_transmitter #(
    parameter int unsigned BitCycles = 25
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       valid_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    output logic       line_o
);

  localparam int unsigned CountBits = $clog2(BitCycles);

  logic [CountBits-1:0] count_q;
  // Bits that are left, the stop bit last.
  logic [3:0] left_q;
  logic [8:0] bits_q;
  logic line_q;

  assign ready_o = left_q == '0;
  assign line_o = line_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      line_q <= 1'b1;
    end else if (ready_o) begin
      line_q <= !valid_i;
      if (valid_i) left_q <= 4'd10;
    end else if (count_q == '0) begin
      left_q <= left_q - 1'b1;
      line_q <= bits_q[0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      count_q <= CountBits'(BitCycles - 1);
      bits_q <= {1'b1, data_i};
    end else if (count_q == '0) begin
      count_q <= CountBits'(BitCycles - 1);
      bits_q <= {1'b1, bits_q[8:1]};
    end else begin
      count_q <= count_q - 1'b1;
    end
  end

  `FM_ASSERT_STREAM(u_assert, valid_i, ready_o, data_i)

endmodule
