// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `reorder_buffer`: responses of a stream leave in the order of its reservations, each as it
// was completed and announced once before, none lost or doubled. One reservation is followed, whichever the solver likes.
module reorder_buffer_proof
  import fm_flash_pkg::*;
#(
    localparam int unsigned Streams = 2,
    localparam int unsigned Depth = 4
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        slot_valid_i,
    input logic [ 2:0] slot_stream_i,
    input logic        completion_valid_i,
    input completion_t completion_i,
    input logic        response_ready_i,
    input logic        follow_i
);

  localparam int unsigned Slots = Streams * Depth;
  localparam int unsigned IndexBits = $clog2(Depth);
  localparam int unsigned SlotBits = $clog2(Slots);
  typedef logic [IndexBits:0] place_t;

  logic slot_ready, completion_ready, response_valid, irq;
  slot_t slot;
  response_t response;

  reorder_buffer #(
      .Streams(Streams),
      .Depth(Depth)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .slot_valid_i,
      .slot_ready_o(slot_ready),
      .slot_stream_i,
      .slot_o(slot),
      .completion_valid_i,
      .completion_ready_o(completion_ready),
      .completion_i,
      .response_valid_o(response_valid),
      .response_ready_i,
      .response_o(response),
      .irq_o(irq)
  );

  fm_stream_assert #(
      .Width(3),
      .Assume(1'b1)
  ) u_assume_slot (
      .clk_i,
      .rst_ni,
      .valid_i(slot_valid_i),
      .ready_i(slot_ready),
      .payload_i(slot_stream_i)
  );

  fm_stream_assert #(
      .Width($bits(completion_t)),
      .Assume(1'b1)
  ) u_assume_completion (
      .clk_i,
      .rst_ni,
      .valid_i(completion_valid_i),
      .ready_i(completion_ready),
      .payload_i(completion_i)
  );

  logic started_q;

  // What is true of every slot and stream, from the places and bits inside.
  place_t head[Streams], reserved[Streams], announced[Streams];
  logic [Slots-1:0] in_use, complete;

  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    place_t tail, head_copy, announced_place, announced_copy;
    assign head[i] = u_buffer.gen_places[0].u_heads.memory_q[i];
    assign head_copy = u_buffer.gen_places[1].u_heads.memory_q[i];
    assign announced_place = u_buffer.gen_places[0].u_announced.memory_q[i];
    assign announced_copy = u_buffer.gen_places[1].u_announced.memory_q[i];
    assign announced[i] = announced_place - head[i];
    assign tail = u_buffer.u_tails.memory_q[i];
    assign reserved[i] = tail - head[i];

    always_comb begin
      if (started_q && rst_ni) begin
        if (u_buffer.swept_q) begin
          SamePlaces : assert (head[i] == head_copy && announced_place == announced_copy);
          Room : assert (reserved[i] <= place_t'(Depth));
          AnnouncedInUse : assert (announced[i] <= reserved[i]);
        end else if (u_buffer.sweep_q > i) begin
          PlacesSwept : 
          assert (head[i] == '0 && head_copy == '0 && tail == '0
                  && announced_place == '0 && announced_copy == '0);
        end
      end
    end
  end

  for (genvar i = 0; i < Slots; i++) begin : gen_slot
    logic done, done_copy, marked, pending, pending_copy;
    place_t place;
    logic [IndexBits-1:0] offset;
    // A bit that is about to be written counts as written.
    assign marked = u_buffer.marking_q && u_buffer.marked_q == SlotBits'(i);
    assign done = marked ? u_buffer.mark_q : u_buffer.gen_bits[0].u_done.memory_q[i];
    assign offset = IndexBits'(i) - head[i/Depth][IndexBits-1:0];
    assign place = head[i/Depth] + place_t'(offset);
    assign in_use[i] = place_t'(offset) < reserved[i/Depth];
    assign complete[i] = done != place[IndexBits];
    assign done_copy = marked ? u_buffer.mark_q : u_buffer.gen_bits[1].u_done.memory_q[i];
    assign pending = u_buffer.gen_bits[0].u_pending.memory_q[i];
    assign pending_copy = u_buffer.gen_bits[1].u_pending.memory_q[i];

    always_comb begin
      if (started_q && rst_ni) begin
        if (u_buffer.swept_q) begin
          SameBits : assert (done == done_copy);
          MarksOnce :
          assert (!marked || u_buffer.mark_q != u_buffer.gen_bits[0].u_done.memory_q[i]);
          SamePending : assert (!complete[i] || pending == pending_copy);
          AnnouncedIsComplete :
          assert (complete[i] || place_t'(offset) >= announced[i/Depth]);
          CompleteIsInUse : assert (!complete[i] || in_use[i]);
        end else if (u_buffer.sweep_q > i) begin
          SlotSwept : assert (!done && !done_copy && !marked);
        end
      end
    end
  end

  // The followed reservation.
  logic following_q, completed_q, announced_q;
  logic [SlotBits-1:0] slot_q;
  completion_t completion_q;
  // Responses of its stream before it, the one that is offered included.
  place_t ahead_q;
  logic [2:0] stream;
  logic reserve, completes, announces, leave, leave_stream, at_output, pending;

  assign reserve = slot_valid_i && slot_ready;
  assign completes = completion_valid_i && completion_ready;
  assign announces = u_buffer.announce && u_buffer.announced_address == slot_q && !at_output;
  assign pending = completion_q.irq && (!completion_q.irq_on_error
      || completion_q.outcome != Success);
  assign leave = response_valid && response_ready_i;
  assign stream = 3'(slot_q[SlotBits-1:IndexBits]);
  assign leave_stream = leave && response.stream == stream;
  assign at_output = response_valid && response.stream == stream && ahead_q == '0;

  // The interrupt of any announcement.
  logic announced_pending_q;
  always_ff @(posedge clk_i) begin
    announced_pending_q <= rst_ni && u_buffer.announce && u_buffer.pending_at_announced;
  end

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      following_q <= 1'b0;
    end else if (!following_q) begin
      following_q <= reserve && follow_i;
      completed_q <= 1'b0;
      announced_q <= 1'b0;
      slot_q <= slot[SlotBits-1:0];
      ahead_q <= reserved[slot_stream_i[0]]
          + place_t'(response_valid && !response_ready_i && response.stream == slot_stream_i);
    end else begin
      if (completes && !completed_q && completion_i.slot == slot_t'(slot_q)) begin
        completed_q  <= 1'b1;
        completion_q <= completion_i;
      end
      announced_q <= announced_q || announces;
      if (leave_stream) begin
        following_q <= ahead_q != '0;
        ahead_q <= ahead_q - 1'b1;
      end
    end
  end

  logic offered;
  place_t ahead;
  assign offered = response_valid && response.stream == stream;
  assign ahead = {1'b0, slot_q[IndexBits-1:0] - head[stream[0]][IndexBits-1:0]};

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (rst_ni) begin
      KnownStream : assume (slot_stream_i < 3'(Streams));
      KnownSlot : assume (!completion_valid_i || completion_i.slot < slot_t'(Slots));
      OfReserved :
      assume (!completion_valid_i || !completion_ready
              || (in_use[completion_i.slot[SlotBits-1:0]]
                  && !complete[completion_i.slot[SlotBits-1:0]]));
    end
    if (started_q && rst_ni) begin
      NothingBeforeSweep : assert (u_buffer.swept_q || !(response_valid || following_q));
      if (response_valid) OfStream : assert (response.stream < 3'(Streams));
      if (following_q && at_output) begin
        Completed : assert (completed_q);
        Tag : assert (response.tag == completion_q.tag && response.way == completion_q.way);
        Outcome :
        assert (response.outcome == completion_q.outcome && response.erased == completion_q.erased);
        Counts :
        assert (response.corrected == completion_q.corrected
                && response.most == completion_q.most && response.lost == completion_q.lost);
        Value : assert (response.value == completion_q.value);
        Pending :
        assert (response.irq_pending == pending);
        Announced : assert (announced_q);
      end
      if (following_q && !at_output) begin
        NotLost : assert (in_use[slot_q]);
        InOrder : assert (ahead_q == ahead + place_t'(offered));
        AnnouncedOnce : assert (announced_q == (ahead < announced[stream[0]]));
        if (announces) InterruptPending : assert (u_buffer.pending_at_announced == pending);
        AsCompleted : assert (complete[slot_q] == completed_q);
        if (completed_q) begin
          ContentKept :
          assert (u_buffer.u_contents.memory_q[slot_q] == {
            completion_q.tag,
            completion_q.way,
            completion_q.outcome,
            completion_q.erased,
            completion_q.corrected,
            completion_q.most,
            completion_q.lost,
            completion_q.value
          });
          PendingKept :
          assert (u_buffer.gen_bits[1].u_pending.memory_q[slot_q] == pending);
        end
      end
      Interrupt : assert (irq == announced_pending_q);
    end
    OutOfOrder : cover (started_q && rst_ni && following_q && completed_q && ahead_q == 3'd2);
  end

endmodule
