// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `dma_issue`: nothing is lost or doubled, each gets the PRPs of its command or the place of its list, what ends goes to
// its owner, and what was found live before a drop is gone once the module has been idle, so nothing
// of a stale command moves after that.
//
// One tag, any one, is followed: its PRPs and lists, whose it is, whether its command is live, and how many
// descriptors of it are under way.
module dma_issue_proof
  import fm_host_pkg::*;
#(
    localparam int unsigned Tags = 4,
    localparam int unsigned TagBits = 2
) (
    input logic                         clk_i,
    input logic                         rst_ni,
    input logic                         request_valid_i,
    input dma_request_t                 request_i,
    input logic                         task_valid_i,
    input dma_descriptor_t              task_i,
    input logic                         processor_done_ready_i,
    input logic                         ended_ready_i,
    input logic                         store_ready_i,
    input logic            [     255:0] store_data_i,
    input logic                         look_ready_i,
    input logic                         look_live_i,
    input logic                         descriptor_ready_i,
    input logic                         done_valid_i,
    input dma_done_t                    done_i,
    // Of the followed tag: its command is fetched, dropped with all, or given to the other side.
    input logic                         take_i,
    input logic                         drop_i,
    input logic                         change_i
);

  typedef logic [TagBits-1:0] slot_t;

  logic request_ready, task_ready, processor_done_valid, ended_valid, done_ready, idle;
  logic store_valid, store_half, descriptor_valid;
  slot_t store_tag, look_tag;
  dma_done_t processor_done, ended;
  dma_descriptor_t descriptor;

  dma_issue #(
      .Tags(Tags)
  ) u_issue (
      .clk_i,
      .rst_ni,
      .request_valid_i,
      .request_ready_o(request_ready),
      .request_i,
      .processor_done_valid_o(processor_done_valid),
      .processor_done_ready_i,
      .processor_done_o(processor_done),
      .task_valid_i,
      .task_ready_o(task_ready),
      .task_i,
      .ended_valid_o(ended_valid),
      .ended_ready_i,
      .ended_o(ended),
      .store_valid_o(store_valid),
      .store_ready_i,
      .store_tag_o(store_tag),
      .store_half_o(store_half),
      .store_data_i,
      .look_tag_o(look_tag),
      .look_ready_i,
      .look_live_i,
      .descriptor_valid_o(descriptor_valid),
      .descriptor_ready_i,
      .descriptor_o(descriptor),
      .done_valid_i,
      .done_ready_o(done_ready),
      .done_i,
      .idle_o(idle)
  );

  fm_stream_assert #(
      .Width($bits(dma_request_t)),
      .Assume(1'b1)
  ) u_assume_request (
      .clk_i,
      .rst_ni,
      .valid_i(request_valid_i),
      .ready_i(request_ready),
      .payload_i(request_i)
  );

  fm_stream_assert #(
      .Width($bits(dma_descriptor_t)),
      .Assume(1'b1)
  ) u_assume_task (
      .clk_i,
      .rst_ni,
      .valid_i(task_valid_i),
      .ready_i(task_ready),
      .payload_i(task_i)
  );

  fm_stream_assert #(
      .Width($bits(dma_done_t)),
      .Assume(1'b1)
  ) u_assume_done (
      .clk_i,
      .rst_ni,
      .valid_i(done_valid_i),
      .ready_i(done_ready),
      .payload_i(done_i)
  );

  // Never written, so each is any one value.
  slot_t followed_q;
  logic [63:0] prp1_q, prp2_q, list_q, second_list_q;

  logic started_q, engines_q, live_q, moved_q, settled_q, read_q, read_half_q;
  slot_t read_tag_q;
  logic [1:0] under_way_q;
  logic sent, ends, asked, wanted, chosen, chosen_valid;
  slot_t chosen_tag;
  logic [7:0][31:0] half;

  assign half = store_data_i;
  assign sent = descriptor_valid && descriptor_ready_i && slot_t'(descriptor.tag) == followed_q;
  assign ends = done_valid_i && done_ready && slot_t'(done_i.tag) == followed_q;
  assign asked = request_valid_i && slot_t'(request_i.tag) == followed_q;
  assign wanted = task_valid_i && slot_t'(task_i.tag) == followed_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    followed_q <= followed_q;
    prp1_q     <= prp1_q;
    prp2_q     <= prp2_q;
    list_q     <= list_q;
    second_list_q <= second_list_q;
    if (sent) moved_q <= descriptor.source != MoveNone;
    if (!rst_ni) begin
      live_q <= 1'b0;
      settled_q <= 1'b0;
      read_q <= 1'b0;
      under_way_q <= '0;
    end else begin
      if (change_i) engines_q <= !engines_q;
      if (drop_i) live_q <= 1'b0;
      else if (take_i) live_q <= 1'b1;
      settled_q <= !drop_i && (settled_q || idle);
      read_q <= store_valid && store_ready_i;
      under_way_q <= under_way_q + 2'(sent) - 2'(ends);
    end
    read_half_q <= store_half;
    read_tag_q  <= store_tag;
  end

  // What the module has chosen.
  assign chosen = u_issue.from_engine_q;
  assign chosen_valid = chosen ? task_valid_i : request_valid_i;
  assign chosen_tag = chosen ? slot_t'(task_i.tag) : slot_t'(request_i.tag);

  // Where its data begin, and go on.
  pointer_e pointer;
  logic [63:0] first, second;
  assign pointer = chosen ? OfData : request_i.pointer;
  assign first = pointer == OfList ? list_q : pointer == OfSecondList ? second_list_q : prp1_q;
  assign second = pointer == OfData ? prp2_q : {first[63:12] + 1'b1, 12'b0};

  logic in_idle, in_high, in_look, in_offer, ours;
  assign in_high = store_valid && store_half;
  assign in_look = !idle && !descriptor_valid;
  assign in_offer = descriptor_valid;
  assign in_idle = idle && !store_valid;
  assign ours = !in_idle && chosen_tag == followed_q;

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    // The store has the followed command's PRPs, for a cycle.
    LowHalf :
    assume (!(read_q && !read_half_q && read_tag_q == followed_q) || half[7:6] == prp1_q);
    HighHalf :
    assume (!(read_q && read_half_q && read_tag_q == followed_q)
            || (half[1:0] == prp2_q && half[3:2] == list_q && half[7:6] == second_list_q));
    Named : assume (!request_valid_i || request_i.pointer inside {OfData, OfList, OfSecondList});
    Looked : assume (!look_ready_i || look_tag != followed_q || look_live_i == live_q);
    // A tag is of one side, and not given anew while something of it is under way.
    OfProcessor : assume (!asked || !engines_q);
    OfEngine : assume (!wanted || engines_q);
    NotUnderWay :
    assume (!(take_i || change_i) || (under_way_q == '0 && !asked && !wanted));
    Bounded : assume (!sent || under_way_q != 2'd3);
    DoneOfSome : assume (!done_valid_i || slot_t'(done_i.tag) != followed_q || under_way_q != '0);
    if (started_q && rst_ni) begin
      // What makes the claims inductive.
      ChosenStays : assert (in_idle || chosen_valid);
      LowRead : assert (u_issue.low_read_q == (read_q && !read_half_q));
      HighRead : assert (u_issue.high_read_q == (read_q && read_half_q));
      ReadOfChosen : assert (!read_q || (!in_idle && read_tag_q == chosen_tag));
      LowComes : assert (!u_issue.low_read_q || in_high);
      HighComes : assert (!u_issue.high_read_q || in_look);
      First : assert (!(ours && in_high) || u_issue.low_read_q || u_issue.prp1_q == prp1_q);
      PointerKept : assert (in_idle || u_issue.pointer_q == pointer);
      Second :
      assert (!(ours && in_look) || u_issue.high_read_q || pointer != OfData
              || u_issue.prp2_q == prp2_q);
      FirstFound :
      assert (!(ours && in_look) || (u_issue.high_read_q && pointer != OfData)
              || u_issue.prp1_q == first);
      FirstKept : assert (!(ours && in_offer) || u_issue.prp1_q == first);
      SecondKept : assert (!(ours && in_offer) || pointer != OfData || u_issue.prp2_q == prp2_q);
      Owner :
      assert (under_way_q == '0 || u_issue.u_owners.memory_q[followed_q][0] == engines_q);
      Moved :
      assert (under_way_q == '0 || engines_q
              || u_issue.u_owners.memory_q[followed_q][1] == moved_q);
      // The claims.
      TakenOnce : assert ((request_valid_i && request_ready) + (task_valid_i && task_ready)
                          == 2'(descriptor_valid && descriptor_ready_i));
      OfRequest :
      assert (!request_ready || {
              descriptor.tag, descriptor.direction, pointer, descriptor.host_offset,
              descriptor.length, descriptor.command_length, descriptor.memory} == request_i);
      OfTask :
      assert (!task_ready || {
              descriptor.tag, descriptor.direction, descriptor.host_offset, descriptor.length,
              descriptor.command_length, descriptor.memory} == {
              task_i.tag, task_i.direction, task_i.host_offset, task_i.length,
              task_i.command_length, task_i.memory});
      ItsPrps :
      assert (!descriptor_valid || slot_t'(descriptor.tag) != followed_q
              || (descriptor.prp1 == first && descriptor.prp2 == second));
      StaleNeverMoves :
      assert (!descriptor_valid || slot_t'(descriptor.tag) != followed_q || live_q || !settled_q
              || descriptor.source == MoveNone);
      DoneOnce : assert ((processor_done_valid && processor_done_ready_i)
                         + (ended_valid && ended_ready_i) == 2'(done_valid_i && done_ready));
      DoneOfProcessor :
      assert (!processor_done_valid || slot_t'(processor_done.tag) != followed_q || !engines_q);
      FaultOfStale :
      assert (!processor_done_valid || slot_t'(processor_done.tag) != followed_q
              || processor_done.fault == (
                  !moved_q && done_i.direction == FromHost && done_i.fault == DmaNone
                  ? DmaBus : done_i.fault));
      DoneOfEngine : assert (!ended_valid || slot_t'(ended.tag) != followed_q || engines_q);
    end
    Stale :
    cover (started_q && rst_ni && settled_q && sent && !live_q && descriptor.source == MoveNone);
    Moves : cover (started_q && rst_ni && sent && live_q && descriptor.source == MovePrps && chosen);
    List :
    cover (started_q && rst_ni && sent && live_q && descriptor.source == MovePrps
           && pointer == OfSecondList);
    Ended : cover (started_q && rst_ni && ends && engines_q && under_way_q == 2'd2);
  end

endmodule
