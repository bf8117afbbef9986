// SPDX-License-Identifier: Apache-2.0

// Proof of `completion_post` together with `completion_queues`: nothing of a queue outlives it.
//
// One tag, any one, is followed from the fetch of its command on: whether the completion queue that it was fetched for still is
// that queue, however often another one of the same number was made. Its completion is posted to that queue or not at all; it
// waits for room only in a queue that is there, for a submission queue that is there; and a queue that counts as full is full.
// Queues are deleted at any time, also while completions wait; before one is created, what had its number is forgotten, as
// `queue_setup` sees to.
module completion_post_proof
  import fm_host_pkg::*;
#(
    localparam int unsigned Queues = 2,
    localparam int unsigned Tags = 2
) (
    input logic                      clk_i,
    input logic                      rst_ni,
    input logic                      clear_i,
    input logic                      configure_valid_i,
    input completion_queue_t         configure_i,
    input logic                      doorbell_valid_i,
    input doorbell_t                 doorbell_i,
    input logic                      completion_valid_i,
    input completion_t               completion_i,
    input logic                      known_i,
    input logic              [  0:0] known_tag_i,
    input logic              [  0:0] known_queue_i,
    input logic              [  0:0] known_completion_i,
    input logic              [ 15:0] known_cid_i,
    input logic                      look_ready_i,
    input logic                      look_live_i,
    input logic                      head_request_ready_i,
    input logic                      head_valid_i,
    input place_t                    head_i,
    input logic              [  1:0] submission_live_i,
    input logic                      forget_valid_i,
    input forget_t                   forget_i,
    input logic                      free_ready_i,
    input logic                      write_ready_i,
    input logic                      data_ready_i,
    input logic                      written_valid_i,
    input host_written_t             written_i,
    input logic                      announce_ready_i,
    input logic              [  0:0] watched_i
);

  logic configure_ready, doorbell_ready, bad_valid, moved_valid, post_valid, post_ready;
  logic posted_valid, exists, room, phase, interrupts;
  bad_doorbell_e bad;
  logic [0:0] moved, post, head_request, free_queue;
  logic [63:0] address;
  logic [10:0] vector, announce_vector;
  logic [0:0] look_tag, free_tag;
  logic [1:0] live;
  logic completion_ready, head_request_valid, forget_ready, free_valid, write_valid, data_valid, written_ready;
  logic announce_valid, announce_admin, fault_valid, idle;
  host_write_t write;
  logic [127:0] data;

  completion_queues #(
      .Queues(Queues)
  ) u_queues (
      .clk_i,
      .rst_ni,
      .clear_i,
      .configure_valid_i, .configure_ready_o(configure_ready), .configure_i,
      .doorbell_valid_i, .doorbell_ready_o(doorbell_ready), .doorbell_i,
      .bad_valid_o(bad_valid), .bad_o(bad),
      .moved_valid_o(moved_valid), .moved_o(moved),
      .post_valid_i(post_valid), .post_ready_o(post_ready), .post_i(post),
      .posted_valid_o(posted_valid), .posted_exists_o(exists), .posted_room_o(room), .posted_address_o(address),
      .posted_phase_o(phase), .posted_interrupts_o(interrupts), .posted_vector_o(vector),
      .live_o(live)
  );

  completion_post #(
      .Queues(Queues),
      .Tags(Tags),
      .Writes(2)
  ) u_post (
      .clk_i,
      .rst_ni,
      .clear_i,
      .completion_valid_i, .completion_ready_o(completion_ready), .completion_i,
      .known_i, .known_tag_i, .known_queue_i, .known_completion_i, .known_cid_i,
      .look_tag_o(look_tag), .look_ready_i, .look_live_i,
      .head_request_valid_o(head_request_valid), .head_request_ready_i, .head_request_o(head_request),
      .head_valid_i, .head_i,
      .post_valid_o(post_valid), .post_ready_i(post_ready), .post_o(post),
      .posted_valid_i(posted_valid), .posted_exists_i(exists), .posted_room_i(room), .posted_address_i(address),
      .posted_phase_i(phase), .posted_interrupts_i(interrupts), .posted_vector_i(vector),
      .moved_valid_i(moved_valid), .moved_i(moved),
      .submission_live_i,
      .completion_live_i(live),
      .forget_valid_i, .forget_ready_o(forget_ready), .forget_i,
      .free_valid_o(free_valid), .free_ready_i, .free_tag_o(free_tag), .free_queue_o(free_queue),
      .write_valid_o(write_valid), .write_ready_i, .write_o(write),
      .data_valid_o(data_valid), .data_ready_i, .data_o(data),
      .written_valid_i, .written_ready_o(written_ready), .written_i,
      .announce_valid_o(announce_valid), .announce_ready_i, .announce_vector_o(announce_vector),
      .announce_admin_o(announce_admin),
      .fault_valid_o(fault_valid),
      .idle_o(idle)
  );

  // States of `completion_post` and of `completion_queues`, and what the latter is asked for.
  localparam logic [3:0] PostIdle = 0, PostLook = 1, PostHead = 2, PostHeadWait = 3, PostPlace = 4, PostPlaced = 5,
      PostWrite = 6, PostAgain = 7;
  localparam logic [1:0] QueuesIdle = 0, AsksConfigure = 0, AsksPost = 2;

  logic [3:0] state;
  assign state = 4'(u_post.state_q);

  // -- what the environment knows --

  // The command of the watched tag: whether one was fetched, from where, for which queue; whether that queue was deleted since,
  // and whether the controller was disabled since, or the queue was not there already.
  logic started_q, fetched_q, dead_q, dropped_q;
  logic [0:0] watched_q;
  logic [0:0] submission_q, completion_q;
  // Of each number, whether everything that had it is forgotten.
  logic [1:0] forgot_q;
  // A forgetting that goes on.
  logic going_q;
  forget_t going_forget_q;
  // Of the watched tag, in the last cycle of Head: its queues were gone.
  logic doomed_q, orphaned_q;
  logic fetches, of_watched, configures;

  assign fetches = known_i && known_tag_i == watched_i;
  assign of_watched = u_post.item_q.tag[0] == watched_i;
  assign configures = u_queues.creates && u_queues.index_q == completion_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    going_q <= rst_ni && forget_valid_i && !forget_ready;
    going_forget_q <= forget_i;
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      forgot_q <= '1;
    end else begin
      if (clear_i) forgot_q <= '1;
      else if (u_queues.creates && u_queues.create_q) forgot_q[u_queues.index_q] <= 1'b0;
      else if (forget_ready && !forget_i.submission && forget_i.id < 2) forgot_q[forget_i.id[0]] <= 1'b1;
      if (fetches) begin
        fetched_q <= 1'b1;
        submission_q <= known_queue_i;
        completion_q <= known_completion_i;
        dropped_q <= clear_i || !live[known_completion_i];
        dead_q <= u_queues.creates && u_queues.index_q == known_completion_i;
      end else begin
        if (clear_i) dropped_q <= 1'b1;
        if (configures) dead_q <= 1'b1;
      end
      if (state == PostHead && of_watched) begin
        doomed_q <= dead_q && !dropped_q;
        orphaned_q <= !submission_live_i[submission_q];
      end
    end
  end

  // -- how the module stands to it --

  logic is_ours, is_on_its_way, is_stale, memory_completion, memory_submission;
  logic [17:0] memory;

  assign is_ours = fetched_q && !dropped_q;
  assign memory = u_post.u_known.memory_q[watched_i];
  assign memory_submission = memory[17];
  assign memory_completion = memory[16];
  assign is_stale = u_post.u_stale.memory_q[watched_i];
  assign is_on_its_way = of_watched &&
      (state inside {PostPlace, PostPlaced} || (state == PostHeadWait && !u_post.drops));

  // Whether the queue of a number has no room, as its tables have it.
  logic [1:0] has_no_room;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      if (u_queues.u_tails.memory_q[i][16:1] == u_queues.u_shapes.gen_lut.u_ram.memory_q[i][79:64]) begin
        has_no_room[i] = u_queues.u_heads.memory_q[i] == '0;
      end else begin
        has_no_room[i] = u_queues.u_tails.memory_q[i][16:1] + 1'b1 == u_queues.u_heads.memory_q[i];
      end
    end
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    SameWatched : assume (!started_q || watched_i == watched_q);
    // A tag is taken again only when nothing of it is under way.
    TagIsFree : assume (!fetches || (!(state != PostIdle && of_watched) &&
        !(u_post.takes_next && u_post.next.tag[0] == watched_i)));
    // What was dropped is not live.
    Dropped : assume (!(look_live_i && look_tag == watched_i && fetched_q && dropped_q));
    // As `queue_setup` does it: a number is used for one queue at a time, and forgotten before it is used again.
    ForgottenFirst : assume (!(configure_valid_i && configure_i.create) || configure_i.id >= 2 ||
        (forgot_q[configure_i.id[0]] && !live[configure_i.id[0]]));
    ForgottenWhenGone : assume (!forget_valid_i || forget_i.submission || forget_i.id >= 2 || !live[forget_i.id[0]]);
    ForgetStays : assume (!going_q || !forget_valid_i || forget_i == going_forget_q);
    if (started_q && rst_ni) begin
      // What makes the claims inductive: the environment's knowledge is the module's.
      ForgottenIsGone : assert ((forgot_q & live) == '0);
      CreatesForgotten :
      assert (!(2'(u_queues.state_q) != QueuesIdle && 2'(u_queues.request_q) == AsksConfigure && u_queues.exists_q &&
                u_queues.create_q && !u_queues.cleared_q) || forgot_q[u_queues.index_q]);
      SweepGoes : assert (u_post.sweep_tag_q == '0 || going_q);
      MarksGo : assert (!(u_post.judging_q || u_post.marking_q) || going_q);
      OneAtATime : assert (!(u_post.judging_q && u_post.marking_q));
      JudgesApart : assert (!(u_post.judging_q && state inside {PostLook, PostHead, PostHeadWait, PostPlace, PostPlaced}));
      MarksApart : assert (!(u_post.marking_q && state inside {PostHead, PostHeadWait, PostPlace, PostPlaced}));
      PlaceIsKnown : assert (u_post.place_q == (state == PostPlace));
      OnePost :
      assert ((state == PostPlaced) == (2'(u_queues.state_q) != QueuesIdle && 2'(u_queues.request_q) == AsksPost));
      PostOfQueue : assert (state != PostPlaced || u_queues.index_q == u_post.known_q.completion);
      if (fetched_q) begin
        SameQueues : assert (memory_completion == completion_q && memory_submission == submission_q);
        LookReads : assert (!(state == PostLook && of_watched) || u_post.u_known.read_data_q == memory);
        MarkReads :
        assert (!(u_post.judging_q && u_post.sweep_tag_q == watched_i) || u_post.u_known.read_data_q == memory);
        MeantIsJudged :
        assert (!(u_post.marking_q && u_post.sweep_tag_q == watched_i) ||
                u_post.meant_q == (16'(going_forget_q.submission ? memory_submission : memory_completion) ==
                                   going_forget_q.id));
        KnownStays : assert (!(of_watched && state > PostLook) || 18'(u_post.known_q) == memory);
      end
      if (is_ours) begin
        AliveIsThere : assert (dead_q || live[completion_q]);
        ForgottenIsMarked : assert (!forgot_q[completion_q] || is_stale);
        AnotherIsMarked : assert (!(dead_q && live[completion_q]) || is_stale);
        SweptIsMarked :
        assert (!(going_q && u_post.sweep_tag_q > watched_i && !going_forget_q.submission &&
                  going_forget_q.id == 16'(completion_q)) || is_stale);
        OnItsWayIsUnmarked : assert (!is_on_its_way || !is_stale);
        DoomedDrops : assert (!(state == PostHeadWait && of_watched && doomed_q) || u_post.drops);
        OrphanIsKnown :
        assert (!(of_watched && state inside {PostHeadWait, PostPlace, PostPlaced}) ||
                u_post.submission_gone_q == orphaned_q);
      end
      DroppedIsCleared :
      assert (!(fetched_q && dropped_q && of_watched &&
                state inside {PostHead, PostHeadWait, PostPlace, PostPlaced}) || u_post.cleared_q);
      FullIsThere : assert ((u_post.full_q & ~live) == '0 || 2'(u_queues.state_q) == QueuesIdle);
      // No word is read while it is written.
      PortsAreApart : assert (!(fetches && u_post.sweep_reads && u_post.sweep_tag_q == watched_i));
      // The claims: an entry goes to the queue that its command was fetched for, or nowhere.
      if (of_watched && fetched_q && state == PostPlaced && posted_valid && 4'(u_post.state_d) == PostWrite) begin
        NothingOfTheDead : assert (!dead_q && !dropped_q);
      end
      // What waits, waits for queues that are there; what is full is full.
      if (of_watched && is_ours && state inside {PostPlace, PostPlaced, PostAgain}) begin
        NobodyWaitsForTheDead : assert (!doomed_q);
      end
      if (of_watched && is_ours && state == PostAgain) begin
        NobodyWaitsForOrphans : assert (!orphaned_q);
      end
      FullIsFull : assert ((u_post.full_q & live & ~has_no_room) == '0);
    end
    FreedOfTheDead : cover (started_q && rst_ni && of_watched && is_ours && free_valid && doomed_q);
  end

endmodule
