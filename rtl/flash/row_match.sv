// SPDX-License-Identifier: Apache-2.0

// Compares the rows of two requests of a way.
//
// Contract: `plane_o` is the plane of the first row. `same_page_o`: the rows differ in the bits of
// the plane at most. `same_lun_o`: their LUNs are the same.
// Latency: one cycle; the configuration acts a cycle later.
// Reason: rows are as the chip counts them, so where plane and LUN begin is in the configuration. What
// it means for each bit is kept in registers, since it does not change between requests.
module row_match (
    input  logic        clk_i,
    input  logic [ 1:0] plane_bits_i,
    input  logic [ 4:0] plane_shift_i,
    input  logic [ 4:0] lun_shift_i,
    input  logic [31:0] row_i,
    input  logic [31:0] other_i,
    output logic [ 1:0] plane_o,
    output logic        same_page_o,
    output logic        same_lun_o
);

  logic [31:0] differ, lun_bits_d, lun_bits_q;
  logic [1:0][31:0] plane_bits_d, plane_bits_q;
  logic [1:0] plane_q;
  logic same_page_q, same_lun_q;

  assign differ = row_i ^ other_i;

  always_comb begin
    plane_bits_d[0] = plane_bits_i != '0 ? 32'd1 << plane_shift_i : '0;
    plane_bits_d[1] = plane_bits_i[1] ? 32'd2 << plane_shift_i : '0;
    for (int unsigned place = 0; place < 32; place++) begin
      lun_bits_d[place] = place >= 32'(lun_shift_i);
    end
  end

  always_ff @(posedge clk_i) begin
    plane_bits_q <= plane_bits_d;
    lun_bits_q   <= lun_bits_d;
    same_page_q  <= (differ & ~(plane_bits_q[0] | plane_bits_q[1])) == '0;
    same_lun_q   <= (differ & lun_bits_q) == '0;
    plane_q[0]   <= (row_i & plane_bits_q[0]) != '0;
    plane_q[1]   <= (row_i & plane_bits_q[1]) != '0;
  end

  assign same_page_o = same_page_q;
  assign same_lun_o = same_lun_q;
  assign plane_o = plane_q;

endmodule
