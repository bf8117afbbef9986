// SPDX-License-Identifier: Apache-2.0

// What moves inside the controller, between its blocks and the data buffer memory.
package fm_ssd_pkg;

  // Memory is counted in units of so many bytes, which is a stripe of a memory channel too: whoever asks
  // for no more than a unit at once meets one channel only.
  localparam int unsigned UnitBytes = fm_transfer_pkg::StripeBytes;
  localparam int unsigned UnitBits = $clog2(UnitBytes);

  // Bits 39:9 of an address of the data buffer memory.
  localparam int unsigned AddressBits = 40;
  typedef logic [AddressBits-UnitBits-1:0] unit_address_t;

  // Where the entries of the data buffer are.
  typedef struct packed {
    unit_address_t base;
    logic [8:0]    stride;  // units from one entry to the next
  } entries_t;

  typedef enum logic [1:0] {
    DeedZero,
    DeedCopy,
    DeedCompare
  } deed_e;

  // What the memory engine is to do.
  typedef struct packed {
    deed_e         deed;
    unit_address_t from;
    unit_address_t target;
    logic [15:0]   units;
  } order_t;

  // A word of the data buffer memory, of its first GiB.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [27:0] address;  // of words
    logic [31:0] data;
  } word_order_t;

  typedef struct packed {
    logic        done;
    logic        failed;
    logic [31:0] data;
  } word_answer_t;

  function automatic logic is_error(fm_axi_pkg::response_e response);
    return !(response inside {fm_axi_pkg::Okay, fm_axi_pkg::ExclusiveOkay});
  endfunction

endpackage
