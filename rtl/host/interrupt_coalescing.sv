// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Gathers completions into interrupts (features 08h and 09h).
//
// Contract: each `announce` raises its vector at once if it is of the admin queue, or if coalescing is
// off or forbidden for the vector; else when more than `threshold` of the vector were gathered, or when
// the first of them has waited for the time. A wait may end a sixteenth of 100 us early, never late.
// `raise_valid_o` pulses with the vector. `forbid_valid_i` sets whether coalescing is forbidden for a
// vector; `clear_i` allows it for all and forgets what was gathered, and an announcement that it meets.
// Vectors from Vectors on are ignored.
// Latency: two cycles, and up to three more while time is counted.
// Reason: one set of counters in RAM. At each tick all vectors are visited in turn, each in the first two of
// four cycles, so that an announcement waits for a single vector, and the visits of a vector are exactly a tick
// apart. The time need not be exact, only never longer than the host allows.
module interrupt_coalescing
  import fm_host_pkg::*;
#(
    parameter int unsigned Vectors     = 17,
    // Clock cycles of a sixteenth of 100 us: 250 MHz.
    parameter int unsigned TickCycles  = 1562,
    localparam int unsigned VectorBits = $clog2(Vectors)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         clear_i,
    input  coalescing_t                  coalescing_i,
    input  logic                         forbid_valid_i,
    input  logic        [          10:0] forbid_vector_i,
    input  logic                         forbid_i,
    input  logic                         announce_valid_i,
    output logic                         announce_ready_o,
    input  logic        [          10:0] announce_vector_i,
    input  logic                         announce_admin_i,
    output logic                         raise_valid_o,
    output logic        [VectorBits-1:0] raise_vector_o
);

  `FM_REQUIRE(gen_vectors, Vectors >= 2 && Vectors <= 2048,
           "interrupt_coalescing: Vectors is not from 2 to 2048")

  `FM_REQUIRE(gen_tick, TickCycles > 4 * Vectors,
           "interrupt_coalescing: TickCycles leaves no time to visit all vectors")

  localparam int unsigned TickBits = $clog2(TickCycles);

  // What was gathered, and ticks left to wait.
  typedef struct packed {
    logic [ 7:0] gathered;
    logic [11:0] left;
  } wait_t;

  logic [TickBits-1:0] tick_q, tick;
  logic steps, steps_q, handles, handles_q, alone_q, enough, stale_q;
  logic [VectorBits-1:0] vector;
  logic [Vectors-1:0] waits_q, forbidden_q;
  wait_t found, found_q, written;
  logic [7:0] gathered;
  logic visited_q, ends, waiting_q, starts;
  logic [VectorBits-1:0] vector_q;

  assign tick = tick_q == TickBits'(TickCycles - 1) ? '0 : tick_q + 1'b1;

  // Whether time is counted for a vector in the next cycle.
  assign steps = tick[1:0] == 2'd0 && tick < TickBits'(4 * Vectors);

  // A vector is read in one cycle and judged in the next.
  assign announce_ready_o = !visited_q && !steps_q && !steps;
  assign handles = announce_valid_i && announce_ready_o && !stale_q && 32'(announce_vector_i) < Vectors;
  assign vector = steps_q ? tick_q[2+:VectorBits] : VectorBits'(announce_vector_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tick_q <= '0;
      steps_q <= 1'b0;
      visited_q <= 1'b0;
      handles_q <= 1'b0;
      stale_q <= 1'b0;
    end else begin
      tick_q <= tick;
      steps_q <= steps;
      visited_q <= (steps_q || handles) && !clear_i;
      handles_q <= handles;
      stale_q <= (clear_i || stale_q) && announce_valid_i && !announce_ready_o;
    end
  end

  always_ff @(posedge clk_i) begin
    vector_q <= vector;
    found_q <= found;
    waiting_q <= waits_q[vector];
    alone_q <= announce_admin_i || coalescing_i.time_100us == '0 || forbidden_q[vector];
  end

  // The first one that is gathered starts the time.
  assign gathered = (waiting_q ? found_q.gathered : 8'd0) + 1'b1;
  assign enough = alone_q || gathered > coalescing_i.threshold || gathered == '0;

  always_comb begin
    written = found_q;
    ends = 1'b0;
    starts = 1'b0;
    if (handles_q) begin
      written.gathered = gathered;
      if (!waiting_q) written.left = {coalescing_i.time_100us, 4'b0};
      ends = enough;
      starts = !enough;
    end else if (waiting_q) begin
      written.left = found_q.left - 1'b1;
      ends = found_q.left <= 12'd1;
    end
  end

  assign raise_valid_o = visited_q && ends;
  assign raise_vector_o = vector_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      forbidden_q <= '0;
    end else if (clear_i) begin
      waits_q <= '0;
      forbidden_q <= '0;
    end else begin
      if (visited_q && ends) waits_q[vector_q] <= 1'b0;
      else if (visited_q && starts) waits_q[vector_q] <= 1'b1;
      if (forbid_valid_i && 32'(forbid_vector_i) < Vectors) begin
        forbidden_q[VectorBits'(forbid_vector_i)] <= forbid_i;
      end
    end
  end

  fm_ram_lut #(
      .Width($bits(wait_t)),
      .Depth(Vectors)
  ) u_waits (
      .clk_i,
      .write_i(visited_q),
      .write_address_i(vector_q),
      .write_data_i(written),
      .read_address_i(vector),
      .read_data_o(found)
  );

  `FM_ASSERT_STREAM(u_assert_announce, announce_valid_i, announce_ready_o, {
                 announce_vector_i, announce_admin_i})

endmodule
