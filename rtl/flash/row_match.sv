// Compares the rows of two requests of a way.
//
// Contract: `plane_o` is the plane of the first row. `same_page_o`: the rows differ in the bits of
// the plane at most. `same_lun_o`: their LUNs are the same.
// Latency: none.
// Reason: rows are as the chip counts them, so where plane and LUN begin is in the configuration.
module row_match (
    input  logic [ 1:0] plane_bits_i,
    input  logic [ 4:0] plane_shift_i,
    input  logic [ 4:0] lun_shift_i,
    input  logic [31:0] row_i,
    input  logic [31:0] other_i,
    output logic [ 1:0] plane_o,
    output logic        same_page_o,
    output logic        same_lun_o
);

  logic [31:0] differ, lowest, plane_bits, lun_bits;

  assign differ = row_i ^ other_i;
  assign lowest = 32'd1 << plane_shift_i;

  always_comb begin
    plane_bits = '0;
    if (plane_bits_i != '0) plane_bits = lowest;
    if (plane_bits_i[1]) plane_bits |= lowest << 1;
    for (int unsigned place = 0; place < 32; place++) begin
      lun_bits[place] = place >= 32'(lun_shift_i);
    end
  end

  assign same_page_o = (differ & ~plane_bits) == '0;
  assign same_lun_o  = (differ & lun_bits) == '0;

  always_comb begin
    plane_o[0] = (row_i & plane_bits & lowest) != '0;
    plane_o[1] = (row_i & plane_bits & ~lowest) != '0;
  end

endmodule
