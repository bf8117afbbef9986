// SPDX-License-Identifier: Apache-2.0

// Made by rtl/tools/registers.py of rtl/flash/flash_channel.rdl; `make registers` makes it anew.
package fm_flash_register_block_pkg;

  import fm_flash_pkg::*;

  // What hardware tells; of sticky bits, that they are to be set.
  typedef struct packed {
    struct packed {
      logic [ 7:0] metadata;
      logic [ 5:0] depth;
      logic [ 3:0] streams;
      logic [ 4:0] ways;
    } sizes;
    struct packed {
      logic        free;
      logic        response;
      logic [15:0] idle;
    } status;
    struct packed {
      logic [31:0] queues;
    } room;
    struct packed {
      logic [15:0] occupied;
      logic [15:0] ready;
    } ways;
    struct packed {
      logic dropped;
      logic response;
    } interrupt_status;
    struct packed {
      logic busy;
    } monitor;
    struct packed {
      logic [15:0] giving_back;
      logic [15:0] halted;
    } halts;
  } status_t;

  // What hardware is told.
  typedef struct packed {
    struct packed {
      logic dropped;
      logic response;
    } interrupt_status;
    struct packed {
      logic dropped;
      logic response;
    } interrupt_enable;
    struct packed {
      logic [ 2:0] age;
      logic [ 4:0] low_ways;
      logic [ 4:0] lun_shift;
      logic        halt_on_failure;
      logic        full_gives_back;
      logic [ 4:0] plane_shift;
      logic [ 1:0] plane_bits;
      logic        jedec;
      logic        merge_cache_program;
      logic        merge_cache_read;
      logic        merge_planes;
      model_e      model;
    } scheduler;
    struct packed {
      logic [15:0] data_timeout;
      logic [15:0] busy_timeout;
    } timeouts;
    struct packed {
      logic [ 7:0] sample_delay;
      logic        long_row;
      logic        ddr;
    } bus;
    struct packed {
      logic [ 7:0] we_high;
      logic [ 7:0] we_low;
      logic [ 7:0] ce_hold;
      logic [ 7:0] ce_setup;
    } command_waits;
    struct packed {
      logic [ 7:0] rhw;
      logic [ 7:0] whr;
      logic [ 7:0] ccs;
      logic [ 7:0] adl;
    } phase_waits;
    struct packed {
      logic [ 7:0] re_high;
      logic [ 7:0] re_low;
      logic [ 7:0] rr;
      logic [ 7:0] wb;
    } chip_waits;
    struct packed {
      logic [ 7:0] write_postamble;
      logic [ 7:0] write_preamble;
      logic [ 7:0] read_postamble;
      logic [ 7:0] read_preamble;
    } data_waits;
    struct packed {
      logic capture;
    } monitor;
    struct packed {
      logic [15:0] ways;
    } halt;
    struct packed {
      logic [15:0] ways;
    } resume;
    struct packed {
      logic [15:0] ways;
    } give_back;
    struct packed {
      logic [15:0] ways;
    } abort_ways;
  } control_t;

  // Words of the window, the first ones of each of its registers.
  typedef enum logic [5:0] {
    MonitorsCycles    = 6'h00,
    MonitorsBusBusy   = 6'h02,
    MonitorsBytesOut  = 6'h04,
    MonitorsBytesIn   = 6'h06,
    MonitorsSteps     = 6'h08,
    MonitorsCorrected = 6'h10,
    MonitorsLost      = 6'h12,
    MonitorsRefused   = 6'h14,
    MonitorsTimedOut  = 6'h16,
    MonitorsGivenUp   = 6'h18,
    MonitorsWayBusy   = 6'h20
  } monitors_word_e;

endpackage
