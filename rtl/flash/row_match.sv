// Compares the rows of two requests of a way.
//
// Contract: `take_i` compares two rows, and keeps the first one as `row_o`. From the next cycle on
// `plane_o` is its plane; `same_page_o`: the rows differ in the bits of the plane at most;
// `same_lun_o`: their LUNs are the same.
// Latency: one cycle; the configuration acts a cycle late.
// Reason: rows are as the chip counts them, so where plane and LUN begin is in the configuration. What
// it means for each bit is kept in registers, since it does not change between requests. So are the
// bits that differ, since much follows from the comparison in the same cycle.
module row_match (
    input  logic        clk_i,
    input  logic [ 1:0] plane_bits_i,
    input  logic [ 4:0] plane_shift_i,
    input  logic [ 4:0] lun_shift_i,
    input  logic        take_i,
    input  logic [31:0] row_i,
    input  logic [31:0] other_i,
    output logic [31:0] row_o,
    output logic [ 1:0] plane_o,
    output logic        same_page_o,
    output logic        same_lun_o
);

  logic [31:0] row_q, differ_q, page_bits_q, lun_bits_d, lun_bits_q;
  logic [1:0][31:0] plane_bits_d, plane_bits_q;

  always_comb begin
    plane_bits_d[0] = plane_bits_i != '0 ? 32'd1 << plane_shift_i : '0;
    plane_bits_d[1] = plane_bits_i[1] ? 32'd2 << plane_shift_i : '0;
    for (int unsigned place = 0; place < 32; place++) begin
      lun_bits_d[place] = place >= 32'(lun_shift_i);
    end
  end

  always_ff @(posedge clk_i) begin
    plane_bits_q <= plane_bits_d;
    page_bits_q  <= ~(plane_bits_d[0] | plane_bits_d[1]);
    lun_bits_q   <= lun_bits_d;
    if (take_i) begin
      row_q    <= row_i;
      differ_q <= row_i ^ other_i;
    end
  end

  assign row_o = row_q;
  assign same_page_o = (differ_q & page_bits_q) == '0;
  assign same_lun_o = (differ_q & lun_bits_q) == '0;
  assign plane_o[0] = (row_q & plane_bits_q[0]) != '0;
  assign plane_o[1] = (row_q & plane_bits_q[1]) != '0;

endmodule
