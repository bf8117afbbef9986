// SPDX-License-Identifier: Apache-2.0

// Made by rtl/tools/registers.py of rtl/flash/flash_channel.rdl; `make registers` makes it anew.
//
// Inside `fm_flash_pkg`.

  typedef enum logic [6:0] {
    ReadStatus                = 7'h00,  // 70 {1}
    ReadStatusEnhanced        = 7'h01,  // 78 RRR {1}
    Reset                     = 7'h20,  // FF
    SynchronousReset          = 7'h21,  // FC
    ResetLun                  = 7'h22,  // FA RRR
    VolumeSelect              = 7'h23,  // E1 C
    ReadMode                  = 7'h24,  // 00
    ReadTrigger               = 7'h25,  // 00 CC RRR 30
    ReadMultiPlane            = 7'h26,  // 00 CC RRR 32
    ReadCacheSequential       = 7'h27,  // 31
    ReadCacheRandom           = 7'h28,  // 00 CC RRR 31
    ReadCacheLast             = 7'h29,  // 3F
    CopybackRead              = 7'h2a,  // 00 CC RRR 35
    CopybackProgram           = 7'h2b,  // 85 CC RRR 10
    CopybackProgramMultiPlane = 7'h2c,  // 85 CC RRR 11
    EraseBlock                = 7'h2d,  // 60 RRR D0
    EraseMultiPlaneOnfi       = 7'h2e,  // 60 RRR D1
    EraseMultiPlaneJedec      = 7'h2f,  // 60 RRR
    ProgramConfirm            = 7'h30,  // 10
    ParameterPageTrigger      = 7'h31,  // EC C
    UniqueIdTrigger           = 7'h32,  // ED C
    FeaturesTrigger           = 7'h33,  // EE F
    FeaturesLunTrigger        = 7'h34,  // D4 L F
    Erase                     = 7'h3f,  // whole
    ReadTransfer              = 7'h40,  // {length}
    ChangeReadColumn          = 7'h41,  // 05 CC E0 {length}
    ChangeReadColumnOnfi      = 7'h42,  // 06 CC RRR E0 {length}
    ChangeReadColumnJedec     = 7'h43,  // 00 CC RRR 05 CC E0 {length}
    ReadId                    = 7'h44,  // 90 C {length}
    FeaturesTransfer          = 7'h45,  // {4}
    Read                      = 7'h58,  // whole
    ReadParameterPage         = 7'h59,  // whole
    ReadUniqueId              = 7'h5a,  // whole
    GetFeatures               = 7'h5b,  // whole
    GetFeaturesLun            = 7'h5c,  // whole
    ProgramPage               = 7'h60,  // 80 CC RRR {length} 10
    ProgramMultiPlane         = 7'h61,  // 80 CC RRR {length} 11
    ProgramCache              = 7'h62,  // 80 CC RRR {length} 15
    ProgramPart               = 7'h63,  // 80 CC RRR {length} 1A
    ProgramLoad               = 7'h64,  // 80 CC RRR {length}
    ChangeWriteColumn         = 7'h65,  // 85 CC {length}
    ChangeRowAddress          = 7'h66,  // 85 CC RRR {length}
    SetFeatures               = 7'h67,  // EF F {4}
    SetFeaturesLun            = 7'h68,  // D5 L F {4}
    OdtConfigure              = 7'h69,  // E2 L {4}
    Program                   = 7'h78,  // whole
    ProgramOneShot            = 7'h79   // whole
  } operation_e;

  typedef enum logic [2:0] {
    Success       = 3'h0,  // Done.
    Failed        = 3'h1,  // The chip reports a failed program or erase, or does not report that it has ended.
    Uncorrectable = 3'h2,  // A chunk is beyond correction, or the buffer has not got all of the page.
    TimedOut      = 3'h3,  // The chip, the buffer or a partner did not come in time, or data to be programmed came with an error.
    Refused       = 3'h4,  // No such operation, way or length.
    GivenBack     = 3'h5   // Not begun: its queue was full, or its way gives back. Nothing was done.
  } outcome_e;

  typedef enum logic [1:0] {
    OutOfOrder = 2'h0,  // Ways are independent (Ozone 4.2, OCOWFC).
    Decoupled  = 2'h1,  // Initiations in order, completions in order.
    Sequential = 2'h2,  // One operation at a time.
    InOrder    = 2'h3   // One step at a time, as firmware sends them (Cosmos+).
  } model_e;

  // What firmware asks for. 112 bits of 4 words.
  typedef struct packed {
    logic [15:0] buffer;        // Buffer entry.
    logic [15:0] length;        // Bytes of user data, even.
    logic [15:0] column;        // First byte in the page. Feature address in 7:0, LUN in 15:8.
    logic [31:0] row;           // Row as the chip counts: LUN, block, page. P1 to P4 of features, P1 lowest.
    logic        silent;        // Gives no response.
    logic        plain;         // Neither scrambled nor descrambled.
    logic        bypass;        // Neither encoded nor decoded.
    logic        metadata;      // Metadata follow the data, in the buffer entry and in the page.
    logic        irq_on_error;  // Interrupt condition: only if it did not succeed.
    logic        irq;           // Interrupt request.
    logic        urgent;        // Of high priority.
    logic [ 2:0] stream;        // Order is kept within a stream.
    logic [ 7:0] tag;           // Comes back in the response.
    logic [ 3:0] way;           // Way.
    logic [ 2:0] reserved;      // Zero.
    logic [ 6:0] operation;     // What to do.
  } request_t;

  // How a request ended. 96 bits of 3 words.
  typedef struct packed {
    logic [31:0] value;        // Status byte; four bytes of a feature.
    logic [ 7:0] most;         // Most bits corrected in a chunk.
    logic [ 7:0] lost;         // Chunks beyond correction.
    logic [ 3:0] reserved1;    // Zero.
    logic [11:0] corrected;    // Bits corrected in the page.
    logic        valid;        // One in every response. A window without a response reads as zero.
    logic [10:0] reserved0;    // Zero.
    logic        erased;       // The page was erased.
    logic        irq_pending;  // Its interrupt is pending.
    outcome_e    outcome;      // How it ended.
    logic [ 2:0] stream;       // Of the request.
    logic [ 3:0] way;          // Of the request.
    logic [ 7:0] tag;          // Of the request.
  } response_t;
