// SPDX-License-Identifier: Apache-2.0

// What the parts of a page's path say to each other.
package fm_page_pkg;

  // Whom the completion of a step is for.
  typedef struct packed {
    fm_flash_pkg::slot_t slot;
    logic [7:0]       tag;
    logic [3:0]       way;
    logic             irq;
    logic             irq_on_error;
    logic             respond;       // it is completed here
  } owner_t;

  // What reading a page gave.
  typedef struct packed {
    logic        erased;
    logic [11:0] corrected;
    logic [ 7:0] most;
    logic [ 7:0] lost;
  } verdict_t;

endpackage
