// SPDX-License-Identifier: Apache-2.0

// One side of `fm_joint_clear`, which has its contract.
//
// Contract: `peer_i` is `state_o` of the other side.
// Latency: three cycles behind each step of the other side.
// Reason: as there. Both sides go around a circle of four states, each one step ahead of the other at most, and two where the next
// wish comes at once. Four states are as many as it takes to tell the other side's last turn from this one.
module fm_joint_side
  import fm_joint_clear_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   clear_i,
    input  joint_e peer_i,
    output joint_e state_o,
    output logic   open_o,
    output logic   forget_o
);

  joint_e state_d, state_gray_q, peer;
  logic [1:0] peer_seen;
  // A wish that came while the last one was being granted.
  logic wanted_q, wanted;

  fm_synchronizer #(
      .Width(2)
  ) u_peer (
      .clk_i,
      .rst_ni,
      .bits_i(peer_i),
      .bits_o(peer_seen)
  );

  assign peer = joint_e'(peer_seen);
  assign wanted = clear_i || wanted_q;
  assign state_o = state_gray_q;
  assign open_o = state_gray_q == Open && !wanted && peer != Closed;
  assign forget_o = state_gray_q == Closed && state_d == Cleared;

  always_comb begin
    state_d = state_gray_q;
    unique case (state_gray_q)
      Open: if (wanted || peer == Closed) state_d = Closed;
      Closed: if (!clear_i && peer inside {Closed, Cleared}) state_d = Cleared;
      Cleared: if (peer inside {Cleared, Ready}) state_d = Ready;
      // The other side may have opened, and closed again.
      default: if (peer != Cleared) state_d = Open;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_gray_q <= Closed;
      wanted_q <= 1'b0;
    end else begin
      state_gray_q <= state_d;
      wanted_q <= wanted && state_gray_q != Closed;
    end
  end

endmodule
