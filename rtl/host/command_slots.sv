`include "prim_assert.svh"

// The tags of commands that were fetched and are not complete.
//
// Contract: `take` offers a free tag; one that is taken is busy until it comes back on `free`. A tag
// that comes back and is not busy is ignored, so no tag is ever free twice or lost. `free_o` counts
// the free tags. A pulse of `drop_i` marks all busy tags as stale; until it is done, `sweeping_o` is
// up, nothing comes back, and nothing is told. `look` tells, in a cycle in which `look_ready_o` is up,
// whether a tag is busy and not stale. Tags are a power of two.
// Latency: a tag that came back can be taken three cycles later. A drop takes Tags cycles, and so
// does the start after reset.
// Reason: a queue of free tags takes any order of completions at a cycle each. One sweep over all
// tags both fills it after reset and marks what is stale, so no tag needs registers of its own.
module command_slots #(
    parameter int unsigned Tags = 256,
    parameter int unsigned Lookers = 2,
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
    output logic                            look_ready_o,
    input  logic [Lookers-1:0][TagBits-1:0] look_tag_i,
    output logic              [Lookers-1:0] look_live_o
);

  `REQUIRE(gen_tags, Tags >= 4 && Tags <= 256 && 2 ** $clog2(Tags) == Tags,
           "command_slots: Tags is not a power of two from 4 to 256")

  typedef logic [TagBits-1:0] tag_t;

  typedef struct packed {
    logic busy;
    logic stale;
  } slot_t;

  // The sweep after reset fills the queue; later ones mark.
  logic filling_q, sweeping_q, steps;
  tag_t sweep_q;
  logic queue_valid, queue_ready, takes, returns;
  logic found_busy;
  slot_t written;
  tag_t write_tag;
  logic [TagBits:0] free_q;

  assign take_valid_o = queue_valid && !filling_q;
  assign takes = take_valid_o && take_ready_i;
  assign steps = sweeping_q && !takes;
  assign free_ready_o = !sweeping_q && !takes;
  assign returns = free_valid_i && free_ready_o && found_busy;
  assign sweeping_o = sweeping_q;
  assign look_ready_o = !sweeping_q;
  assign free_o = free_q;

  always_comb begin
    write_tag = free_tag_i;
    written   = '0;
    if (takes) begin
      write_tag = take_tag_o;
      written   = '{busy: 1'b1, stale: 1'b0};
    end else if (sweeping_q) begin
      write_tag = sweep_q;
      written   = '{busy: found_busy && !filling_q, stale: 1'b1};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filling_q <= 1'b1;
      sweeping_q <= 1'b1;
      sweep_q <= '0;
      free_q <= '0;
    end else begin
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
      if ((filling_q || returns) && !takes) free_q <= free_q + 1'b1;
      else if (takes) free_q <= free_q - 1'b1;
    end
  end

  fifo_block #(
      .Width(TagBits),
      .Depth(Tags)
  ) u_free (
      .clk_i,
      .rst_ni,
      .in_valid_i(filling_q || returns),
      .in_ready_o(queue_ready),
      .in_data_i(filling_q ? sweep_q : free_tag_i),
      .out_valid_o(queue_valid),
      .out_ready_i(takes),
      .out_data_o(take_tag_o)
  );

  ram_lut #(
      .Width(1),
      .Depth(Tags)
  ) u_busy (
      .clk_i,
      .write_i(takes || sweeping_q || returns),
      .write_address_i(write_tag),
      .write_data_i(written.busy),
      .read_address_i(sweeping_q ? sweep_q : free_tag_i),
      .read_data_o(found_busy)
  );

  // A copy for each who looks.
  for (genvar looker = 0; looker < Lookers; looker++) begin : gen_looker
    slot_t seen;
    ram_lut #(
        .Width($bits(slot_t)),
        .Depth(Tags)
    ) u_slots (
        .clk_i,
        .write_i(takes || sweeping_q || returns),
        .write_address_i(write_tag),
        .write_data_i(written),
        .read_address_i(look_tag_i[looker]),
        .read_data_o(seen)
    );
    assign look_live_o[looker] = seen.busy && !seen.stale;
  end

  `ASSERT(RoomForAll, queue_ready || !(filling_q || returns))
  `ASSERT_STREAM(u_assert_take, take_valid_o, take_ready_i, take_tag_o)
  `ASSERT_STREAM(u_assert_free, free_valid_i, free_ready_o, free_tag_i)

endmodule
