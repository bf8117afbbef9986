// SPDX-License-Identifier: Apache-2.0

// Constants of binary BCH codes over GF(2^m), worked out at elaboration.
//
// The codes are those of drive/ecc: the same fields, generators and bit order. An element is a
// vector whose bit k is the coefficient of alpha^k. None of these functions becomes hardware.
package fm_bch_pkg;

  localparam int unsigned MinDegree = 4;
  localparam int unsigned MaxDegree = 16;
  localparam int unsigned MaxParityBits = 2560;

  typedef logic [MaxDegree:0] element_t;
  // Bit k is the coefficient of x^k.
  typedef logic [MaxParityBits:0] polynomial_t;

  // The primitive polynomial of degree m: the one with the fewest terms.
  function automatic element_t primitive_polynomial(int unsigned m);
    case (m)
      4: return 17'h00013;
      5: return 17'h00025;
      6: return 17'h00043;
      7: return 17'h00089;
      8: return 17'h0011d;
      9: return 17'h00211;
      10: return 17'h00409;
      11: return 17'h00805;
      12: return 17'h01053;
      13: return 17'h0201b;
      14: return 17'h04443;
      15: return 17'h08003;
      default: return 17'h1100b;
    endcase
  endfunction

  function automatic int unsigned order(int unsigned m);
    return 2 ** m - 1;
  endfunction

  function automatic element_t product(int unsigned m, element_t a, element_t b);
    element_t sum = '0;
    for (int i = int'(m) - 1; i >= 0; i--) begin
      sum = sum[m-1] ? (sum << 1) ^ primitive_polynomial(m) : sum << 1;
      if (b[i]) sum ^= a;
    end
    return sum;
  endfunction

  // alpha^exponent, for any exponent.
  function automatic element_t power(int unsigned m, int exponent);
    int unsigned left = exponent < 0 ? order(m) - (-exponent) % order(m) : exponent % order(m);
    element_t result = 17'd1;
    element_t square = 17'd2;
    while (left != 0) begin
      if (left[0]) result = product(m, result, square);
      square = product(m, square, square);
      left = left >> 1;
    end
    return result;
  endfunction

  // Whether no conjugate of alpha^exponent has a lower exponent.
  function automatic bit is_leader(int unsigned m, int unsigned exponent);
    int unsigned conjugate = exponent;
    for (int unsigned i = 1; i < m; i++) begin
      conjugate = conjugate * 2 % order(m);
      if (conjugate < exponent) return 1'b0;
    end
    return 1'b1;
  endfunction

  // How many conjugates alpha^exponent has: the degree of its minimal polynomial.
  function automatic int unsigned conjugates(int unsigned m, int unsigned exponent);
    int unsigned conjugate = exponent * 2 % order(m);
    int unsigned count = 1;
    for (int unsigned i = 1; i < m; i++) begin
      if (conjugate != exponent) begin
        count++;
        conjugate = conjugate * 2 % order(m);
      end
    end
    return count;
  endfunction

  // The polynomial over GF(2) of the least degree that has alpha^exponent as a root.
  function automatic element_t minimal_polynomial(int unsigned m, int unsigned exponent);
    element_t [MaxDegree:0] coefficients = '0;
    element_t binary = '0;
    element_t root = power(m, int'(exponent));
    int unsigned degree = conjugates(m, exponent);
    coefficients[0] = 17'd1;
    for (int unsigned i = 0; i < degree; i++) begin
      for (int k = int'(i) + 1; k > 0; k--) begin
        coefficients[k] = coefficients[k-1] ^ product(m, coefficients[k], root);
      end
      coefficients[0] = product(m, coefficients[0], root);
      root = product(m, root, root);
    end
    for (int unsigned k = 0; k <= MaxDegree; k++) begin
      binary[k] = coefficients[k][0];
    end
    return binary;
  endfunction

  // The degree of the generator polynomial.
  function automatic int unsigned parity_bits(int unsigned m, int unsigned t);
    int unsigned bits = 0;
    for (int unsigned exponent = 1; exponent < 2 * t; exponent += 2) begin
      if (is_leader(m, exponent)) bits += conjugates(m, exponent);
    end
    return bits;
  endfunction

  // The degree of the smallest field that holds a chunk and its parity; 0 if there is none.
  function automatic int unsigned field_degree(int unsigned chunk_bytes, int unsigned t);
    for (int unsigned m = MinDegree; m <= MaxDegree; m++) begin
      if (2 * t < order(m) && chunk_bytes * 8 < order(m) &&
          chunk_bytes * 8 + parity_bits(m, t) <= order(m)) begin
        return m;
      end
    end
    return 0;
  endfunction

  // The generator polynomial: that of the least degree with the roots alpha, alpha^2, ... alpha^2t.
  function automatic polynomial_t generator(int unsigned m, int unsigned t);
    polynomial_t result = 1;
    for (int unsigned exponent = 1; exponent < 2 * t; exponent += 2) begin
      if (is_leader(m, exponent)) begin
        element_t factor = minimal_polynomial(m, exponent);
        polynomial_t sum = '0;
        for (int unsigned k = 0; k <= m; k++) begin
          if (factor[k]) sum ^= result << k;
        end
        result = sum;
      end
    end
    return result;
  endfunction

  // Where a bit is in a word of the stream. Byte 0 travels first and lies lowest, its most
  // significant bit first. `position` counts from the bit that travels last, as powers do.
  function automatic int unsigned lane(int unsigned width, int unsigned position);
    int unsigned travelled = width - 1 - position;
    return travelled / 8 * 8 + 7 - travelled % 8;
  endfunction

endpackage
