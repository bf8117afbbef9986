// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Lets the processor read the entries of fetched commands, a dword at a time.
//
// Contract: `read_i` stays up, with the same word, until `ready_o`, which comes with its data. A word is
// tag, half, dword. `store` asks for half an entry; `store_data_i` is that half in the cycle after it
// was taken.
// Latency: two cycles from the taking of `store` to `ready_o`.
// Reason: the store has one port for all who read it. Whoever comes next may change its output, so the
// half is kept; its dword is chosen behind the register, because block RAM takes half of a cycle.
module processor_commands #(
    parameter int unsigned Tags = 256,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     read_i,
    input  logic       [       11:0] word_i,
    output logic                     ready_o,
    output logic       [       31:0] data_o,
    output logic                     store_valid_o,
    input  logic                     store_ready_i,
    output logic       [TagBits-1:0] store_tag_o,
    output logic                     store_half_o,
    input  logic [7:0] [       31:0] store_data_i
);

  logic taken_q, ready_q;
  logic [7:0][31:0] half_q;

  assign ready_o = ready_q;
  assign data_o = half_q[word_i[2:0]];
  assign store_valid_o = read_i && !taken_q && !ready_q;
  assign store_tag_o = TagBits'(word_i[11:4]);
  assign store_half_o = word_i[3];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= 1'b0;
      ready_q <= 1'b0;
    end else begin
      taken_q <= store_valid_o && store_ready_i;
      ready_q <= taken_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken_q) half_q <= store_data_i;
  end

  `FM_ASSERT_STREAM(u_assert_store, store_valid_o, store_ready_i, ({store_tag_o, store_half_o}))

endmodule
