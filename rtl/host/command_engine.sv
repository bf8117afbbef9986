// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Runs commands without the processor: each becomes tasks for DMA, and their end its completion.
//
// Contract: `io` gives legal commands. A read or write is one `task` for all its data, a write zeroes pieces
// of at most PieceBytes, one at a time, from a position that `block_shift_i`, 9 or 12, and
// `memory_base_i`, a multiple of 512, say. Tasks of each direction end in the order in which they were
// given. A command completes once: when its task ends, the last one or the first with a fault; a flush at
// once, since writes complete only when memory has answered. One write zeroes runs at a time; others wait in a queue
// with room for one of each tag, and hold up no other command. Settings change only while no command is inside.
// Latency: two cycles from a command to its task, four for a write zeroes; one from an end to the completion.
// Reason: what has to be known at the end of a task is its tag alone, so reads and writes need no table and
// any number of them are under way. Pieces keep writes from waiting for up to 256 MiB of zeros, and the queue keeps
// the admin queue from waiting for all that a host has zeroed.
module command_engine
  import fm_host_pkg::*;
#(
    parameter int unsigned Tags       = 256,
    parameter int unsigned PieceBytes = 65536
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic            [ 3:0] block_shift_i,
    input  logic            [39:0] memory_base_i,
    input  logic                   io_valid_i,
    output logic                   io_ready_o,
    input  io_command_t            io_i,
    output logic                   task_valid_o,
    input  logic                   task_ready_i,
    output dma_descriptor_t        task_o,
    input  logic                   ended_valid_i,
    output logic                   ended_ready_o,
    input  dma_done_t              ended_i,
    output logic                   completion_valid_o,
    input  logic                   completion_ready_i,
    output completion_t            completion_o
);

  // Memory and lengths count in sectors of 512 bytes: a command has less than 2^20.
  localparam int unsigned SectorShift = 9;
  localparam int unsigned PlaceBits = 40 - SectorShift;
  localparam int unsigned CountBits = 20;
  localparam int unsigned PieceBits = $clog2(PieceBytes) - SectorShift;

  `FM_REQUIRE(gen_piece, PieceBytes > 512 && PieceBytes <= 2 ** 23 && 2 ** $clog2(PieceBytes) == PieceBytes,
           "command_engine: PieceBytes is not a power of two from 1 KiB to 8 MiB")

  typedef logic [PlaceBits-1:0] place_t;
  typedef logic [CountBits-1:0] count_t;
  typedef struct packed {
    tag_t   tag;
    place_t place;
    count_t sectors;
  } zeros_t;

  // -- commands --

  logic four_kib, is_flush, is_zeros, starts, task_free, completion_free, ends, wants_piece;
  logic takes_flush, takes_zeros, takes_move, sends_piece;
  logic begins_zeros, next_zeros_valid, zeros_room;
  zeros_t next_zeros;
  logic placed_q, zeros_q, piece_sent_q;
  place_t place_q, zeros_place_q;
  count_t sectors_q, zeros_left_q, piece;
  tag_t zeros_tag_q;
  logic unused;

  assign four_kib = block_shift_i == 4'd12;
  assign unused = ^{memory_base_i[SectorShift-1:0], io_i.start[63:PlaceBits], io_i.forced};
  assign is_flush = io_i.kind == IoFlush;
  assign is_zeros = io_i.kind == IoWriteZeroes;

  // Where its data lies is worked out in a cycle of its own.
  assign starts = io_valid_i && !placed_q;
  assign wants_piece = zeros_q && !piece_sent_q;
  assign sends_piece = wants_piece && task_free;
  assign takes_flush = io_valid_i && placed_q && is_flush && completion_free && !ended_valid_i;
  assign takes_zeros = io_valid_i && placed_q && is_zeros;
  assign takes_move = io_valid_i && placed_q && !is_flush && !is_zeros && task_free && !wants_piece;
  assign io_ready_o = takes_flush || takes_zeros || takes_move;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      placed_q <= 1'b0;
    end else begin
      placed_q <= starts || (placed_q && !io_ready_o);
    end
  end

  always_ff @(posedge clk_i) begin
    if (starts) begin
      place_q <= memory_base_i[39:SectorShift]
          + (four_kib ? {io_i.start[PlaceBits-4:0], 3'b000} : io_i.start[PlaceBits-1:0]);
      sectors_q <= four_kib ? {io_i.blocks, 3'b000} : count_t'(io_i.blocks);
    end
  end

  // -- zeros --

  logic is_piece, zeros_end;
  logic last_piece_q;

  // Each has a tag of its own, so there are never more than Tags.
  fm_fifo_block #(
      .Width($bits(zeros_t)),
      .Depth(Tags)
  ) u_zeros (
      .clk_i,
      .rst_ni,
      .in_valid_i(takes_zeros),
      .in_ready_o(zeros_room),
      .in_data_i({io_i.tag, place_q, sectors_q}),
      .out_valid_o(next_zeros_valid),
      .out_ready_i(!zeros_q),
      .out_data_o(next_zeros)
  );

  assign begins_zeros = next_zeros_valid && !zeros_q;

  assign piece = zeros_left_q >> PieceBits != '0 ? count_t'(2 ** PieceBits) : zeros_left_q;
  assign is_piece = zeros_q && ended_i.tag == zeros_tag_q;
  assign zeros_end = ends && is_piece && (last_piece_q || ended_i.fault != DmaNone);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      zeros_q <= 1'b0;
      piece_sent_q <= 1'b0;
    end else begin
      zeros_q <= begins_zeros || (zeros_q && !zeros_end);
      piece_sent_q <= sends_piece || (piece_sent_q && !(ends && is_piece));
    end
  end

  always_ff @(posedge clk_i) begin
    if (begins_zeros) begin
      zeros_tag_q <= next_zeros.tag;
      zeros_place_q <= next_zeros.place;
      zeros_left_q <= next_zeros.sectors;
    end
    if (sends_piece) begin
      zeros_place_q <= zeros_place_q + place_t'(piece);
      zeros_left_q <= zeros_left_q - piece;
      last_piece_q <= zeros_left_q == piece;
    end
  end

  // -- tasks --

  logic task_valid_q;
  dma_descriptor_t task_d, task_q;
  count_t length;

  assign task_free = !task_valid_q || task_ready_i;
  assign task_valid_o = task_valid_q;
  assign task_o = task_q;
  assign length = wants_piece ? piece : sectors_q;
  assign task_d = '{
          tag: wants_piece ? zeros_tag_q : io_i.tag,
          direction: !wants_piece && io_i.kind == IoRead ? ToHost : FromHost,
          source: wants_piece ? MoveZeros : MovePrps,
          prp1: io_i.prp1,
          prp2: io_i.prp2,
          host_offset: '0,
          length: {3'b000, length, 9'b0},
          command_length: {3'b000, length, 9'b0},
          memory: {wants_piece ? zeros_place_q : place_q, 9'b0}
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      task_valid_q <= 1'b0;
    end else begin
      task_valid_q <= sends_piece || takes_move || (task_valid_q && !task_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (task_free) task_q <= task_d;
  end

  // -- completions --

  logic completion_valid_q, code_offset_q, code_error_q;
  tag_t completion_tag_q;

  assign completion_free = !completion_valid_q || completion_ready_i;
  assign ended_ready_o = completion_free;
  assign ends = ended_valid_i && ended_ready_o;
  assign completion_valid_o = completion_valid_q;
  // PRP Offset Invalid or Data Transfer Error (NVMe 1.4 figure 126); either may be tried again.
  assign completion_o = '{
          tag: completion_tag_q,
          status: code_offset_q ? 15'h13 : code_error_q ? 15'h04 : 15'h00,
          result: '0
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      completion_valid_q <= 1'b0;
    end else begin
      if (ends) completion_valid_q <= !is_piece || zeros_end;
      else if (takes_flush) completion_valid_q <= 1'b1;
      else if (completion_ready_i) completion_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (completion_free) begin
      completion_tag_q <= ended_valid_i ? ended_i.tag : io_i.tag;
      code_offset_q <= ended_valid_i && ended_i.fault == DmaOffset;
      code_error_q <= ended_valid_i && ended_i.fault != DmaNone;
    end
  end

  `FM_ASSERT_STREAM(u_assert_io, io_valid_i, io_ready_o, io_i)
  `FM_ASSERT_STREAM(u_assert_task, task_valid_o, task_ready_i, task_o)
  `FM_ASSERT_STREAM(u_assert_ended, ended_valid_i, ended_ready_o, ended_i)
  `FM_ASSERT_STREAM(u_assert_completion, completion_valid_o, completion_ready_i, completion_o)
  `FM_ASSERT(RoomForAllZeros, zeros_room || !takes_zeros)
  `FM_ASSERT(KnownSize, !io_valid_i || block_shift_i == 4'd9 || block_shift_i == 4'd12)

endmodule
