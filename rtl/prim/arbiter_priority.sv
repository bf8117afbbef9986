`include "prim_assert.svh"

// Grants one of several requests of two classes: urgent ones first, each class in turn.
//
// Contract: as `arbiter_round_robin` within a class. `urgent_i` says the class of each request and
// does not change while it waits. An urgent request goes before all that are not, but a grant that
// is out already stays. Requests that are not urgent may wait for ever.
// Latency: none.
// Reason: each class has a turn of its own. With one for both, urgent requests would move the turn
// of the others, and some of those would never see it.
module arbiter_priority #(
    parameter int unsigned Requests = 4
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [Requests-1:0] request_i,
    input  logic [Requests-1:0] urgent_i,
    input  logic                accept_i,
    output logic [Requests-1:0] grant_o
);

  logic [Requests-1:0] urgent_grant, normal_grant;
  logic normal_held_q, choose_normal;

  assign choose_normal = normal_held_q || urgent_grant == '0;
  assign grant_o = choose_normal ? normal_grant : urgent_grant;

  arbiter_round_robin #(
      .Requests(Requests)
  ) u_urgent (
      .clk_i,
      .rst_ni,
      .request_i(request_i & urgent_i),
      .accept_i(accept_i && !choose_normal),
      .grant_o(urgent_grant)
  );

  arbiter_round_robin #(
      .Requests(Requests)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .request_i(request_i & ~urgent_i),
      .accept_i(accept_i && choose_normal),
      .grant_o(normal_grant)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      normal_held_q <= 1'b0;
    end else begin
      normal_held_q <= choose_normal && normal_grant != '0 && !accept_i;
    end
  end

  `ASSERT(OneGrant, (grant_o & (grant_o - 1'b1)) == '0)
  `ASSERT(GrantOfRequest, (grant_o & ~request_i) == '0)
  `ASSERT(GrantIfAny, (grant_o != '0) == (request_i != '0))

endmodule
