// SPDX-License-Identifier: Apache-2.0

// Proof of `fm_fifo_async`: a beat that went in comes out, unchanged, in its turn, whatever the two clocks do.
//
// Both clocks are inputs that may change in any step, together or not. One beat is followed: the one with the
// number `followed_q`, any. What makes the claims inductive is the order of what is known of both counts: the
// copies of a count follow it in the order of their registers.
module fm_fifo_async_proof #(
    localparam int unsigned Width = 2,
    localparam int unsigned Depth = 4
) (
    input logic             in_clk_i,
    input logic             out_clk_i,
    input logic             rst_ni,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i
);

  localparam int unsigned Bits = $clog2(Depth);
  typedef logic [Bits:0] count_t;

  logic in_ready, out_valid, push;
  logic [Width-1:0] out_data;

  fm_fifo_async #(
      .Width(Width),
      .Depth(Depth)
  ) u_fifo (
      .in_clk_i,
      .in_rst_ni(rst_ni),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .out_clk_i,
      .out_rst_ni(rst_ni),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data)
  );

  function automatic count_t binary(count_t gray);
    binary = gray;
    for (int unsigned shift = 1; shift <= Bits; shift++) binary ^= gray >> shift;
  endfunction

  // The number of the beat that is followed never changes.
  count_t followed_q;
  logic [Width-1:0] data_q;
  logic started_q;

  initial started_q = 1'b0;
  assign push = in_valid_i && in_ready;

  always_ff @(posedge in_clk_i) begin
    started_q  <= 1'b1;
    followed_q <= followed_q;
    if (rst_ni && push && u_fifo.written_q == followed_q) data_q <= in_data_i;
  end

  // What each side knows of the other's count, oldest first.
  count_t written, written_early, written_seen, read, read_early, read_seen, level;
  assign written = u_fifo.written_q;
  assign written_early = binary(u_fifo.u_written_seen.crossing_q);
  assign written_seen = binary(u_fifo.u_written_seen.settled_q);
  assign read = u_fifo.read_q;
  assign read_early = binary(u_fifo.u_read_seen.crossing_q);
  assign read_seen = binary(u_fifo.u_read_seen.settled_q);
  assign level = written - read;

  logic is_inside;
  assign is_inside = followed_q - read < level;

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    // What makes the claims inductive.
    WrittenIsGray : assert (binary(u_fifo.written_gray_q) == written);
    ReadIsGray : assert (binary(u_fifo.read_gray_q) == read);
    ReaderIsBehind : assert (written_early - read <= level && written_seen - read <= written_early - read);
    WriterIsBehind : assert (written - read_seen <= count_t'(Depth) &&
                             written - read_early <= written - read_seen &&
                             level <= written - read_early);
    Kept : assert (!is_inside || u_fifo.u_crossing.memory_q[followed_q[Bits-1:0]] == data_q);
    // The claims.
    LevelInRange : assert (level <= count_t'(Depth));
    ValidIsThere : assert (!out_valid || level != '0);
    InOrder : assert (!out_valid || read != followed_q || out_data == data_q);
    Full : cover (rst_ni && level == count_t'(Depth));
    Around : cover (rst_ni && read == count_t'(Depth + 1));
  end

endmodule
