// SPDX-License-Identifier: Apache-2.0

// What the modules of `flash_scheduler` say to each other, and what operations are.
package fm_scheduler_pkg;

  import fm_flash_pkg::*;

  // A request in its queue; way and class are those of the queue, the stream is in the slot.
  typedef struct packed {
    logic [15:0] buffer;
    logic [15:0] length;
    logic [15:0] column;
    logic [31:0] row;
    logic        silent;
    logic        plain;
    logic        bypass;
    logic        metadata;
    logic        irq_on_error;
    logic        irq;
    logic        at_column_0;
    logic [ 7:0] tag;
    slot_t       slot;
    operation_e  operation;
  } queued_t;

  // A queue: one a way and class.
  typedef struct packed {
    logic [3:0] way;
    logic       urgent;
  } queue_t;

  // Where a way is in its operation. A *group* is the requests that go together, one a plane. With
  // cache mode there are two: the older, whose data wait in the cache register or whose program
  // goes on, and the current one.
  typedef enum logic [2:0] {
    PhaseIdle,     // nothing in progress
    PhaseTrigger,  // requests of the current group go to the chip
    PhaseBorder,   // the current group is being read, and another might follow in cache mode
    PhaseDrain,    // data of the older group come from the chip
    PhaseStatus,   // status of the older group is read
    PhaseFail      // what is left of the operation completes as timed out
  } phase_e;

  typedef struct packed {
    phase_e     phase;
    logic       urgent;
    logic [2:0] older;   // requests of the older group that have not completed; those of a failed
                         // operation in PhaseFail
    logic [2:0] current; // requests of the current group
    logic [2:0] issued;  // those of them that went to the chip
    logic [3:0] planes;  // of a group
    logic       cached;  // a cache command was sent
    logic       more;    // another program was promised to the chip
  } way_state_t;

  // How the status says that the request failed.
  typedef enum logic [1:0] {
    VerdictNone,
    VerdictLast,    // FAIL, or it is not that of a chip that has ended and may be written
    VerdictBefore,  // FAILC, or it is not that of a chip that takes commands and may be written
    VerdictAsked    // FAIL; whoever asked for the status looks at the rest
  } verdict_e;

  // What counts of the status register (ONFI 4.0, "Status Field Definition"). A bus that nobody drives has none of the first
  // three.
  typedef struct packed {
    logic not_protected;
    logic ready;
    logic array_ready;
    logic fail_before;
    logic fail;
  } chip_status_t;

  // Whether a status says that the request failed.
  function automatic logic is_failure(verdict_e verdict, chip_status_t status);
    unique case (verdict)
      VerdictLast: return status.fail || !(status.not_protected && status.ready && status.array_ready);
      VerdictBefore: return status.fail_before || !(status.not_protected && status.ready);
      VerdictAsked: return status.fail;
      default: return 1'b0;
    endcase
  endfunction

  // What turns a request into a step, and its end into a completion.
  typedef struct packed {
    operation_e operation;
    logic       next_plane;
    logic       raw;        // words are neither coded nor scrambled, whatever the request says
    logic       closes;     // the request leaves its queue
    logic       off_bus;    // nothing happens on the bus, only the request completes
    logic       refused;    // ... as refused
    logic       returned;   // ... as given back, otherwise as timed out
    verdict_e   verdict;
  } form_t;

  // What a step is to its operation.
  typedef struct packed {
    logic urgent;  // of high priority
    logic starts;  // the first step
    logic ends;    // the last step
    logic triple;  // of three requests
  } book_t;

  // A step as the scheduler plans it.
  typedef struct packed {
    form_t      form;
    book_t      book;
    logic [2:0] offset;  // of its request in the queue
  } plan_t;

  // What the arbiter has to know of the next step of a way.
  typedef struct packed {
    logic needs_ready;
    logic data;    // moves a page, so it takes long
    logic urgent;
    logic starts;
    logic later;   // of the phase in which an operation completes
  } rank_t;

  // How often somebody was passed over who is old.
  function automatic logic [2:0] old_age(logic [2:0] age);
    return age[2] ? age : 3'd3;
  endfunction

  // Run from one request to the end, by several steps.
  function automatic logic is_whole(operation_e operation);
    return (operation[6] && operation[4:3] == 2'b11) || operation == Erase;
  endfunction

  // Steps that bring data to the buffer, or take them from there.
  function automatic logic moves_page(operation_e operation);
    unique case (operation)
      FeaturesTransfer, GetFeatures, GetFeaturesLun, SetFeatures, SetFeaturesLun, OdtConfigure:
      return 1'b0;
      default: return operation[6];
    endcase
  endfunction

  // Steps that bring data to the buffer. Their requests are completed there.
  function automatic logic reads_page(operation_e operation);
    return operation[6:5] == GroupRead && operation != FeaturesTransfer;
  endfunction

  // Steps that a busy chip understands.
  function automatic logic works_when_busy(operation_e operation);
    return operation[6:5] == GroupStatus || operation inside {Reset, SynchronousReset, ResetLun};
  endfunction

  function automatic logic is_known(operation_e operation);
    return operation <= ReadStatusEnhanced || (operation >= Reset && operation <= FeaturesLunTrigger) ||
        operation == Erase || (operation >= ReadTransfer && operation <= FeaturesTransfer) ||
        (operation >= Read && operation <= GetFeaturesLun) ||
        (operation >= ProgramPage && operation <= OdtConfigure) ||
        (operation >= Program && operation <= ProgramOneShot);
  endfunction

endpackage
