// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Reads the PRP list of a command (NVMe 1.4 section 4.3).
//
// Contract: `start_i` starts on a list, when it is idle: the command has `pages_i` pages, of which page 0
// is not in the list, and those from `first_i` to `last_i` are wanted; these three stay for a cycle
// more. Pages leave on `page` in order, or a fault as the last of them. With `stop_i` no more is
// asked for; `idle_o` says that nothing is on its way. A list begins anywhere in its page; the last entry of a page
// leads to the next page if more than one page of data remains. Entries come on `entry`, one a
// cycle and always taken: all lanes of the beats that were asked for, up to `entry_last_i`.
// Latency: four cycles from `start_i` to the first read, and two from an entry to its page.
// Reason: a list is read in lines of 64 bytes while the pages of the line before are in use. One
// that leads back into itself needs no guard: each of its pages gives entries, and no more are
// asked for than the command has pages.
module prp_list #(
    parameter int unsigned DataBits  = 256,
    parameter int unsigned PagesBits = 14,
    parameter logic [7:0]  ReadId    = 8'd0
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 start_i,
    input  logic                 [         63:0] start_address_i,
    input  logic                 [PagesBits-1:0] pages_i,
    input  logic                 [PagesBits-1:0] first_i,
    input  logic                 [PagesBits-1:0] last_i,
    input  logic                                 stop_i,
    output logic                                 idle_o,
    output logic                                 read_valid_o,
    input  logic                                 read_ready_i,
    output fm_host_pkg::host_read_t              read_o,
    input  logic                                 entry_valid_i,
    input  logic                 [         63:0] entry_i,
    input  logic                                 entry_last_i,
    input  fm_host_pkg::dma_fault_e              entry_fault_i,
    // No entry comes any more; one that is waited for counts as a time-out.
    input  logic                                 lost_i,
    output logic                                 waits_o,
    output logic                                 page_valid_o,
    input  logic                                 page_ready_i,
    output fm_transfer_pkg::page_t               page_o
);

  localparam int unsigned LineEntries = 8;
  localparam int unsigned QueueEntries = 2 * LineEntries;
  localparam int unsigned BeatEntries = DataBits / 64;
  localparam int unsigned BeatEntryBits = BeatEntries > 1 ? $clog2(BeatEntries) : 1;

  typedef logic [PagesBits-1:0] pages_t;

  typedef enum logic [2:0] {Idle, Plan, Seek, Line, Ask, Take} state_e;

  state_e state_d, state_q;

  // Entries from the next one to that of the command's last page; of those, how many to pass over
  // and then how many to deliver, less one, so that none is one bit; of the present line, how many lanes to pass
  // over and to take.
  pages_t remaining_d, remaining_q, skip_d, skip_q, behind;
  logic [PagesBits:0] wanted_d, wanted_q;
  logic none_wanted;
  logic [BeatEntryBits-1:0] lanes_d, lanes_q;
  logic [3:0] line_d, line_q, line_room;
  logic [9:0] page_room;
  logic [63:0] address_d, address_q;
  // Whether the next entry leads to the next page of the list, and whether one led to no page.
  logic pointer_d, pointer_q, astray_d, astray_q;
  logic leads_on, push, push_ready;
  logic [$clog2(QueueEntries+1)-1:0] level;
  fm_transfer_pkg::page_t pushed;

  assign none_wanted = wanted_q[PagesBits];
  assign page_room = 10'd512 - 10'(address_q[11:3]);
  assign leads_on = remaining_q > pages_t'(page_room);
  // Entries from the next one to the last but one of its page, which are all of it if the last one leads on.
  assign behind = pages_t'(9'(~address_q[11:3]));
  assign line_room = 4'(LineEntries) - 4'(address_q[5:3]);

  assign idle_o = state_q == Idle;
  assign waits_o = state_q == Take;
  assign read_valid_o = state_q == Ask && level <= ($bits(level))'(LineEntries);
  assign read_o = '{
          address: address_q,
          bytes: 13'({line_q, 3'b000}),
          id: ReadId
      };

  always_comb begin
    state_d = state_q;
    address_d = address_q;
    remaining_d = remaining_q;
    skip_d = skip_q;
    wanted_d = wanted_q;
    lanes_d = lanes_q;
    line_d = line_q;
    pointer_d = pointer_q;
    astray_d = astray_q;
    push = 1'b0;
    pushed = '{fault: fm_transfer_pkg::check_page(entry_i[11:0]), page: entry_i[63:12]};
    unique case (state_q)
      Idle: begin
        address_d = start_address_i;
        astray_d = start_address_i[2:0] != '0;
        if (start_i) state_d = Plan;
      end
      Plan: begin
        remaining_d = pages_i - 1'b1;
        skip_d = first_i - 1'b1;
        wanted_d = (PagesBits + 1)'(last_i) - (PagesBits + 1)'(first_i);
        state_d = Seek;
      end
      Seek: begin
        state_d = Line;
        if (stop_i || none_wanted) begin
          state_d = Idle;
        end else if (astray_q) begin
          pushed.fault = fm_host_pkg::DmaOffset;
          push = 1'b1;
          state_d = Idle;
        end
        // Fewer are passed over than remain, so where none leads on they end in this page.
        if (!leads_on || skip_q < behind) begin
          address_d[11:3] = address_q[11:3] + 9'(skip_q);
          remaining_d = remaining_q - skip_q;
          skip_d = '0;
        end else begin
          address_d[11:3] = '1;
          remaining_d = remaining_q - behind;
          skip_d = skip_q - behind;
        end
      end
      Line: begin
        state_d = Ask;
        line_d = remaining_q < pages_t'(line_room) ? remaining_q[3:0] : line_room;
        lanes_d = address_q[3+:BeatEntryBits] & BeatEntryBits'(BeatEntries - 1);
        pointer_d = address_q[11:3] == '1 && remaining_q != pages_t'(1);
      end
      Ask: if (read_valid_o && read_ready_i) state_d = Take;
      Take: begin
        if (lost_i) begin
          pushed.fault = fm_host_pkg::DmaTimedOut;
          push = !none_wanted;
          state_d = Idle;
        end else if (entry_valid_i) begin
          if (entry_fault_i != fm_host_pkg::DmaNone) begin
            pushed.fault = entry_fault_i;
            push = !none_wanted;
            wanted_d = '1;
          end else if (lanes_q != '0) begin
            lanes_d = lanes_q - 1'b1;
          end else if (line_q != '0) begin
            line_d = line_q - 1'b1;
            push = !none_wanted && !pointer_q;
            // What is wrong with it is told in Seek: the way from an entry into the queue is long.
            if (pointer_q && !none_wanted) begin
              address_d = entry_i;
              astray_d = pushed.fault != fm_host_pkg::DmaNone;
            end else if (!pointer_q) begin
              address_d[11:3] = address_q[11:3] + 1'b1;
              remaining_d = remaining_q - 1'b1;
              pointer_d = address_q[11:3] == 9'h1fe && remaining_q != pages_t'(2);
              if (push) wanted_d = wanted_q - 1'b1;
            end
          end
          if (entry_last_i) state_d = Seek;
        end
      end
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      state_q <= state_d;
    end
  end

  always_ff @(posedge clk_i) begin
    address_q <= address_d;
    remaining_q <= remaining_d;
    skip_q <= skip_d;
    wanted_q <= wanted_d;
    lanes_q <= lanes_d;
    line_q <= line_d;
    pointer_q <= pointer_d;
    astray_q <= astray_d;
  end

  fm_fifo #(
      .Width($bits(fm_transfer_pkg::page_t)),
      .Depth(QueueEntries)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i(push),
      .in_ready_o(push_ready),
      .in_data_i(pushed),
      .out_valid_o(page_valid_o),
      .out_ready_i(page_ready_i),
      .out_data_o(page_o),
      .level_o(level)
  );

  `FM_ASSERT(PassesOverFewerThanRemain, !(state_q == Seek && !none_wanted) || skip_q < remaining_q)
  `FM_ASSERT(PushWithRoom, !push || push_ready)
  `FM_ASSERT_STREAM(u_assert_read, read_valid_o, read_ready_i, read_o)

endmodule
