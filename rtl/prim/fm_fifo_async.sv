// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Queue from one clock to another.
//
// Contract: beats leave in the order in which they came, each once. The clocks have nothing to do with each
// other. Both sides are reset together: each reset comes from a fm_reset_sync of its clock, both of the same reset.
// Where a side may be cleared alone, `open` and `forget` of each side come from its fm_joint_clear: a beat that came before
// a side was cleared does not leave behind that, and none is made up. While a side is not open it takes and offers nothing, be it
// that it offered a beat before. Otherwise `open` is up and `forget` down.
// Depth is a power of two. At least six keep both sides going in every cycle if the clocks are alike.
// Latency: two to three cycles of the reader for a beat, and as many of the writer for its place.
// Reason: each side has a count of its own beats, and shows it to the other one in Gray code, so that whatever is
// seen of it is a count that it had. What the reader sees was written long before.
module fm_fifo_async #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 8
) (
    input  logic             in_clk_i,
    input  logic             in_rst_ni,
    input  logic             in_open_i,
    input  logic             in_forget_i,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    input  logic             out_clk_i,
    input  logic             out_rst_ni,
    input  logic             out_open_i,
    input  logic             out_forget_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  localparam int unsigned Bits = $clog2(Depth);

  `FM_REQUIRE(gen_depth_no_power, Depth >= 2 && 2 ** Bits == Depth,
           "fm_fifo_async: Depth is not a power of two")

  // One bit more than an address, so that full and empty differ.
  typedef logic [Bits:0] count_t;

  function automatic count_t gray(count_t count);
    return count ^ (count >> 1);
  endfunction

  count_t written_q, written_gray_q, written_seen, written_next;
  count_t read_q, read_gray_q, read_seen, read_next;
  logic push, pop;

  // Full: the two highest bits of the Gray code differ, the rest is the same.
  assign in_ready_o = in_open_i && written_gray_q != (read_seen ^ (count_t'(3) << (Bits - 1)));
  assign push = in_valid_i && in_ready_o;
  assign written_next = written_q + 1'b1;

  always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
    if (!in_rst_ni) begin
      written_q <= '0;
      written_gray_q <= '0;
    end else if (in_forget_i) begin
      written_q <= '0;
      written_gray_q <= '0;
    end else if (push) begin
      written_q <= written_next;
      written_gray_q <= gray(written_next);
    end
  end

  fm_synchronizer #(
      .Width(Bits + 1)
  ) u_read_seen (
      .clk_i(in_clk_i),
      .rst_ni(in_rst_ni),
      .bits_i(read_gray_q),
      .bits_o(read_seen)
  );

  fm_ram_lut #(
      .Width(Width),
      .Depth(Depth)
  ) u_crossing (
      .clk_i(in_clk_i),
      .write_i(push),
      .write_address_i(written_q[Bits-1:0]),
      .write_data_i(in_data_i),
      .read_address_i(read_q[Bits-1:0]),
      .read_data_o(out_data_o)
  );

  assign out_valid_o = out_open_i && read_gray_q != written_seen;
  assign pop = out_valid_o && out_ready_i;
  assign read_next = read_q + 1'b1;

  always_ff @(posedge out_clk_i or negedge out_rst_ni) begin
    if (!out_rst_ni) begin
      read_q <= '0;
      read_gray_q <= '0;
    end else if (out_forget_i) begin
      read_q <= '0;
      read_gray_q <= '0;
    end else if (pop) begin
      read_q <= read_next;
      read_gray_q <= gray(read_next);
    end
  end

  fm_synchronizer #(
      .Width(Bits + 1)
  ) u_written_seen (
      .clk_i(out_clk_i),
      .rst_ni(out_rst_ni),
      .bits_i(written_gray_q),
      .bits_o(written_seen)
  );

`ifndef SYNTHESIS
`ifndef FORMAL  // The proof has claims of its own, in steps that belong to neither clock.
  fm_stream_assert #(
      .Width(Width)
  ) u_assert_in (
      .clk_i(in_clk_i),
      .rst_ni(in_rst_ni && in_open_i),
      .valid_i(in_valid_i),
      .ready_i(in_ready_o),
      .payload_i(in_data_i)
  );

  fm_stream_assert #(
      .Width(Width)
  ) u_assert_out (
      .clk_i(out_clk_i),
      .rst_ni(out_rst_ni && out_open_i),
      .valid_i(out_valid_o),
      .ready_i(out_ready_i),
      .payload_i(out_data_o)
  );
`endif
`endif

endmodule
