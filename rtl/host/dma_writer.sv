// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Sends transfers from the ring to their destination.
//
// Contract: transfers come in the order in which the ring has them. A burst is written to one of
// the channels and does not cross a multiple of SplitBytes; with several channels, memory is striped
// over them and addresses are those inside a channel. A row is sent as soon as the ring has it; with InHand, a burst begins
// once the ring has all of its rows, and no row of it waits for the source.
// After a fault no more bytes of its transfer are written: what was announced is sent without strobes, but with InHand whole, as all of it
// came without a fault, and no other burst begins. `w_strobe_o` has a bit a 32-bit lane. `sent_o` tells the bursts
// announced; `close_o` is up for a cycle when all of a transfer was sent, if `close_room_i`. With `keep_i` the address
// stays as it is, whatever is announced.
// Latency: two cycles from a row being ready to its beat, or three if it comes with others after a pause. One beat a
// cycle; between transfers one is lost. With InHand a burst begins three cycles behind its last row, or two where that is
// the last of its transfer.
// Reason: the address of a burst goes out with its first beat, so that no channel waits for data
// that has not come. InHand is for a source that may stand still, such as a host: a burst that waits for its words keeps the
// destination from everybody else. Whether the ring is ahead is kept in a register, because much follows from whether a row is sent.
module dma_writer #(
    parameter int unsigned DataBits   = 256,
    parameter int unsigned Rows       = 512,
    parameter int unsigned Channels   = 1,
    parameter int unsigned SplitBytes = 4096,
    parameter int unsigned AddressBits = 64,
    parameter bit          InHand     = 1'b0,
    localparam int unsigned RowBits = $clog2(Rows),
    localparam int unsigned BeatBits = $clog2(DataBits / 8),
    localparam int unsigned LaneBits = BeatBits - 2,
    localparam int unsigned CountBits = 14 - BeatBits
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                in_valid_i,
    output logic                                in_ready_o,
    input  logic                   [AddressBits-1:0] in_address_i,
    input  logic                   [       12:0] in_bytes_i,
    input  fm_transfer_pkg::closing_t           in_closing_i,
    // The ring, and what it has of the oldest transfer.
    input  logic                                some_ready_i,
    input  logic                   [RowBits-1:0] ready_row_i,
    input  logic                                row_comes_i,
    input  logic                                all_ready_i,
    input  fm_host_pkg::dma_fault_e             fault_i,
    output logic                                next_o,
    output logic                   [CountBits-1:0] freed_o,
    output logic                                ring_read_o,
    output logic                   [RowBits-1:0] ring_row_o,
    // The destination. The data of a beat is what the ring has read.
    output logic                   [Channels-1:0] aw_valid_o,
    input  logic                   [Channels-1:0] aw_ready_i,
    output logic                   [       63:0] aw_address_o,
    output logic                   [        7:0] aw_length_o,
    output logic                   [Channels-1:0] w_valid_o,
    input  logic                   [Channels-1:0] w_ready_i,
    output logic                   [2**LaneBits-1:0] w_strobe_o,
    output logic                                w_last_o,
    output logic                   [Channels-1:0] sent_o,
    output logic                                close_o,
    input  logic                                close_room_i,
    input  logic                                keep_i,
    output fm_transfer_pkg::closing_t           closing_o
);

  localparam int unsigned SplitBits = $clog2(SplitBytes) - BeatBits;
  localparam int unsigned Lanes = 2 ** LaneBits;

  typedef logic [CountBits-1:0] count_t;
  typedef logic [Lanes-1:0] strobe_t;

  logic take, active_q, first_q, opens_q, spoilt_q;
  logic [AddressBits-1:BeatBits] row_address_q;
  logic [LaneBits-1:0] first_lane_q, last_lane_q;
  count_t rows_d, rows_q, left_q, room;
  // Of `left_q` and the address, known a cycle before they are needed.
  logic rows_left_q, last_row_q, last_of_split_q;
  logic [RowBits-1:0] ring_row_q, next_row;
  logic [13:0] end_sum;
  fm_transfer_pkg::closing_t closing_q;
  fm_host_pkg::dma_fault_e fault;

  logic [63:0] address;
  logic [Channels-1:0] channel, aw_valid_q, w_valid_q;
  // The ring has the row at hand, or all rows of the burst at hand, known a cycle late.
  logic ready_d, ready_q;
  count_t burst;
  logic in_one_row, is_last, ends_burst, is_ready, may_open, step, w_free, finish, no_bytes;
  strobe_t strobe, w_strobe_q;
  logic w_last_q;
  logic [63:0] aw_address_q;
  logic [7:0] aw_length_q;

  assign in_ready_o = !active_q;
  assign take = in_valid_i && in_ready_o;
  assign rows_d = in_bytes_i == '0 ? '0 : count_t'(end_sum >> BeatBits);
  // Told from the few bits that matter, rather than from the sum.
  assign in_one_row = in_bytes_i[12:BeatBits+1] == '0 &&
      (LaneBits + 2)'(in_address_i[BeatBits-1:2]) + (LaneBits + 2)'(in_bytes_i[BeatBits:2]) <= (LaneBits + 2)'(Lanes);
  assign end_sum = 14'(in_address_i[BeatBits-1:0]) + 14'(in_bytes_i) + 14'(DataBits / 8 - 1);

  // -- the row at hand --

  assign address = 64'({row_address_q, first_q ? {first_lane_q, 2'b00} : {BeatBits{1'b0}}});
  if (Channels > 1) begin : gen_channels
    localparam int unsigned Low = $clog2(fm_transfer_pkg::StripeBytes);
    assign channel = Channels'(1) << address[Low+:$clog2(Channels)];
  end else begin : gen_channel
    assign channel = 1'b1;
  end

  assign room = count_t'(2 ** SplitBits) - count_t'(row_address_q[BeatBits+:SplitBits]);
  assign is_last = last_row_q;
  assign ends_burst = is_last || last_of_split_q;
  assign next_row = ring_row_q + 1'b1;
  assign burst = left_q < room ? left_q : room;
  if (InHand) begin : gen_in_hand
    logic unused_row_comes;
    assign unused_row_comes = row_comes_i;
    assign is_ready = all_ready_i || !opens_q || ready_q;
    // With a step it is the burst behind that counts, so that bursts follow one another at once.
    count_t rest;
    logic [SplitBits:0] next_burst;
    assign rest = left_q - 1'b1;
    assign next_burst = rest < count_t'(2 ** SplitBits) ? rest[SplitBits:0] : (SplitBits + 1)'(2 ** SplitBits);
    assign ready_d = active_q && some_ready_i &&
        (step ? ready_row_i - next_row >= RowBits'(next_burst) : ready_row_i - ring_row_q >= RowBits'(burst));
  end else begin : gen_by_row
    // The ring never falls behind, so a bit that differs tells as well that it is ahead: of rows that come one a cycle none waits.
    assign is_ready = all_ready_i || ready_q || (some_ready_i && ready_row_i[0] != ring_row_q[0]);
    assign ready_d = !next_o && (some_ready_i ? ready_row_i != (step ? next_row : ring_row_q) : row_comes_i);
  end
  // A transfer without rows has no reads; what the ring tells is of the next one.
  assign fault = fm_transfer_pkg::first_fault(closing_q.fault,
                                           rows_q == '0 ? fm_host_pkg::DmaNone : fault_i);
  // With InHand all of a burst was there without a fault when it began, so a fault is of what comes behind it: a block that begins is whole.
  assign no_bytes = spoilt_q || ((!InHand || opens_q) && fault_i != fm_host_pkg::DmaNone);

  assign w_free = (w_valid_q & ~w_ready_i) == '0;
  // An address that is just being taken counts as waiting: bursts are long, and who takes it would be asked late.
  assign may_open = !opens_q || aw_valid_q == '0;
  // A transfer's last row waits until its end can be told; then, or without rows, it is finished.
  assign step = active_q && rows_left_q && is_ready && w_free && may_open
      && (!is_last || close_room_i);
  assign finish = active_q && close_room_i && (!rows_left_q || (step && is_last));

  assign strobe = (first_q ? {Lanes{1'b1}} << first_lane_q : '1)
      & (is_last ? {Lanes{1'b1}} >> ~last_lane_q : '1);

  assign ring_read_o = step;
  assign ring_row_o = ring_row_q;
  assign next_o = step && is_last;
  assign freed_o = finish ? rows_q : '0;
  // A burst that would have no bytes is not begun.
  assign sent_o = step && opens_q && !no_bytes ? channel : '0;
  assign close_o = finish;
  assign closing_o = '{tag: closing_q.tag, last: closing_q.last, fault: fault};

  assign aw_valid_o = aw_valid_q;
  assign aw_address_o = aw_address_q;
  assign aw_length_o = aw_length_q;
  assign w_valid_o = w_valid_q;
  assign w_strobe_o = w_strobe_q;
  assign w_last_o = w_last_q;

  // Whether the burst at hand was announced; set with its first row, kept to its last one.
  logic announced_q, announced;
  assign announced = opens_q ? !no_bytes : announced_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      ring_row_q <= '0;
      ready_q <= 1'b0;
      aw_valid_q <= '0;
      w_valid_q <= '0;
    end else begin
      if (take) active_q <= 1'b1;
      if (finish) active_q <= 1'b0;
      if (step) ring_row_q <= next_row;
      ready_q <= ready_d;
      aw_valid_q <= (aw_valid_q & ~aw_ready_i) | sent_o;
      w_valid_q <= (w_valid_q & ~w_ready_i) | (step && announced ? channel : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      row_address_q <= in_address_i[AddressBits-1:BeatBits];
      first_lane_q <= in_address_i[BeatBits-1:2];
      last_lane_q <= in_address_i[BeatBits-1:2] + in_bytes_i[BeatBits-1:2] - 1'b1;
      rows_q <= rows_d;
      left_q <= rows_d;
      rows_left_q <= in_bytes_i != '0;
      last_row_q <= in_one_row;
      last_of_split_q <= in_address_i[BeatBits+:SplitBits] == '1;
      closing_q <= in_closing_i;
      first_q <= 1'b1;
      opens_q <= 1'b1;
      spoilt_q <= 1'b0;
    end
    if (step) begin
      row_address_q <= row_address_q + 1'b1;
      left_q <= left_q - 1'b1;
      rows_left_q <= !last_row_q;
      last_row_q <= left_q == count_t'(2);
      last_of_split_q <= row_address_q[BeatBits+:SplitBits] == SplitBits'(2 ** SplitBits - 2);
      first_q <= 1'b0;
      opens_q <= ends_burst;
      announced_q <= announced;
      spoilt_q <= no_bytes;
      w_strobe_q <= no_bytes ? '0 : strobe;
      w_last_q <= ends_burst;
    end
    if (sent_o != '0 && !keep_i) begin
      aw_address_q <= fm_transfer_pkg::stripe_address(address, Channels);
      aw_length_q <= 8'(burst - 1'b1);
    end
  end

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, ({in_address_i, in_bytes_i, in_closing_i}))
  for (genvar i = 0; i < Channels; i++) begin : gen_assert
    `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o[i], aw_ready_i[i], ({aw_address_o, aw_length_o}))
    `FM_ASSERT_STREAM(u_assert_w, w_valid_o[i], w_ready_i[i], ({w_strobe_o, w_last_o}))
  end

endmodule
