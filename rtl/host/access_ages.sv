// SPDX-License-Identifier: Apache-2.0

// How long each access has waited for something to come of it.
//
// Contract: `begins_i`, `moves_i` and `ends_i` have a bit an access: it begins, something of it came, it is
// over. `overdue_o` is up when there is one of which nothing came from one tick to the third one behind it.
// `clear_i` forgets all.
// Latency: one cycle.
// Reason: accesses are told apart, or one that is lost would not be noticed while others go on. Two bits for
// each are enough, since the limit need not be exact.
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

  logic [Accesses-1:0] open_q, late;
  logic [Accesses-1:0][1:0] age_q;

  always_comb begin
    for (int unsigned i = 0; i < Accesses; i++) late[i] = open_q[i] && age_q[i] == '1;
  end

  assign overdue_o = late != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
    end else begin
      open_q <= clear_i ? '0 : (open_q & ~ends_i) | begins_i;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Accesses; i++) begin
      if (begins_i[i] || moves_i[i]) age_q[i] <= '0;
      else if (tick_i && age_q[i] != '1) age_q[i] <= age_q[i] + 1'b1;
    end
  end

endmodule
