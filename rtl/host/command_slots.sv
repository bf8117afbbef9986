// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// The tags of commands that were fetched and are not complete.
//
// Contract: `take` offers a free tag; one that is taken is busy until it comes back on `free`. A tag
// that comes back and is not busy is ignored, so no tag is ever free twice or lost; `returned` tells of
// each that was, with the note it came with. `free_o` counts the free tags. A pulse of `drop_i` marks all
// busy tags as stale; until it is done, `sweeping_o` is up, nothing comes back, and nothing is told. `look`
// tells, in a cycle in which `look_ready_o` is up, whether a tag is busy and not stale. Tags are a power of
// two.
// Latency: a tag that came back can be taken six cycles later, and one comes every second cycle. A drop
// takes Tags cycles, and so does the start after reset.
// Reason: a queue of free tags takes any order of completions. One sweep over all tags both fills it after
// reset and marks what is stale, so no tag needs registers of its own.
module command_slots #(
    parameter int unsigned Tags = 256,
    parameter int unsigned Lookers = 2,
    parameter int unsigned NoteBits = 1,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            drop_i,
    output logic                            sweeping_o,
    output logic                            take_valid_o,
    input  logic                            take_ready_i,
    output logic              [TagBits-1:0] take_tag_o,
    output logic              [  TagBits:0] free_o,
    input  logic                            free_valid_i,
    output logic                            free_ready_o,
    input  logic              [TagBits-1:0] free_tag_i,
    input  logic             [NoteBits-1:0] free_note_i,
    output logic                            returned_o,
    output logic              [TagBits-1:0] returned_tag_o,
    output logic             [NoteBits-1:0] returned_note_o,
    output logic                            look_ready_o,
    input  logic [Lookers-1:0][TagBits-1:0] look_tag_i,
    output logic              [Lookers-1:0] look_live_o
);

  `FM_REQUIRE(gen_tags, Tags >= 4 && Tags <= 256 && 2 ** $clog2(Tags) == Tags,
           "command_slots: Tags is not a power of two from 4 to 256")

  typedef logic [TagBits-1:0] tag_t;

  // The sweep after reset fills the queue; later ones end what is live, and leave busy what is busy.
  logic filling_q, sweeping_q, steps, writes;
  tag_t sweep_q;
  logic queue_valid, queue_ready, queue_take, takes, offer_q, came_q, goes, returned_q;
  tag_t queue_tag, offered_tag_q, came_tag_q;
  logic found_busy;
  tag_t write_tag;
  logic [TagBits:0] free_q;

  // The tag that is offered is a register, since the way from the queue's block RAM to all copies is long.
  assign queue_take = !offer_q || takes;
  assign take_valid_o = offer_q && !filling_q;
  assign take_tag_o = offered_tag_q;
  assign takes = take_valid_o && take_ready_i;
  assign steps = sweeping_q && !takes;
  // What comes back waits in a register until nothing else is written. A tag that is not busy stays so.
  assign free_ready_o = !came_q;
  assign goes = came_q && !sweeping_q && !takes;
  assign writes = takes || sweeping_q || came_q;
  assign returned_o = returned_q;
  assign returned_tag_o = came_tag_q;
  assign sweeping_o = sweeping_q;
  assign look_ready_o = !sweeping_q;
  assign free_o = free_q;

  always_comb begin
    if (takes) write_tag = take_tag_o;
    else if (sweeping_q) write_tag = sweep_q;
    else write_tag = came_tag_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filling_q <= 1'b1;
      sweeping_q <= 1'b1;
      sweep_q <= '0;
      free_q <= '0;
      offer_q <= 1'b0;
      came_q <= 1'b0;
      returned_q <= 1'b0;
    end else begin
      if (queue_take) offer_q <= queue_valid;
      came_q <= free_valid_i && free_ready_o || came_q && !goes;
      returned_q <= goes && found_busy;
      if (drop_i && !filling_q) begin
        sweeping_q <= 1'b1;
        sweep_q <= '0;
      end else if (steps) begin
        sweep_q <= sweep_q + 1'b1;
        if (sweep_q == '1) begin
          sweeping_q <= 1'b0;
          filling_q <= 1'b0;
        end
      end
      if ((filling_q || returned_q) && !takes) free_q <= free_q + 1'b1;
      else if (takes && !returned_q) free_q <= free_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (queue_take) offered_tag_q <= queue_tag;
    if (free_ready_o) begin
      came_tag_q <= free_tag_i;
      returned_note_o <= free_note_i;
    end
  end

  fm_fifo_block #(
      .Width(TagBits),
      .Depth(Tags)
  ) u_free (
      .clk_i,
      .rst_ni,
      .in_valid_i(filling_q || returned_q),
      .in_ready_o(queue_ready),
      .in_data_i(filling_q ? sweep_q : came_tag_q),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_take),
      .out_data_o(queue_tag)
  );

  fm_ram_lut #(
      .Width(1),
      .Depth(Tags)
  ) u_busy (
      .clk_i,
      .write_i(takes || filling_q || goes),
      .write_address_i(write_tag),
      .write_data_i(takes),
      .read_address_i(came_tag_q),
      .read_data_o(found_busy)
  );

  // A copy for each who looks.
  for (genvar looker = 0; looker < Lookers; looker++) begin : gen_looker
    fm_ram_lut #(
        .Width(1),
        .Depth(Tags)
    ) u_live (
        .clk_i,
        .write_i(writes),
        .write_address_i(write_tag),
        .write_data_i(takes),
        .read_address_i(look_tag_i[looker]),
        .read_data_o(look_live_o[looker])
    );
  end

  `FM_ASSERT(RoomForAll, queue_ready || !(filling_q || returned_q))
  `FM_ASSERT_STREAM(u_assert_take, take_valid_o, take_ready_i, take_tag_o)
  `FM_ASSERT_STREAM(u_assert_free, free_valid_i, free_ready_o, {free_tag_i, free_note_i})

endmodule
