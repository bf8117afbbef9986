// SPDX-License-Identifier: Apache-2.0

// Tells which ways have been waiting for too long.
//
// Contract: while `waiting_i` of a way stays up, `expired_o` comes up after `timeout_i` times 256
// cycles, up to 256 later, and stays until the wait ends or `restart_i` pulses. 0 is for ever.
// Latency: see above.
// Reason: one counter a way in a look-up table, visited once in 256 cycles. Registers for eight
// ways would cost 128 flip-flops, and comparing them as many tables.
module way_timer #(
    parameter int unsigned Ways = 8
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic [    15:0] timeout_i,
    input  logic [Ways-1:0] waiting_i,
    input  logic [Ways-1:0] restart_i,
    output logic [Ways-1:0] expired_o
);

  // A way has 16 cycles; something happens in the last one.
  logic [7:0] turn_q;
  logic [3:0] way;
  logic now, counting, full;
  logic [15:0] count;
  logic [Ways-1:0] restarted_d, restarted_q, expired_d, expired_q;

  assign way = turn_q[7:4];
  assign now = turn_q[3:0] == '1 && 32'(way) < Ways;
  assign expired_o = expired_q;

  // A way that does not exist is not looked at.
  logic [15:0] waiting_ways, restarted_ways;
  assign waiting_ways = 16'(waiting_i);
  assign restarted_ways = 16'(restarted_q);
  assign counting = waiting_ways[way] && !restarted_ways[way];
  assign full = count >= timeout_i && timeout_i != '0;

  fm_ram_lut #(
      .Width(16),
      .Depth(16)
  ) u_counts (
      .clk_i,
      .write_i(now),
      .write_address_i(way),
      .write_data_i(!counting ? 16'(waiting_ways[way]) : full ? count : count + 1'b1),
      .read_address_i(way),
      .read_data_o(count)
  );

  always_comb begin
    restarted_d = restarted_q;
    expired_d   = expired_q & waiting_i;
    for (int unsigned index = 0; index < Ways; index++) begin
      if (now && 32'(way) == index) begin
        restarted_d[index] = 1'b0;
        if (counting && full) expired_d[index] = 1'b1;
      end
    end
    restarted_d |= restart_i;
    expired_d &= ~restart_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= '0;
      restarted_q <= '1;
      expired_q <= '0;
    end else begin
      turn_q <= turn_q + 1'b1;
      restarted_q <= restarted_d;
      expired_q <= expired_d;
    end
  end

endmodule
