// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Gives responses back in the order of their requests, for each stream by itself (Ozone 4.1).
//
// Contract: a reservation takes the next slot of its stream. Each reserved slot is completed once, at
// any time and in any order. Responses of a stream leave in the order of its reservations; streams
// are looked at in turn and do not wait for each other. A slot is free again once its response is
// offered. `irq_o` pulses once for each response whose
// interrupt is pending: it was asked for, and on errors only or there is one. The pulse comes as soon
// as the response and all before it in its stream are complete, whether or not those were taken.
// After reset it refuses everything for Streams * Depth cycles. Sizes are powers of two.
// Latency: 4 to 2 * Streams + 2 cycles from completion to response, 3 to Streams + 2 to `irq_o`. A
// response a cycle, Streams cycles apart in one stream.
// Reason: whether a slot is complete is a bit in look-up tables that completions toggle; its meaning
// changes with every lap of the stream, so that nobody has to clear it. It is read in one cycle and
// written in the next, as a slot is completed once. The sweep after reset makes
// registers of all memories unnecessary. The contents take exactly one block RAM, so the
// interrupt stands beside them.
module reorder_buffer
  import fm_flash_pkg::*;
#(
    parameter int unsigned Streams = 8,
    parameter int unsigned Depth = 32,
    localparam int unsigned StreamBits = $clog2(Streams),
    localparam int unsigned IndexBits = $clog2(Depth)
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Reservations.
    input  logic        slot_valid_i,
    output logic        slot_ready_o,
    input  logic [ 2:0] slot_stream_i,
    output slot_t       slot_o,
    // Completions.
    input  logic        completion_valid_i,
    output logic        completion_ready_o,
    input  completion_t completion_i,
    // Responses.
    output logic        response_valid_o,
    input  logic        response_ready_i,
    output response_t   response_o,
    output logic        irq_o
);

  `FM_REQUIRE(gen_streams_out_of_range, Streams inside {2, 4, 8}, "reorder_buffer: Streams")
  `FM_REQUIRE(gen_depth_out_of_range, Depth inside {2, 4, 8, 16, 32}, "reorder_buffer: Depth")

  localparam int unsigned AddressBits = StreamBits + IndexBits;

  typedef logic [StreamBits-1:0] stream_t;
  typedef logic [AddressBits-1:0] address_t;

  // Place in a stream. The lap changes each time that the index starts again.
  typedef struct packed {
    logic                 lap;
    logic [IndexBits-1:0] index;
  } place_t;

  typedef struct packed {
    logic [ 7:0] tag;
    logic [ 3:0] way;
    outcome_e    outcome;
    logic        erased;
    logic [11:0] corrected;
    logic [ 7:0] most;
    logic [ 7:0] lost;
    logic [31:0] value;
  } content_t;

  // The sweep: places begin at zero, and no slot is complete.
  logic swept_q;
  address_t sweep_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      swept_q <= 1'b0;
      sweep_q <= '0;
    end else if (!swept_q) begin
      swept_q <= &sweep_q;
      sweep_q <= sweep_q + 1'b1;
    end
  end

  // Reservations: from the oldest slot in use, `head`, to the next free one, `tail`.
  stream_t reserve_stream;
  place_t reserve_head, tail;
  logic reserve;

  assign reserve_stream = slot_stream_i[StreamBits-1:0];
  assign slot_ready_o = swept_q && !(tail.index == reserve_head.index && tail.lap != reserve_head.lap);
  assign slot_o = 8'({reserve_stream, tail.index});
  assign reserve = slot_valid_i && slot_ready_o;

  fm_ram_lut #(
      .Width($bits(place_t)),
      .Depth(Streams)
  ) u_tails (
      .clk_i,
      .write_i(reserve || !swept_q),
      .write_address_i(swept_q ? reserve_stream : sweep_q[StreamBits-1:0]),
      .write_data_i(swept_q ? tail + 1'b1 : '0),
      .read_address_i(reserve_stream),
      .read_data_o(tail)
  );

  // Announcements: one stream a cycle is asked whether its next slot is complete.
  stream_t announce_stream_q;
  place_t announced;
  logic done_at_announced, pending_at_announced, announce;

  assign announce = swept_q && done_at_announced != announced.lap;

  // Responses: one stream a cycle is asked whether a slot of it is announced.
  stream_t scan_q;
  place_t head, scan_announced;
  logic waiting, fetch, valid_q;

  assign waiting = swept_q && head != scan_announced;
  assign fetch = waiting && (!valid_q || response_ready_i);

  // Memories with two readers have two copies.
  for (genvar copy = 0; copy < 2; copy++) begin : gen_places
    place_t head_read, announced_read;
    fm_ram_lut #(
        .Width($bits(place_t)),
        .Depth(Streams)
    ) u_heads (
        .clk_i,
        .write_i(fetch || !swept_q),
        .write_address_i(swept_q ? scan_q : sweep_q[StreamBits-1:0]),
        .write_data_i(swept_q ? head + 1'b1 : '0),
        .read_address_i(copy == 0 ? scan_q : reserve_stream),
        .read_data_o(head_read)
    );
    fm_ram_lut #(
        .Width($bits(place_t)),
        .Depth(Streams)
    ) u_announced (
        .clk_i,
        .write_i(announce || !swept_q),
        .write_address_i(swept_q ? announce_stream_q : sweep_q[StreamBits-1:0]),
        .write_data_i(swept_q ? announced + 1'b1 : '0),
        .read_address_i(copy == 0 ? scan_q : announce_stream_q),
        .read_data_o(announced_read)
    );
  end
  assign head = gen_places[0].head_read;
  assign reserve_head = gen_places[1].head_read;
  assign scan_announced = gen_places[0].announced_read;
  assign announced = gen_places[1].announced_read;

  // Completions.
  address_t completed, announced_address, head_address;
  logic done_at_completion, completes, pending, pending_at_head;

  assign completion_ready_o = swept_q;
  assign completed = completion_i.slot[AddressBits-1:0];
  assign announced_address = {announce_stream_q, announced.index};
  assign head_address = {scan_q, head.index};
  assign completes = completion_valid_i && swept_q;
  assign pending = completion_i.irq
      && (!completion_i.irq_on_error || completion_i.outcome != Success);

  // The bit that is about to be written.
  logic marking_q, mark_q;
  address_t marked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) marking_q <= 1'b0;
    else marking_q <= completes;
  end

  always_ff @(posedge clk_i) begin
    marked_q <= completed;
    mark_q   <= !done_at_completion;
  end

  for (genvar copy = 0; copy < 2; copy++) begin : gen_bits
    logic done_read, pending_read;
    fm_ram_lut #(
        .Width(1),
        .Depth(Streams * Depth)
    ) u_done (
        .clk_i,
        .write_i(marking_q || !swept_q),
        .write_address_i(swept_q ? marked_q : sweep_q),
        .write_data_i(swept_q && mark_q),
        .read_address_i(copy == 0 ? announced_address : completed),
        .read_data_o(done_read)
    );
    fm_ram_lut #(
        .Width(1),
        .Depth(Streams * Depth)
    ) u_pending (
        .clk_i,
        .write_i(completes),
        .write_address_i(completed),
        .write_data_i(pending),
        .read_address_i(copy == 0 ? announced_address : head_address),
        .read_data_o(pending_read)
    );
  end
  assign done_at_announced = gen_bits[0].done_read;
  assign done_at_completion = gen_bits[1].done_read;
  assign pending_at_announced = gen_bits[0].pending_read;
  assign pending_at_head = gen_bits[1].pending_read;

  content_t content, completed_content;
  assign completed_content = '{
      tag: completion_i.tag,
      way: completion_i.way,
      outcome: completion_i.outcome,
      erased: completion_i.erased,
      corrected: completion_i.corrected,
      most: completion_i.most,
      lost: completion_i.lost,
      value: completion_i.value
  };

  fm_ram_block #(
      .Width($bits(content_t)),
      .Depth(Streams * Depth)
  ) u_contents (
      .clk_i,
      .rst_ni,
      .write_i(completes),
      .write_address_i(completed),
      .write_data_i(completed_content),
      .read_i(fetch),
      .read_address_i(head_address),
      .read_data_o(content)
  );

  stream_t stream_q;
  logic pending_q, irq_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      announce_stream_q <= '0;
      scan_q <= '0;
      valid_q <= 1'b0;
      irq_q <= 1'b0;
    end else begin
      announce_stream_q <= announce_stream_q + 1'b1;
      irq_q <= announce && pending_at_announced;
      // A stream that has a response waits for the output.
      if (!waiting || fetch) scan_q <= scan_q + 1'b1;
      if (fetch) valid_q <= 1'b1;
      else if (response_ready_i) valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      stream_q  <= scan_q;
      pending_q <= pending_at_head;
    end
  end

  assign response_valid_o = valid_q;
  assign irq_o = irq_q;

  always_comb begin
    response_o = '0;
    response_o.valid = 1'b1;
    response_o.tag = content.tag;
    response_o.way = content.way;
    response_o.stream = 3'(stream_q);
    response_o.outcome = content.outcome;
    response_o.irq_pending = pending_q;
    response_o.erased = content.erased;
    response_o.corrected = content.corrected;
    response_o.most = content.most;
    response_o.lost = content.lost;
    response_o.value = content.value;
  end

`ifndef SYNTHESIS
  // A completion names a slot that is reserved and not complete yet.
  place_t first, reserved;
  logic [IndexBits-1:0] index;
  assign first = gen_places[0].u_heads.memory_q[completed[AddressBits-1:IndexBits]];
  assign reserved = u_tails.memory_q[completed[AddressBits-1:IndexBits]] - first;
  assign index = completed[IndexBits-1:0];
  `FM_ASSERT(CompletesReserved, !completes || {1'b0, index - first.index} < reserved)
  `FM_ASSERT(CompletesOnce, !completes || (done_at_completion == (first.lap ^ (index < first.index)) &&
                                        !(marking_q && marked_q == completed)))
`endif
  `FM_ASSERT_STREAM(u_assert_slot, slot_valid_i, slot_ready_o, slot_stream_i)
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_i, completion_ready_o, completion_i)
  `FM_ASSERT_STREAM(u_assert_response, response_valid_o, response_ready_i, response_o)

endmodule
