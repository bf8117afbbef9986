// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `fm_arbiter_round_robin`: one grant, of a request; it stays until accepted; and any one
// requester sees at most Requests - 1 grants of others accepted before its own.
module fm_arbiter_round_robin_proof #(
    localparam int unsigned Requests = 4
) (
    input logic                clk_i,
    input logic                rst_ni,
    input logic [Requests-1:0] request_i,
    input logic                accept_i,
    input logic [Requests-1:0] watched_i
);

  logic [Requests-1:0] grant;

  fm_arbiter_round_robin #(
      .Requests(Requests)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i,
      .accept_i,
      .grant_o(grant)
  );

  logic started_q, running_q;
  logic [Requests-1:0] request_q, grant_q, watched_q, passed_q;
  logic accept_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    request_q <= request_i;
    grant_q <= grant;
    accept_q <= accept_i;
    watched_q <= watched_i;
    // Requesters that were served while the watched one waited.
    if (!rst_ni || (request_i & watched_i) == '0 || (accept_i && grant == watched_i)) begin
      passed_q <= '0;
    end else if (accept_i) begin
      passed_q <= passed_q | grant;
    end
    running_q <= rst_ni;
  end

  // The requests that come before the turn begins anew, and those before the watched one.
  logic [Requests-1:0] mask, below;
  assign mask  = u_arbiter.mask_q;
  assign below = watched_i - 1'b1;

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    OneWatched : assume (watched_i != '0 && (watched_i & below) == '0);
    SameWatched : assume (!started_q || watched_i == watched_q);
    if (started_q && running_q && rst_ni) begin
      RequestsStay :
      assume ((request_q & ~(grant_q & {Requests{accept_q}}) & ~request_i) == '0);
      GrantStays : assert (accept_q || grant_q == '0 || grant == grant_q);
    end
    if (started_q && rst_ni) begin
      // What makes the claim inductive: none of those that passed has its turn before the watched.
      MaskIsUpper : assert (((mask << 1) & ~mask) == '0);
      PassedInMask : assert ((mask & watched_i) == '0 || (passed_q & mask & below) == '0);
      PassedBefore : assert ((mask & watched_i) != '0 || (passed_q & (mask | below)) == '0);
      PassedOthers : assert ((passed_q & watched_i) == '0);
      // The claim: nobody passes twice, so at most Requests - 1 pass.
      NoneTwice : assert (!accept_i || (request_i & watched_i) == '0 || (passed_q & grant) == '0);
    end
    AllPassed : cover (started_q && accept_i && grant == watched_i && (passed_q | watched_i) == '1);
  end

endmodule
