// Watches a stream of data for standing still.
//
// Contract: `too_long_o` is up when `waiting_i` was up for more than 16 * (limit_i - 1) cycles on
// end without `progress_i`, at the latest after 16 * limit_i; a limit of 0 is for ever.
// Latency: none.
// Reason: one counter for all data of a bus, as only one stream moves at a time. Its unit is that
// of a clock divider, which goes on by itself.
module bus_patience (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] limit_i,
    input  logic        waiting_i,
    input  logic        progress_i,
    output logic        too_long_o
);

  logic [3:0] divider_q;
  logic [15:0] left_q;
  logic over_q;

  assign too_long_o = over_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      divider_q <= '0;
      left_q <= '0;
      over_q <= 1'b0;
    end else begin
      divider_q <= divider_q + 1'b1;
      if (!waiting_i || progress_i) begin
        left_q <= limit_i;
        over_q <= 1'b0;
      end else if (&divider_q && left_q != '0) begin
        left_q <= left_q - 1'b1;
        over_q <= left_q == 16'd1;
      end
    end
  end

endmodule
