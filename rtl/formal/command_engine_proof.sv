// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `command_engine`: no tag is lost or doubled, and none completes before its tasks have ended.
//
// One tag, any one, is followed from the command to the completion. In between it is in exactly one
// place: it waits in the queue of write zeroes, it waits to send a piece of zeros, its task waits for DMA, DMA has its task, or its completion
// waits to be taken. DMA ends only tasks of it, and pieces of zeros of any tag, that it has, and no command
// comes under the tag while it is in use; other tags may do anything else, but no write zeroes comes for which the queue has no
// room, since each has a tag of its own. Pieces are two sectors here, so that a command needs several, and the queue has two places
// and its output.
module command_engine_proof
  import fm_host_pkg::*;
(
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic            [ 3:0] block_shift_i,
    input logic            [39:0] memory_base_i,
    input logic                   io_valid_i,
    input io_command_t            io_i,
    input logic                   task_ready_i,
    input logic                   ended_valid_i,
    input dma_done_t              ended_i,
    input logic                   completion_ready_i,
    input tag_t                   followed_i
);

  logic io_ready, task_valid, ended_ready, completion_valid;
  dma_descriptor_t descriptor;
  completion_t completion;

  localparam int unsigned Tags = 2;

  command_engine #(
      .Tags(Tags),
      .PieceBytes(1024)
  ) u_engine (
      .clk_i,
      .rst_ni,
      .block_shift_i,
      .memory_base_i,
      .io_valid_i,
      .io_ready_o(io_ready),
      .io_i,
      .task_valid_o(task_valid),
      .task_ready_i,
      .task_o(descriptor),
      .ended_valid_i,
      .ended_ready_o(ended_ready),
      .ended_i,
      .completion_valid_o(completion_valid),
      .completion_ready_i,
      .completion_o(completion)
  );

  fm_stream_assert #(
      .Width($bits(io_command_t)),
      .Assume(1'b1)
  ) u_assume_io (
      .clk_i,
      .rst_ni,
      .valid_i(io_valid_i),
      .ready_i(io_ready),
      .payload_i(io_i)
  );

  fm_stream_assert #(
      .Width($bits(dma_done_t)),
      .Assume(1'b1)
  ) u_assume_ended (
      .clk_i,
      .rst_ni,
      .valid_i(ended_valid_i),
      .ready_i(ended_ready),
      .payload_i(ended_i)
  );

  // The followed tag: whether its command is inside, whether DMA has its task, whether it may complete
  // and with what, and the sectors for which no task has ended. A flush has no tasks.
  logic started_q, inside_q, given_q, due_q, failed_q, is_flush_q;
  tag_t followed_q;
  logic [19:0] left_q, given_sectors_q, sectors;
  logic several_q, piece_given_q;
  logic [3:0] shift_q;
  logic comes, gives, gives_piece, ends, completes, over;

  assign comes = io_valid_i && io_ready && io_i.tag == followed_q;
  assign gives = task_valid && task_ready_i && descriptor.tag == followed_q;
  assign gives_piece = task_valid && task_ready_i && descriptor.source == MoveZeros;
  assign ends = ended_valid_i && ended_ready && ended_i.tag == followed_q;
  assign completes = completion_valid && completion_ready_i && completion.tag == followed_q;
  assign sectors = shift_q == 4'd9 ? 20'(io_i.blocks) : {io_i.blocks, 3'b000};
  assign over = ended_i.fault != DmaNone || left_q == given_sectors_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      inside_q <= 1'b0;
      given_q <= 1'b0;
      piece_given_q <= 1'b0;
      due_q <= 1'b0;
      followed_q <= followed_i;
      shift_q <= block_shift_i;
    end else begin
      inside_q <= comes || (inside_q && !completes);
      given_q <= gives || (given_q && !ends);
      piece_given_q <= gives_piece || (piece_given_q && !(u_engine.ends && u_engine.is_piece));
      due_q <= (comes && io_i.kind == IoFlush) || (ends && over) || (due_q && !completes);
      if (comes) left_q <= sectors;
      if (ends) left_q <= left_q - given_sectors_q;
      if (gives) given_sectors_q <= descriptor.length[28:9];
      if (comes) is_flush_q <= io_i.kind == IoFlush;
      several_q <= !comes && (several_q || (ends && !over));
      if (comes) failed_q <= 1'b0;
      else if (ends) failed_q <= ended_i.fault != DmaNone;
    end
  end

  localparam int unsigned WaitingBits = $bits(tag_t) + 31 + 20;

  function automatic tag_t tag_of(logic [WaitingBits-1:0] waits);
    return waits[WaitingBits-1-:$bits(tag_t)];
  endfunction

  logic piece_in_task, zeros_here, piece_waits, task_here, completion_here;

  // Write zeroes that wait, those of the followed tag among them, and whether they have all of their sectors.
  logic [1:0] waiting;
  logic [2:0] queued;
  logic queued_whole;

  assign waiting = u_engine.u_zeros.written_q - u_engine.u_zeros.read_q;

  always_comb begin
    queued = '0;
    queued_whole = 1'b1;
    for (int unsigned place = 0; place < Tags; place++) begin
      if (place < 32'(waiting) && tag_of(u_engine.u_zeros.u_ram.memory_q[1'(u_engine.u_zeros.read_q + 2'(place))]) == followed_q) begin
        queued++;
        queued_whole &= 20'(u_engine.u_zeros.u_ram.memory_q[1'(u_engine.u_zeros.read_q + 2'(place))]) == left_q;
      end
    end
    if (u_engine.next_zeros_valid && u_engine.next_zeros.tag == followed_q) begin
      queued++;
      queued_whole &= u_engine.next_zeros.sectors == left_q;
    end
  end

  assign piece_in_task = task_valid && descriptor.source == MoveZeros;
  assign zeros_here = u_engine.zeros_q && u_engine.zeros_tag_q == followed_q;
  assign piece_waits = zeros_here && !u_engine.piece_sent_q;
  assign task_here = task_valid && descriptor.tag == followed_q;
  assign completion_here = completion_valid && completion.tag == followed_q;

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    Shift : assume (block_shift_i == 4'd9 || block_shift_i == 4'd12);
    ShiftStays : assume (!rst_ni || block_shift_i == shift_q);
    TagInUse : assume (!(io_valid_i && io_i.tag == followed_q && inside_q));
    SomeBlocks : assume (io_i.blocks != '0 && io_i.blocks <= 17'd65536);
    EndOfTask : assume (!(ended_valid_i && ended_i.tag == followed_q) || given_q);
    RoomForZeros : assume (!u_engine.takes_zeros || u_engine.zeros_room);
    EndOfPiece : assume (!(ended_valid_i && u_engine.is_piece) || piece_given_q);
    if (started_q && rst_ni) begin
      // What makes the claims inductive.
      Placed : assert (!u_engine.placed_q || (io_valid_i && u_engine.sectors_q == sectors));
      QueueFits : assert (32'(waiting) <= Tags);
      QueuedWhole : assert (queued_whole);
      PieceIsOfZeros : assert (!u_engine.piece_sent_q || u_engine.zeros_q);
      PieceSent : assert (u_engine.piece_sent_q == (piece_given_q || piece_in_task));
      PieceOnce : assert (!(piece_given_q && piece_in_task));
      PieceIsSomewhere : assert (!zeros_here || piece_waits || task_here || given_q);
      LeftToSend : assert (!piece_waits || u_engine.zeros_left_q == left_q);
      LeftBehindTask : assert (!(zeros_here && task_here)
          || u_engine.zeros_left_q + descriptor.length[28:9] == left_q);
      LeftBehindGiven : assert (!(zeros_here && given_q)
          || u_engine.zeros_left_q + given_sectors_q == left_q);
      LastIsLast : assert (!zeros_here || !u_engine.piece_sent_q
          || u_engine.last_piece_q == (u_engine.zeros_left_q == '0));
      WholeTask : assert (!task_here || zeros_here || descriptor.length[28:9] == left_q);
      WholeGiven : assert (!given_q || zeros_here || given_sectors_q == left_q);
      SomeLeft : assert (!(queued != '0 || piece_waits || task_here || given_q) || left_q != '0);
      // The claims.
      NotLostOrDoubled :
      assert (32'(inside_q) == 32'(queued) + 32'(piece_waits) + 32'(task_here) + 32'(given_q) + 32'(completion_here));
      NotEarly : assert (completion_here == due_q);
      SaysFault : assert (!completion_here || (completion.status != '0) == failed_q);
      Whole : assert (!due_q || failed_q || left_q == '0 || is_flush_q);
    end
    Pieces : cover (started_q && rst_ni && completion_here && several_q && !failed_q);
    Fails : cover (started_q && rst_ni && completion_here && completion.status == 15'h13);
    Flushes : cover (started_q && rst_ni && completes && is_flush_q);
  end

endmodule
