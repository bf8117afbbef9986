`include "prim_assert.svh"

// A flash channel: requests in, responses out, pages to and from the buffer, chips on the pins.
//
// Contract: a request that is not silent gets one response; responses of a stream leave in the
// order of its requests. `room_o` has two bits a way, normal and urgent: while one is set, a
// request for that queue does not wait. For a page that goes to the chips, `fetch` names a buffer
// entry and the bytes of it that `data_in` has to bring, the last of them marked; for one that
// comes, `store` and `data_out` likewise. `syndrome` and `locator` go to bch_shared_solver. Choices
// change only while no request is under way. The pins are in halves of a clock cycle, see
// flash_pins.
// Latency: docs/rtl.md has the cycles of a step.
// Reason: four rooms that know little of each other. The scheduler knows operations and no bytes,
// the bus bytes and no requests, the page path pages and no chips, the reorder buffer streams.
module flash_core
  import flash_pkg::*;
#(
    parameter int unsigned Ways       = 8,
    parameter bit          Ecc        = 1'b1,
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    localparam int unsigned M = bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  scheduler_config_t                  scheduler_config_i,
    input  bus_config_t                        bus_config_i,
