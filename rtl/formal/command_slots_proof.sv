// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Proof of `command_slots`: no tag is taken while it is busy, none is lost, and none that was dropped is
// live.
//
// Each tag is in the queue of free tags once if it is not busy, and not at all if it is, whatever comes
// back and whenever commands are dropped. Before the first sweep has reached it, it is in no place yet.
module command_slots_proof #(
    localparam int unsigned Tags = 4,
    localparam int unsigned TagBits = 2
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic               drop_i,
    input logic               take_ready_i,
    input logic               free_valid_i,
    input logic [TagBits-1:0] free_tag_i,
    input logic [TagBits-1:0] look_tag_i
);

  typedef logic [TagBits:0] count_t;

  logic sweeping, take_valid, free_ready, look_ready, look_live, returned, note;
  logic [TagBits-1:0] take_tag, returned_tag;
  count_t free;

  command_slots #(
      .Tags(Tags),
      .Lookers(1)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .drop_i,
      .sweeping_o(sweeping),
      .take_valid_o(take_valid),
      .take_ready_i,
      .take_tag_o(take_tag),
      .free_o(free),
      .free_valid_i,
      .free_ready_o(free_ready),
      .free_tag_i,
      .free_note_i(free_tag_i[0]),
      .returned_o(returned),
      .returned_tag_o(returned_tag),
      .returned_note_o(note),
      .look_ready_o(look_ready),
      .look_tag_i,
      .look_live_o(look_live)
  );

  fm_stream_assert #(
      .Width(TagBits),
      .Assume(1'b1)
  ) u_assume (
      .clk_i,
      .rst_ni,
      .valid_i(free_valid_i),
      .ready_i(free_ready),
      .payload_i(free_tag_i)
  );

  // What a user knows: which tags were taken and did not come back, once that is looked at.
  logic started_q, takes, comes, told_q;
  logic [TagBits-1:0] told_tag_q;
  logic [Tags-1:0] held_q, dropped_q;

  assign takes = take_valid && take_ready_i;
  assign comes = u_slots.goes;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      held_q <= '0;
      dropped_q <= '0;
      told_q <= 1'b0;
    end else begin
      told_q <= comes && held_q[u_slots.came_tag_q];
      told_tag_q <= u_slots.came_tag_q;
      if (drop_i) dropped_q <= dropped_q | held_q;
      if (comes) held_q[u_slots.came_tag_q] <= 1'b0;
      if (takes) {held_q[take_tag], dropped_q[take_tag]} <= 2'b10;
    end
  end

  // How often each tag is in the queue of free ones, or on its way into it.
  count_t used;
  count_t [Tags-1:0] found;
  always_comb begin
    used = u_slots.u_free.written_q - u_slots.u_free.read_q;
    for (int unsigned tag = 0; tag < Tags; tag++) begin
      found[tag] = count_t'(u_slots.offer_q && 32'(take_tag) == tag)
          + count_t'(u_slots.u_free.out_valid_q && 32'(u_slots.queue_tag) == tag)
          + count_t'(returned && 32'(returned_tag) == tag);
      for (int unsigned place = 0; place < Tags; place++) begin
        if (count_t'(place) < used) begin
          found[tag] += count_t'(
              32'(u_slots.u_free.u_ram.memory_q[TagBits'(u_slots.u_free.read_q + count_t'(place))]) == tag);
        end
      end
    end
  end

  // Whether each tag is where it should be, and what the module thinks of it.
  logic [Tags-1:0] once, same;
  logic live;
  always_comb begin
    for (int unsigned tag = 0; tag < Tags; tag++) begin
      live = u_slots.gen_looker[0].u_live.memory_q[tag];
      if (u_slots.filling_q && tag >= 32'(u_slots.sweep_q)) begin
        once[tag] = found[tag] == '0 && !held_q[tag];
        same[tag] = 1'b1;
      end else begin
        once[tag] = found[tag] == count_t'(!held_q[tag]);
        same[tag] = u_slots.u_busy.memory_q[tag] == held_q[tag] && (!live || held_q[tag]);
      end
      if (dropped_q[tag] && held_q[tag] && (!sweeping || tag < 32'(u_slots.sweep_q))) begin
        same[tag] = same[tag] && !live;
      end
    end
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    if (started_q && rst_ni) begin
      // What makes the claims inductive.
      FillsFirst : assert (!u_slots.filling_q || (sweeping && held_q == '0));
      UsedInRange : assert (32'(used) <= Tags);
      Counted : assert (free == used + count_t'(u_slots.u_free.out_valid_q) + count_t'(u_slots.offer_q));
      // The claims: a tag is free or busy, never both, and never neither.
      Once : assert (once == '1);
      BusyIsHeld : assert (same == '1);
      Told : assert (returned == told_q && (!returned || returned_tag == told_tag_q));
      NeverTwice : assert (!takes || !held_q[take_tag]);
      LiveIsHeld :
      assert (!look_ready || !look_live || (held_q[look_tag_i] && !dropped_q[look_tag_i]));
    end
    AllTaken : cover (started_q && rst_ni && held_q == '1);
    Again : cover (started_q && rst_ni && !sweeping && held_q != '0 && dropped_q == held_q);
  end

endmodule
