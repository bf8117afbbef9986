// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Buffer between two buses whose data is aligned differently: rows go in by the lanes of the source
// and come out by those of the destination.
//
// Contract: lane i of a beat that goes in is written to lane i + shift; lanes that leave the row at
// its end begin the next row. `in_straight_i` allows the former, `in_wrapped_i` the latter, so that
// the first and the last beat of a transfer leave its neighbours alone. A lane is 32 bits. Rows
// come in any order and are read in any order; what was written is read from two cycles after
// `in_valid_i` on. The row that was read stays until the next one.
// Latency: in two cycles, out one.
// Reason: each lane is a memory with a row address of its own. So a beat is written as it comes,
// without the beat before it, and reads may be answered in any order and mixture.
module realign_ring #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Rows     = 512,
    localparam int unsigned Lanes = DataBits / 32,
    localparam int unsigned LaneBits = $clog2(Lanes),
    localparam int unsigned RowBits = $clog2(Rows)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                in_valid_i,
    input  logic [DataBits-1:0] in_data_i,
    input  logic [ RowBits-1:0] in_row_i,
    input  logic [LaneBits-1:0] in_shift_i,
    input  logic                in_straight_i,
    input  logic                in_wrapped_i,
    input  logic                read_i,
    input  logic [ RowBits-1:0] read_row_i,
    output logic [DataBits-1:0] read_data_o
);

  `FM_REQUIRE(gen_data_bits, DataBits >= 64 && 2 ** $clog2(DataBits) == DataBits,
           "realign_ring: DataBits is not a power of two from 64 on")

  typedef logic [Lanes-1:0][31:0] lanes_t;

  lanes_t in_lanes, coarse_d, coarse_q, fine;
  logic [RowBits-1:0] row_q, next_row_q;
  logic [1:0] fine_q, not_fine_q;
  logic [Lanes-1:0] wraps_d, wraps_q, write_d, write_q;

  assign in_lanes = in_data_i;
  assign wraps_d = ~({Lanes{1'b1}} << in_shift_i);

  // First by fours, a cycle later by single lanes. Neighbouring pairs of lanes choose by registers of
  // their own, so that each bit stays one look-up table of four data and two others: Yosys would
  // share the first halves of these choices among lanes, and need two tables a bit.
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    // Where a lane's word comes from, by how many fours and how many lanes it moves.
    logic [3:0][31:0] by_one;
    if (Lanes > 4) begin : gen_fours
      logic [Lanes/4-1:0][31:0] by_four;
      for (genvar step = 0; step < Lanes / 4; step++) begin : gen_four
        assign by_four[step] = in_lanes[(lane+Lanes-4*step)%Lanes];
      end
      assign coarse_d[lane] = by_four[in_shift_i[LaneBits-1:2]];
    end else begin : gen_no_fours
      assign coarse_d[lane] = in_lanes[lane];
    end
    for (genvar step = 0; step < 4; step++) begin : gen_one
      assign by_one[step] = coarse_q[(lane+4*Lanes-step)%Lanes];
    end
    assign fine[lane] = by_one[lane%4<2?fine_q : ~not_fine_q];
    assign write_d[lane] = in_valid_i && (wraps_d[lane] ? in_wrapped_i : in_straight_i);

    fm_ram_block #(
        .Width(32),
        .Depth(Rows)
    ) u_ram (
        .clk_i,
        .rst_ni,
        .write_i(write_q[lane]),
        .write_address_i(wraps_q[lane] ? next_row_q : row_q),
        .write_data_i(fine[lane]),
        .read_i,
        .read_address_i(read_row_i),
        .read_data_o(read_data_o[32*lane+:32])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
    end else begin
      write_q <= write_d;
    end
  end

  always_ff @(posedge clk_i) begin
    coarse_q <= coarse_d;
    fine_q <= 2'(in_shift_i);
    not_fine_q <= ~2'(in_shift_i);
    wraps_q <= wraps_d;
    row_q <= in_row_i;
    next_row_q <= in_row_i + 1'b1;
  end

endmodule
