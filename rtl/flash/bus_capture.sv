// SPDX-License-Identifier: Apache-2.0

// Words of DDR on their way from the chip's strobe to the clock.
//
// Contract: `capture_i` are the two bytes that a ddr_input took at the edges of `strobe_i`: the
// later one in [15:8]. Edges before `on_i` rises do not count, and nothing is inside while it is low. Words come
// out in their order, each offered until `pop_i`. The one who asked for them has at most Depth
// outside and inside; `final_i` tells that the next one is the last that was asked for.
// Latency: two to three cycles from the strobe's falling edge; from that of the next word, for all
// but the last.
// Reason: the strobe only runs with data, so the last word has no edge behind it to carry it on.
// But when it is known to be the last, it may be taken from the input cells as it stands. A count
// of falling edges in Gray code tells when. It goes on for ever, and words are counted from where it stood: a count that
// were set to zero for each burst would need a reset that is none of the whole block.
module bus_capture #(
    parameter int unsigned Depth = 16,
    localparam int unsigned Bits = $clog2(Depth)
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        on_i,
    input  logic        strobe_i,
    input  logic [15:0] capture_i,
    input  logic        final_i,
    output logic        valid_o,
    input  logic        pop_i,
    output logic [15:0] data_o
);

  typedef logic [Bits:0] count_t;

  function automatic count_t gray(count_t count);
    return count ^ (count >> 1);
  endfunction

  function automatic count_t binary(count_t code);
    for (int unsigned i = 0; i <= Bits; i++) binary[i] = ^(code >> i);
  endfunction

  // Of the strobe.
  count_t falls_q, falls_gray_q;
  // Of the clock.
  count_t falls_seen;
  count_t popped_q, popped_next;
  // What came before `on_i` rose is seen within two cycles of that, and nothing that came behind it.
  logic [1:0] on_q;
  logic none, one, counts;
  logic [15:0] stored;

  // Hardware clears these by the level of `rst_ni`. A simulator waits for an edge, and there may be
  // none before the first strobe.
  initial begin
    falls_q = '0;
    falls_gray_q = '0;
  end

  always_ff @(negedge strobe_i or negedge rst_ni) begin
    if (!rst_ni) begin
      falls_q <= '0;
      falls_gray_q <= '0;
    end else begin
      falls_q <= falls_q + 1'b1;
      falls_gray_q <= gray(falls_q + 1'b1);
    end
  end

  fm_synchronizer #(
      .Width(Bits + 1)
  ) u_falls (
      .clk_i,
      .rst_ni,
      .bits_i(falls_gray_q),
      .bits_o(falls_seen)
  );

  // At its rising edge, the word before is still in the input cells.
  fm_ram_lut #(
      .Width(16),
      .Depth(Depth)
  ) u_crossing (
      .clk_i(strobe_i),
      .write_i(1'b1),
      .write_address_i(falls_q[Bits-1:0]),
      .write_data_i(capture_i),
      .read_address_i(popped_next[Bits-1:0]),
      .read_data_o(stored)
  );

  assign popped_next = popped_q + 1'b1;
  assign counts = on_i && on_q == '1;
  assign none = !counts || falls_seen == gray(popped_q);
  assign one = falls_seen == gray(popped_next);
  assign valid_o = !none && (!one || final_i);
  assign data_o = final_i ? capture_i : stored;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_q <= '0;
      popped_q <= '0;
    end else begin
      on_q <= on_i ? {on_q[0], 1'b1} : '0;
      if (!counts) popped_q <= binary(falls_seen);
      else if (pop_i) popped_q <= popped_next;
    end
  end

endmodule
