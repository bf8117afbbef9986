// SPDX-License-Identifier: Apache-2.0

// Which ways halt: begin no operation, until they are told to go on.
//
// Contract: a way halts at a pulse of `halt_i` or `abort_i`, and at one of `failed_i` if `on_failure_i` is
// up, until one of `resume_i`; a failure in the same cycle counts. `giving_o` is up for ways that halt and
// were told by `give_back_i` to give back what has not begun. `abort_o` tells that the operation under way
// is to be given up. `changed_o` is up in the first cycle in which a way halts, gives back, or does not any
// more.
// Latency: one cycle.
// Reason: whoever mends what failed has to know that nothing goes on meanwhile. So what came before a
// failure and what comes behind it are told apart here, and the requests that wait come back by themselves,
// in their order.
module way_halts #(
    parameter int unsigned Ways = 8
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            on_failure_i,
    input  logic [Ways-1:0] failed_i,
    input  logic [Ways-1:0] halt_i,
    input  logic [Ways-1:0] resume_i,
    input  logic [Ways-1:0] give_back_i,
    input  logic [Ways-1:0] abort_i,
    output logic [Ways-1:0] halted_o,
    output logic [Ways-1:0] giving_o,
    output logic [Ways-1:0] abort_o,
    output logic [Ways-1:0] changed_o
);

  typedef logic [Ways-1:0] ways_t;

  ways_t halted_d, halted_q, giving_d, giving_q, abort_q, changed_q;

  always_comb begin
    halted_d = (halted_q & ~resume_i) | halt_i | abort_i | (failed_i & {Ways{on_failure_i}});
    giving_d = ((giving_q & ~resume_i) | give_back_i) & halted_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      halted_q <= '0;
      giving_q <= '0;
      abort_q <= '0;
      changed_q <= '0;
    end else begin
      halted_q <= halted_d;
      giving_q <= giving_d;
      abort_q <= abort_i;
      changed_q <= (halted_d ^ halted_q) | (giving_d ^ giving_q);
    end
  end

  assign halted_o = halted_q;
  assign giving_o = giving_q;
  assign abort_o = abort_q;
  assign changed_o = changed_q;

endmodule
