// SPDX-License-Identifier: Apache-2.0

// Clears both sides of a crossing together, whichever side is asked, while all else goes on.
//
// Contract: `clear` of a side is up for a cycle of its clock or more. Then both sides close, forget what is under way, and open
// again once it is down on both. While `open` is up, beats may pass; a cycle with `forget` ends what a side counts. `open` falls
// with `clear`, and when the other side is seen to have closed; what it sent before it was cleared may arrive until then.
// The resets of both sides come together, each from a fm_reset_sync of its clock.
// Latency: until both are open again, at most five steps of each side, each behind three cycles of the slower clock. A clock that
// stands delays that and harms nothing.
// Reason: a reset that changes registers on one side at any time would be seen by the other one as a jump of several bits. So
// the reset of one side is a wish that its clock takes, and no register that the other side looks at follows it at once.
module fm_joint_clear
  import fm_joint_clear_pkg::*;
(
    input  logic in_clk_i,
    input  logic in_rst_ni,
    input  logic in_clear_i,
    output logic in_open_o,
    output logic in_forget_o,
    input  logic out_clk_i,
    input  logic out_rst_ni,
    input  logic out_clear_i,
    output logic out_open_o,
    output logic out_forget_o
);

  joint_e in_state, out_state;

  fm_joint_side u_in (
      .clk_i(in_clk_i),
      .rst_ni(in_rst_ni),
      .clear_i(in_clear_i),
      .peer_i(out_state),
      .state_o(in_state),
      .open_o(in_open_o),
      .forget_o(in_forget_o)
  );

  fm_joint_side u_out (
      .clk_i(out_clk_i),
      .rst_ni(out_rst_ni),
      .clear_i(out_clear_i),
      .peer_i(in_state),
      .state_o(out_state),
      .open_o(out_open_o),
      .forget_o(out_forget_o)
  );

endmodule
