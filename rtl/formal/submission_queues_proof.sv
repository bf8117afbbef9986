// SPDX-License-Identifier: Apache-2.0

// Proof of `submission_queues`: every entry from a head to its tail is fetched once, in order, and none
// beyond.
//
// One queue, any one, is followed by its tail as the host rang it and how many entries wait. A fetch takes
// some of those that wait, from the head on; what it reads is one piece of the queue within a page.
// Queues have up to eight entries here.
module submission_queues_proof
  import fm_host_pkg::*;
#(
    localparam int unsigned Queues = 2,
    localparam int unsigned Burst = 4,
    localparam int unsigned CountBits = 3
) (
    input logic                              clk_i,
    input logic                              rst_ni,
    input logic                              clear_i,
    input logic                              configure_valid_i,
    input submission_queue_t                 configure_i,
    input logic                              doorbell_valid_i,
    input doorbell_t                         doorbell_i,
    input logic                              head_request_valid_i,
    input logic              [          0:0] head_request_i,
    input logic                              fetch_valid_i,
    input logic              [          0:0] fetch_queue_i,
    input logic              [CountBits-1:0] fetch_limit_i,
    input logic                              passed_valid_i,
    input logic              [          0:0] passed_queue_i,
    input place_t                            passed_head_i,
    input logic              [          0:0] watched_i
);

  logic configure_ready, doorbell_ready, head_request_ready, fetch_ready;
  logic bad_valid, head_valid, fetched_valid, emptied;
  bad_doorbell_e bad;
  place_t head, fetched_head;
  logic [CountBits-1:0] count;
  logic [63:0] address;
  logic [0:0] completion;
  logic [Queues-1:0] waiting;
  logic [Queues-1:0][1:0] classes;

  submission_queues #(
      .Queues(Queues),
      .Burst(Burst)
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
      .head_request_valid_i,
      .head_request_ready_o(head_request_ready),
      .head_request_i,
      .head_valid_o(head_valid),
      .head_o(head),
      .fetch_valid_i,
      .fetch_ready_o(fetch_ready),
      .fetch_queue_i,
      .fetch_limit_i,
      .fetched_valid_o(fetched_valid),
      .fetched_count_o(count),
      .fetched_address_o(address),
      .fetched_completion_o(completion),
      .fetched_emptied_o(emptied),
      .fetched_head_o(fetched_head),
      .passed_valid_i,
      .passed_queue_i,
      .passed_head_i,
      .waiting_o(waiting),
      .class_o(classes)
  );

  typedef logic [17:0] number_t;

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
  ) u_assume_head (
      .clk_i,
      .rst_ni,
      .valid_i(head_request_valid_i),
      .ready_i(head_request_ready),
      .payload_i(head_request_i)
  );

  fm_stream_assert #(
      .Width(1 + CountBits),
      .Assume(1'b1)
  ) u_assume_fetch (
      .clk_i,
      .rst_ni,
      .valid_i(fetch_valid_i),
      .ready_i(fetch_ready),
      .payload_i({fetch_queue_i, fetch_limit_i})
  );

  // The queue as the specification has it.
  logic started_q, there_q;
  logic [0:0] watched_q;
  number_t entries_q, head_q, waits_q;
  place_t passed_q, told_q;
  logic [51:0] page_q;

  // The request that ends in this cycle.
  logic of_watched, creates, moves, fetches, fits;
  number_t value, after;

  assign of_watched = u_queues.index_q == watched_i;
  assign creates = u_queues.creates && of_watched;
  assign moves = u_queues.moves_tail && of_watched;
  assign fetches = fetched_valid && of_watched && count != '0;
  assign value = number_t'(u_queues.value_q[15:0]);
  assign fits = u_queues.value_q[31:16] == '0 && value < entries_q;
  assign after = head_q + number_t'(count);

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    told_q <= passed_q;
    // What the host may know of the head: where it was created, or where it was last told to have passed.
    if (creates) passed_q <= '0;
    else if (passed_valid_i && passed_queue_i == watched_i) passed_q <= passed_head_i;
    if (!rst_ni || clear_i) begin
      there_q <= 1'b0;
    end else if (creates) begin
      there_q <= u_queues.create_q;
      entries_q <= number_t'(u_queues.new_shape_q.size) + 1'b1;
      page_q <= u_queues.new_shape_q.page;
      head_q <= '0;
      waits_q <= '0;
    end else if (moves) begin
      waits_q <= value >= head_q ? value - head_q : value + entries_q - head_q;
    end else if (fetches) begin
      head_q <= after == entries_q ? '0 : after;
      waits_q <= waits_q - number_t'(count);
    end
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    SameWatched : assume (!started_q || watched_i == watched_q);
    Sizes : assume (!configure_valid_i || (configure_i.size != '0 && configure_i.size < 16'd8));
    Limit : assume (32'(fetch_limit_i) <= Burst);
    Places : assume (!passed_valid_i || passed_head_i < 16'd8);
    if (started_q && rst_ni) begin
      // What makes the claims inductive: the queue is kept as it is.
      // What configures may wait in its last cycle for as long as heads pass.
      NewSize :
      assert (3'(u_queues.state_q) == 3'd0 || 2'(u_queues.request_q) != 2'd0 ||
              (u_queues.new_shape_q.size != '0 && u_queues.new_shape_q.size < 16'd8));
      SameThere : assert (there_q == u_queues.valid_q[watched_i]);
      WaitsIfThere : assert (there_q || !waiting[watched_i]);
      if (there_q) begin
        SameSize : assert (number_t'(u_queues.u_tables.u_shapes.gen_lut.u_ram.memory_q[watched_i][68:53]) + 1'b1 == entries_q);
        SamePage : assert (u_queues.u_tables.u_shapes.gen_lut.u_ram.memory_q[watched_i][52:1] == page_q);
        SameHead : assert (number_t'(u_queues.u_tables.u_heads.memory_q[watched_i]) == head_q);
        SamePassed : assert (u_queues.u_tables.u_passed.memory_q[watched_i] == passed_q);
        SameTail :
        assert (number_t'(u_queues.u_tables.u_tails.memory_q[watched_i]) ==
                (head_q + waits_q < entries_q ? head_q + waits_q : head_q + waits_q - entries_q));
        // In the last cycle of a request, when all that it needs is in registers.
        SameTold : assert (3'(u_queues.state_q) != 3'd4 || !of_watched || u_queues.passed_q == told_q);
        PassedInRange : assert (passed_q < 16'd8);
        InRange :
        assert (entries_q >= 2 && entries_q <= 8 && head_q < entries_q && waits_q < entries_q);
        // The arbiter is told of a queue exactly while entries wait.
        Told : assert (waiting[watched_i] == (waits_q != '0));
      end
      // The claims.
      if (fetches) begin
        OnlyThere : assert (there_q);
        OnlyWaiting : assert (number_t'(count) <= waits_q && count <= u_queues.limit_q);
        OnePiece : assert (after <= entries_q);
        OneGroup : assert (head_q[17:2] == (after - 1'b1) >> 2);
        Address : assert (address == {page_q, 12'b0} + 64'(head_q) * 64);
        Behind : assert (number_t'(fetched_head) == (after == entries_q ? number_t'(0) : after));
        Emptied : assert (emptied == (number_t'(count) == waits_q));
      end
      if (fetched_valid && of_watched && there_q && u_queues.limit_q != '0) begin
        Progress : assert (count != '0 || waits_q == '0);
      end
      if (moves) OnlyFitting : assert (there_q && fits);
      if (bad_valid && of_watched && u_queues.exists_q && there_q) begin
        OnlyBad : assert (!fits && bad == BadValue);
      end
      // What passes in the cycle before the answer is told with the next one.
      if (head_valid && of_watched && there_q) SameAnswer : assert (head == told_q);
    end
    Fetches : cover (started_q && rst_ni && fetches && number_t'(count) == 3 && !emptied);
  end

endmodule
