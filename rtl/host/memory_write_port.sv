// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Stands between a mover and the memory channels that it writes, and ends what memory does not take or answer.
//
// Contract: bursts come one after the other, each with its first beat in the cycle of its address, to one of
// the channels. All passes in the same cycle. Where the oldest burst of a channel gets no answer for three ticks
// of `tick_i`, or no beat of it is taken while there are some, every burst that was begun, and every one that
// comes meanwhile, is answered with a time-out. That ends when memory has answered all that
// it owes, and no burst is half through. What a burst lacks that memory was told of is sent without strobes.
// While `keep_o` is up, `aw_i` and the data of `w_i` stay as they are, whatever is taken.
// Latency: none.
// Reason: as in host_write_port. What is offered to memory stays as it is until it is taken, so it is kept
// when the mover goes on without it: address and data by the mover, which has them in registers already, what else a
// beat has here.
module memory_write_port #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned Channels = 1,
    localparam type w_beat_t = `FM_AXI_W(DataBits)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic                                   tick_i,
    // The mover.
    input  logic [Channels-1:0]                    aw_valid_i,
    output logic [Channels-1:0]                    aw_ready_o,
    input  fm_axi_pkg::burst_t                     aw_i,
    input  logic [Channels-1:0]                    w_valid_i,
    output logic [Channels-1:0]                    w_ready_o,
    input  w_beat_t                                w_i,
    output logic                                   keep_o,
    output logic [Channels-1:0]                    b_valid_o,
    input  logic [Channels-1:0]                    b_ready_i,
    output fm_host_pkg::dma_fault_e [Channels-1:0] b_fault_o,
    // Memory.
    output logic [Channels-1:0]                    aw_valid_o,
    input  logic [Channels-1:0]                    aw_ready_i,
    output fm_axi_pkg::burst_t                     aw_o,
    output logic [Channels-1:0]                    w_valid_o,
    input  logic [Channels-1:0]                    w_ready_i,
    output w_beat_t                                w_o,
    input  logic [Channels-1:0]                    b_valid_i,
    output logic [Channels-1:0]                    b_ready_o,
    input  fm_axi_pkg::response_e [Channels-1:0]   b_response_i
);

  localparam int unsigned CountBits = 8;

  typedef logic [Channels-1:0] channels_t;
  typedef logic [Channels-1:0][CountBits-1:0] counts_t;

  logic lost_q, recovers_q, times_out, overdue, recovered;

  // -- what memory was told of --

  // The burst that began last: its channel, and beats of it that memory has not taken.
  channels_t burst_q, begins;
  logic offered_q, fills;
  logic [8:0] lacking_d, lacking_q;
  channels_t held_aw_q, held_w_q, aw_taken, w_taken;
  // Of a beat that waits, all but its data.
  logic [DataBits/32-1:0] strobe_q;
  logic last_q;

  assign begins = lost_q || offered_q ? '0 : aw_valid_i;
  assign fills = lost_q && held_w_q == '0 && lacking_q != '0;
  assign aw_valid_o = lost_q ? held_aw_q : aw_valid_i;
  assign aw_o = aw_i;
  assign w_valid_o = !lost_q ? w_valid_i : fills ? burst_q : held_w_q;
  assign w_o = '{
          data: w_i.data,
          strobe: !lost_q ? w_i.strobe : fills ? '0 : strobe_q,
          last: !lost_q ? w_i.last : fills ? lacking_q == 9'd1 : last_q
      };
  // One cycle at least passes from there to `recovers_q`, in which the mover goes on with what it really has.
  assign keep_o = lost_q && (held_aw_q != '0 || held_w_q != '0 || lacking_q != '0);
  assign aw_taken = aw_valid_o & aw_ready_i;
  assign w_taken = w_valid_o & w_ready_i;
  assign lacking_d = (begins != '0 ? 9'(aw_i.length) + 1'b1 : lacking_q) - 9'(w_taken != '0);

  // -- what the mover waits for --

  // Bursts that memory has to answer, and answers that the mover has to get.
  counts_t owed_q, due_q;
  channels_t owes, due, answered, given_q, gives_q, mover_aw, source_waits, progress, more;
  // A burst of the mover is half through.
  logic inside_q, mover_w;

  assign aw_ready_o = lost_q ? {Channels{!recovers_q}} : aw_ready_i;
  assign w_ready_o = lost_q ? {Channels{!recovers_q || inside_q}} : w_ready_i;
  assign mover_aw = aw_valid_i & aw_ready_o;
  assign mover_w = (w_valid_i & w_ready_o) != '0;
  assign b_valid_o = lost_q ? gives_q : b_valid_i;
  assign b_ready_o = lost_q ? '1 : b_ready_i;
  assign answered = b_valid_i & b_ready_o;

  always_comb begin
    for (int unsigned i = 0; i < Channels; i++) begin
      owes[i] = owed_q[i] != '0;
      due[i] = due_q[i] != '0;
      b_fault_o[i] = lost_q ? fm_host_pkg::DmaTimedOut : fm_transfer_pkg::fault_of(b_response_i[i]);
      // Of the oldest burst: it is the one that is being sent, or waits for its answer.
      progress[i] = b_valid_i[i] ||
          (owed_q[i] <= CountBits'(lacking_q != '0 && burst_q[i]) && (aw_taken[i] || w_taken[i]));
      source_waits[i] = owed_q[i] == CountBits'(1) && burst_q[i] && lacking_q != '0 &&
          !w_valid_i[i] && !aw_valid_i[i];
      // Another burst than the one that is answered is under way.
      more[i] = owed_q[i] > CountBits'(1) || aw_valid_i[i];
    end
  end

  access_ages #(
      .Accesses(Channels)
  ) u_ages (
      .clk_i,
      .rst_ni,
      .tick_i,
      .clear_i(lost_q),
      .begins_i(begins & ~owes),
      .moves_i(progress | source_waits),
      .ends_i(answered & ~more),
      .overdue_o(overdue)
  );

  assign times_out = overdue && !lost_q;
  assign recovered = recovers_q && !inside_q && due == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_q <= 1'b0;
      recovers_q <= 1'b0;
      offered_q <= 1'b0;
      burst_q <= '0;
      lacking_q <= '0;
      held_aw_q <= '0;
      held_w_q <= '0;
      owed_q <= '0;
      due_q <= '0;
      given_q <= '0;
      gives_q <= '0;
      inside_q <= 1'b0;
    end else begin
      if (times_out) lost_q <= 1'b1;
      else if (recovered) lost_q <= 1'b0;
      recovers_q <= lost_q && !recovered && owes == '0 && lacking_q == '0 &&
          held_aw_q == '0 && held_w_q == '0;
      offered_q <= !lost_q && (aw_valid_i & ~aw_ready_i) != '0;
      if (begins != '0) burst_q <= begins;
      lacking_q <= lacking_d;
      held_aw_q <= times_out ? aw_valid_i & ~aw_ready_i : held_aw_q & ~aw_taken;
      held_w_q <= times_out ? w_valid_i & ~w_ready_i : held_w_q & ~w_taken;
      // Whether the mover takes an answer is known late, so it is counted a cycle later, and no other is given until then.
      given_q <= b_valid_o & b_ready_i;
      gives_q <= {Channels{lost_q}} & due & ~given_q & ~(gives_q & b_ready_i);
      if (mover_w) inside_q <= !w_i.last;
      for (int unsigned i = 0; i < Channels; i++) begin
        owed_q[i] <= owed_q[i] + CountBits'(aw_taken[i]) - CountBits'(answered[i]);
        due_q[i] <= due_q[i] + CountBits'(mover_aw[i]) - CountBits'(given_q[i]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (times_out) begin
      strobe_q <= w_i.strobe;
      last_q <= w_i.last;
    end
  end

  for (genvar i = 0; i < Channels; i++) begin : gen_assert
    `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o[i], aw_ready_i[i], aw_o)
    `FM_ASSERT_STREAM(u_assert_w, w_valid_o[i], w_ready_i[i], ({w_o.last, w_o.strobe}))
  end
  `FM_ASSERT(FirstBeatWithAddress, begins == '0 || (lacking_q == '0 && w_valid_i == aw_valid_i))

endmodule
