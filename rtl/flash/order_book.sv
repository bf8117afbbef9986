// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The order of operations in the models that keep one: the initiation queue and the completion
// queue of Ozone's figure 6.
//
// Contract: `request` names the way of each request as it comes. `start_way_o` is the way whose
// operation may begin next, if `start_valid_o`. `starts_i`: the operation of `way_i` begins; with
// `triple_i` it is one of three requests. `ends_i`: it ends, with both up it is over at once.
// `later_way_o` is the way whose operation began before all others that are not over.
// Latency: one cycle.
// Reason: ways are enough, since each has a queue of its own. An operation of three requests has
// three entries; it begins with the first, and the two others are skipped when they come up.
module order_book #(
    parameter int unsigned Ways  = 8,
    parameter int unsigned Depth = 64
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       request_valid_i,
    output logic       request_ready_o,
    input  logic [3:0] request_way_i,
    input  logic       starts_i,
    input  logic       ends_i,
    input  logic       triple_i,
    input  logic [3:0] way_i,
    output logic       start_valid_o,
    output logic [3:0] start_way_o,
    output logic       later_valid_o,
    output logic [3:0] later_way_o
);

  logic first_valid, skip, unused_ready;
  logic [$clog2(Depth+1)-1:0] unused_requests;
  logic [$clog2(Ways+1)-1:0] unused_open;
  logic [Ways-1:0][1:0] skips_q;

  fm_fifo #(
      .Width(4),
      .Depth(Depth)
  ) u_initiation (
      .clk_i,
      .rst_ni,
      .in_valid_i(request_valid_i),
      .in_ready_o(request_ready_o),
      .in_data_i(request_way_i),
      .out_valid_o(first_valid),
      .out_ready_i(starts_i || skip),
      .out_data_o(start_way_o),
      .level_o(unused_requests)
  );

  fm_fifo #(
      .Width(4),
      .Depth(Ways)
  ) u_completion (
      .clk_i,
      .rst_ni,
      .in_valid_i(starts_i && !ends_i),
      .in_ready_o(unused_ready),
      .in_data_i(way_i),
      .out_valid_o(later_valid_o),
      .out_ready_i(ends_i && !starts_i),
      .out_data_o(later_way_o),
      .level_o(unused_open)
  );

  always_comb begin
    skip = 1'b0;
    for (int unsigned way = 0; way < Ways; way++) begin
      if (first_valid && 32'(start_way_o) == way) skip = skips_q[way] != '0;
    end
  end

  assign start_valid_o = first_valid && !skip;

  for (genvar way = 0; way < Ways; way++) begin : gen_skips
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        skips_q[way] <= '0;
      end else if (starts_i && triple_i && 32'(way_i) == way) begin
        skips_q[way] <= 2'd2;
      end else if (skip && 32'(start_way_o) == way) begin
        skips_q[way] <= skips_q[way] - 1'b1;
      end
    end
  end

  `FM_ASSERT(StartsTheFirst, !starts_i || (start_valid_o && start_way_o == way_i))
  `FM_ASSERT(EndsTheFirst, !(ends_i && !starts_i) || (later_valid_o && later_way_o == way_i))

endmodule
