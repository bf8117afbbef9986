// SPDX-License-Identifier: Apache-2.0

// What the rooms of flash_bus say to each other: beats of a step, states of the bus.
package fm_bus_pkg;

  typedef enum logic [2:0] {
    BeatCommand,  // a command byte, `code`
    BeatAddress,  // bytes of the address, `code` is one of Address*
    BeatWrite,    // data to the chip, `code` is one of Write*
    BeatRead,     // data from the chip, `code` is one of Read*
    BeatRelease   // the end: CE# high
  } kind_e;

  // What has to pass between a beat and whatever follows. `WaitWb` ends the step's turn with the
  // chip: the way is busy from here on, and nobody waits for it on the bus.
  typedef enum logic [2:0] {
    WaitNone,
    WaitAdl,
    WaitCcs,
    WaitWhr,
    WaitWb
  } wait_e;

  typedef struct packed {
    kind_e      kind;
    wait_e      then;  // wait behind it
    logic [7:0] code;
  } beat_t;

  // Bytes 0 and 1 are the column, 2 to 5 the row. In [2:0] the first one to be sent, in [5:3] the
  // last one, where 4 stands for the end of the row. After byte 1 comes byte 0 if that is the last.
  typedef enum logic [7:0] {
    AddressLow     = 8'o00,
    AddressHigh    = 8'o11,
    AddressHighLow = 8'o01,
    AddressColumn  = 8'o10,
    AddressRow     = 8'o42,
    AddressFull    = 8'o40
  } address_e;

  // Data: words of the stream; or register bytes, each twice in DDR: four of the row, packed into
  // words of the stream, one or four into the value of the step. Bit 0 tells that bytes are
  // registers.
  typedef enum logic [7:0] {
    WriteWords     = 8'b000,
    WriteRegisters = 8'b001
  } write_e;

  typedef enum logic [7:0] {
    ReadWords      = 8'b000,
    ReadRegisters  = 8'b001,
    ReadStatusByte = 8'b011,
    ReadFeature    = 8'b111
  } read_e;

  // What the bus does: the place of each state in `states_t`.
  typedef enum logic [3:0] {
    Idle,
    Turn,        // between two things; lasts until every wait is over
    Setup,       // a byte is on DQ, WE# still high
    Low,         // WE# is low
    WriteStart,  // DDR: preamble
    WriteData,
    WriteEnd,    // postamble
    ReadLow,     // SDR: RE# is low
    ReadStart,   // DDR: preamble
    ReadData,
    ReadEnd,     // postamble, and the last words come in
    Off          // CE# is high, strobes are still held
  } state_e;

  localparam int unsigned States = 12;

  // A bit for each state.
  typedef logic [States-1:0] states_t;

  function automatic states_t only(state_e state);
    return states_t'(1) << state;
  endfunction

  function automatic beat_t beat(kind_e kind, logic [7:0] code, wait_e then);
    return '{kind: kind, then: then, code: code};
  endfunction

  function automatic beat_t command(logic [7:0] code);
    return beat(BeatCommand, code, WaitNone);
  endfunction

  function automatic beat_t place(logic [7:0] code);
    return beat(BeatAddress, code, WaitNone);
  endfunction

  function automatic beat_t release_way();
    return beat(BeatRelease, '0, WaitNone);
  endfunction

endpackage
