// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Watches one AXI4 port. Source: AMBA AXI specification, chapters A3 (handshakes, bursts) and A5
// (ids).
//
// Contract of the manager: bursts are offered and kept as streams are; none crosses a multiple of
// 4,096; the beats of a burst that writes are as many as announced, the last one marked, bursts in
// the order of their addresses. Of the subordinate: answers are offered and kept as streams are, as many as asked for by id, the last
// beat of a burst marked, those of an id in order; a write is answered no sooner
// than two cycles after its last beat, which is what the counts here take.
// Latency: none, it drives nothing.
// Reason: both sides are watched, so that a test that passes does not owe it to a memory that
// breaks the rules.
module fm_axi_assert #(
    parameter int unsigned DataBits    = 256,
    parameter int unsigned AddressBits = 64,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   ar_valid_i,
    input logic                   ar_ready_i,
    input fm_axi_pkg::burst_t     ar_i,
    input logic                   r_valid_i,
    input logic                   r_ready_i,
    input fm_axi_pkg::id_t        r_id_i,
    input r_beat_t r_i,
    input logic                   aw_valid_i,
    input logic                   aw_ready_i,
    input fm_axi_pkg::burst_t     aw_i,
    input logic                   w_valid_i,
    input logic                   w_ready_i,
    input w_beat_t w_i,
    input logic                   b_valid_i,
    input logic                   b_ready_i,
    input fm_axi_pkg::id_t        b_id_i,
    input fm_axi_pkg::response_e  b_response_i
);

  localparam int unsigned BeatBits = $clog2(DataBits / 8);
  localparam int unsigned Ids = 2 ** fm_axi_pkg::IdBits;
  // More than are ever under way.
  localparam int unsigned Bursts = 256;

  // Bytes of a burst lie between two multiples of 4,096.
  function automatic logic in_page(logic [63:0] address, logic [7:0] length);
    logic [16:0] ends;
    ends = 17'((12 - BeatBits)'(address >> BeatBits)) + 17'(length);
    return ends < 17'd1 << (12 - BeatBits);
  endfunction

  typedef logic [$clog2(Bursts)-1:0] place_t;

  // Reads by id: lengths of those asked for, the oldest one's place, and how many of its beats came.
  logic [7:0] read_length_q[Ids*Bursts];
  place_t read_asked_q[Ids], read_oldest_q[Ids];
  logic [7:0] read_beats_q[Ids];
  logic [7:0] read_length;

  assign read_length = read_length_q[{r_id_i, read_oldest_q[r_id_i]}];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned id = 0; id < Ids; id++) begin
        read_asked_q[id] <= '0;
        read_oldest_q[id] <= '0;
        read_beats_q[id] <= '0;
      end
    end else begin
      if (ar_valid_i && ar_ready_i) begin
        read_length_q[{ar_i.id, read_asked_q[ar_i.id]}] <= ar_i.length;
        read_asked_q[ar_i.id] <= read_asked_q[ar_i.id] + 1'b1;
      end
      if (r_valid_i && r_ready_i) begin
        read_beats_q[r_id_i] <= r_i.last ? '0 : read_beats_q[r_id_i] + 1'b1;
        if (r_i.last) read_oldest_q[r_id_i] <= read_oldest_q[r_id_i] + 1'b1;
      end
    end
  end

  // Writes: lengths and ids that were announced, lengths that were sent, and how many of both are
  // the same bursts. Addresses may be late.
  logic [7:0] announced_length_q[Bursts], sent_length_q[Bursts];
  fm_axi_pkg::id_t announced_id_q[Bursts];
  place_t announced_q, sent_q, whole_q, unanswered_q[Ids];
  logic [7:0] write_beats_q;
  logic whole, answered;

  assign whole = whole_q != announced_q && whole_q != sent_q;
  assign answered = b_valid_i && b_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      announced_q <= '0;
      sent_q <= '0;
      whole_q <= '0;
      write_beats_q <= '0;
      for (int unsigned id = 0; id < Ids; id++) unanswered_q[id] <= '0;
    end else begin
      if (aw_valid_i && aw_ready_i) begin
        announced_length_q[announced_q] <= aw_i.length;
        announced_id_q[announced_q] <= aw_i.id;
        announced_q <= announced_q + 1'b1;
      end
      if (w_valid_i && w_ready_i) begin
        write_beats_q <= w_i.last ? '0 : write_beats_q + 1'b1;
        if (w_i.last) begin
          sent_length_q[sent_q] <= write_beats_q;
          sent_q <= sent_q + 1'b1;
        end
      end
      if (whole) whole_q <= whole_q + 1'b1;
      for (int unsigned id = 0; id < Ids; id++) begin
        unanswered_q[id] <= unanswered_q[id]
            + place_t'(whole && announced_id_q[whole_q] == fm_axi_pkg::id_t'(id))
            - place_t'(answered && b_id_i == fm_axi_pkg::id_t'(id));
      end
    end
  end

  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_i, ar_ready_i, ar_i)
  `FM_ASSERT_STREAM(u_assert_r, r_valid_i, r_ready_i, ({r_id_i, r_i}))
  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_i, aw_ready_i, aw_i)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_i, w_ready_i, w_i)
  `FM_ASSERT_STREAM(u_assert_b, b_valid_i, b_ready_i, ({b_id_i, b_response_i}))
  `FM_ASSERT(ReadWasAsked, !r_valid_i || read_asked_q[r_id_i] != read_oldest_q[r_id_i])
  `FM_ASSERT(ReadHasLength, !r_valid_i || r_i.last == (read_beats_q[r_id_i] == read_length))
  `FM_ASSERT(WriteHasLength, !whole || announced_length_q[whole_q] == sent_length_q[whole_q])
  `FM_ASSERT(WriteIsWhole, !b_valid_i || unanswered_q[b_id_i] != '0)
  `FM_ASSERT(ReadInPage, !ar_valid_i || in_page(ar_i.address, ar_i.length))
  `FM_ASSERT(WriteInPage, !aw_valid_i || in_page(aw_i.address, aw_i.length))
  `FM_ASSERT(ReadInRange, !ar_valid_i || ar_i.address >> AddressBits == '0)
  `FM_ASSERT(WriteInRange, !aw_valid_i || aw_i.address >> AddressBits == '0)

endmodule
