// SPDX-License-Identifier: Apache-2.0

// Proof of `completion_queues`: heads, tails and phases.
//
// One queue, any one, is followed by a count of its own: the place where the next entry belongs in two
// turns through the queue, of which the first has phase one, and how many entries the host has not
// freed. An entry is placed exactly if one place stays free; a head is taken exactly if it frees no
// more than was posted. Queues have up to eight entries here.
module completion_queues_proof
  import fm_host_pkg::*;
#(
    localparam int unsigned Queues = 2
) (
    input logic                     clk_i,
    input logic                     rst_ni,
    input logic                     clear_i,
    input logic                     configure_valid_i,
    input completion_queue_t        configure_i,
    input logic                     doorbell_valid_i,
    input doorbell_t                doorbell_i,
    input logic                     post_valid_i,
    input logic              [ 0:0] post_i,
    input logic              [ 0:0] watched_i
);

  logic configure_ready, doorbell_ready, post_ready;
  logic bad_valid, moved_valid, posted_valid, exists, room, phase, interrupts;
  bad_doorbell_e bad;
  logic [0:0] moved;
  logic [63:0] address;
  logic [10:0] vector;

  completion_queues #(
      .Queues(Queues)
  ) u_queues (
      .clk_i,
      .rst_ni,
      .clear_i,
      .configure_valid_i,
      .configure_ready_o(configure_ready),
      .configure_i,
      .doorbell_valid_i,
      .doorbell_ready_o(doorbell_ready),
      .doorbell_i,
      .bad_valid_o(bad_valid),
      .bad_o(bad),
      .moved_valid_o(moved_valid),
      .moved_o(moved),
      .post_valid_i,
      .post_ready_o(post_ready),
      .post_i,
      .posted_valid_o(posted_valid),
      .posted_exists_o(exists),
      .posted_room_o(room),
      .posted_address_o(address),
      .posted_phase_o(phase),
      .posted_interrupts_o(interrupts),
      .posted_vector_o(vector)
  );

  fm_stream_assert #(
      .Width($bits(doorbell_t)),
      .Assume(1'b1)
  ) u_assume_doorbell (
      .clk_i,
      .rst_ni,
      .valid_i(doorbell_valid_i),
      .ready_i(doorbell_ready),
      .payload_i(doorbell_i)
  );

  fm_stream_assert #(
      .Width(1),
      .Assume(1'b1)
  ) u_assume_post (
      .clk_i,
      .rst_ni,
      .valid_i(post_valid_i),
      .ready_i(post_ready),
      .payload_i(post_i)
  );

  // The queue as the specification has it. `entries` are those the host gave.
  typedef logic [17:0] number_t;

  logic started_q, there_q;
  logic [0:0] watched_q;
  number_t entries_q, position_q, unread_q, head_q;
  logic [51:0] page_q;

  // The request that ends in this cycle, and of which queue.
  logic of_watched, creates, takes_place, freed_valid;
  number_t freed, place, value;

  assign of_watched = u_queues.index_q == watched_i;
  assign creates = u_queues.creates && of_watched;
  assign takes_place = posted_valid && of_watched && exists && room;
  assign value = number_t'(u_queues.value_q[15:0]);
  assign freed = value >= head_q ? value - head_q : value + entries_q - head_q;
  assign freed_valid = u_queues.value_q[31:16] == '0 && value < entries_q && freed <= unread_q;
  assign place = position_q < entries_q ? position_q : position_q - entries_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    if (!rst_ni || clear_i) begin
      there_q <= 1'b0;
    end else if (creates) begin
      there_q <= u_queues.create_q;
      entries_q <= number_t'(u_queues.new_shape_q.size) + 1'b1;
      page_q <= u_queues.new_shape_q.page;
      position_q <= '0;
      unread_q <= '0;
      head_q <= '0;
    end else if (takes_place) begin
      position_q <= position_q + 1'b1 == 2 * entries_q ? '0 : position_q + 1'b1;
      unread_q <= unread_q + 1'b1;
    end else if (moved_valid && moved == watched_i) begin
      head_q <= value;
      unread_q <= unread_q - freed;
    end
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    SameWatched : assume (!started_q || watched_i == watched_q);
    // From two entries, as the firmware sees to, to eight.
    Sizes : assume (!configure_valid_i || (configure_i.size != '0 && configure_i.size < 16'd8));
    if (started_q && rst_ni) begin
      // What makes the claims inductive: the queue is kept as it is.
      SameThere : assert (there_q == u_queues.valid_q[watched_i]);
      if (there_q) begin
        SameSize : assert (number_t'(u_queues.u_shapes.gen_lut.u_ram.memory_q[watched_i][79:64]) + 1'b1 == entries_q);
        SamePage : assert (u_queues.u_shapes.gen_lut.u_ram.memory_q[watched_i][63:12] == page_q);
        SameHead : assert (number_t'(u_queues.u_heads.memory_q[watched_i]) == head_q);
        SamePlace : assert (number_t'(u_queues.u_tails.memory_q[watched_i][16:1]) == place);
        SamePhase : assert (u_queues.u_tails.memory_q[watched_i][0] == (position_q < entries_q));
        InRange :
        assert (entries_q >= 2 && entries_q <= 8 && head_q < entries_q && position_q < 2 * entries_q &&
                unread_q < entries_q);
        Distance :
        assert ((head_q + unread_q < entries_q ? head_q + unread_q
                                               : head_q + unread_q - entries_q) == place);
      end
      if (posted_valid && of_watched) begin
        OnlyThere : assert (exists == (there_q && !u_queues.cleared_q));
      end
      if (posted_valid && of_watched && exists) begin
        // The claims: an entry goes to its place, in its phase, and never over one that is unread.
        RoomForOne : assert (room == (unread_q + 1'b1 < entries_q));
        Phase : assert (phase == (position_q < entries_q));
        Address : assert (address == {page_q, 12'b0} + 64'(place) * 16);
      end
      if (moved_valid && moved == watched_i) begin
        OnlyPosted : assert (there_q && freed_valid);
      end
      if (bad_valid && of_watched && u_queues.exists_q && there_q) begin
        OnlyBad : assert (!freed_valid && bad == BadValue);
      end
    end
    LastPlace :
    cover (started_q && rst_ni && takes_place && place + 1'b1 == entries_q);
    Full : cover (started_q && rst_ni && posted_valid && of_watched && exists && !room);
  end

endmodule
