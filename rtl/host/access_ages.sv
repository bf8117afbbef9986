// SPDX-License-Identifier: Apache-2.0

// How long each access has waited for something to come of it.
//
// Contract: `begins_i`, `moves_i` and `ends_i` have a bit an access: it begins, something of it came, it is
// over. `overdue_o` is up when there is one of which nothing came from one tick to the third one behind it.
// `clear_i` forgets all.
// Latency: two cycles. An access begins as young.
// Reason: accesses are told apart, or one that is lost would not be noticed while others go on. Two bits for
// each are enough, since the limit need not be exact. So what is told counts a cycle late as well, and
// whoever tells it has a cycle to find it out.
module access_ages #(
    parameter int unsigned Accesses = 16
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                tick_i,
    input  logic                clear_i,
    input  logic [Accesses-1:0] begins_i,
    input  logic [Accesses-1:0] moves_i,
    input  logic [Accesses-1:0] ends_i,
    output logic                overdue_o
);

  typedef logic [Accesses-1:0] accesses_t;

  // An age is two bits, which stop at 3.
  accesses_t begins_q, moved_q, ends_q, open_q, low_q, high_q, ages, ticks;

  assign overdue_o = (open_q & low_q & high_q) != '0;
  assign ages = open_q & ~moved_q;
  assign ticks = {Accesses{tick_i}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begins_q <= '0;
      open_q <= '0;
    end else begin
      begins_q <= clear_i ? '0 : begins_i;
      open_q <= clear_i ? '0 : (open_q & ~ends_q) | begins_q;
    end
  end

  always_ff @(posedge clk_i) begin
    moved_q <= moves_i;
    ends_q <= ends_i;
    // Written so that a bit is one look-up table: as conditions, resets and enables would take one each.
    low_q <= ages & ((low_q & (~ticks | high_q)) | (ticks & ~low_q));
    high_q <= ages & (high_q | (ticks & low_q));
  end

endmodule
