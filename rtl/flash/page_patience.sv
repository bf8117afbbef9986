// Tells when something has waited for too long.
//
// Contract: while `waiting_i` is up and `progress_i` is not, `over_o` rises after `limit_i` times
// 16 cycles, and stays until there is progress or nothing waits. A limit of 0 is for ever.
// Latency: one cycle.
// Reason: a buffer may be slow as long as it moves; so words count, not pages.
module page_patience (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] limit_i,
    input  logic        waiting_i,
    input  logic        progress_i,
    output logic        over_o
);

  logic [19:0] left_q;
  logic over_q;

  assign over_o = over_q && waiting_i;

  always_ff @(posedge clk_i) begin
    if (!waiting_i || progress_i) left_q <= {limit_i, 4'd0};
    else left_q <= left_q - 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) over_q <= 1'b0;
    else over_q <= waiting_i && !progress_i && limit_i != '0 &&
                   (over_q || left_q == 20'd1);
  end

endmodule
