// SPDX-License-Identifier: Apache-2.0

// Tells when something has waited for too long.
//
// Contract: when `waiting_i` was up for `limit_i` times 16 cycles, and `progress_i` was not, `over_o`
// rises. It stays up while that goes on. `due_o` is the same but for what happens in this very cycle.
// A limit of 0 is for ever.
// Latency: none from the end of the wait, one cycle from progress.
// Reason: what moves may be slow, so any progress begins the time anew. Both inputs tend to come
// late in a cycle; so the count looks at them a cycle later, and only one bit at once. Who can hold
// what moves for a cycle takes `due_o`, which is a register.
module fm_patience (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] limit_i,
    input  logic        waiting_i,
    input  logic        progress_i,
    output logic        over_o,
    output logic        due_o
);

  logic [19:0] left_q;
  logic still, still_q, over_q;

  localparam logic [19:0] Late = 20'd2;  // cycles that pass before the count and behind it

  assign still  = waiting_i && !progress_i;
  assign over_o = over_q && waiting_i;
  assign due_o  = over_q;

  always_ff @(posedge clk_i) begin
    if (!still_q) left_q <= {limit_i, 4'd0};
    else left_q <= left_q - 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      still_q <= 1'b0;
      over_q  <= 1'b0;
    end else begin
      still_q <= still;
      over_q  <= still && still_q && limit_i != '0 && (over_q || left_q == Late);
    end
  end

endmodule
