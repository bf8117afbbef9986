// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Takes requests in: checks each, reserves its place in the reorder buffer, and puts it into the
// queue of its way and class.
//
// Contract: a request that cannot be run (no such operation or way, odd length, no length where
// a page moves, 64 KiB or more with MetadataBytes, reserved bits) is refused: it gets its place like any
// other and a completion on `refusal`, or, if silent, is dropped. So is, with `full_gives_back_i`, a request whose queue is full,
// silent or not, as given back; otherwise it waits, and all behind it. `room_o` of `way_queues` tells
// before. An urgent request that depends on one of low priority goes behind it, into its queue: a
// read on a program of the page and the other way round, all else on whatever is about the block, but
// for reads on reads; `look` reads the requests it might depend on. `ordered_i`: classes do not count, every request goes to the
// queue of low priority, and its way is written down on `order`.
// Latency: a request leaves two cycles after it came, an urgent one three more for each request of low
// priority that waits for its way. `plane_shift_i` acts a cycle later.
// Reason: one stream of requests as in Ozone section 4.1. It stays as it is until it is taken, so
// the verdict on it is formed in a cycle of its own, without a register for the request. What is looked at comes
// from block RAM, which is slow, so only rows are compared in its cycle, and what follows from that in the next one.
module request_intake
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
#(
    parameter int unsigned Ways          = 8,
    parameter int unsigned Depth         = 32,
    parameter int unsigned MetadataBytes = 24,
    localparam int unsigned LookBits = $clog2(Depth)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                hold_i,
    input  logic                ordered_i,
    input  logic                full_gives_back_i,
    input  logic [4:0]          plane_shift_i,
    input  logic                request_valid_i,
    output logic                request_ready_o,
    input  request_t            request_i,
    output logic                slot_valid_o,
    input  logic                slot_ready_i,
    output logic [2:0]          slot_stream_o,
    input  slot_t               slot_i,
    input  logic [2*Ways-1:0]   room_i,
    input  logic [2*Ways-1:0]   filled_i,
    output logic                look_o,
    input  logic                look_ready_i,
    input  logic                look_exists_i,
    output logic [LookBits-1:0] look_offset_o,
    input  operation_e          look_operation_i,
    input  logic [31:0]         look_row_i,
    output logic                push_o,
    output queue_t              push_queue_o,
    output queued_t             push_entry_o,
    output logic                order_valid_o,
    input  logic                order_ready_i,
    output logic                refusal_valid_o,
    input  logic                refusal_ready_i,
    output completion_t         refusal_o
);

  typedef enum logic [2:0] {
    Check,   // a request has come
    Look,    // does it depend on this one?
    Match,   // rows are compared
    Judge,   // it is known
    Place,   // it is good
    Refuse,  // it is not, or there is no room, and needs a place for its response
    Drop     // it is not, and leaves without one
  } state_e;

  localparam int unsigned QueueBits = $clog2(2 * Ways);

  state_e state_d, state_q;
  logic good, urgent, room, placed, looks, depends, full;
  logic reserved_d, reserved_q, behind_d, behind_q, given_d, given_q;
  logic [LookBits-1:0] offset_d, offset_q;
  slot_t slot_q;
  operation_e operation;

  // Whether it changes or needs what is in a page.
  function automatic logic is_page(operation_e asked);
    return asked inside {Read, Program, Erase, ProgramOneShot};
  endfunction

  assign operation = operation_e'(request_i.operation);
  assign good = is_known(operation) && request_i.reserved == '0 &&
      32'(request_i.way) < Ways && !request_i.length[0] &&
      !(moves_page(operation) && request_i.length == '0) &&
      !(request_i.metadata && request_i.length > 16'(65535 - MetadataBytes));

  assign urgent = request_i.urgent && !ordered_i;
  assign looks = urgent && is_page(operation) && filled_i[QueueBits'({request_i.way, 1'b0})];

  // What it is compared with is of low priority.
  logic same_page_q, same_block_q;
  logic [31:0] differ, block_bits_d, block_bits_q;
  operation_e look_operation_q;
  assign differ = request_i.row ^ look_row_i;
  always_comb begin
    for (int unsigned place = 0; place < 32; place++) begin
      block_bits_d[place] = place >= 32'(plane_shift_i);
    end
    depends = same_block_q;
    // The requests of a word line stay together.
    if (operation == Read && look_operation_q == Read) depends = 1'b0;
    else if ((operation == Read && look_operation_q == Program) ||
             (operation == Program && look_operation_q == Read)) depends = same_page_q;
    if (!is_page(look_operation_q)) depends = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    block_bits_q <= block_bits_d;
    same_page_q <= differ == '0;
    same_block_q <= (differ & block_bits_q) == '0;
    look_operation_q <= look_operation_i;
  end

  assign look_o = state_q == Look;
  assign look_offset_o = offset_q;

  assign push_queue_o = '{way: request_i.way, urgent: urgent && !behind_q && state_q == Place};
  assign room = room_i[QueueBits'(push_queue_o)] && (!ordered_i || order_ready_i);
  assign full = full_gives_back_i && !room;
  assign placed = request_i.silent || slot_ready_i;
  assign push_o = state_q == Place && room && placed;
  assign order_valid_o = push_o && ordered_i;

  assign slot_stream_o = request_i.stream;
  assign slot_valid_o = (state_q == Place && room && !request_i.silent) ||
      (state_q == Refuse && !reserved_q);
  assign refusal_valid_o = state_q == Refuse && reserved_q;

  always_comb begin
    state_d = state_q;
    reserved_d = reserved_q;
    behind_d = behind_q;
    given_d = given_q;
    offset_d = offset_q;
    request_ready_o = 1'b0;
    unique case (state_q)
      Check: begin
        reserved_d = 1'b0;
        behind_d = 1'b0;
        given_d = 1'b0;
        offset_d = '0;
        if (request_valid_i && !hold_i) begin
          state_d = good ? (looks ? Look : Place) : request_i.silent ? Drop : Refuse;
        end
      end
      Look: begin
        if (!look_exists_i) state_d = Place;
        else if (look_ready_i) state_d = Match;
      end
      Match: state_d = Judge;
      Judge: begin
        behind_d = depends;
        offset_d = offset_q + 1'b1;
        // Behind the last place of a full queue there is none.
        state_d = depends || offset_q == '1 ? Place : Look;
      end
      Place: begin
        request_ready_o = room && placed;
        if (full) begin
          state_d = Refuse;
          given_d = 1'b1;
        end
      end
      Refuse: begin
        reserved_d = reserved_q || slot_ready_i;
        request_ready_o = reserved_q && refusal_ready_i;
      end
      default: request_ready_o = 1'b1;
    endcase
    if (request_ready_o) state_d = Check;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Check;
      reserved_q <= 1'b0;
      behind_q <= 1'b0;
      given_q <= 1'b0;
      offset_q <= '0;
    end else begin
      state_q <= state_d;
      reserved_q <= reserved_d;
      behind_q <= behind_d;
      given_q <= given_d;
      offset_q <= offset_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (slot_valid_o && slot_ready_i) slot_q <= slot_i;
  end

  always_comb begin
    push_entry_o = '{
        buffer: request_i.buffer,
        length: request_i.length,
        column: request_i.column,
        row: request_i.row,
        silent: request_i.silent,
        plain: request_i.plain,
        bypass: request_i.bypass,
        metadata: request_i.metadata,
        irq_on_error: request_i.irq_on_error,
        irq: request_i.irq,
        at_column_0: request_i.column == '0,
        tag: request_i.tag,
        slot: slot_i,
        operation: operation
    };
  end

  always_comb begin
    refusal_o = '0;
    refusal_o.slot = slot_q;
    refusal_o.tag = request_i.tag;
    refusal_o.way = request_i.way;
    refusal_o.irq = request_i.irq;
    refusal_o.irq_on_error = request_i.irq_on_error;
    refusal_o.outcome = given_q ? GivenBack : Refused;
  end

  `FM_ASSERT_STREAM(u_assert_request, request_valid_i, request_ready_o, request_i)
  `FM_ASSERT_STREAM(u_assert_slot, slot_valid_o, slot_ready_i, slot_stream_o)
  `FM_ASSERT_STREAM(u_assert_refusal, refusal_valid_o, refusal_ready_i, refusal_o)

endmodule
