// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Register slice: cuts a stream's paths in both directions.
//
// Contract: as `fm_fifo`, holding two beats.
// Latency: one cycle. One beat a cycle.
// Reason: a register for the beat that is offered, and one that catches the beat on its way when
// the receiver stops. Every output comes from a register.
module fm_skid_buffer #(
    parameter int unsigned Width = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  logic out_valid_q, caught_q;
  logic [Width-1:0] out_data_q, caught_data_q;
  logic advance;

  assign in_ready_o = !caught_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign advance = !out_valid_q || out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      caught_q <= 1'b0;
    end else begin
      if (advance) out_valid_q <= caught_q || in_valid_i;
      caught_q <= !advance && (caught_q || in_valid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) out_data_q <= caught_q ? caught_data_q : in_data_i;
    if (!caught_q) caught_data_q <= in_data_i;
  end

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, in_data_i)
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i, out_data_o)

endmodule
