// SPDX-License-Identifier: Apache-2.0

// From doorbells to commands: submission queues, arbiter, fetch, and the entries that were fetched.
//
// Contract: that of its parts, which share their ports' names with it. `weights_changed_i` begins all turns
// and rounds anew. `live_o`: which queues there are. `unread_count_o`: commands of a queue that were fetched and have not
// `left`, and the one that left and is `held`.
// Latency: that of its parts.
// Reason: composition alone.
module submission_path
  import fm_host_pkg::*;
#(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Queues   = 17,
    parameter int unsigned Tags     = 256,
    parameter int unsigned Burst    = 4,
    parameter logic [15:0] LargestSize = 16'hffff,
    parameter bit          BlockTables = 1'b0,
    localparam int unsigned QueueBits = $clog2(Queues),
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              clear_i,
    input  logic                              run_i,
    input  logic                              weighted_i,
    input  logic                              weights_changed_i,
    input  weights_t                          weights_i,
    input  logic                              configure_valid_i,
    output logic                              configure_ready_o,
    input  submission_queue_t                 configure_i,
    input  logic                              doorbell_valid_i,
    output logic                              doorbell_ready_o,
    input  doorbell_t                         doorbell_i,
    output logic                              bad_valid_o,
    output bad_doorbell_e                     bad_o,
    input  logic                              head_request_valid_i,
    output logic                              head_request_ready_o,
    input  logic              [QueueBits-1:0] head_request_i,
    output logic                              head_valid_o,
    output place_t                            head_o,
    input  logic              [    TagBits:0] free_i,
    input  logic                              take_valid_i,
    output logic                              take_ready_o,
    input  logic              [  TagBits-1:0] take_tag_i,
    output logic                              read_valid_o,
    input  logic                              read_ready_i,
    output host_read_t                        read_o,
    input  logic                              beat_valid_i,
    input  host_read_beat_t                   beat_i,
    input  logic              [ DataBits-1:0] beat_data_i,
    output logic                              known_o,
    output logic              [  TagBits-1:0] known_tag_o,
    output logic              [QueueBits-1:0] known_queue_o,
    output logic              [QueueBits-1:0] known_completion_o,
    output logic              [         15:0] known_cid_o,
    output logic                              command_valid_o,
    input  logic                              command_ready_i,
    output logic              [  TagBits-1:0] command_tag_o,
    output logic              [QueueBits-1:0] command_queue_o,
    output logic                              command_failed_o,
    input  logic                              store_read_i,
    input  logic              [  TagBits-1:0] store_tag_i,
    input  logic                              store_half_i,
    output logic              [        255:0] store_data_o,
    input  logic                              left_valid_i,
    input  logic              [QueueBits-1:0] left_queue_i,
    input  logic                              held_valid_i,
    input  logic              [QueueBits-1:0] held_queue_i,
    input  logic              [QueueBits-1:0] unread_queue_i,
    output logic              [    TagBits:0] unread_count_o,
    output logic              [   Queues-1:0] live_o,
    output logic                              fault_valid_o,
    output logic                              idle_o
);

  localparam int unsigned CountBits = $clog2(Burst + 1);

  typedef logic [QueueBits-1:0] index_t;

  logic fetch_valid, fetch_ready, fetched_valid, fetched_emptied;
  index_t fetch_queue, fetched_completion;
  logic [CountBits-1:0] fetch_limit, fetched_count;
  logic [63:0] fetched_address;
  logic passed_valid;
  index_t passed_queue;
  place_t fetched_head, passed_head;
  logic [Queues-1:0] waiting;
  logic [Queues-1:0][1:0] classes;

  submission_queues #(
      .Queues(Queues),
      .Burst(Burst),
      .LargestSize(LargestSize),
      .BlockTables(BlockTables)
  ) u_submission_queues (
      .clk_i,
      .rst_ni,
      .clear_i,
      .configure_valid_i, .configure_ready_o, .configure_i,
      .doorbell_valid_i, .doorbell_ready_o, .doorbell_i,
      .bad_valid_o, .bad_o,
      .head_request_valid_i, .head_request_ready_o, .head_request_i,
      .head_valid_o, .head_o,
      .fetch_valid_i(fetch_valid), .fetch_ready_o(fetch_ready), .fetch_queue_i(fetch_queue),
      .fetch_limit_i(fetch_limit),
      .fetched_valid_o(fetched_valid), .fetched_count_o(fetched_count), .fetched_address_o(fetched_address),
      .fetched_completion_o(fetched_completion), .fetched_emptied_o(fetched_emptied),
      .fetched_head_o(fetched_head),
      .passed_valid_i(passed_valid), .passed_queue_i(passed_queue), .passed_head_i(passed_head),
      .live_o,
      .waiting_o(waiting),
      .class_o(classes)
  );

  // What was fetched is told to arbiter and counts a cycle later, since the way from the queues' places there is long, and
  // neither is asked as soon. The host's choice of arbitration comes a cycle later, too, long before there are commands.
  logic told_valid_q, told_emptied_q, weighted_q;
  index_t told_queue_q;
  logic [CountBits-1:0] told_count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) told_valid_q <= 1'b0;
    else told_valid_q <= fetched_valid;
  end

  always_ff @(posedge clk_i) begin
    told_emptied_q <= fetched_emptied;
    told_queue_q <= fetch_queue;
    told_count_q <= fetched_count;
    weighted_q <= weighted_i;
  end

  logic grant_valid, grant_ready;
  index_t grant_queue;
  logic [CountBits-1:0] grant_limit;

  queue_arbiter #(
      .Queues(Queues),
      .Burst(Burst)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .clear_i(clear_i || weights_changed_i),
      .run_i,
      .weighted_i(weighted_q),
      .weights_i,
      .waiting_i(waiting),
      .class_i(classes),
      .grant_valid_o(grant_valid), .grant_ready_i(grant_ready), .grant_queue_o(grant_queue),
      .grant_limit_o(grant_limit),
      .fetched_valid_i(told_valid_q), .fetched_count_i(told_count_q), .fetched_emptied_i(told_emptied_q)
  );

  logic store;
  logic [2:0] store_beat;
  logic [TagBits-1:0] store_tag;
  logic [DataBits-1:0] store_data;

  sq_fetch #(
      .DataBits(DataBits),
      .Queues(Queues),
      .Tags(Tags),
      .Burst(Burst)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .clear_i,
      .grant_valid_i(grant_valid), .grant_ready_o(grant_ready), .grant_queue_i(grant_queue),
      .grant_limit_i(grant_limit),
      .fetch_valid_o(fetch_valid), .fetch_ready_i(fetch_ready), .fetch_queue_o(fetch_queue),
      .fetch_limit_o(fetch_limit),
      .fetched_valid_i(fetched_valid), .fetched_count_i(fetched_count), .fetched_address_i(fetched_address),
      .fetched_completion_i(fetched_completion), .fetched_head_i(fetched_head),
      .passed_valid_o(passed_valid), .passed_queue_o(passed_queue), .passed_head_o(passed_head),
      .free_i,
      .take_valid_i, .take_ready_o, .take_tag_i,
      .read_valid_o, .read_ready_i, .read_o,
      .beat_valid_i, .beat_i, .beat_data_i,
      .store_o(store),
      .store_tag_o(store_tag),
      .store_beat_o(store_beat),
      .store_data_o(store_data),
      .known_o,
      .known_tag_o,
      .known_queue_o,
      .known_completion_o,
      .known_cid_o,
      .command_valid_o, .command_ready_i, .command_tag_o, .command_queue_o, .command_failed_o,
      .fault_valid_o,
      .idle_o
  );

  command_store #(
      .DataBits(DataBits),
      .Tags(Tags)
  ) u_store (
      .clk_i,
      .rst_ni,
      .write_i(store),
      .write_tag_i(store_tag),
      .write_beat_i(store_beat),
      .write_data_i(store_data),
      .read_i(store_read_i),
      .read_tag_i(store_tag_i),
      .read_half_i(store_half_i),
      .read_data_o(store_data_o)
  );

  logic [TagBits:0] waiting_count;

  // One that left and is still offered to the processor is unread as well.
  assign unread_count_o = waiting_count + (TagBits + 1)'(held_valid_i && held_queue_i == unread_queue_i);

  queue_counts #(
      .Queues(Queues),
      .Tags(Tags),
      .Burst(Burst)
  ) u_unread (
      .clk_i,
      .rst_ni,
      .came_valid_i(told_valid_q), .came_queue_i(told_queue_q), .came_count_i(told_count_q),
      .left_valid_i, .left_queue_i,
      .queue_i(unread_queue_i),
      .count_o(waiting_count)
  );

endmodule
