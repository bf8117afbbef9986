// SPDX-License-Identifier: Apache-2.0

// A reset for the registers of a clock.
//
// Contract: `rst_no` falls with `rst_ni`, with or without a clock, and rises two to three cycles after it.
// Latency: none, or that.
// Reason: a reset that ends close to an edge of the clock ends for some registers a cycle before others. So
// each clock has one of these, and nothing else takes a reset from outside.
module fm_reset_sync (
    input  logic clk_i,
    input  logic rst_ni,
    output logic rst_no
);

  (* ASYNC_REG = "TRUE" *)logic crossing_q;
  (* ASYNC_REG = "TRUE" *)logic settled_q;

  assign rst_no = settled_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crossing_q <= 1'b0;
      settled_q  <= 1'b0;
    end else begin
      crossing_q <= 1'b1;
      settled_q  <= crossing_q;
    end
  end

endmodule
