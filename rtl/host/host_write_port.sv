// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Writes host memory for everybody.
//
// Contract: completions (16 bytes) and messages (4 bytes) come with their data, and lie inside a beat, or a completion
// in two of 64 bits; `written` tells that one is in host memory. Data comes as bursts.
// All have one AXI id, so answers come in order. Where the oldest write gets no answer for three ticks of
// `tick_i`, or no beat of it is taken while there are some,
// every write under way, and every one that is asked for, is answered with a time-out, until
// AXI has answered all that it owes. What a burst still lacks is then sent without strobes. While `gone_i` is up there is no
// host: nothing is sent, no answer is owed any more, and all writes are answered so; one that was offered before stays.
// Latency: a cycle to AXI for data, two for the others, none back. One beat a cycle; between bursts one is
// lost.
// Reason: whoever must not overtake another waits for its answer. So no order between clients has to
// be kept here. Whose turn is next is decided a cycle ahead, and is that of data if nobody asks, so neither
// do the others lengthen its path nor the choice its bursts.
module host_write_port #(
    parameter int unsigned DataBits = 256,
    localparam int unsigned Lanes = DataBits / 32,
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       tick_i,
    input  logic                       gone_i,
    input  logic                       completion_valid_i,
    output logic                       completion_ready_o,
    input  fm_host_pkg::host_write_t   completion_i,
    input  logic [127:0]               completion_data_i,
    input  logic                       message_valid_i,
    output logic                       message_ready_o,
    input  fm_host_pkg::host_write_t   message_i,
    input  logic [31:0]                message_data_i,
    output logic                       written_valid_o,
    input  logic                       written_ready_i,
    output fm_host_pkg::host_written_t written_o,
    // Data. The strobes have a bit a 32-bit lane.
    input  logic                       data_aw_valid_i,
    output logic                       data_aw_ready_o,
    input  fm_axi_pkg::burst_t         data_aw_i,
    input  logic                       data_w_valid_i,
    output logic                       data_w_ready_o,
    input  w_beat_t                    data_w_i,
    output logic                       data_b_valid_o,
    input  logic                       data_b_ready_i,
    output fm_host_pkg::dma_fault_e    data_b_fault_o,
    // Nothing is under way, late answers included.
    output logic                       idle_o,
    // AXI.
    output logic                       aw_valid_o,
    input  logic                       aw_ready_i,
    output fm_axi_pkg::burst_t         aw_o,
    output logic                       w_valid_o,
    input  logic                       w_ready_i,
    output w_beat_t                    w_o,
    input  logic                       b_valid_i,
    output logic                       b_ready_o,
    input  fm_axi_pkg::response_e      b_response_i
);

  localparam int unsigned BeatBits = $clog2(DataBits / 8);
  localparam int unsigned LaneBits = BeatBits - 2;
  localparam int unsigned Outstanding = 32;
  localparam int unsigned OwedBits = $clog2(Outstanding + 2);
  // A completion goes in two beats, and is taken with the second one.
  localparam bit Halves = DataBits < 128;

  typedef struct packed {
    fm_host_pkg::write_client_e client;
    logic [7:0]              id;
  } owner_t;

  // -- bursts: address and first beat go out together, those of data one cycle apart --

  // Whose turn it is: data, message, completion. Data need not have asked.
  logic [2:0] grant_d, grant_q;
  logic [1:0] others;
  logic lost_q, open_q, aw_valid_q, w_valid_q, w_last_q, aw_free, w_free;
  logic may_begin, accept, accept_data, accept_small, beat, beat_ends, ends, queue_ready;
  fm_axi_pkg::burst_t aw_d, aw_q;
  logic [63:0] small_address;
  owner_t owner;
  logic [DataBits-1:0] w_data_d, w_data_q, completion_beat;
  logic [Lanes-1:0] w_strobe_d, w_strobe_q;
  logic [LaneBits-1:0] small_lane;
  // Beats of the burst that AXI was told of and that are not in the register yet.
  logic [8:0] lacking_q;
  logic fill;
  // A completion's second beat is due; is sent.
  logic half_q, half_begins, half_ends;

  assign aw_free = !aw_valid_q || aw_ready_i || lost_q;
  assign w_free = !w_valid_q || w_ready_i;
  assign beat = open_q && data_w_valid_i && data_w_ready_o;
  assign beat_ends = beat && data_w_i.last;
  assign may_begin = aw_free && queue_ready && !open_q && !half_q;
  // The first beat of data comes later, so its address need not wait for the beat before it.
  assign accept_data = may_begin && grant_q[2] && data_aw_valid_i;
  assign accept_small = may_begin && (w_free || lost_q) && !grant_q[2];
  assign accept = accept_data || accept_small;
  assign half_begins = Halves && accept && grant_q[0];
  assign half_ends = half_q && (w_free || lost_q);
  assign completion_ready_o = Halves ? half_ends : accept && grant_q[0];
  assign message_ready_o = accept && grant_q[1];
  assign data_aw_ready_o = accept_data;
  assign data_w_ready_o = open_q && (w_free || lost_q);
  assign ends = beat_ends || (accept_small && !half_begins) || half_ends;
  // A burst that AXI was told of goes on, be it with nothing.
  assign fill = lost_q && w_free && lacking_q != '0;

  // Completions first, since their commands hold tags, then messages, which follow from completions: so
  // neither comes often enough to keep data waiting. Decided anew in each cycle: were it only when a burst
  // begins, or one a burst, completions and messages of 4 KiB commands would fall behind their data.
  assign others = {message_valid_i, completion_valid_i && !half_ends} & (accept_small ? ~grant_q[1:0] : '1);

  always_comb begin
    grant_d = 3'b100;
    if (others[1]) grant_d = 3'b010;
    if (others[0]) grant_d = 3'b001;
  end

  assign small_address = grant_q[1] ? message_i.address : completion_i.address;
  assign small_lane = small_address[BeatBits-1:2];
  assign owner = open_q ? '{client: fm_host_pkg::WriteData, id: '0}
                        : grant_q[1] && !half_q ? '{client: message_i.client, id: message_i.id}
      : '{client: completion_i.client, id: completion_i.id};

  if (Halves) begin : gen_halves
    assign completion_beat = completion_data_i[half_q*DataBits+:DataBits];
  end else begin : gen_whole
    assign completion_beat = {DataBits / 128{completion_data_i}};
  end

  always_comb begin
    aw_d = '{id: '0, address: small_address, length: 8'(Halves && grant_q[0])};
    if (grant_q[2]) aw_d = '{id: '0, address: data_aw_i.address, length: data_aw_i.length};
    w_data_d = data_w_i.data;
    w_strobe_d = data_w_i.strobe;
    if (!open_q) begin
      w_data_d = grant_q[1] ? {Lanes{message_data_i}} : completion_beat;
      w_strobe_d = (grant_q[1] ? Lanes'(1) : Lanes'(15)) << small_lane;
    end
    if (half_q) begin
      w_data_d = completion_beat;
      w_strobe_d = '1;
    end
    if (lost_q) w_strobe_d = '0;
  end

  assign aw_valid_o = aw_valid_q && !gone_i;
  assign aw_o = aw_q;
  assign w_valid_o = w_valid_q && !gone_i;
  assign w_o = '{data: w_data_q, strobe: w_strobe_q, last: w_last_q};

  // -- answers --

  // An answer stays while nobody takes it, be the host gone meanwhile.
  logic b_valid, b_held_q;
  fm_axi_pkg::response_e b_response, b_response_q;

  assign b_valid = gone_i ? b_held_q : b_valid_i;
  assign b_response = gone_i ? b_response_q : b_response_i;

  logic owner_valid, answer;
  owner_t oldest;
  fm_host_pkg::dma_fault_e fault;
  logic [$clog2(Outstanding+1)-1:0] unused_level;

  fm_fifo #(
      .Width($bits(owner_t)),
      .Depth(Outstanding)
  ) u_owners (
      .clk_i,
      .rst_ni,
      .in_valid_i(ends),
      .in_ready_o(queue_ready),
      .in_data_i(owner),
      .out_valid_o(owner_valid),
      .out_ready_i(answer),
      .out_data_o(oldest),
      .level_o(unused_level)
  );

  assign fault = lost_q ? fm_host_pkg::DmaTimedOut : fm_transfer_pkg::fault_of(b_response);
  assign data_b_valid_o = owner_valid && (b_valid || lost_q)
      && oldest.client == fm_host_pkg::WriteData;
  assign data_b_fault_o = fault;
  assign written_valid_o = owner_valid && (b_valid || lost_q)
      && oldest.client != fm_host_pkg::WriteData;
  assign written_o = '{
          client: oldest.client,
          id: oldest.id,
          error: fault != fm_host_pkg::DmaNone
      };
  assign answer = (written_valid_o && written_ready_i) || (data_b_valid_o && data_b_ready_i);
  assign b_ready_o = lost_q || answer;

  // -- what AXI owes --

  // Counted a cycle late, since the way to both is long.
  logic [OwedBits-1:0] owed_q;
  logic asked_q, paid_q;
  // Ticks since the oldest write moved. While one waits for its answer, beats of younger ones do not count.
  logic [1:0] waited_q;
  logic asked, paid, moves, source_waits, times_out, recovered;

  assign asked = accept && !lost_q && !gone_i;
  assign idle_o = owed_q == '0 && !asked_q;
  assign paid = b_valid && b_ready_o;
  assign moves = b_valid ||
      (!gone_i && !owner_valid && ((aw_valid_q && aw_ready_i) || (w_valid_q && w_ready_i)));
  assign source_waits = open_q && !owner_valid && !w_valid_q && !aw_valid_q;
  assign times_out = waited_q == '1;
  assign recovered = lost_q && idle_o && !owner_valid && !open_q && !half_q && !accept;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_held_q <= 1'b0;
      grant_q <= 3'b100;
      lost_q <= 1'b0;
      open_q <= 1'b0;
      half_q <= 1'b0;
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
      lacking_q <= '0;
      owed_q <= '0;
      asked_q <= 1'b0;
      paid_q <= 1'b0;
      waited_q <= '0;
    end else begin
      grant_q <= grant_d;
      b_held_q <= b_valid && !b_ready_o;
      if ((times_out || gone_i) && !moves) lost_q <= 1'b1;
      else if (recovered && !gone_i) lost_q <= 1'b0;
      if (accept_data) open_q <= 1'b1;
      else if (beat_ends) open_q <= 1'b0;
      if (half_begins) half_q <= 1'b1;
      else if (half_ends) half_q <= 1'b0;
      if (asked) aw_valid_q <= 1'b1;
      else if (aw_ready_i || gone_i) aw_valid_q <= 1'b0;
      if (gone_i) w_valid_q <= 1'b0;
      else if (fill || (!lost_q && (beat || accept_small || half_ends))) w_valid_q <= 1'b1;
      else if (w_ready_i) w_valid_q <= 1'b0;
      if (gone_i) lacking_q <= '0;
      else if (asked && grant_q[2]) lacking_q <= 9'(data_aw_i.length) + 1'b1;
      else if (asked && half_begins) lacking_q <= 9'd1;
      else if (fill || ((beat || half_ends) && !lost_q)) lacking_q <= lacking_q - 1'b1;
      asked_q <= asked;
      paid_q <= paid;
      owed_q <= gone_i ? '0 : owed_q + OwedBits'(asked_q) - OwedBits'(paid_q);
      if (moves || owed_q == '0 || source_waits || lost_q) waited_q <= '0;
      else if (tick_i && !times_out) waited_q <= waited_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    b_response_q <= b_response;
    if (asked) aw_q <= aw_d;
    if (w_free) begin
      w_data_q <= w_data_d;
      w_strobe_q <= w_strobe_d;
      w_last_q <= lost_q ? lacking_q == 9'd1 : open_q ? data_w_i.last : !half_begins;
    end
  end

  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_i, completion_ready_o, completion_i)
  `FM_ASSERT_STREAM(u_assert_message, message_valid_i, message_ready_o, message_i)
  `FM_ASSERT_STREAM(u_assert_data_aw, data_aw_valid_i, data_aw_ready_o, data_aw_i)
  `FM_ASSERT_STREAM(u_assert_data_w, data_w_valid_i, data_w_ready_o,
                 data_w_i)
  `FM_ASSERT_STREAM(u_assert_written, written_valid_o, written_ready_i, written_o)
  `FM_ASSERT_STREAM(u_assert_data_b, data_b_valid_o, data_b_ready_i, data_b_fault_o)
  `FM_ASSERT(OneTurn, grant_q inside {3'b100, 3'b010, 3'b001})
  `FM_ASSERT(TurnOfRequest, (grant_q[1:0] & ~{message_valid_i, completion_valid_i}) == '0)
  `FM_ASSERT(OwnerOfAnswer, !b_valid || owner_valid || lost_q)

endmodule
