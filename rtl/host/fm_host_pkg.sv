// SPDX-License-Identifier: Apache-2.0

// What the rooms of the host interface say to each other: reads and writes of host memory, DMA
// descriptors, completions, events, queues.
//
// Streams are valid, ready and one of these. Data of reads and writes goes beside its struct, since
// its width is a parameter of the modules: DataBits, 64, 128, 256 or 512.
package fm_host_pkg;

  // A fetched command that is not complete. 256 at most.
  typedef logic [7:0] tag_t;

  // Queue identifiers, and heads, tails and sizes of queues. A size is the entries minus one, as the
  // specification writes it.
  typedef logic [15:0] queue_t;
  typedef logic [15:0] place_t;

  // Who writes to host memory.
  typedef enum logic [2:0] {
    WriteCompletion = 3'd0,  // completion queue entries, 16 bytes
    WriteMessage    = 3'd1,  // MSI-X messages, 4 bytes
    WriteData       = 3'd2
  } write_client_e;

  // A read of 1 to 4,096 bytes that do not cross a 4 KiB page. Answers of requests may come in any
  // order, and their beats in any mixture; a client has an id under way once at a time.
  typedef struct packed {
    logic [63:0] address;
    logic [12:0] bytes;
    logic [ 7:0] id;
  } host_read_t;

  // Beside a beat of data. Beats keep the lanes of their addresses, so entries, which are aligned,
  // begin in the lowest one; bytes behind the last one mean nothing. `error` is that of any beat so
  // far or of a time-out; the last beat has it for all. A request that fails is answered in full,
  // one that times out with a last beat at once.
  typedef struct packed {
    logic [ 7:0] id;
    logic        last;
    logic        error;
  } host_read_beat_t;

  // A write of an entry or a message. Its data goes on a stream of its own.
  typedef struct packed {
    logic [63:0]   address;
    write_client_e client;
    logic [ 7:0]   id;
  } host_write_t;

  // The write is in host memory, or was refused.
  typedef struct packed {
    write_client_e client;
    logic [ 7:0]   id;
    logic          error;
  } host_written_t;

  typedef enum logic {
    FromHost,
    ToHost
  } direction_e;

  // What of a command names the host's end of a DMA request.
  typedef enum logic [1:0] {
    OfData,        // its PRPs
    OfList,        // dwords 10 and 11: where a list of logical blocks stands
    OfSecondList   // dwords 14 and 15: where a second one does
  } pointer_e;

  // What the processor asks for, `contract::DmaRequest`.
  typedef struct packed {
    tag_t        tag;
    direction_e  direction;
    pointer_e    pointer;
    logic [31:0] host_offset;     // byte from the start of the command's data
    logic [31:0] length;          // bytes to move
    logic [31:0] command_length;  // bytes of the command's whole data
    logic [39:0] memory;          // address of the drive's end
  } dma_request_t;

  // What a descriptor moves.
  typedef enum logic [1:0] {
    MovePrps,   // bytes that the PRPs name
    MoveZeros,  // zeros into the drive's memory; its direction is FromHost
    MoveNone    // nothing: it ends in its turn, without a fault
  } dma_source_e;

  // Moves bytes of a command's data.
  typedef struct packed {
    tag_t        tag;
    direction_e  direction;
    dma_source_e source;
    logic [63:0] prp1;
    logic [63:0] prp2;
    logic [31:0] host_offset;     // byte from the start of the command's data
    logic [31:0] length;          // bytes to move
    logic [31:0] command_length;  // bytes of the command's whole data
    logic [39:0] memory;          // address of the drive's end
  } dma_descriptor_t;

  typedef enum logic [2:0] {
    DmaNone,
    DmaOffset,    // PRP offset invalid
    DmaBus,       // AXI error
    DmaTimedOut,  // no answer
    DmaList       // a list that loops or is too long
  } dma_fault_e;

  typedef struct packed {
    tag_t       tag;
    direction_e direction;
    dma_fault_e fault;
  } dma_done_t;

  // A completion to post; it frees the tag.
  typedef struct packed {
    tag_t        tag;
    logic [14:0] status;  // NVMe 1.4 figure 124, without the phase
    logic [63:0] result;  // dwords 0 and 1
  } completion_t;

  // What the hardware does with a command by itself.
  typedef enum logic [1:0] {
    IoFlush,
    IoWrite,
    IoRead,
    IoWriteZeroes
  } io_e;

  // A command that was found legal.
  typedef struct packed {
    tag_t        tag;
    io_e         kind;
    logic        forced;  // force unit access
    logic [63:0] start;   // first logical block
    logic [16:0] blocks;  // 1 to 65,536
    logic [63:0] prp1;
    logic [63:0] prp2;
  } io_command_t;

  // What the processor is told. Source: `contract::HostEvent`.
  typedef enum logic [2:0] {
    EventDisable,   // CC.EN fell; queues are gone
    EventShutdown,  // CC.SHN asks for it
    EventEnable,    // CC.EN rose
    EventDoorbell,  // a doorbell was written wrongly; `code` is the event information
    EventCommand    // `tag` was fetched from queue `id`
  } event_e;

  typedef struct packed {
    event_e     kind;
    logic [7:0] code;
    tag_t       tag;
    queue_t     id;
  } event_t;

  // A doorbell write.
  typedef struct packed {
    logic        known;  // the register is that of some queue below 65,536
    queue_t      id;
    logic [31:0] value;
  } doorbell_t;

  // Event information of a wrong doorbell (NVMe 1.4 figure 147).
  typedef enum logic [7:0] {
    BadRegister = 8'h00,
    BadValue    = 8'h01
  } bad_doorbell_e;

  // A submission queue to create or delete; to delete, only the id counts.
  typedef struct packed {
    logic        create;
    queue_t      id;
    place_t      size;
    logic [51:0] page;            // host address without its low 12 bits
    queue_t      completion;      // the queue it completes to
    logic [ 1:0] priority_class;  // QPRIO: 0 urgent, 1 high, 2 medium, 3 low
  } submission_queue_t;

  // A completion queue to create or delete; to delete, only the id counts.
  typedef struct packed {
    logic        create;
    queue_t      id;
    place_t      size;
    logic [51:0] page;
    logic        interrupts;
    logic [10:0] vector;
  } completion_queue_t;

  // Which queue is made anew: nothing of those that had its number before is to be in it.
  typedef struct packed {
    logic   submission;
    queue_t id;
  } forget_t;

  // Arbitration (feature 01h); weights are commands minus one.
  typedef struct packed {
    logic [2:0] burst;  // commands a turn, as a power of two; 7 is no limit
    logic [7:0] low_weight;
    logic [7:0] medium_weight;
    logic [7:0] high_weight;
  } weights_t;

  // Interrupt coalescing (feature 08h).
  typedef struct packed {
    logic [7:0] threshold;   // completions to gather, minus one
    logic [7:0] time_100us;  // longest wait; 0 turns coalescing off
  } coalescing_t;

  // Whether completions of a vector are not coalesced (feature 09h); `valid` is a pulse.
  typedef struct packed {
    logic        valid;
    logic [10:0] vector;
    logic        forbid;
  } vector_coalescing_t;

  // What the processor sets; each `valid` and `shutdown_done` is a pulse.
  typedef struct packed {
    logic        ready_valid;
    logic        ready;
    logic        shutdown_done;
    logic        weights_valid;
    weights_t    weights;
    logic        coalescing_valid;
    coalescing_t coalescing;
  } settings_t;

  // How commands run without the processor.
  typedef struct packed {
    logic        enable;
    logic [63:0] blocks;           // of the namespace
    logic [16:0] transfer_blocks;  // that a command may have
    logic [3:0]  block_shift;      // 9 or 12
    logic [39:0] memory_base;      // where the namespace begins in the drive's memory
  } automation_t;

  // What the queues have to know of an enabling, and what was set for it. Of CC.EN: it rose (`start`), fell (`stop`),
  // is up (`enabled`); commands may be fetched (`run`).
  typedef struct packed {
    logic        start;
    logic        stop;
    logic        shutdown;
    logic        enabled;
    logic        run;
    logic        weighted;
    logic        weights_changed;
    weights_t    weights;
    coalescing_t coalescing;
  } enabling_t;

  // How it stands with the queues: the processor knows of this enabling, something makes CSTS.CFS rise, nothing is
  // under way to host memory.
  typedef struct packed {
    logic session;
    logic fault;
    logic quiet;
  } standing_t;

  // What the data path does in a cycle: beats of data from and to the host, descriptors that end, messages that go.
  typedef struct packed {
    logic from_host;
    logic to_host;
    logic done;
    logic done_fault;
    logic message;
  } data_watch_t;

  // What the hardware runs by itself: a read or a write begins, of so many sectors of 512 bytes; commands are under way.
  typedef struct packed {
    logic        read;
    logic        write;
    logic [19:0] sectors;
    logic        busy;
  } io_watch_t;

endpackage
