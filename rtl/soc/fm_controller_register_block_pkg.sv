// SPDX-License-Identifier: Apache-2.0

// Made by rtl/tools/registers.py of rtl/soc/ssd_top.rdl; `make registers` makes it anew.
package fm_controller_register_block_pkg;

  import fm_ssd_pkg::*;

  // What hardware tells; of sticky bits, that they are to be set.
  typedef struct packed {
    struct packed {
      logic [ 6:0] bytes;
      logic [ 3:0] memories;
      logic [ 4:0] ways;
      logic [ 4:0] channels;
    } sizes;
    struct packed {
      logic [31:0] low;
    } time_low;
    struct packed {
      logic [31:0] high;
    } time_high;
    struct packed {
      logic        alarm;
      logic        memory;
      logic        host;
      logic [15:0] channels;
    } interrupt_lines;
    struct packed {
      logic [15:0] store;
      logic [15:0] fetch;
    } memory_errors;
    struct packed {
      logic failed;
      logic differs;
      logic busy;
    } engine_status;
  } status_t;

  // What hardware is told.
  typedef struct packed {
    struct packed {
      logic        alarm;
      logic        memory;
      logic        host;
      logic [15:0] channels;
    } interrupt_enable;
    struct packed {
      logic [31:0] moment;
    } alarm;
    struct packed {
      logic [ 8:0] stride;
    } entries;
    struct packed {
      logic [30:0] base;
    } entry_base;
    struct packed {
      logic [15:0] store;
      logic [15:0] fetch;
    } memory_errors;
    struct packed {
      logic [30:0] address;
    } source;
    struct packed {
      logic [30:0] address;
    } target;
    struct packed {
      deed_e       deed;
      logic [15:0] units;
    } engine;
  } control_t;

endpackage
