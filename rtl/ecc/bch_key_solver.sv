// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Key equation solver: from the syndromes of a word to its error locator.
//
// Contract: a packet of T odd syndromes, S_1 first, gives a packet of T + 1 coefficients, lowest
// power first. `out_errors_o`, the same in all beats, is the degree, which is the number of wrong
// bits if the locator has as many roots; `out_failed_o` says that no word within T bits has these
// syndromes. The locator is a non-zero multiple of the usual one. `in_tag_i` of the first beat
// comes back with the answer.
// Latency: 2 T + 1 cycles from the first syndrome to the first coefficient. A packet every 2 T
// cycles, whatever the errors.
// Reason: Berlekamp-Massey for binary codes without inversions (drive/ecc, key_equation.rs), an
// iteration in two cycles: one for the discrepancy, one for the update. With one multiplier for
// each product of either, no path is longer than a product and a sum. All products of an update
// have one of two factors, so the multiples of those by alpha^k are worked out once. Syndromes come
// and coefficients go one at a time, since an iteration needs one more and the answer can leave
// while the next word is solved: wide selectors between channels would cost as much as half of
// the multipliers.
module bch_key_solver #(
    parameter int unsigned M        = 12,
    parameter int unsigned T        = 13,
    parameter int unsigned TagWidth = 4,
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [        M-1:0] in_syndrome_i,
    input  logic [ TagWidth-1:0] in_tag_i,
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [        M-1:0] out_coefficient_o,
    output logic                 out_last_o,
    output logic [ErrorBits-1:0] out_errors_o,
    output logic                 out_failed_o,
    output logic [ TagWidth-1:0] out_tag_o
);

  localparam int unsigned LengthBits = $clog2(2 * T);
  localparam int unsigned IndexBits = $clog2(T + 1);
  localparam int unsigned CountBits = $clog2(T + 2);
  // Products that are summed in a chain. Tools leave a chain as it is and descend along it: one of all products of a strong
  // code is too deep for them.
  localparam int unsigned Group = 16;
  localparam int unsigned Groups = (T + Group) / Group;

  typedef logic [M-1:0] element_t;
  typedef logic [LengthBits-1:0] length_t;

  // The sum of unreduced products, coefficients 0 to 2M-2, reduced.
  function automatic element_t reduced(logic [2*M-2:0] wide);
    for (int k = int'(M) - 2; k >= 0; k--) begin
      wide[k+:M+1] ^= (M + 1)'(fm_bch_pkg::primitive_polynomial(M)) & {M + 1{wide[k+M]}};
    end
    return wide[M-1:0];
  endfunction

  function automatic element_t squared(element_t value);
    logic [2*M-2:0] wide = '0;
    for (int unsigned k = 0; k < M; k++) wide[2*k] = value[k];
    return reduced(wide);
  endfunction

  function automatic element_t times_alpha(element_t value);
    return (value << 1) ^ ({M{value[M-1]}} & M'(fm_bch_pkg::primitive_polynomial(M)));
  endfunction

  // The word being solved: after iteration r, window_q[i] is S_(2r+1-i).
  logic active_q, updating_q;
  length_t iteration_q, length_q, new_length;
  logic failed_q, new_failed;
  logic [TagWidth-1:0] tag_q;
  element_t locator_q[T + 1], locator_next[T + 1], shifted_q[T + 1], window_q[T + 1];
  element_t scale_q, discrepancy_d, discrepancy_q, even_syndrome;
  logic lengthen, final_iteration, take, begins, finish;

  // The answer that leaves.
  element_t answer_q[T + 1];
  logic [CountBits-1:0] answer_left_q;

  assign final_iteration = iteration_q == length_t'(T - 1);
  assign finish = active_q && updating_q && final_iteration && answer_left_q == '0;
  assign in_ready_o = !active_q || finish || (updating_q && !final_iteration);
  assign take = in_valid_i && in_ready_o;
  assign begins = !active_q || final_iteration;

  // The products are summed before they are reduced, so that there is one reduction: those of a group one after the other,
  // and the groups as a tree, in which sums 2 g and 2 g + 1 make sum g.
  always_comb begin
    logic [2*M-2:0] sums[1:2*Groups-1];
    for (int unsigned g = 0; g < Groups; g++) begin
      sums[Groups+g] = '0;
      for (int unsigned i = g * Group; i <= T && i < (g + 1) * Group; i++) begin
        for (int unsigned k = 0; k < M; k++) begin
          sums[Groups+g][k+:M] ^= window_q[i] & {M{locator_q[i][k]}};
        end
      end
    end
    for (int unsigned g = Groups - 1; g > 0; g--) sums[g] = sums[2*g] ^ sums[2*g+1];
    discrepancy_d = reduced(sums[1]);
  end

  // Bit b of a product is the inner product of one factor with row b of the other's multiples.
  element_t scale_rows[M], discrepancy_rows[M];
  always_comb begin
    element_t scale, discrepancy;
    scale = scale_q;
    discrepancy = discrepancy_q;
    for (int unsigned k = 0; k < M; k++) begin
      for (int unsigned b = 0; b < M; b++) begin
        scale_rows[b][k] = scale[b];
        discrepancy_rows[b][k] = discrepancy[b];
      end
      scale = times_alpha(scale);
      discrepancy = times_alpha(discrepancy);
    end
  end

  for (genvar i = 0; i <= T; i++) begin : gen_coefficient
    for (genvar b = 0; b < M; b++) begin : gen_bit
      assign locator_next[i][b] = ^{locator_q[i] & scale_rows[b],
                                    shifted_q[i] & discrepancy_rows[b]};
    end
  end

  assign lengthen = discrepancy_q != '0 && length_q <= iteration_q;
  assign new_length = lengthen ? (iteration_q << 1) + 1'b1 - length_q : length_q;
  assign new_failed = failed_q || new_length > length_t'(T);
  assign even_syndrome = squared(window_q[IndexBits'(iteration_q)]);

  always_ff @(posedge clk_i) begin
    if (active_q && !updating_q) begin
      discrepancy_q <= discrepancy_d;
    end
    if (take && begins) begin
      scale_q <= M'(1);
      length_q <= '0;
      failed_q <= 1'b0;
      iteration_q <= '0;
      tag_q <= in_tag_i;
    end else if (take) begin
      if (lengthen) scale_q <= discrepancy_q;
      length_q <= new_length;
      failed_q <= new_failed;
      iteration_q <= iteration_q + 1'b1;
    end
  end

  for (genvar i = 0; i <= T; i++) begin : gen_register
    element_t window_next, shifted_next;
    if (i == 0) begin : gen_lowest
      assign window_next = in_syndrome_i;
      assign shifted_next = '0;
    end else if (i == 1) begin : gen_second
      assign window_next = even_syndrome;
      assign shifted_next = '0;
    end else begin : gen_upper
      assign window_next = window_q[i-2];
      assign shifted_next = lengthen ? locator_q[i-2] : shifted_q[i-2];
    end

    always_ff @(posedge clk_i) begin
      if (take) begin
        window_q[i]  <= begins && i != 0 ? '0 : window_next;
        locator_q[i] <= begins ? M'(i == 0) : locator_next[i];
        shifted_q[i] <= begins ? M'(i == 1) : shifted_next;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      updating_q <= 1'b0;
    end else if (take) begin
      active_q <= 1'b1;
      updating_q <= 1'b0;
    end else if (finish) begin
      active_q <= 1'b0;
      updating_q <= 1'b0;
    end else if (active_q) begin
      updating_q <= 1'b1;
    end
  end

  assign out_valid_o = answer_left_q != '0;
  assign out_last_o = answer_left_q == CountBits'(1);
  assign out_coefficient_o = answer_q[0];

  always_ff @(posedge clk_i) begin
    if (finish) begin
      out_errors_o <= new_length[ErrorBits-1:0];
      out_failed_o <= new_failed;
      out_tag_o <= tag_q;
    end
  end

  for (genvar i = 0; i <= T; i++) begin : gen_answer
    always_ff @(posedge clk_i) begin
      if (finish) answer_q[i] <= locator_next[i];
      else if (out_ready_i) answer_q[i] <= i == T ? '0 : answer_q[i == T ? T : i + 1];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_left_q <= '0;
    end else if (finish) begin
      answer_left_q <= CountBits'(T + 1);
    end else if (out_valid_o && out_ready_i) begin
      answer_left_q <= answer_left_q - 1'b1;
    end
  end

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, ({in_syndrome_i, in_tag_i}))
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i,
                 ({out_coefficient_o, out_last_o, out_errors_o, out_failed_o, out_tag_o}))

endmodule
