// SPDX-License-Identifier: Apache-2.0

// Proof of `fm_patience`: patience ends exactly when 16 times the limit has passed without progress, and
// begins anew with progress or when nothing waits.
module fm_patience_proof (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [15:0] limit_i,
    input logic        waiting_i,
    input logic        progress_i
);

  logic over, due, started_q;
  logic [15:0] limit_q;
  logic [19:0] cycles, still_q;  // cycles before this one without progress, up to the limit

  fm_patience u_patience (
      .clk_i,
      .rst_ni,
      .limit_i,
      .waiting_i,
      .progress_i,
      .over_o(over),
      .due_o(due)
  );

  assign cycles = {limit_i, 4'd0};

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    limit_q <= limit_i;
    if (!rst_ni || !waiting_i || progress_i) still_q <= '0;
    else if (still_q != cycles) still_q <= still_q + 1'b1;
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q) LimitStays : assume (limit_i == limit_q);
    if (started_q && rst_ni) begin
      InTime : assert (over == (waiting_i && limit_i != '0 && still_q == cycles));
      DueInTime : assert (due == (limit_i != '0 && still_q == cycles));
      // What is true inside.
      InRange : assert (still_q <= cycles);
      Kept : assert (u_patience.over_q == (limit_i != '0 && still_q == cycles));
      Began : assert (limit_i == '0 || u_patience.still_q == (still_q != '0));
      Counted :
      assert (still_q == '0 || still_q == cycles ||
              u_patience.left_q == cycles - (still_q - 1'b1));
    end
    Ends : cover (started_q && rst_ni && over && progress_i);
  end

endmodule
