// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The reads that are on their way: where the beats of each go, and how far the oldest ones are.
//
// Contract: `issue_i` opens the slot `issue_slot_o`, when `issue_ready_o`; slots are taken in turn.
// Beats of a slot come in order, those of different slots in any mixture. The oldest transfer is
// the slots up to one with `final`: with `some_ready_o` its rows before `ready_row_o` are in the ring,
// all of them with `all_ready_o`; `fault_o` is the first fault of the beats that these counts cover. `next_i` is up
// for a cycle when all were read, and makes the next transfer the oldest.
// Latency: where a beat goes, in the same cycle; what is ready, two cycles after the beat, so that a
// row that is told can be read from `realign_ring`.
// Reason: source and destination have different borders. The counts in rows of the ring say all
// that the reader of the ring needs to know of the reads.
module dma_slots #(
    parameter int unsigned Slots    = 16,
    parameter int unsigned RowBits  = 9,
    parameter int unsigned LaneBits = 3,
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    // A read begins. Its first beat goes to row `issue_row_i`.
    input  logic                              issue_i,
    output logic                              issue_ready_o,
    output logic                 [SlotBits-1:0] issue_slot_o,
    input  logic                 [ RowBits-1:0] issue_row_i,
    input  logic                 [LaneBits-1:0] issue_shift_i,
    input  logic                              issue_skip_first_i,
    input  logic                              issue_skip_last_i,
    input  logic                              issue_final_i,
    // A beat has come.
    input  logic                              beat_i,
    // That of an answer whose beat is in the next cycle. Of a beat that is none, its source knows whether it is the first one.
    input  logic                 [SlotBits-1:0] next_slot_i,
    input  logic                              next_is_known_i,
    input  logic                              next_known_first_i,
    input  logic                 [SlotBits-1:0] beat_slot_i,
    input  logic                              beat_last_i,
    input  fm_host_pkg::dma_fault_e           beat_fault_i,
    output logic                 [ RowBits-1:0] beat_row_o,
    output logic                 [LaneBits-1:0] beat_shift_o,
    output logic                              beat_straight_o,
    output logic                              beat_wrapped_o,
    // The answers of all slots are lost, and no more beats come: a slot counts as answered at once.
    input  logic                              lost_i,
    output logic                              empty_o,
    // The oldest transfer.
    output logic                              some_ready_o,
    output logic                 [ RowBits-1:0] ready_row_o,
    // As long as `some_ready_o` is down: a row will be ready in the next cycle.
    output logic                              row_comes_o,
    output logic                              all_ready_o,
    output fm_host_pkg::dma_fault_e           fault_o,
    input  logic                              next_i
);

  `FM_REQUIRE(gen_slots_are_no_power, Slots >= 2 && 2 ** SlotBits == Slots,
           "dma_slots: Slots is not a power of two")

  typedef struct packed {
    logic [RowBits-1:0]  row;
    logic [LaneBits-1:0] shift;
    logic                skip_first;
    logic                skip_last;
  } slot_t;

  // How far the beats of a slot are.
  typedef struct packed {
    logic [RowBits-1:0] row;  // of the next one
    logic               fault;
  } place_t;

  slot_t issued, beat_slot;
  // One bit more than a slot's number, so that none and all differ.
  logic [SlotBits:0] issued_q, oldest_q;
  logic [SlotBits-1:0] oldest;
  // Slots without a beat, whose progress is not yet written. A slot is so from when it is left: the way from whoever opens
  // one is long.
  logic [Slots-1:0] fresh_d, fresh_q;
  logic first_q, beat_is_first, oldest_has_beat;
  logic oldest_last, oldest_fills;
  place_t place_before, place_after, oldest_place;
  logic [RowBits-1:0] beat_row, ready_row_q;
  logic oldest_open, oldest_final, answered, complete, advance, all_ready_q;
  // Where answers were lost, the row is that of some transfer long ago.
  logic some_ready_q;
  fm_host_pkg::dma_fault_e oldest_fault, fault_q;

  // Known a cycle ahead, for which the last slot stays free.
  logic room_q;
  logic [SlotBits:0] under_way;

  assign under_way = issued_q - oldest_q;
  assign issue_ready_o = room_q;
  assign issue_slot_o = issued_q[SlotBits-1:0];
  assign issued = '{
          row: issue_row_i,
          shift: issue_shift_i,
          skip_first: issue_skip_first_i,
          skip_last: issue_skip_last_i
      };

  fm_ram_lut #(
      .Width($bits(slot_t)),
      .Depth(Slots)
  ) u_slots (
      .clk_i,
      .write_i(issue_i),
      .write_address_i(issue_slot_o),
      .write_data_i(issued),
      .read_address_i(beat_slot_i),
      .read_data_o(beat_slot)
  );

  fm_ram_lut #(
      .Width(1),
      .Depth(Slots)
  ) u_final (
      .clk_i,
      .write_i(issue_i),
      .write_address_i(issue_slot_o),
      .write_data_i(issue_final_i),
      .read_address_i(oldest),
      .read_data_o(oldest_final)
  );

  // Read by the slot of the beat, to go on from there.
  fm_ram_lut #(
      .Width($bits(place_t)),
      .Depth(Slots)
  ) u_place (
      .clk_i,
      .write_i(beat_i),
      .write_address_i(beat_slot_i),
      .write_data_i(place_after),
      .read_address_i(beat_slot_i),
      .read_data_o(place_before)
  );

  // Read by the oldest slot.
  fm_ram_lut #(
      .Width($bits(place_t) + 2),
      .Depth(Slots)
  ) u_progress (
      .clk_i,
      .write_i(beat_i),
      .write_address_i(beat_slot_i),
      .write_data_i({beat_straight_o, beat_last_i, place_after}),
      .read_address_i(oldest),
      .read_data_o({oldest_fills, oldest_last, oldest_place})
  );

  assign beat_is_first = first_q;
  assign beat_row = beat_is_first ? beat_slot.row : place_before.row;
  assign place_after = '{
          row: beat_row + 1'b1,
              fault: beat_fault_i != fm_host_pkg::DmaNone || (!beat_is_first && place_before.fault)
      };
  assign beat_row_o = beat_row;
  assign beat_shift_o = beat_slot.shift;
  assign beat_straight_o = !(beat_is_first && beat_slot.skip_first);
  assign beat_wrapped_o = !(beat_last_i && beat_slot.skip_last);

  assign oldest = oldest_q[SlotBits-1:0];
  assign oldest_open = issued_q != oldest_q;
  assign oldest_has_beat = oldest_open && !fresh_q[oldest];
  assign answered = oldest_has_beat && oldest_last;
  assign complete = answered || (oldest_open && lost_i);
  assign advance = (complete && !oldest_final) || next_i;
  assign empty_o = !oldest_open;

  always_comb begin
    fresh_d = fresh_q;
    if (beat_i) fresh_d[beat_slot_i] = 1'b0;
    if (advance) fresh_d[oldest] = 1'b1;
  end

  // Whether a beat is the first one is known when it comes.
  always_ff @(posedge clk_i) begin
    first_q <= next_is_known_i ? next_known_first_i
        : fresh_q[next_slot_i] && !(beat_i && beat_slot_i == next_slot_i);
  end

  always_comb begin
    oldest_fault = fm_host_pkg::DmaNone;
    if (oldest_has_beat && oldest_place.fault) oldest_fault = fm_host_pkg::DmaBus;
    else if (oldest_open && !answered && lost_i) oldest_fault = fm_host_pkg::DmaTimedOut;
  end

  // A beat whose first lanes belong to the transfer before fills no row of its own.
  assign row_comes_o = oldest_has_beat && oldest_fills;
  assign some_ready_o = some_ready_q;
  assign ready_row_o = ready_row_q;
  assign all_ready_o = all_ready_q;
  assign fault_o = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      issued_q <= '0;
      oldest_q <= '0;
      fresh_q <= '1;
      room_q <= 1'b0;
      ready_row_q <= '0;
      some_ready_q <= 1'b0;
      all_ready_q <= 1'b0;
      fault_q <= fm_host_pkg::DmaNone;
    end else begin
      room_q <= under_way < (SlotBits + 1)'(Slots - 1);
      fresh_q <= fresh_d;
      if (issue_i) issued_q <= issued_q + 1'b1;
      if (advance) oldest_q <= oldest_q + 1'b1;
      if (oldest_has_beat) ready_row_q <= oldest_place.row;
      some_ready_q <= (some_ready_q || oldest_has_beat) && !next_i;
      all_ready_q <= complete && oldest_final && !next_i;
      fault_q <= next_i ? fm_host_pkg::DmaNone : fm_transfer_pkg::first_fault(fault_q, oldest_fault);
    end
  end

  `FM_ASSERT(IssueWithRoom, !issue_i || issue_ready_o)
  `FM_ASSERT(IssueOfFresh, !issue_i || fresh_q[issue_slot_o])
  `FM_ASSERT(FirstIsFresh, !beat_i || first_q == fresh_q[beat_slot_i])
  `FM_ASSERT(NextWhenReady, !next_i || all_ready_q)

endmodule
