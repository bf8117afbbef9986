// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Fetches submission queue entries.
//
// Contract: takes a grant when a slot for a read and a tag are free, asks the queue for entries, takes
// a tag for each, and reads them all at once. Entries go to the command store as they come, and with
// their last beat comes what completions need to know of them (`known`). `command` gives the commands
// in the order in which they were fetched, whatever the order of the answers; `failed` means that there
// is nothing of it in the store: the read failed, or `clear_i` came meanwhile. `fault_valid_o` pulses
// when a read failed. `passed_valid_o` pulses when the entries of a read have come, in the order of the reads, with the place behind
// them in their queue; not if `clear_i` came meanwhile. `idle_o` is up when no read is under way and no command is left to give.
// Latency: from a grant to the read, seven cycles and one for each entry; from the last beat to the
// command, three.
// Reason: reads are sent ahead without waiting for answers, Slots of them, since a round trip over
// PCIe takes hundreds of cycles. Slots are used in a circle, which puts answers back in order.
module sq_fetch
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Queues   = 17,
    parameter int unsigned Tags     = 256,
    parameter int unsigned Burst    = 4,
    parameter int unsigned Slots    = 8,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags),
    localparam int unsigned CountBits = $clog2(Burst + 1)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            clear_i,
    input  logic                            grant_valid_i,
    output logic                            grant_ready_o,
    input  logic            [QueueBits-1:0] grant_queue_i,
    input  logic            [CountBits-1:0] grant_limit_i,
    output logic                            fetch_valid_o,
    input  logic                            fetch_ready_i,
    output logic            [QueueBits-1:0] fetch_queue_o,
    output logic            [CountBits-1:0] fetch_limit_o,
    input  logic                            fetched_valid_i,
    input  logic            [CountBits-1:0] fetched_count_i,
    input  logic            [         63:0] fetched_address_i,
    input  logic            [QueueBits-1:0] fetched_completion_i,
    input  place_t                          fetched_head_i,
    output logic                            passed_valid_o,
    output logic            [QueueBits-1:0] passed_queue_o,
    output place_t                          passed_head_o,
    input  logic            [    TagBits:0] free_i,
    input  logic                            take_valid_i,
    output logic                            take_ready_o,
    input  logic            [  TagBits-1:0] take_tag_i,
    output logic                            read_valid_o,
    input  logic                            read_ready_i,
    output host_read_t                      read_o,
    input  logic                            beat_valid_i,
    input  host_read_beat_t                 beat_i,
    input  logic            [ DataBits-1:0] beat_data_i,
    output logic                            store_o,
    output logic            [  TagBits-1:0] store_tag_o,
    output logic            [          2:0] store_beat_o,
    output logic            [ DataBits-1:0] store_data_o,
    output logic                            known_o,
    output logic            [  TagBits-1:0] known_tag_o,
    output logic            [QueueBits-1:0] known_queue_o,
    output logic            [QueueBits-1:0] known_completion_o,
    output logic            [         15:0] known_cid_o,
    output logic                            command_valid_o,
    input  logic                            command_ready_i,
    output logic            [  TagBits-1:0] command_tag_o,
    output logic            [QueueBits-1:0] command_queue_o,
    output logic                            command_failed_o,
    output logic                            fault_valid_o,
    output logic                            idle_o
);

  `FM_REQUIRE(gen_slots, Slots >= 2 && Slots <= 64 && 2 ** $clog2(Slots) == Slots,
           "sq_fetch: Slots is not a power of two from 2 to 64")
  `FM_REQUIRE(gen_data_bits, DataBits inside {64, 128, 256, 512},
           "sq_fetch: DataBits is none of 64, 128, 256 and 512")

  `FM_REQUIRE(gen_burst, Burst * 512 / DataBits <= 256, "sq_fetch: Burst entries are more than the 256 beats of a burst")

  localparam int unsigned EntryBeats = 512 / DataBits;
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned EntryIndexBits = $clog2(Burst);
  localparam int unsigned BeatBits = $clog2(Burst * EntryBeats);

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [EntryIndexBits-1:0] entry_index_t;

  typedef enum logic [2:0] {
    Idle,
    Ask,     // the queue for entries
    Answer,  // of the queue
    Take,    // a tag for each
    Read     // them all
  } state_e;

  // What was asked for in a slot.
  typedef struct packed {
    logic [QueueBits-1:0] submission;
    logic [QueueBits-1:0] completion;
    entry_index_t         last;
  } shape_t;

  state_e state_d, state_q;
  // Slots in use are those from `close_q` to before `open_q`, whose high bit counts the circles.
  logic [SlotBits:0] open_q, close_q;
  slot_t open_slot, close_slot;
  logic has_slot, takes_tag, reads, dropped_q;
  entry_index_t index_q;
  shape_t shape_q;
  logic [CountBits-1:0] limit_q;
  logic [63:0] address_q;
  place_t head_q;

  assign open_slot = open_q[SlotBits-1:0];
  assign close_slot = close_q[SlotBits-1:0];
  assign has_slot = open_q - close_q != (SlotBits + 1)'(Slots);
  assign grant_ready_o = state_q == Idle && has_slot && free_i != '0;
  assign fetch_valid_o = state_q == Ask;
  assign fetch_queue_o = shape_q.submission;
  assign fetch_limit_o = limit_q;
  assign take_ready_o = state_q == Take;
  assign takes_tag = take_ready_o && take_valid_i;
  assign read_valid_o = state_q == Read;
  assign reads = read_valid_o && read_ready_i;
  assign read_o = '{
          address: address_q,
          bytes: (13'(shape_q.last) + 1'b1) << 6,
          id: 8'(open_slot)
      };

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (grant_valid_i && grant_ready_o) state_d = Ask;
      Ask: if (fetch_ready_i) state_d = Answer;
      Answer: if (fetched_valid_i) state_d = fetched_count_i == '0 ? Idle : Take;
      Take: if (takes_tag && index_q == shape_q.last) state_d = Read;
      default: if (reads) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      open_q <= '0;
      index_q <= '0;
      dropped_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (reads) open_q <= open_q + 1'b1;
      if (takes_tag) index_q <= index_q == shape_q.last ? '0 : index_q + 1'b1;
      dropped_q <= state_q != Idle && (dropped_q || clear_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      shape_q.submission <= grant_queue_i;
      limit_q <= free_i < (TagBits + 1)'(grant_limit_i) ? CountBits'(free_i) : grant_limit_i;
    end
    if (state_q == Answer) begin
      shape_q.completion <= fetched_completion_i;
      shape_q.last <= entry_index_t'(fetched_count_i - 1'b1);
      address_q <= fetched_address_i;
      head_q <= fetched_head_i;
    end
  end

  // Answers come from a register, since the way from there to the store is long. Each slot counts its beats; which of
  // its beats the one in the register is, is in a register as well.
  logic beat_valid_q, arrives, last_arrives;
  host_read_beat_t beat_q;
  logic [DataBits-1:0] beat_data_q;
  slot_t beat_slot;
  logic [Slots-1:0][BeatBits-1:0] beats_q;
  logic [BeatBits-1:0] number_q, next_number;
  logic [Slots-1:0] done_q, failed_q;
  shape_t beat_shape;
  logic unused_beat_last;

  assign beat_slot = slot_t'(beat_q.id);
  assign next_number = beat_q.last ? '0 : number_q + 1'b1;
  assign arrives = beat_valid_q && 32'(beat_q.id) < Slots;
  assign last_arrives = arrives && beat_q.last;
  assign unused_beat_last = ^beat_shape.last;

  assign store_o = arrives;
  assign store_beat_o = 3'(number_q) & 3'(EntryBeats - 1);
  assign store_data_o = beat_data_q;
  assign known_o = arrives && store_beat_o == '0;
  assign known_tag_o = store_tag_o;
  assign known_queue_o = beat_shape.submission;
  assign known_completion_o = beat_shape.completion;
  assign known_cid_o = beat_data_q[31:16];
  assign fault_valid_o = last_arrives && beat_q.error && !failed_q[beat_slot];

  // Commands leave in the order of their slots.
  logic command_valid_q, loads, closes;
  entry_index_t command_index_q;
  logic [TagBits-1:0] close_tag;
  shape_t close_shape;
  logic unused_completion;

  assign loads = done_q[close_slot] && (!command_valid_q || command_ready_i);
  assign closes = loads && command_index_q == close_shape.last;
  assign unused_completion = ^close_shape.completion;
  assign command_valid_o = command_valid_q;
  assign idle_o = state_q == Idle && open_q == close_q && !command_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_valid_q <= 1'b0;
      beats_q <= '0;
      done_q <= '0;
      failed_q <= '0;
      close_q <= '0;
      command_valid_q <= 1'b0;
      command_index_q <= '0;
    end else begin
      beat_valid_q <= beat_valid_i;
      if (arrives) beats_q[beat_slot] <= next_number;
      if (reads) failed_q[open_slot] <= dropped_q;
      if (last_arrives) done_q[beat_slot] <= 1'b1;
      if (last_arrives && beat_q.error) failed_q[beat_slot] <= 1'b1;
      if (closes) done_q[close_slot] <= 1'b0;
      if (closes) close_q <= close_q + 1'b1;
      if (clear_i) failed_q <= '1;
      if (loads) command_index_q <= closes ? '0 : command_index_q + 1'b1;
      if (loads) command_valid_q <= 1'b1;
      else if (command_ready_i) command_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    beat_q <= beat_i;
    beat_data_q <= beat_data_i;
    number_q <= arrives && beat_slot == slot_t'(beat_i.id) ? next_number : beats_q[slot_t'(beat_i.id)];
    if (loads) begin
      command_tag_o <= close_tag;
      command_queue_o <= close_shape.submission;
      command_failed_o <= failed_q[close_slot];
    end
  end

  // Heads pass in the order of the slots, as soon as a slot's entries are there: never behind the slot whose commands leave.
  logic [SlotBits:0] pass_q;
  slot_t pass_slot;
  logic passes;
  logic [QueueBits-1:0] pass_queue;
  place_t pass_head;

  assign pass_slot = pass_q[SlotBits-1:0];
  assign passes = pass_q != open_q && done_q[pass_slot];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pass_q <= '0;
      passed_valid_o <= 1'b0;
    end else begin
      if (passes) pass_q <= pass_q + 1'b1;
      passed_valid_o <= passes && !failed_q[pass_slot] && !clear_i;
    end
  end

  always_ff @(posedge clk_i) begin
    passed_queue_o <= pass_queue;
    passed_head_o  <= pass_head;
  end

  fm_ram_lut #(
      .Width(QueueBits + $bits(place_t)),
      .Depth(Slots)
  ) u_heads (
      .clk_i,
      .write_i(reads),
      .write_address_i(open_slot),
      .write_data_i({shape_q.submission, head_q}),
      .read_address_i(pass_slot),
      .read_data_o({pass_queue, pass_head})
  );

  // A copy for answers, and one for commands.
  fm_ram_lut #(
      .Width(TagBits),
      .Depth(Slots * Burst)
  ) u_beat_tags (
      .clk_i,
      .write_i(takes_tag),
      .write_address_i({open_slot, index_q}),
      .write_data_i(take_tag_i),
      .read_address_i({beat_slot, entry_index_t'(number_q >> $clog2(EntryBeats))}),
      .read_data_o(store_tag_o)
  );

  fm_ram_lut #(
      .Width(TagBits),
      .Depth(Slots * Burst)
  ) u_close_tags (
      .clk_i,
      .write_i(takes_tag),
      .write_address_i({open_slot, index_q}),
      .write_data_i(take_tag_i),
      .read_address_i({close_slot, command_index_q}),
      .read_data_o(close_tag)
  );

  fm_ram_lut #(
      .Width($bits(shape_t)),
      .Depth(Slots)
  ) u_beat_shapes (
      .clk_i,
      .write_i(reads),
      .write_address_i(open_slot),
      .write_data_i(shape_q),
      .read_address_i(beat_slot),
      .read_data_o(beat_shape)
  );

  fm_ram_lut #(
      .Width($bits(shape_t)),
      .Depth(Slots)
  ) u_close_shapes (
      .clk_i,
      .write_i(reads),
      .write_address_i(open_slot),
      .write_data_i(shape_q),
      .read_address_i(close_slot),
      .read_data_o(close_shape)
  );

  `FM_ASSERT(PassesFirst, !closes || passes || pass_q != close_q)
  `FM_ASSERT_STREAM(u_assert_fetch, fetch_valid_o, fetch_ready_i, {fetch_queue_o, fetch_limit_o})
  `FM_ASSERT_STREAM(u_assert_read, read_valid_o, read_ready_i, read_o)
  `FM_ASSERT_STREAM(u_assert_command, command_valid_o, command_ready_i, {
                 command_tag_o, command_queue_o, command_failed_o})

endmodule
