// SPDX-License-Identifier: Apache-2.0

// Assertions that Verilator checks in every test and SymbiYosys proves. Synthesis sees none of
// them.

`ifndef FM_ASSERT_SVH
`define FM_ASSERT_SVH

`ifdef SYNTHESIS

`define FM_ASSERT(Name, Condition)
`define FM_ASSERT_KNOWN(Name, Signal)
`define FM_ASSERT_STREAM(Name, Valid, Ready, Payload)
`define FM_ASSERT_STREAM_WHILE(Name, Holds, Valid, Ready, Payload)

`else

// The condition holds at every clock edge outside reset. Needs `clk_i` and `rst_ni`.
`define FM_ASSERT(Name, Condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      Name: assert (Condition); \
    end \
  end

// No bit of a signal is X outside reset, in simulators that know X. Where a simulator has two states,
// models start with random values instead, which differ from seed to seed; proofs try all of them.
`ifdef FORMAL
`define FM_ASSERT_KNOWN(Name, Signal)
`else
`define FM_ASSERT_KNOWN(Name, Signal) `FM_ASSERT(Name, (^(Signal)) !== 1'bx)
`endif

// A stream keeps its rule: an offered beat stays, unchanged, until it is taken.
`define FM_ASSERT_STREAM(Name, Valid, Ready, Payload) \
  fm_stream_assert #(.Width($bits(Payload))) Name ( \
    .clk_i, .rst_ni, .valid_i(Valid), .ready_i(Ready), .payload_i(Payload));

// It does so as long as a condition holds, without which the other end is not there.
`define FM_ASSERT_STREAM_WHILE(Name, Holds, Valid, Ready, Payload) \
  fm_stream_assert #(.Width($bits(Payload))) Name ( \
    .clk_i, .rst_ni(rst_ni && (Holds)), .valid_i(Valid), .ready_i(Ready), .payload_i(Payload));

`endif

// A parameter is in its range, or elaboration ends.
`define FM_REQUIRE(Name, Condition, Message) \
  if (!(Condition)) begin : Name \
    $fatal(1, Message); \
  end

`endif
