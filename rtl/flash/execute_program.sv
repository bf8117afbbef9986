// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Executor of the commands that send data to the chip.
//
// Contract, latency and reason: as execute_status. `next_plane_i` asks for JEDEC's 81h instead of
// 80h.
module execute_program
  import fm_bus_pkg::*;
  import fm_flash_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       run_i,
    input  operation_e operation_i,
    input  logic       next_plane_i,
    output logic       beat_valid_o,
    input  logic       beat_ready_i,
    output beat_t      beat_o
);

  typedef struct packed {
    logic [7:0] first;
    logic [7:0] address;
    wait_e      before_data;
    logic       registers;
    logic       has_confirm;
    logic [7:0] confirm;
  } sequence_t;

  typedef enum logic [2:0] {
    First,
    Place,
    Data,
    Confirm,
    Last
  } state_e;

  function automatic sequence_t confirmed(logic next_plane, logic [7:0] confirm);
    return '{next_plane ? 8'h81 : 8'h80, AddressFull, WaitAdl, 1'b0, 1'b1, confirm};
  endfunction

  function automatic sequence_t loaded(logic [7:0] first, logic [7:0] address, wait_e before_data);
    return '{first, address, before_data, 1'b0, 1'b0, '0};
  endfunction

  function automatic sequence_t set(logic [7:0] first, logic [7:0] address);
    return '{first, address, WaitAdl, 1'b1, 1'b0, '0};
  endfunction

  sequence_t bytes;
  state_e state_d, state_q;

  assign beat_valid_o = run_i;

  always_comb begin
    unique case (operation_i)
      ProgramPage:       bytes = confirmed(next_plane_i, 8'h10);
      ProgramMultiPlane: bytes = confirmed(next_plane_i, 8'h11);
      ProgramCache:      bytes = confirmed(next_plane_i, 8'h15);
      ProgramPart:       bytes = confirmed(next_plane_i, 8'h1a);
      ChangeWriteColumn: bytes = loaded(8'h85, AddressColumn, WaitCcs);
      ChangeRowAddress:  bytes = loaded(8'h85, AddressFull, WaitCcs);
      SetFeatures:       bytes = set(8'hef, AddressLow);
      SetFeaturesLun:    bytes = set(8'hd5, AddressHighLow);
      OdtConfigure:      bytes = set(8'he2, AddressHigh);
      default:           bytes = loaded(next_plane_i ? 8'h81 : 8'h80, AddressFull, WaitAdl);
    endcase
  end

  always_comb begin
    state_d = First;
    beat_o  = release_way();
    unique case (state_q)
      First: begin
        beat_o  = command(bytes.first);
        state_d = Place;
      end
      Place: begin
        beat_o  = beat(BeatAddress, bytes.address, bytes.before_data);
        state_d = Data;
      end
      Data: begin
        beat_o = bytes.registers ? beat(BeatWrite, WriteRegisters, WaitWb) :
                                   beat(BeatWrite, WriteWords, WaitNone);
        state_d = bytes.has_confirm ? Confirm : Last;
      end
      Confirm: begin
        beat_o  = beat(BeatCommand, bytes.confirm, WaitWb);
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
