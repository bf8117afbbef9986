// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Posts completions: entry, phase, head of the submission queue, and word to the interrupts.
//
// Contract: every completion is posted once its queue has room, and frees its tag; `free_queue_o` is the
// submission queue it came from. One whose tag is not live (the controller was disabled since its fetch) or whose completion
// queue is gone frees its tag alone; so does one that finds no room and whose submission queue is gone. `submission_live_i` and
// `completion_live_i` say which queues there are.
// `forget` comes before a queue is created that has this number: commands that were fetched from the queue of this number, or
// for it, before `forget_ready_o` free their tags alone, whatever queues there are then. It may be taken back.
// Completions of a full queue wait without holding up others; a pulse of `moved_valid_i` for the queue
// lets them try again. `announce` follows for each entry that is in host memory, `fault_valid_o` pulses
// for one that was refused. After `clear_i` no entry is begun for a completion from before, and none whose
// answer comes then is announced. `idle_o`
// is up when nothing waits and no write is under way. No more than Tags completions may be inside,
// which is so if each has a tag of its own.
// Latency: 13 cycles from a completion to its write. A `forget` looks at each tag, in every third cycle in which no
// completion is on its way to its place.
// Reason: waiting completions go around a queue of Tags places, which so never fills. Writes do not
// wait for each other; but an interrupt waits for its entry's answer, so it cannot overtake it. A host may have a queue
// deleted and made anew while its completions wait, so that a queue is there says too little: a bit of each tag says more.
module completion_post
  import fm_host_pkg::*;
#(
    parameter int unsigned Queues   = 17,
    parameter int unsigned Tags     = 256,
    parameter int unsigned Writes   = 16,
    // Completions have a dword 1.
    parameter bit          Dword1   = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          clear_i,
    input  logic                          completion_valid_i,
    output logic                          completion_ready_o,
    input  completion_t                   completion_i,
    input  logic                          known_i,
    input  logic          [  TagBits-1:0] known_tag_i,
    input  logic          [QueueBits-1:0] known_queue_i,
    input  logic          [QueueBits-1:0] known_completion_i,
    input  logic          [         15:0] known_cid_i,
    output logic          [  TagBits-1:0] look_tag_o,
    input  logic                          look_ready_i,
    input  logic                          look_live_i,
    output logic                          head_request_valid_o,
    input  logic                          head_request_ready_i,
    output logic          [QueueBits-1:0] head_request_o,
    input  logic                          head_valid_i,
    input  place_t                        head_i,
    output logic                          post_valid_o,
    input  logic                          post_ready_i,
    output logic          [QueueBits-1:0] post_o,
    input  logic                          posted_valid_i,
    input  logic                          posted_exists_i,
    input  logic                          posted_room_i,
    input  logic          [         63:0] posted_address_i,
    input  logic                          posted_phase_i,
    input  logic                          posted_interrupts_i,
    input  logic          [         10:0] posted_vector_i,
    input  logic                          moved_valid_i,
    input  logic          [QueueBits-1:0] moved_i,
    input  logic          [   Queues-1:0] submission_live_i,
    input  logic          [   Queues-1:0] completion_live_i,
    input  logic                          forget_valid_i,
    output logic                          forget_ready_o,
    input  forget_t                       forget_i,
    output logic                          free_valid_o,
    input  logic                          free_ready_i,
    output logic          [  TagBits-1:0] free_tag_o,
    output logic          [QueueBits-1:0] free_queue_o,
    output logic                          write_valid_o,
    input  logic                          write_ready_i,
    output host_write_t                   write_o,
    output logic                          data_valid_o,
    input  logic                          data_ready_i,
    output logic [127:0] data_o,
    input  logic                          written_valid_i,
    output logic                          written_ready_o,
    input  host_written_t                 written_i,
    output logic                          announce_valid_o,
    input  logic                          announce_ready_i,
    output logic          [         10:0] announce_vector_o,
    output logic                          announce_admin_o,
    output logic                          fault_valid_o,
    output logic                          idle_o
);

  `FM_REQUIRE(gen_writes, Writes >= 2 && Writes <= 256 && 2 ** $clog2(Writes) == Writes,
           "completion_post: Writes is not a power of two from 2 to 256")

  localparam int unsigned WriteBits = $clog2(Writes);

  // What completions need to know of a command.
  typedef struct packed {
    logic [QueueBits-1:0] submission;
    logic [QueueBits-1:0] completion;
    logic [15:0]          cid;
  } known_t;

  // The interrupt of a write under way.
  typedef struct packed {
    logic [10:0] vector;
    logic        interrupts;
    logic        admin;
  } notice_t;

  typedef enum logic [3:0] {
    Idle,
    Look,      // whether the tag is live
    Head,      // asks for the head of the submission queue, whether or not there will be a place for the completion
    HeadWait,  // for it, and goes by what was so
    Place,     // asks for a place in the completion queue
    Placed,    // waits for it
    Write,     // sends the entry
    Again,     // goes around
    Free       // gives the tag back
  } state_e;

  state_e state_d, state_q;
  logic next_valid, takes_next, again, gives_back, room_for_all;
  completion_t asked, next, item_q;
  known_t known, known_q;
  logic [Queues-1:0] full_q;
  logic cleared_q, came_q, gave_q;
  // What was so in the last cycle of Head: the queue was full, the queues were gone, the command is from before them. Block RAM
  // is slow, so what is known of a command stands in a register behind it, and queues are looked up behind that register.
  logic was_full_q, submission_gone_q, completion_gone_q, stale_q;
  logic stale, drops, waits;
  // What is to be forgotten is marked tag by tag.
  logic sweep_reads, marks, meant_q, judging_q, marking_q;
  logic [TagBits-1:0] sweep_tag_q;
  // The state is Place: doorbells wait for that.
  logic place_q;
  logic [TagBits:0] inside_q;
  logic write_sent_q, data_sent_q, all_sent;
  logic [WriteBits-1:0] write_id_q, written_id;
  // Writes under way, and those of them whose queue is gone.
  logic [Writes-1:0] write_busy_q, write_stale_q;

  // The circle of those that wait. Who goes around goes first, so it never has to wait for room.
  assign again = state_q == Again;
  assign completion_ready_o = !again;

  // What goes around would keep a dword that is always 0.
  always_comb begin
    asked = again ? item_q : completion_i;
    if (!Dword1) asked.result[63:32] = '0;
  end

  assign takes_next = state_q == Idle && next_valid && !write_busy_q[write_id_q];
  assign gives_back = free_valid_o && free_ready_i;

  fm_fifo_block #(
      .Width($bits(completion_t)),
      .Depth(Tags)
  ) u_waiting (
      .clk_i,
      .rst_ni,
      .in_valid_i(again || completion_valid_i), .in_ready_o(room_for_all), .in_data_i(asked),
      .out_valid_o(next_valid), .out_ready_i(takes_next), .out_data_o(next)
  );

  fm_ram_block #(
      .Width($bits(known_t)),
      .Depth(Tags)
  ) u_known (
      .clk_i,
      .rst_ni,
      .write_i(known_i),
      .write_address_i(known_tag_i),
      .write_data_i({known_queue_i, known_completion_i, known_cid_i}),
      .read_i(takes_next || sweep_reads),
      .read_address_i(takes_next ? next.tag[TagBits-1:0] : sweep_tag_q),
      .read_data_o(known)
  );

  // What is known of a tag is read, a cycle later it is judged, and a cycle later its mark is written: block RAM is slow. No
  // completion is past Look then, so one that was looked up goes by the queues as they were, all others by the mark. A command
  // that is fetched meanwhile takes the tag over, and the bits' one port for writes.
  assign sweep_reads = forget_valid_i && !judging_q && !marking_q && state_q inside {Idle, Write, Again, Free} &&
      !takes_next && !(known_i && known_tag_i == sweep_tag_q);
  assign marks = marking_q && forget_valid_i && !known_i;
  assign forget_ready_o = marks && sweep_tag_q == '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      judging_q <= 1'b0;
      marking_q <= 1'b0;
      sweep_tag_q <= '0;
    end else begin
      judging_q <= sweep_reads;
      marking_q <= judging_q && forget_valid_i && !known_i;
      if (!forget_valid_i) sweep_tag_q <= '0;
      else if (marks) sweep_tag_q <= sweep_tag_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    meant_q <= 16'(forget_i.submission ? known.submission : known.completion) == forget_i.id;
  end

  fm_ram_lut #(
      .Width(1),
      .Depth(Tags)
  ) u_stale (
      .clk_i,
      .write_i(known_i || (marks && meant_q)),
      .write_address_i(known_i ? known_tag_i : sweep_tag_q),
      .write_data_i(!known_i),
      .read_address_i(item_q.tag[TagBits-1:0]),
      .read_data_o(stale)
  );

  assign look_tag_o = item_q.tag[TagBits-1:0];
  assign drops = stale_q || completion_gone_q;
  // What waits for room does so only as long as there is a submission queue that it came from.
  assign waits = was_full_q && !submission_gone_q;
  assign head_request_valid_o = state_q == Head;
  assign head_request_o = known_q.submission;
  assign post_valid_o = place_q;
  assign post_o = known_q.completion;
  assign free_valid_o = state_q == Free;
  assign free_tag_o = item_q.tag[TagBits-1:0];
  assign free_queue_o = known_q.submission;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (takes_next) state_d = Look;
      Look: begin
        if (look_ready_i) begin
          if (!look_live_i || cleared_q) state_d = Free;
          else state_d = Head;
        end
      end
      Head: if (head_request_ready_i) state_d = HeadWait;
      HeadWait: begin
        if (head_valid_i) begin
          if (drops) state_d = Free;
          else if (waits) state_d = Again;
          else state_d = Place;
        end
      end
      Place: if (post_ready_i) state_d = Placed;
      Placed: begin
        if (posted_valid_i) begin
          if (cleared_q || clear_i || !posted_exists_i) state_d = Free;
          else if (posted_room_i) state_d = Write;
          else state_d = submission_gone_q ? Free : Again;
        end
      end
      Write: if (all_sent) state_d = Free;
      Again: state_d = Idle;
      default: if (free_ready_i) state_d = Idle;
    endcase
  end

  // Only a queue that is there can be full.
  logic [Queues-1:0] full_d;

  always_comb begin
    full_d = full_q;
    if (state_q == Placed && posted_valid_i && posted_exists_i && !posted_room_i) full_d[known_q.completion] = 1'b1;
    if (moved_valid_i) full_d[moved_i] = 1'b0;
    full_d &= completion_live_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      place_q   <= 1'b0;
      cleared_q <= 1'b0;
      full_q    <= '0;
      inside_q  <= '0;
      came_q    <= 1'b0;
      gave_q    <= 1'b0;
    end else begin
      state_q   <= state_d;
      place_q   <= (state_q == HeadWait && head_valid_i && !drops && !waits) || (place_q && !post_ready_i);
      cleared_q <= state_q != Idle && (cleared_q || clear_i);
      full_q <= clear_i ? '0 : full_d;
      came_q <= completion_valid_i && completion_ready_o;
      gave_q <= gives_back;
      inside_q <= inside_q + (TagBits + 1)'(came_q) - (TagBits + 1)'(gave_q);
    end
  end

  place_t head_q;
  logic [63:0] address_q;
  logic phase_q;
  notice_t notice_q;

  always_ff @(posedge clk_i) begin
    if (takes_next) item_q <= next;
    if (state_q == Look) known_q <= known;
    if (state_q == Head) begin
      was_full_q <= full_q[known_q.completion];
      submission_gone_q <= !submission_live_i[known_q.submission];
      completion_gone_q <= !completion_live_i[known_q.completion];
      stale_q <= stale;
    end
    if (head_valid_i) head_q <= head_i;
    if (posted_valid_i) begin
      address_q <= posted_address_i;
      phase_q <= posted_phase_i;
      notice_q <= '{
          vector: posted_vector_i,
          interrupts: posted_interrupts_i,
          admin: known_q.completion == '0
      };
    end
  end

  // Request and data of a write go their own ways.
  assign write_valid_o = state_q == Write && !write_sent_q;
  assign data_valid_o = state_q == Write && !data_sent_q;
  assign all_sent = (write_sent_q || write_ready_i) && (data_sent_q || data_ready_i);
  assign write_o = '{
          address: address_q,
          client: WriteCompletion,
          id: 8'(write_id_q)
      };
  assign data_o = {item_q.status, phase_q, known_q.cid, 16'(known_q.submission), head_q, item_q.result};

  // Answers.
  logic answers, announces, announce_valid_q;
  notice_t notice;

  assign written_id = WriteBits'(written_i.id);
  assign written_ready_o = !announce_valid_q || announce_ready_i;
  assign answers = written_valid_i && written_ready_o && written_i.client == WriteCompletion &&
      32'(written_i.id) < Writes;
  assign announces = !written_i.error && notice.interrupts && !write_stale_q[written_id] && !clear_i;
  assign fault_valid_o = answers && written_i.error;
  assign announce_valid_o = announce_valid_q;
  assign idle_o = inside_q == '0 && !came_q && write_busy_q == '0 && !announce_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_id_q <= '0;
      write_busy_q <= '0;
      write_stale_q <= '0;
      write_sent_q <= 1'b0;
      data_sent_q <= 1'b0;
      announce_valid_q <= 1'b0;
    end else begin
      if (answers) write_busy_q[written_id] <= 1'b0;
      if (state_q == Write) begin
        write_sent_q <= !all_sent && (write_sent_q || write_ready_i);
        data_sent_q <= !all_sent && (data_sent_q || data_ready_i);
        write_busy_q[write_id_q] <= 1'b1;
        write_stale_q[write_id_q] <= cleared_q;
        if (all_sent) write_id_q <= write_id_q + 1'b1;
      end
      if (clear_i) write_stale_q <= '1;
      if (answers && announces) announce_valid_q <= 1'b1;
      else if (announce_ready_i) announce_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (answers) begin
      announce_vector_o <= notice.vector;
      announce_admin_o <= notice.admin;
    end
  end

  fm_ram_lut #(
      .Width($bits(notice_t)),
      .Depth(Writes)
  ) u_notices (
      .clk_i,
      .write_i(state_q == Write),
      .write_address_i(write_id_q),
      .write_data_i(notice_q),
      .read_address_i(written_id),
      .read_data_o(notice)
  );

  `FM_ASSERT(PlaceIsKnown, place_q == (state_q == Place))
  `FM_ASSERT(RoomForAll, room_for_all)
  `FM_ASSERT(AnswerOfWrite, !answers || write_busy_q[written_id])
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_i, completion_ready_o, completion_i)
  `FM_ASSERT_STREAM(u_assert_head, head_request_valid_o, head_request_ready_i, head_request_o)
  `FM_ASSERT_STREAM(u_assert_post, post_valid_o, post_ready_i, post_o)
  `FM_ASSERT_STREAM(u_assert_free, free_valid_o, free_ready_i, {free_tag_o, free_queue_o})
  `FM_ASSERT_STREAM(u_assert_write, write_valid_o, write_ready_i, write_o)
  `FM_ASSERT_STREAM(u_assert_data, data_valid_o, data_ready_i, data_o)
  `FM_ASSERT_STREAM(u_assert_written, written_valid_i, written_ready_o, written_i)
  `FM_ASSERT_STREAM(u_assert_announce, announce_valid_o, announce_ready_i, {
                 announce_vector_o, announce_admin_o})

endmodule
