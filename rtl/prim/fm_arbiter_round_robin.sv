// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Grants one of several requests, each in turn.
//
// Contract: `grant_o` has at most one bit, that of a request. A request stays up until it is
// granted and `accept_i` is up; until then the grant does not move. Nobody waits for more than
// Requests - 1 grants of others.
// Latency: none, the grant follows the requests in the same cycle.
// Reason: one mask says both whose turn is next and what is held. It covers the requests from the
// granted one on while that waits, and those after it once it was accepted.
module fm_arbiter_round_robin #(
    parameter int unsigned Requests = 4
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [Requests-1:0] request_i,
    input  logic                accept_i,
    output logic [Requests-1:0] grant_o
);

  typedef logic [Requests-1:0] requests_t;

  requests_t mask_d, mask_q, preferred, below;

  // The lowest set bit.
  function automatic requests_t lowest(requests_t requests);
    return requests & (~requests + 1'b1);
  endfunction

  assign preferred = request_i & mask_q;
  assign grant_o = preferred != '0 ? lowest(preferred) : lowest(request_i);
  assign below = grant_o - 1'b1;

  always_comb begin
    mask_d = mask_q;
    if (request_i != '0) begin
      mask_d = accept_i ? ~(grant_o | below) : ~below;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mask_q <= '1;
    end else begin
      mask_q <= mask_d;
    end
  end

  `FM_ASSERT(OneGrant, (grant_o & (grant_o - 1'b1)) == '0)
  `FM_ASSERT(GrantOfRequest, (grant_o & ~request_i) == '0)
  `FM_ASSERT(GrantIfAny, (grant_o != '0) == (request_i != '0))

endmodule
