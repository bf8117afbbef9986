// What the rooms of a flash channel say to each other: operations, requests, steps, completions,
// and the choices of the registers.
//
// A *request* is what firmware asks for; a *step* is one turn on the bus. A whole operation (READ,
// PROGRAM, ERASE, ...) becomes several steps; every other request is one step. docs/spec/flash-packets.md
// has the words in which requests and responses come and go.
package flash_pkg;

  // Bits 6:5 of an operation name the executor: one for each command group of OCOWFC.
  typedef enum logic [1:0] {
    GroupStatus,
    GroupOther,
    GroupRead,
    GroupProgram
  } group_e;

  // Comments give the bytes on the bus. C is a byte of the column, R one of the row, F the feature
  // address, L the LUN; {} is data. The number of R is that of `row_bytes`.
  typedef enum logic [6:0] {
    // One byte comes back.
    ReadStatus                 = 7'h00, // 70 {1}
    ReadStatusEnhanced         = 7'h01, // 78 RRR {1}
    // No data moves.
    Reset                      = 7'h20, // FF
    SynchronousReset           = 7'h21, // FC
    ResetLun                   = 7'h22, // FA RRR
    VolumeSelect               = 7'h23, // E1 C
    ReadMode                   = 7'h24, // 00
    ReadTrigger                = 7'h25, // 00 CC RRR 30
    ReadMultiPlane             = 7'h26, // 00 CC RRR 32
    ReadCacheSequential        = 7'h27, // 31
    ReadCacheRandom            = 7'h28, // 00 CC RRR 31
    ReadCacheLast              = 7'h29, // 3F
    CopybackRead               = 7'h2a, // 00 CC RRR 35
    CopybackProgram            = 7'h2b, // 85 CC RRR 10
    CopybackProgramMultiPlane  = 7'h2c, // 85 CC RRR 11
    EraseBlock                 = 7'h2d, // 60 RRR D0
    EraseMultiPlaneOnfi        = 7'h2e, // 60 RRR D1
    EraseMultiPlaneJedec       = 7'h2f, // 60 RRR
    ProgramConfirm             = 7'h30, // 10
    ParameterPageTrigger       = 7'h31, // EC C
    UniqueIdTrigger            = 7'h32, // ED C
    FeaturesTrigger            = 7'h33, // EE F
    FeaturesLunTrigger         = 7'h34, // D4 L F
    Erase                      = 7'h3f, // whole
    // Data comes from the chip.
    ReadTransfer               = 7'h40, // {length}
    ChangeReadColumn           = 7'h41, // 05 CC E0 {length}
    ChangeReadColumnOnfi       = 7'h42, // 06 CC RRR E0 {length}
    ChangeReadColumnJedec      = 7'h43, // 00 CC RRR 05 CC E0 {length}
    ReadId                     = 7'h44, // 90 C {length}, register bytes
    FeaturesTransfer           = 7'h45, // {4}, register bytes, into the value of the response
    Read                       = 7'h58, // whole
    ReadParameterPage          = 7'h59, // whole
    ReadUniqueId               = 7'h5a, // whole
    GetFeatures                = 7'h5b, // whole
    GetFeaturesLun             = 7'h5c, // whole
    // Data goes to the chip.
    ProgramPage                = 7'h60, // 80 CC RRR {length} 10
    ProgramMultiPlane          = 7'h61, // 80 CC RRR {length} 11
    ProgramCache               = 7'h62, // 80 CC RRR {length} 15
    ProgramPart                = 7'h63, // 80 CC RRR {length} 1A, a page of a one-shot program
    ProgramLoad                = 7'h64, // 80 CC RRR {length}
    ChangeWriteColumn          = 7'h65, // 85 CC {length}
    ChangeRowAddress           = 7'h66, // 85 CC RRR {length}
    SetFeatures                = 7'h67, // EF F {4}, register bytes, from the row of the request
    SetFeaturesLun             = 7'h68, // D5 L F {4}, the same
    OdtConfigure               = 7'h69, // E2 L {4}, the same
    Program                    = 7'h78, // whole
    ProgramOneShot             = 7'h79  // whole: three requests, a word line of three pages
  } operation_e;

  // A request as firmware writes it, 144 bits of five words.
  typedef struct packed {
    logic [31:0] spare;      // first word of the metadata behind the data, if `metadata`
    logic [15:0] buffer;     // buffer entry
    logic [15:0] length;     // bytes of user data, even
    logic [15:0] column;     // first byte in the page; feature address in [7:0], LUN in [15:8]
    logic [31:0] row;        // row as the chip counts: LUN, block, page; P1 to P4 of features
    logic        silent;     // gives no response
    logic        plain;      // neither scrambled nor descrambled
    logic        bypass;     // neither encoded nor decoded
    logic        metadata;   // four bytes of metadata follow the data
    logic        irq_on_error;  // interrupt condition: only if it did not succeed
    logic        irq;        // interrupt request
    logic        urgent;     // of high priority
    logic [ 2:0] stream;     // order is kept within a stream
    logic [ 7:0] tag;        // comes back in the response
    logic [ 3:0] way;
    logic [ 2:0] reserved;   // zero
    logic [ 6:0] operation;  // operation_e
  } request_t;

  typedef enum logic [2:0] {
    Success,
    Failed,         // the chip reports a failed program or erase
    Uncorrectable,  // a chunk is beyond correction
    TimedOut,       // the chip, the buffer or a partner did not come in time
    Refused         // no such operation, way or length
  } outcome_e;

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
    logic [31:0] spare;
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
    logic [ 3:0] most;          // most bits corrected in a chunk
    logic [ 7:0] lost;          // chunks beyond correction
    logic [31:0] value;         // metadata of a page read; status byte; four bytes of a feature
  } completion_t;

  // What firmware gets back, 96 bits of three words.
  typedef struct packed {
    logic [31:0] value;
    logic [ 7:0] reserved1;
    logic [ 7:0] lost;
    logic [ 3:0] most;
    logic [11:0] corrected;
    logic [11:0] reserved0;
    logic        erased;
    logic        irq_pending;
    outcome_e    outcome;
    logic [ 2:0] stream;
    logic [ 3:0] way;
    logic [ 7:0] tag;
  } response_t;

  typedef enum logic [1:0] {
    OutOfOrder,   // ways are independent (Ozone 4.2, OCOWFC)
    Decoupled,    // initiations in order, completions in order
    Sequential,   // one operation at a time
    InOrder       // one step at a time, as firmware sends them (Cosmos+)
  } model_e;

  // Policies of the scheduler.
  typedef struct packed {
    model_e      model;
    logic        merge_planes;         // whole operations on other planes go together
    logic        merge_cache_read;     // reads that follow each other use cache mode
    logic        merge_cache_program;  // programs likewise
    logic        jedec;                // JEDEC instead of ONFI multi-plane commands
    logic [ 1:0] plane_bits;           // planes of a LUN, as a power of two: 0 to 2
    logic [ 4:0] plane_shift;          // lowest bit of the plane in a row
    logic [ 4:0] lun_shift;            // lowest bit of the LUN in a row
    logic [ 4:0] low_ways;             // F-RSVP(l): ways that requests of low priority may occupy
    logic [15:0] busy_timeout;         // longest busy time, in units of 256 cycles; 0 is for ever
  } scheduler_config_t;

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
