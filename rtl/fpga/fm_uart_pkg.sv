// SPDX-License-Identifier: Apache-2.0

// The frames on the serial line between a computer and the controller: docs/spec/uart-host.md.
package fm_uart_pkg;

  localparam logic [7:0] RequestMark = 8'hA5;
  localparam logic [7:0] AnswerMark = 8'h5A;

  localparam logic [7:0] Read = 8'h01;
  localparam logic [7:0] Write = 8'h02;

  // Words of a frame at most.
  localparam int unsigned Words = 64;
  localparam int unsigned WordBits = $clog2(Words);

  typedef enum logic [7:0] {
    Done,
    // An operation, a number of words or an address that there is not.
    Refused,
    // The check sum is wrong, a byte has no stop bit, or the line fell silent.
    Garbled
  } status_e;

  typedef struct packed {
    logic [7:0]  operation;
    logic [7:0]  sequence_number;
    logic [7:0]  count;
    logic [31:0] address;
  } request_t;

  typedef struct packed {
    logic [7:0] operation;
    logic [7:0] sequence_number;
    status_e    status;
    logic [7:0] count;
  } answer_t;

  // A word that the computer reads or writes.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [31:0] address;
    logic [31:0] data;
  } access_t;

  // CRC-16/IBM-3740: polynomial 0x1021, from 0xffff on, the highest bit first.
  localparam logic [15:0] CrcStart = 16'hFFFF;

  function automatic logic [15:0] crc(logic [15:0] sum, logic [7:0] data);
    logic [15:0] value;
    value = sum ^ {data, 8'h00};
    for (int unsigned i = 0; i < 8; i++) value = {value[14:0], 1'b0} ^ (value[15] ? 16'h1021 : 16'h0000);
    return value;
  endfunction

endpackage
