// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Moves units between the host and memory, in one direction.
//
// Contract: units come in the order in which they end. Reads are answered in any order and mixture;
// an answer never waits. The AXI id of a read is its slot. Units of zeros read nothing, with Zeros. `r_fault_i` and `b_fault_i` say what was
// wrong with an answer. A descriptor ends when the writes of all its units were answered. Addresses
// and lengths are multiples of 4 bytes.
// Latency: five cycles from a unit to its first read. To the host, five from a beat that was read to the beat that is
// written; from the host, the beats of a burst to memory come first, as dma_writer has it.
// Reason: both directions are the same but for their borders: pages of the host on one side, stripes
// over memory channels on the other.
module dma_mover #(
    parameter int unsigned          DataBits   = 256,
    parameter int unsigned          Rows       = 512,
    parameter int unsigned          Slots      = 16,
    parameter int unsigned          Memories   = 1,
    parameter fm_host_pkg::direction_e Direction  = fm_host_pkg::FromHost,
    parameter bit                   Zeros      = 1'b0,
    localparam bit IsFromHost = Direction == fm_host_pkg::FromHost,
    localparam int unsigned Sources = IsFromHost ? 1 : Memories,
    localparam int unsigned Sinks = IsFromHost ? Memories : 1,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                unit_valid_i,
    output logic                                unit_ready_o,
    input  fm_transfer_pkg::unit_t              unit_i,
    // No answers come any more, for which the slots have to wait.
    input  logic                                lost_i,
    output logic                                idle_o,
    // The source.
    output logic [Sources-1:0]                  ar_valid_o,
    input  logic [Sources-1:0]                  ar_ready_i,
    output fm_axi_pkg::burst_t                  ar_o,
    input  logic [Sources-1:0]                  r_valid_i,
    output logic [Sources-1:0]                  r_ready_o,
    input  fm_axi_pkg::id_t [Sources-1:0]       r_id_i,
    input  r_beat_t [Sources-1:0]               r_i,
    // The destination.
    output logic [Sinks-1:0]                    aw_valid_o,
    input  logic [Sinks-1:0]                    aw_ready_i,
    output fm_axi_pkg::burst_t                  aw_o,
    output logic [Sinks-1:0]                    w_valid_o,
    input  logic [Sinks-1:0]                    w_ready_i,
    output w_beat_t                             w_o,
    // Address and data that are offered stay as they are, whoever takes them. What comes meanwhile has any.
    input  logic                                keep_i,
    input  logic [Sinks-1:0]                    b_valid_i,
    output logic [Sinks-1:0]                    b_ready_o,
    input  fm_host_pkg::dma_fault_e [Sinks-1:0] b_fault_i,
    output logic                                done_valid_o,
    input  logic                                done_ready_i,
    output fm_transfer_pkg::outcome_t           done_o
);

  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned BeatBits = $clog2(DataBits / 8);
  localparam int unsigned LaneBits = BeatBits - 2;
  localparam int unsigned CountBits = 14 - BeatBits;
  localparam int unsigned SinkAddressBits = IsFromHost ? 40 : 64;
  // A burst of AXI has 256 beats at most, which are less than a page where they have 8 bytes.
  localparam int unsigned BurstBytes = 256 * DataBits / 8;
  localparam int unsigned HostBytes = BurstBytes < fm_transfer_pkg::UnitBytes ? BurstBytes : fm_transfer_pkg::UnitBytes;
  localparam int unsigned SourceBytes = IsFromHost ? HostBytes : fm_transfer_pkg::StripeBytes;
  localparam int unsigned SinkBytes = IsFromHost ? fm_transfer_pkg::StripeBytes : HostBytes;

  `FM_REQUIRE(gen_too_many_slots, SlotBits <= fm_axi_pkg::IdBits, "dma_mover: Slots is above 64")
  `FM_REQUIRE(gen_zeros_to_host, !Zeros || IsFromHost, "dma_mover: Zeros are not for the host")
  `FM_REQUIRE(gen_too_few_rows, Rows * DataBits / 8 > fm_transfer_pkg::UnitBytes,
           "dma_mover: Rows hold no unit")

  // -- units --

  typedef struct packed {
    logic [SinkAddressBits-1:0] address;
    logic [12:0]                bytes;
    fm_transfer_pkg::closing_t     closing;
  } sending_t;

  logic reader_ready, queue_ready, sending_valid, sending_ready;
  logic [63:0] source;
  logic [SinkAddressBits-1:0] sink;
  sending_t queued, sending;
  logic [$clog2(Slots+1)-1:0] unused_level;

  assign source = IsFromHost ? unit_i.host : 64'(unit_i.memory);
  assign sink = SinkAddressBits'(IsFromHost ? 64'(unit_i.memory) : unit_i.host);
  assign unit_ready_o = reader_ready && queue_ready;
  assign queued = '{
          address: sink,
          bytes: unit_i.bytes,
          closing: '{tag: unit_i.tag, last: unit_i.last, fault: unit_i.fault}
      };

  fm_fifo #(
      .Width($bits(sending_t)),
      .Depth(Slots)
  ) u_units (
      .clk_i,
      .rst_ni,
      .in_valid_i(unit_valid_i && reader_ready), .in_ready_o(queue_ready), .in_data_i(queued),
      .out_valid_o(sending_valid), .out_ready_i(sending_ready), .out_data_o(sending),
      .level_o(unused_level)
  );

  // -- reads --

  logic read_valid, read_ready, issue_ready;
  logic [63:0] read_address;
  logic [7:0] read_length;
  logic [RowBits-1:0] read_row;
  logic [LaneBits-1:0] read_shift;
  logic read_skip_first, read_skip_last, read_final;
  logic [SlotBits-1:0] read_slot;
  logic [CountBits-1:0] freed;
  logic [Sources-1:0] read_channel;

  dma_reader #(
      .DataBits(DataBits),
      .Rows(Rows),
      .SplitBytes(SourceBytes)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .in_valid_i(unit_valid_i && queue_ready), .in_ready_o(reader_ready), .in_source_i(source),
      .in_offset_i(sink[BeatBits-1:0]), .in_bytes_i(unit_i.bytes),
      .freed_i(freed),
      .read_valid_o(read_valid), .read_ready_i(read_ready), .read_address_o(read_address), .read_length_o(read_length),
      .read_row_o(read_row), .read_shift_o(read_shift), .read_skip_first_o(read_skip_first),
      .read_skip_last_o(read_skip_last), .read_final_o(read_final)
  );

  if (Sources > 1) begin : gen_read_channels
    localparam int unsigned Low = $clog2(fm_transfer_pkg::StripeBytes);
    assign read_channel = Sources'(1) << read_address[Low+:$clog2(Sources)];
  end else begin : gen_read_channel
    assign read_channel = 1'b1;
  end

  // Zeros are read from nobody.
  logic read_zeros, zero_ready, zero_valid, zero_take, zero_first, zero_last;
  logic [SlotBits-1:0] zero_slot;

  assign ar_valid_o = read_valid && issue_ready && !read_zeros ? read_channel : '0;
  assign read_ready = issue_ready && (read_zeros ? zero_ready : (read_channel & ar_ready_i) != '0);
  assign zero_take = r_valid_i == '0;

  if (Zeros) begin : gen_zeros
    logic zeros_q;

    assign read_zeros = zeros_q;

    always_ff @(posedge clk_i) begin
      if (unit_valid_i && unit_ready_o) zeros_q <= unit_i.zeros;
    end

    zero_source #(
        .SlotBits(SlotBits)
    ) u_zeros (
        .clk_i,
        .rst_ni,
        .lost_i,
        .read_valid_i(read_valid && issue_ready && read_zeros), .read_ready_o(zero_ready), .read_slot_i(read_slot),
        .read_length_i(read_length),
        .beat_valid_o(zero_valid), .beat_take_i(zero_take), .beat_slot_o(zero_slot),
        .beat_first_o(zero_first), .beat_last_o(zero_last)
    );
  end else begin : gen_no_zeros
    logic unused;
    assign {read_zeros, zero_ready, zero_valid, zero_first, zero_last, zero_slot} = '0;
    assign unused = ^{unit_i.zeros, zero_take};
  end
  assign ar_o = '{
          id: fm_axi_pkg::id_t'(read_slot),
          address: fm_transfer_pkg::stripe_address(read_address, Sources),
          length: read_length
      };

  // -- answers: one beat a cycle, of any source --

  typedef struct packed {
    logic [SlotBits-1:0]  slot;
    logic                 last;
    fm_host_pkg::dma_fault_e fault;
    logic [DataBits-1:0]  data;
  } beat_t;

  function automatic beat_t beat_of(logic [SlotBits-1:0] slot, r_beat_t beat);
    return {slot, beat.last, fm_transfer_pkg::fault_of(beat.response), beat.data};
  endfunction

  beat_t answer, beat_d, beat_q;
  logic beat_valid_q, beat_valid;
  logic [RowBits-1:0] beat_row;
  logic [LaneBits-1:0] beat_shift;
  logic beat_straight, beat_wrapped;

  fm_arbiter_round_robin #(
      .Requests(Sources)
  ) u_answers (
      .clk_i,
      .rst_ni,
      .request_i(r_valid_i),
      .accept_i(1'b1),
      .grant_o(r_ready_o)
  );

  // What no source sends is not looked at, so the first one needs no turn. Zeros come when none sends.
  always_comb begin
    answer = beat_of(r_id_i[0][SlotBits-1:0], r_i[0]);
    for (int unsigned i = 1; i < Sources; i++) begin
      if (r_ready_o[i]) answer = beat_of(r_id_i[i][SlotBits-1:0], r_i[i]);
    end
    beat_d = answer;
    if (zero_valid && zero_take) beat_d = {zero_slot, zero_last, fm_host_pkg::DmaNone, {DataBits{1'b0}}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_valid_q <= 1'b0;
    end else begin
      beat_valid_q <= r_valid_i != '0 || zero_valid;
    end
  end

  always_ff @(posedge clk_i) begin
    beat_q <= beat_d;
  end

  // With the first cycle of `lost_i`, nothing counts any more of what came in the cycle before.
  assign beat_valid = beat_valid_q && !lost_i;

  // -- the ring --

  logic [RowBits-1:0] ready_row;
  logic some_ready, all_ready, row_comes, next_transfer, ring_read;
  fm_host_pkg::dma_fault_e ready_fault;
  logic [RowBits-1:0] ring_row;

  dma_slots #(
      .Slots(Slots),
      .RowBits(RowBits),
      .LaneBits(LaneBits)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .issue_i(read_valid && read_ready),
      .issue_ready_o(issue_ready),
      .issue_slot_o(read_slot),
      .issue_row_i(read_row),
      .issue_shift_i(read_shift),
      .issue_skip_first_i(read_skip_first),
      .issue_skip_last_i(read_skip_last),
      .issue_final_i(read_final),
      .beat_i(beat_valid),
      .next_slot_i(answer.slot),
      .next_is_known_i(zero_valid && zero_take),
      .next_known_first_i(zero_first),
      .beat_slot_i(beat_q.slot),
      .beat_last_i(beat_q.last),
      .beat_fault_i(beat_q.fault),
      .beat_row_o(beat_row),
      .beat_shift_o(beat_shift),
      .beat_straight_o(beat_straight),
      .beat_wrapped_o(beat_wrapped),
      .lost_i,
      .empty_o(idle_o),
      .some_ready_o(some_ready),
      .ready_row_o(ready_row),
      .row_comes_o(row_comes),
      .all_ready_o(all_ready),
      .fault_o(ready_fault),
      .next_i(next_transfer)
  );

  realign_ring #(
      .DataBits(DataBits),
      .Rows(Rows)
  ) u_ring (
      .clk_i,
      .rst_ni,
      .in_valid_i(beat_valid), .in_data_i(beat_q.data), .in_row_i(beat_row), .in_shift_i(beat_shift),
      .in_straight_i(beat_straight), .in_wrapped_i(beat_wrapped),
      .read_i(ring_read && !keep_i),
      .read_row_i(ring_row),
      .read_data_o(w_o.data)
  );

  // -- writes --

  // What was sent is told a cycle later, since the way there is long; no answer is as soon.
  logic [Sinks-1:0] sent, sent_q;
  logic close, close_q, close_room;
  fm_transfer_pkg::closing_t closing, closing_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q  <= '0;
      close_q <= 1'b0;
    end else begin
      sent_q  <= sent;
      close_q <= close;
    end
  end

  always_ff @(posedge clk_i) begin
    closing_q <= closing;
  end

  assign aw_o.id = '0;

  dma_writer #(
      .DataBits(DataBits),
      .Rows(Rows),
      .Channels(Sinks),
      .SplitBytes(SinkBytes),
      .AddressBits(SinkAddressBits),
      .InHand(IsFromHost)
  ) u_writer (
      .clk_i,
      .rst_ni,
      .in_valid_i(sending_valid), .in_ready_o(sending_ready), .in_address_i(sending.address),
      .in_bytes_i(sending.bytes), .in_closing_i(sending.closing),
      .some_ready_i(some_ready),
      .ready_row_i(ready_row),
      .row_comes_i(row_comes),
      .all_ready_i(all_ready),
      .fault_i(ready_fault),
      .next_o(next_transfer),
      .freed_o(freed),
      .ring_read_o(ring_read),
      .ring_row_o(ring_row),
      .aw_valid_o, .aw_ready_i, .aw_address_o(aw_o.address), .aw_length_o(aw_o.length),
      .w_valid_o, .w_ready_i, .w_strobe_o(w_o.strobe), .w_last_o(w_o.last),
      .sent_o(sent),
      .close_o(close),
      .close_room_i(close_room && !close_q),
      .keep_i,
      .closing_o(closing)
  );

  dma_retire #(
      .Channels(Sinks),
      .Transfers(Slots)
  ) u_retire (
      .clk_i,
      .rst_ni,
      .sent_i(sent_q),
      .close_i(close_q),
      .close_room_o(close_room),
      .closing_i(closing_q),
      .b_valid_i, .b_ready_o, .b_fault_i,
      .done_valid_o, .done_ready_i, .done_o
  );

endmodule
