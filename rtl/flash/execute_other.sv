// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Executor of the commands that move no data: resets, triggers of reads, erases, copyback.
//
// Contract, latency and reason: as execute_status.
module execute_other
  import fm_bus_pkg::*;
  import fm_flash_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       run_i,
    input  operation_e operation_i,
    output logic       beat_valid_o,
    input  logic       beat_ready_i,
    output beat_t      beat_o
);

  // A command is a byte, perhaps an address, perhaps a second byte. `then` comes behind the last.
  typedef struct packed {
    logic [7:0] first;
    logic       has_address;
    logic [7:0] address;
    logic       has_second;
    logic [7:0] second;
    wait_e      then;
  } sequence_t;

  typedef enum logic [1:0] {
    First,
    Place,
    Second,
    Last
  } state_e;

  function automatic sequence_t alone(logic [7:0] first, wait_e then);
    return '{first, 1'b0, '0, 1'b0, '0, then};
  endfunction

  function automatic sequence_t placed(logic [7:0] first, logic [7:0] address, wait_e then);
    return '{first, 1'b1, address, 1'b0, '0, then};
  endfunction

  function automatic sequence_t confirmed(logic [7:0] first, logic [7:0] address,
                                          logic [7:0] second);
    return '{first, 1'b1, address, 1'b1, second, WaitWb};
  endfunction

  sequence_t bytes;
  state_e state_d, state_q;

  assign beat_valid_o = run_i;

  // READ MODE and VOLUME SELECT leave the chip ready, so what follows has to be held back here.
  always_comb begin
    unique case (operation_i)
      Reset:                     bytes = alone(8'hff, WaitWb);
      SynchronousReset:          bytes = alone(8'hfc, WaitWb);
      ResetLun:                  bytes = placed(8'hfa, AddressRow, WaitWb);
      VolumeSelect:              bytes = placed(8'he1, AddressLow, WaitWhr);
      ReadTrigger:               bytes = confirmed(8'h00, AddressFull, 8'h30);
      ReadMultiPlane:            bytes = confirmed(8'h00, AddressFull, 8'h32);
      ReadCacheSequential:       bytes = alone(8'h31, WaitWb);
      ReadCacheRandom:           bytes = confirmed(8'h00, AddressFull, 8'h31);
      ReadCacheLast:             bytes = alone(8'h3f, WaitWb);
      CopybackRead:              bytes = confirmed(8'h00, AddressFull, 8'h35);
      CopybackProgram:           bytes = confirmed(8'h85, AddressFull, 8'h10);
      CopybackProgramMultiPlane: bytes = confirmed(8'h85, AddressFull, 8'h11);
      EraseBlock:                bytes = confirmed(8'h60, AddressRow, 8'hd0);
      EraseMultiPlaneOnfi:       bytes = confirmed(8'h60, AddressRow, 8'hd1);
      EraseMultiPlaneJedec:      bytes = placed(8'h60, AddressRow, WaitNone);
      ProgramConfirm:            bytes = alone(8'h10, WaitWb);
      ParameterPageTrigger:      bytes = placed(8'hec, AddressLow, WaitWb);
      UniqueIdTrigger:           bytes = placed(8'hed, AddressLow, WaitWb);
      FeaturesTrigger:           bytes = placed(8'hee, AddressLow, WaitWb);
      FeaturesLunTrigger:        bytes = placed(8'hd4, AddressHighLow, WaitWb);
      default:                   bytes = alone(8'h00, WaitWhr);  // ReadMode
    endcase
  end

  always_comb begin
    state_d = First;
    beat_o  = release_way();
    unique case (state_q)
      First: begin
        beat_o  = beat(BeatCommand, bytes.first, bytes.has_address ? WaitNone : bytes.then);
        state_d = bytes.has_address ? Place : Last;
      end
      Place: begin
        beat_o  = beat(BeatAddress, bytes.address, bytes.has_second ? WaitNone : bytes.then);
        state_d = bytes.has_second ? Second : Last;
      end
      Second: begin
        beat_o  = beat(BeatCommand, bytes.second, bytes.then);
        state_d = Last;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= First;
    end else if (run_i && beat_ready_i) begin
      state_q <= state_d;
    end
  end

  `FM_ASSERT_STREAM(u_assert_beat, beat_valid_o, beat_ready_i, beat_o)

endmodule
