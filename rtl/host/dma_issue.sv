// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Gives the processor's requests and the engine's tasks to the host's DMA, with the PRPs of their
// commands, or with the address of a list that their commands name.
//
// Contract: requests and tasks go in turn, each stream in its order. The PRPs come from the store, so
// those of `task_i` mean nothing. A list is not longer than a page of 4 KiB: it lies in that page and the next one. A look right before the descriptor is offered tells whether the
// command is live; one that is not ends as any other but moves nothing, which is a fault if data was
// to come: the processor would store what is left in its buffer. What ends goes back to the
// side it came from; a tag belongs to one side at a time, and is not completed while it has
// something under way here. `store_data_i` holds for the cycle after the read was taken. With
// `idle_o` up, nothing that was found live is on its way to `descriptor`.
// Latency: four cycles from a request to its descriptor, if the store is free. One descriptor every
// five cycles.
// Reason: the look comes last and its answer is kept, so that a descriptor that waits does not
// change. What is asked for is kept as well, in the cycle in which its turn is found: it comes from block RAM, which
// is slow, and both the store and the walker have long ways to go from there. The
// engine's PRPs are read again rather than carried through it.
module dma_issue
  import fm_host_pkg::*;
#(
    parameter int unsigned Tags = 256,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    // The processor.
    input  logic                          request_valid_i,
    output logic                          request_ready_o,
    input  dma_request_t                  request_i,
    output logic                          processor_done_valid_o,
    input  logic                          processor_done_ready_i,
    output dma_done_t                     processor_done_o,
    // The engine.
    input  logic                          task_valid_i,
    output logic                          task_ready_o,
    input  dma_descriptor_t               task_i,
    output logic                          ended_valid_o,
    input  logic                          ended_ready_i,
    output dma_done_t                     ended_o,
    // Fetched commands.
    output logic                          store_valid_o,
    input  logic                          store_ready_i,
    output logic            [TagBits-1:0] store_tag_o,
    output logic                          store_half_o,
    input  logic            [      255:0] store_data_i,
    output logic            [TagBits-1:0] look_tag_o,
    input  logic                          look_ready_i,
    input  logic                          look_live_i,
    // The DMA.
    output logic                          descriptor_valid_o,
    input  logic                          descriptor_ready_i,
    output dma_descriptor_t               descriptor_o,
    input  logic                          done_valid_i,
    output logic                          done_ready_o,
    input  dma_done_t                     done_i,
    output logic                          idle_o
);

  // Dwords of half an entry. PRP1 is dwords 6 and 7, PRP2 dwords 8 and 9 (NVMe 1.4 figure 104). Lists are named by dwords 10 and 11,
  // and by 14 and 15 (Open-Channel SSD Specification 2.0, section 2.2).
  typedef logic [7:0][31:0] half_t;

  typedef enum logic [2:0] {
    Idle,
    Low,   // reads the half with PRP1
    High,  // reads the half with PRP2
    Look,  // whether the command is live
    Offer
  } state_e;

  state_e state_d, state_q;
  logic [1:0] grant;
  logic from_engine_q, live_q, low_read_q, high_read_q, sent;
  half_t half;
  logic [63:0] prp1_q, prp2_q;
  pointer_e pointer_q;
  dma_descriptor_t asked_d, asked_q;
  logic unused_task, unused_half;

  assign half = store_data_i;
  assign unused_task = ^{asked_q.prp1, asked_q.prp2};
  assign unused_half = ^half[5:4];

  fm_arbiter_round_robin #(
      .Requests(2)
  ) u_turn (
      .clk_i,
      .rst_ni,
      .request_i({task_valid_i, request_valid_i}),
      .accept_i(state_q == Idle),
      .grant_o(grant)
  );

  assign sent = descriptor_valid_o && descriptor_ready_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (grant != '0) state_d = Low;
      Low: if (store_ready_i) state_d = High;
      High: if (store_ready_i) state_d = Look;
      Look: if (look_ready_i) state_d = Offer;
      default: if (sent) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      from_engine_q <= 1'b0;
      low_read_q <= 1'b0;
      high_read_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == Idle) from_engine_q <= grant[1];
      low_read_q <= state_q == Low && store_ready_i;
      high_read_q <= state_q == High && store_ready_i;
    end
  end

  always_comb begin
    asked_d = '{
        tag: request_i.tag,
        direction: request_i.direction,
        source: MovePrps,
        prp1: '0,
        prp2: '0,
        host_offset: request_i.host_offset,
        length: request_i.length,
        command_length: request_i.command_length,
        memory: request_i.memory
    };
    if (grant[1]) asked_d = task_i;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) asked_q <= asked_d;
    if (state_q == Idle) pointer_q <= grant[1] ? OfData : request_i.pointer;
    if (low_read_q) prp1_q <= half[7:6];
    if (high_read_q) begin
      unique case (pointer_q)
        OfList: prp1_q <= half[3:2];
        OfSecondList: prp1_q <= half[7:6];
        default: prp2_q <= half[1:0];
      endcase
    end
    if (state_q == Look) live_q <= look_live_i;
  end

  assign store_valid_o = state_q == Low || state_q == High;
  assign store_tag_o = TagBits'(asked_q.tag);
  assign store_half_o = state_q == High;
  assign look_tag_o = TagBits'(asked_q.tag);
  assign descriptor_valid_o = state_q == Offer;
  assign request_ready_o = sent && !from_engine_q;
  assign task_ready_o = sent && from_engine_q;
  assign idle_o = state_q != Look && state_q != Offer;

  always_comb begin
    descriptor_o = asked_q;
    descriptor_o.prp1 = prp1_q;
    descriptor_o.prp2 = pointer_q == OfData ? prp2_q : {prp1_q[63:12] + 1'b1, 12'b0};
    if (!live_q) descriptor_o.source = MoveNone;
  end

  // Whose a tag is, and whether its last descriptor was live, told when that goes.
  logic of_engine, of_live;

  fm_ram_lut #(
      .Width(2),
      .Depth(Tags)
  ) u_owners (
      .clk_i,
      .write_i(sent),
      .write_address_i(TagBits'(descriptor_o.tag)),
      .write_data_i({live_q, from_engine_q}),
      .read_address_i(TagBits'(done_i.tag)),
      .read_data_o({of_live, of_engine})
  );

  assign processor_done_valid_o = done_valid_i && !of_engine;
  assign ended_valid_o = done_valid_i && of_engine;
  assign ended_o = done_i;
  assign done_ready_o = of_engine ? ended_ready_i : processor_done_ready_i;

  always_comb begin
    processor_done_o = done_i;
    if (!of_live && done_i.direction == FromHost && done_i.fault == DmaNone) begin
      processor_done_o.fault = DmaBus;
    end
  end

  // What is kept is what its stream still offers.
  `FM_ASSERT(KeptFromTask, state_q == Idle || !from_engine_q || (task_valid_i && {asked_q.tag,
              asked_q.direction, asked_q.source, asked_q.host_offset, asked_q.length, asked_q.command_length,
              asked_q.memory} == {task_i.tag, task_i.direction, task_i.source, task_i.host_offset,
              task_i.length, task_i.command_length, task_i.memory}))
  `FM_ASSERT(KeptFromRequest, state_q == Idle || from_engine_q || (request_valid_i && asked_q.source == MovePrps &&
              {asked_q.tag, asked_q.direction, pointer_q, asked_q.host_offset, asked_q.length, asked_q.command_length,
              asked_q.memory} == request_i))
  `FM_ASSERT_STREAM(u_assert_request, request_valid_i, request_ready_o, request_i)
  `FM_ASSERT_STREAM(u_assert_task, task_valid_i, task_ready_o, task_i)
  `FM_ASSERT_STREAM(u_assert_descriptor, descriptor_valid_o, descriptor_ready_i, descriptor_o)
  `FM_ASSERT_STREAM(u_assert_done, done_valid_i, done_ready_o, done_i)

endmodule
