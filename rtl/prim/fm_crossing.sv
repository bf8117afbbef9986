// SPDX-License-Identifier: Apache-2.0

// A stream from one clock to another, or a wire where both are the same.
//
// Contract: as fm_fifo_async if Cross, for beats that leave in the order in which they came. Otherwise both clocks and
// both resets are the same, and what is offered on one side is offered on the other.
// Latency: none, or that of fm_fifo_async.
// Reason: a block that may have a clock of its own has the same text either way.
module fm_crossing #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 8,
    parameter bit          Cross = 1'b1
) (
    input  logic             in_clk_i,
    input  logic             in_rst_ni,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    input  logic             out_clk_i,
    input  logic             out_rst_ni,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  if (Cross) begin : gen_queue
    fm_fifo_async #(
        .Width(Width),
        .Depth(Depth)
    ) u_queue (
        .*,
        .in_open_i(1'b1), .in_forget_i(1'b0),
        .out_open_i(1'b1), .out_forget_i(1'b0)
    );
  end else begin : gen_wire
    logic unused_clocks;
    assign unused_clocks = ^{in_clk_i, in_rst_ni, out_clk_i, out_rst_ni};
    assign out_valid_o = in_valid_i;
    assign in_ready_o = out_ready_i;
    assign out_data_o = in_data_i;
  end

endmodule
