// SPDX-License-Identifier: Apache-2.0

// What the two sides of a crossing tell each other where each may be cleared alone (`fm_joint_clear`).
package fm_joint_clear_pkg;

  // In a circle, and in Gray code: one bit changes at a time, so that whatever is seen of it is a state that it had.
  typedef enum logic [1:0] {
    Open    = 2'b00,  // beats pass
    Closed  = 2'b01,  // no beat passes any more
    Cleared = 2'b11,  // and those that were under way are forgotten
    Ready   = 2'b10   // and the other side has forgotten them, too
  } joint_e;

endpackage
