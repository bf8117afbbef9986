`include "prim_assert.svh"

// Proof of `arbiter_priority`: one grant, of a request; it stays until accepted; an urgent request
// never sees one that is not urgent begin before it. Turns within a class are those of
// `arbiter_round_robin`.
module arbiter_priority_proof #(
    localparam int unsigned Requests = 4
) (
    input logic                clk_i,
    input logic                rst_ni,
    input logic [Requests-1:0] request_i,
    input logic [Requests-1:0] urgent_i,
    input logic                accept_i
);

  logic [Requests-1:0] grant;

  arbiter_priority #(
      .Requests(Requests)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i,
      .urgent_i,
      .accept_i,
      .grant_o(grant)
  );

  logic started_q, running_q, accept_q;
  logic [Requests-1:0] request_q, urgent_q, grant_q, stay;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    running_q <= rst_ni;
    request_q <= request_i;
    urgent_q  <= urgent_i;
    grant_q   <= grant;
    accept_q  <= accept_i;
  end

  // The requests of the cycle before that were not served.
  assign stay = request_q & ~(grant_q & {Requests{accept_q}});

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && running_q && rst_ni) begin
      RequestsStay : assume ((stay & ~request_i) == '0);
      ClassesStay : assume ((stay & (urgent_i ^ urgent_q)) == '0);
      GrantStays : assert (accept_q || grant_q == '0 || grant == grant_q);
      // A new grant is an urgent one if there is any to give.
      UrgentFirst :
      assert ((!accept_q && grant_q != '0) || (request_i & urgent_i) == '0 ||
              (grant & urgent_i) != '0);
      HeldIsOffered :
      assert (!u_arbiter.normal_held_q || (!accept_q && (grant_q & ~urgent_q) != '0));
    end
    Overtaken : cover (started_q && (grant & ~urgent_i) != '0 && (request_i & urgent_i) != '0);
  end

endmodule
