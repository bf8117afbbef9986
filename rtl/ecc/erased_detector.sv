// SPDX-License-Identifier: Apache-2.0

// Tells whether a code word, as the chip gave it, was erased and not programmed since.
//
// Contract: words are taken at each edge with `valid_i`, before they are descrambled; `last_i`
// marks the last, whose unused bits are ignored. With it, in the same cycle, `erased_o` says that
// at most T bits are zero; `zeros_o` is how many, if it does.
// Latency: none from the last word.
// Reason: an erased page is no code word, and worn cells lose ones. The count stops at T + 1, so it
// is a few bits wide.
module erased_detector #(
    parameter int unsigned T       = 13,
    parameter int unsigned Width   = 16,
    parameter int unsigned PadBits = 4,
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 valid_i,
    input  logic [    Width-1:0] data_i,
    input  logic                 last_i,
    output logic                 erased_o,
    output logic [ErrorBits-1:0] zeros_o
);

  localparam int unsigned CountBits = $clog2(T + 2);
  localparam int unsigned SumBits = $clog2(T + 2 + Width);

  logic [Width-1:0] zeros;
  logic [SumBits-1:0] sum;
  logic [CountBits-1:0] count_q;

  for (genvar p = 0; p < Width; p++) begin : gen_lane
    if (p < PadBits) begin : gen_pad
      assign zeros[p] = !data_i[fm_bch_pkg::lane(Width, p)] && !last_i;
    end else begin : gen_bit
      assign zeros[p] = !data_i[fm_bch_pkg::lane(Width, p)];
    end
  end

  assign sum = SumBits'(count_q) + SumBits'($countones(zeros));
  assign erased_o = sum <= SumBits'(T);
  assign zeros_o = ErrorBits'(sum);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (valid_i && last_i)) begin
      count_q <= '0;
    end else if (valid_i) begin
      count_q <= erased_o ? CountBits'(sum) : CountBits'(T + 1);
    end
  end

endmodule
