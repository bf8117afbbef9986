// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Turns the data pointer of a command into units (NVMe 1.4 section 4.3).
//
// Contract: PRP1 is the first page; PRP2 is the second one, or a list where the command has more than
// two (`prp_list`). Only the part of the data that the descriptor asks for gives units, in order,
// one a page; zeros give units of 4 KiB, and nothing gives one unit without bytes. What is wrong becomes a unit without bytes, the last of the descriptor. Entries of
// lists come with the id of their read, 0 to Lists - 1. With `lost_i` none comes any more, and
// those that are waited for count as timed out; `waits_o` says that some are.
// Latency: four cycles to the first unit, and the time of a read if it needs the list.
// Reason: the list is read ahead of the units, which take far longer to move than it does to read. A
// read takes its turn behind all data that was asked for before, so with two lists, that of the
// next descriptor is read meanwhile. The length of a command is limited, and with it that of a walk.
module prp_walker #(
    parameter int unsigned DataBits = 256,
    // Lists that are read at the same time, 1 or 2.
    parameter int unsigned Lists = 1,
    // A command has less than 2^LengthBits bytes.
    parameter int unsigned LengthBits = 24
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           descriptor_valid_i,
    output logic                           descriptor_ready_o,
    input  fm_host_pkg::dma_descriptor_t   descriptor_i,
    output logic                           read_valid_o,
    input  logic                           read_ready_i,
    output fm_host_pkg::host_read_t        read_o,
    input  logic                           entry_valid_i,
    input  logic                           entry_id_i,
    input  logic                    [63:0] entry_i,
    input  logic                           entry_last_i,
    input  fm_host_pkg::dma_fault_e        entry_fault_i,
    input  logic                           lost_i,
    output logic                           waits_o,
    output logic                           unit_valid_o,
    input  logic                           unit_ready_i,
    output fm_host_pkg::direction_e        unit_direction_o,
    output fm_transfer_pkg::unit_t         unit_o
);

  `FM_REQUIRE(gen_lists_out_of_range, Lists == 1 || Lists == 2, "prp_walker: Lists is not 1 or 2")

  localparam int unsigned PageBits = 12;
  localparam int unsigned PagesBits = LengthBits - PageBits + 1;

  typedef logic [PagesBits-1:0] pages_t;
  typedef logic [LengthBits:0] position_t;

  // A descriptor, by where its data begins and what is left of it.
  typedef struct packed {
    fm_host_pkg::tag_t        tag;
    fm_host_pkg::direction_e  direction;
    logic                  zeros;
    fm_host_pkg::dma_fault_e  refused;
    logic [51:0]           first_page;
    fm_transfer_pkg::page_t   second_page;
    logic                  has_list;
    position_t             position;
    logic [LengthBits-1:0] left;
    logic [39:0]           memory;
  } walk_t;

  // -- the next walk: its list is started as soon as there is one to take --

  typedef enum logic [1:0] {Idle, Start, Ready} next_e;

  next_e next_state_d, next_state_q;
  logic take, start, hand_over, turn_q, turn_idle;
  position_t position, total;
  walk_t next_d, next_q;
  logic [63:0] prp2_q;
  pages_t pages_q, last_page_d, last_page_q, next_page;

  assign descriptor_ready_o = next_state_q == Idle;
  assign take = descriptor_valid_i && descriptor_ready_o;
  assign position = position_t'(descriptor_i.prp1[PageBits-1:0])
      + position_t'(descriptor_i.host_offset);
  assign total = position_t'(descriptor_i.prp1[PageBits-1:0])
      + position_t'(descriptor_i.command_length) + position_t'(2 ** PageBits - 1);

  always_comb begin
    next_d = '{
        tag: descriptor_i.tag,
        direction: descriptor_i.direction,
        zeros: descriptor_i.source == fm_host_pkg::MoveZeros,
        refused: fm_host_pkg::DmaNone,
        first_page: descriptor_i.prp1[63:PageBits],
        second_page: '{
            fault: fm_transfer_pkg::check_page(descriptor_i.prp2[PageBits-1:0]),
            page: descriptor_i.prp2[63:PageBits]
        },
        has_list: total >> PageBits > position_t'(2),
        position: position,
        left: LengthBits'(descriptor_i.length),
        memory: descriptor_i.memory
    };
    // The first page's offset is that of all data, so it counts even where others are moved.
    if (descriptor_i.command_length[31:LengthBits] != '0) next_d.refused = fm_host_pkg::DmaList;
    else if (descriptor_i.prp1[1:0] != '0) next_d.refused = fm_host_pkg::DmaOffset;
    if (descriptor_i.source != fm_host_pkg::MovePrps) begin
      next_d.refused = fm_host_pkg::DmaNone;
      next_d.second_page.fault = fm_host_pkg::DmaNone;
      next_d.has_list = 1'b0;
      next_d.position = '0;
    end
    if (descriptor_i.source == fm_host_pkg::MoveNone) next_d.left = '0;
  end

  assign last_page_d = pages_t'((next_q.position + position_t'(next_q.left) - 1'b1) >> PageBits);
  assign next_page = pages_t'(next_q.position >> PageBits);
  assign start = next_state_q == Start && (turn_idle || !next_q.has_list);

  always_comb begin
    next_state_d = next_state_q;
    unique case (next_state_q)
      Idle: if (take) next_state_d = Start;
      Start: if (start) next_state_d = Ready;
      Ready: if (hand_over) next_state_d = Idle;
      default: next_state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_state_q <= Idle;
      turn_q <= 1'b0;
    end else begin
      next_state_q <= next_state_d;
      if (hand_over && Lists > 1) turn_q <= !turn_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      next_q <= next_d;
      prp2_q <= descriptor_i.prp2;
      pages_q <= pages_t'(total >> PageBits);
    end
    last_page_q <= last_page_d;
  end

  // -- lists --

  logic stop, walk_turn_q, walks_list, listed_ready;
  logic [Lists-1:0] idle, waits, read_valid, read_grant, listed_valid;
  fm_host_pkg::host_read_t [Lists-1:0] read;
  fm_transfer_pkg::page_t [Lists-1:0] listed;

  for (genvar i = 0; i < Lists; i++) begin : gen_list
    logic list_idle;
    assign idle[i] = list_idle && !listed_valid[i];

    prp_list #(
        .DataBits(DataBits),
        .PagesBits(PagesBits),
        .ReadId(8'(i))
    ) u_list (
        .clk_i,
        .rst_ni,
        .start_i(start && turn_q == 1'(i) && next_q.has_list
                 && next_q.refused == fm_host_pkg::DmaNone),
        .start_address_i(prp2_q),
        .pages_i(pages_q),
        .first_i(next_page == '0 ? pages_t'(1) : next_page),
        .last_i(last_page_q),
        .stop_i(stop && walk_turn_q == 1'(i)),
        .idle_o(list_idle),
        .read_valid_o(read_valid[i]),
        .read_ready_i(read_ready_i && read_grant[i]),
        .read_o(read[i]),
        .entry_valid_i(entry_valid_i && entry_id_i == 1'(i)),
        .entry_i,
        .entry_last_i,
        .entry_fault_i,
        .lost_i,
        .waits_o(waits[i]),
        .page_valid_o(listed_valid[i]),
        .page_ready_i(listed_ready && walk_turn_q == 1'(i)),
        .page_o(listed[i])
    );
  end

  fm_arbiter_round_robin #(
      .Requests(Lists)
  ) u_reads (
      .clk_i,
      .rst_ni,
      .request_i(read_valid),
      .accept_i(read_ready_i),
      .grant_o(read_grant)
  );

  assign read_valid_o = read_valid != '0;
  assign read_o = read[read_grant[Lists-1] ? Lists-1 : 0];
  assign waits_o = waits != '0;
  // The present walk may have got all of its list and not know yet.
  assign turn_idle = idle[Lists>1?turn_q : 1'b0] && !(walks_list && walk_turn_q == turn_q);

  // -- the present walk: its units --

  typedef enum logic [1:0] {Rest, Emit, Drain} walk_e;

  walk_e walk_state_d, walk_state_q;
  walk_t walk_q;
  fm_transfer_pkg::page_t entry, list_page;
  logic list_has_page, is_first_q, from_list, is_last, emit, unit_free, unit_valid_q;
  logic [PageBits:0] room, bytes;
  fm_host_pkg::direction_e unit_direction_q;
  fm_transfer_pkg::unit_t unit_q;

  assign list_has_page = listed_valid[Lists>1?walk_turn_q : 1'b0];
  assign list_page = listed[Lists>1?walk_turn_q : 1'b0];
  assign hand_over = walk_state_q == Rest && next_state_q == Ready;
  assign walks_list = walk_state_q != Rest && walk_q.has_list;
  assign stop = walk_state_q == Drain && walk_q.has_list;

  assign from_list = !is_first_q && walk_q.has_list;
  assign room = (PageBits + 1)'(2 ** PageBits) - (PageBits + 1)'(walk_q.position[PageBits-1:0]);
  assign is_last = walk_q.left <= LengthBits'(room);
  assign bytes = is_last ? walk_q.left[PageBits:0] : room;

  always_comb begin
    entry = walk_q.has_list ? list_page : walk_q.second_page;
    if (is_first_q) entry = '{fault: fm_host_pkg::DmaNone, page: walk_q.first_page};
    if (walk_q.refused != fm_host_pkg::DmaNone) entry.fault = walk_q.refused;
  end

  assign unit_free = !unit_valid_q || unit_ready_i;
  assign emit = walk_state_q == Emit && unit_free
      && (list_has_page || !from_list || walk_q.refused != fm_host_pkg::DmaNone);
  assign listed_ready = stop || (emit && from_list);
  assign unit_valid_o = unit_valid_q;
  assign unit_direction_o = unit_direction_q;
  assign unit_o = unit_q;

  always_comb begin
    walk_state_d = walk_state_q;
    unique case (walk_state_q)
      Rest: if (hand_over) walk_state_d = Emit;
      Emit: if (emit && (is_last || entry.fault != fm_host_pkg::DmaNone)) walk_state_d = Drain;
      Drain: if (!walk_q.has_list || idle[Lists>1?walk_turn_q : 1'b0]) walk_state_d = Rest;
      default: walk_state_d = Rest;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walk_state_q <= Rest;
      walk_turn_q <= 1'b0;
      unit_valid_q <= 1'b0;
    end else begin
      walk_state_q <= walk_state_d;
      if (hand_over) walk_turn_q <= turn_q;
      if (emit) unit_valid_q <= 1'b1;
      else if (unit_ready_i) unit_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (hand_over) begin
      walk_q <= next_q;
      is_first_q <= next_page == '0;
    end
    if (emit) begin
      // Behind the last unit nobody looks, so it need not be told from the others.
      walk_q.position <= {walk_q.position[$bits(position_t)-1:PageBits] + 1'b1, {PageBits{1'b0}}};
      walk_q.left <= walk_q.left - LengthBits'(room);
      walk_q.memory <= walk_q.memory + 40'(room);
      is_first_q <= 1'b0;
      unit_direction_q <= walk_q.direction;
      unit_q <= '{
          host: {entry.page, walk_q.position[PageBits-1:0]},
          memory: walk_q.memory,
          zeros: walk_q.zeros,
          bytes: entry.fault == fm_host_pkg::DmaNone ? bytes : '0,
          tag: walk_q.tag,
          last: is_last || entry.fault != fm_host_pkg::DmaNone,
          fault: entry.fault
      };
    end
  end

  `FM_ASSERT_STREAM(u_assert_descriptor, descriptor_valid_i, descriptor_ready_o, descriptor_i)
  `FM_ASSERT_STREAM(u_assert_read, read_valid_o, read_ready_i, read_o)
  `FM_ASSERT_STREAM(u_assert_unit, unit_valid_o, unit_ready_i, ({unit_direction_o, unit_o}))

endmodule
