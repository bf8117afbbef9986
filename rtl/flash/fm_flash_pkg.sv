// SPDX-License-Identifier: Apache-2.0

// What the rooms of a flash channel say to each other: operations, requests, steps, completions,
// and the choices of the registers.
//
// A *request* is what firmware asks for; a *step* is one turn on the bus. A whole operation (READ,
// PROGRAM, ERASE, ...) becomes several steps; every other request is one step. docs/spec/flash-packets.md
// has the words in which requests and responses come and go.
package fm_flash_pkg;

  // Bits 6:5 of an operation name the executor: one for each command group of OCOWFC.
  typedef enum logic [1:0] {
    GroupStatus,
    GroupOther,
    GroupRead,
    GroupProgram
  } group_e;

  // operation_e, outcome_e, model_e, request_t and response_t, from the SystemRDL source. Comments of
  // operations give the bytes on the bus. C is a byte of the column, R one of the row, F the feature
  // address, L the LUN; {} is data. The number of R is that of `long_row`.
`include "flash_packets.svh"

  // Place in the reorder buffer: stream, and number in it.
  typedef logic [7:0] slot_t;

  // One turn on the bus. The bytes moved follow from `length` and the flags, see page_path.
  typedef struct packed {
    operation_e  operation;
    logic [ 3:0] way;
    logic [31:0] row;
    logic [15:0] column;
    logic [15:0] length;
    logic [15:0] buffer;
    logic        next_plane;  // not the first plane of a JEDEC multi-plane program: 81 for 80
    logic        plain;
    logic        bypass;
    logic        metadata;
    logic        respond;     // page_path completes it, for steps that move pages to the buffer
    slot_t       slot;
    logic [ 7:0] tag;
    logic        irq;
    logic        irq_on_error;
  } step_t;

  // Announces a packet of words that the buffer is to give or take.
  typedef struct packed {
    logic [15:0] buffer;  // buffer entry
    logic [15:0] length;  // bytes, even, not zero
    logic [ 3:0] way;
  } packet_t;

  // How a step ended on the bus.
  typedef struct packed {
    logic [ 3:0] way;
    logic        timed_out;
    logic [31:0] value;  // status byte in [7:0], or four bytes of a feature
  } step_done_t;

  // How a request ended. The reorder buffer makes a response of it.
  typedef struct packed {
    slot_t       slot;
    logic [ 7:0] tag;
    logic [ 3:0] way;
    logic        irq;           // as asked for; the reorder buffer decides what is pending
    logic        irq_on_error;
    outcome_e    outcome;
    logic        erased;        // the page was erased
    logic [11:0] corrected;     // bits corrected in the page
    logic [ 7:0] most;          // most bits corrected in a chunk
    logic [ 7:0] lost;          // chunks beyond correction
    logic [31:0] value;         // status byte; four bytes of a feature
  } completion_t;

  // What happens in a cycle, for monitors.
  typedef struct packed {
    logic        bus_busy;
    logic        word_out;    // a word of data went to a chip
    logic        word_in;     // or came from one
    logic        step;        // a step went to the bus
    group_e      group;       // of this group
    logic        given_up;    // a step ended without its data
    logic        completion;  // a request completed
    outcome_e    outcome;     // like this
    logic [11:0] corrected;   // with so many bits corrected
    logic [ 7:0] lost;        // and chunks lost
  } watch_t;

  // Policies of the scheduler.
  typedef struct packed {
    model_e      model;
    logic        merge_planes;         // whole operations on other planes go together
    logic        merge_cache_read;     // reads that follow each other use cache mode
    logic        merge_cache_program;  // programs likewise
    logic        jedec;                // JEDEC instead of ONFI multi-plane commands
    logic [ 1:0] plane_bits;           // planes of a LUN, as a power of two: 0 to 2
    logic [ 4:0] plane_shift;          // lowest bit of the plane in a row, or of the block if there is one
    logic [ 4:0] lun_shift;            // lowest bit of the LUN in a row
    logic        halt_on_failure;      // a way halts when something of it has failed
    logic        full_gives_back;      // a request whose queue is full does not wait
    logic [ 4:0] low_ways;             // F-RSVP(l): ways that requests of low priority may occupy
    logic [ 2:0] age;                  // how often somebody may be passed over; 0 is for ever
    logic [15:0] busy_timeout;         // longest busy time, in units of 256 cycles; 0 is for ever
  } scheduler_config_t;

  // What ways are told, a bit each, for a cycle.
  typedef struct packed {
    logic [15:0] halt;
    logic [15:0] resume;
    logic [15:0] give_back;
    logic [15:0] give_up;
  } way_orders_t;

  // Choices and timing of the bus, in cycles of the clock unless said otherwise. A wait of n cycles
  // adds n to what the state machines need anyway; docs/rtl.md maps the timings of ONFI to these.
  typedef struct packed {
    logic        ddr;              // NV-DDR2 or toggle; otherwise asynchronous SDR
    logic        long_row;         // rows of four bytes instead of three
    logic [ 7:0] ce_setup;         // CE# low to the first pulse
    logic [ 7:0] ce_hold;          // last pulse to CE# high
    logic [ 7:0] we_low;           // WE# low; also of data in SDR
    logic [ 7:0] we_high;          // WE# high
    logic [ 7:0] adl;              // tADL
    logic [ 7:0] ccs;              // tCCS
    logic [ 7:0] whr;              // tWHR
    logic [ 7:0] rhw;              // tRHW
    logic [ 7:0] wb;               // tWB
    logic [ 7:0] rr;               // tRR
    logic [ 7:0] re_low;           // RE# low in SDR
    logic [ 7:0] re_high;          // RE# high in SDR
    logic [ 7:0] read_preamble;    // RE# low before the first edge
    logic [ 7:0] read_postamble;   // after the last edge
    logic [ 7:0] write_preamble;   // DQS low before the first edge
    logic [ 7:0] write_postamble;  // DQS low after the last edge
    logic [ 7:0] sample_delay;     // SDR: from the end of RE# low to the sample of DQ, at least 0
    logic [15:0] data_timeout;     // longest pause of a data stream, in units of 16 cycles; 0 is for ever
  } bus_config_t;

endpackage
