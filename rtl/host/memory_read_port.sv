// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Stands between a mover and the memory channels that it reads, and ends what memory does not answer.
//
// Contract: reads have the slot of the mover as their id, which is under way once at a time over all channels.
// Answers pass in the same cycle, their data beside. Where nothing of some read has
// come for three ticks of `tick_i`, `lost_o` rises: what is under way, and what is asked for meanwhile, gets no
// answer. It falls when memory has answered all that it owes, which is dropped, and the mover, told by `busy_i`,
// waits for nothing.
// Latency: one cycle for addresses, none for answers. The mover has one read every third cycle at most.
// Reason: as in host_read_port. An address that is offered stays offered, so it is kept here, where the mover
// can go on without it.
module memory_read_port #(
    parameter int unsigned Channels = 1,
    parameter int unsigned Slots    = 16
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            tick_i,
    input  logic                            busy_i,
    output logic                            lost_o,
    // The mover.
    input  logic             [Channels-1:0] ar_valid_i,
    output logic             [Channels-1:0] ar_ready_o,
    input  fm_axi_pkg::burst_t              ar_i,
    output logic             [Channels-1:0] r_valid_o,
    input  logic             [Channels-1:0] r_ready_i,
    // Memory.
    output logic             [Channels-1:0] ar_valid_o,
    input  logic             [Channels-1:0] ar_ready_i,
    output fm_axi_pkg::burst_t              ar_o,
    input  logic             [Channels-1:0] r_valid_i,
    output logic             [Channels-1:0] r_ready_o,
    input  fm_axi_pkg::id_t  [Channels-1:0] r_id_i,
    input  logic             [Channels-1:0] r_last_i
);

  localparam int unsigned OwedBits = $clog2(Slots + 1) + 1;

  typedef logic [Slots-1:0] slots_t;

  slots_t begins, moves, ends;
  // The address that is offered; it stays where the mover goes on without it.
  logic [Channels-1:0] ar_valid_q, taken, paid;
  fm_axi_pkg::burst_t ar_q;
  logic free, accept;
  logic lost_q, recovers_q, overdue, times_out;
  // Counted a cycle late: the way from the channels' turn to the sum is long.
  logic [Channels-1:0] taken_q, paid_q;
  logic [OwedBits-1:0] owed_d, owed_q;

  assign lost_o = lost_q;
  assign ar_valid_o = ar_valid_q;
  assign ar_o = ar_q;
  assign free = ar_valid_q == '0;
  assign accept = ar_valid_i != '0 && free && !lost_q;
  assign ar_ready_o = {Channels{lost_q ? !recovers_q : free}};
  assign r_valid_o = lost_q ? '0 : r_valid_i;
  assign r_ready_o = lost_q ? '1 : r_ready_i;

  assign taken = ar_valid_o & ar_ready_i;
  assign paid = r_valid_i & r_ready_o & r_last_i;
  assign times_out = overdue && !lost_q;

  always_comb begin
    begins = '0;
    moves = '0;
    ends = '0;
    owed_d = owed_q;
    for (int unsigned slot = 0; slot < Slots; slot++) begin
      begins[slot] = taken != '0 && ar_q.id == fm_axi_pkg::id_t'(slot);
      for (int unsigned i = 0; i < Channels; i++) begin
        if (r_valid_i[i] && r_id_i[i] == fm_axi_pkg::id_t'(slot)) begin
          moves[slot] = 1'b1;
          if (paid[i]) ends[slot] = 1'b1;
        end
      end
    end
    for (int unsigned i = 0; i < Channels; i++) begin
      owed_d = owed_d + OwedBits'(taken_q[i]) - OwedBits'(paid_q[i]);
    end
  end

  // The address that is offered counts as one more.
  access_ages #(
      .Accesses(Slots + 1)
  ) u_ages (
      .clk_i,
      .rst_ni,
      .tick_i,
      .clear_i(lost_q),
      .begins_i({accept, begins}),
      .moves_i({1'b0, moves}),
      .ends_i({taken != '0, ends}),
      .overdue_o(overdue)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lost_q <= 1'b0;
      recovers_q <= 1'b0;
      ar_valid_q <= '0;
      taken_q <= '0;
      paid_q <= '0;
      owed_q <= '0;
    end else begin
      if (times_out) lost_q <= 1'b1;
      else if (recovers_q && !busy_i) lost_q <= 1'b0;
      recovers_q <= lost_q && free && taken_q == '0 && owed_q == '0 && !(recovers_q && !busy_i);
      ar_valid_q <= accept ? ar_valid_i : ar_valid_q & ~taken;
      taken_q <= taken;
      paid_q <= paid;
      owed_q <= owed_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (free) ar_q <= ar_i;
  end

  for (genvar i = 0; i < Channels; i++) begin : gen_assert
    `FM_ASSERT_STREAM(u_assert_ar, ar_valid_o[i], ar_ready_i[i], ar_o)
  end

endmodule
