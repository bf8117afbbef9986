// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Executor of the commands that bring data from the chip.
//
// Contract, latency and reason: as execute_status.
module execute_read
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

  typedef enum logic [2:0] {
    First,   // 00, 05, 06 or 90
    Place,   // where in the page, or which register
    Again,   // 05 of JEDEC's change of column
    Column,
    Second,  // E0
    Data,
    Last
  } state_e;

  state_e state_d, state_q;
  logic at_data, is_id;

  // Steps without a command begin with their data.
  assign at_data = operation_i inside {ReadTransfer, FeaturesTransfer};
  assign is_id = operation_i == ReadId;
  assign beat_valid_o = run_i;

  always_comb begin
    state_d = First;
    beat_o  = release_way();
    unique case (state_q)
      First: begin
        unique case (operation_i)
          ChangeReadColumn:     beat_o = command(8'h05);
          ChangeReadColumnOnfi: beat_o = command(8'h06);
          ReadId:               beat_o = command(8'h90);
          default:              beat_o = command(8'h00);
        endcase
        state_d = operation_i == ChangeReadColumn ? Column : Place;
      end
      Place: begin
        beat_o = is_id ? beat(BeatAddress, AddressLow, WaitWhr) : place(AddressFull);
        if (is_id) state_d = Data;
        else state_d = operation_i == ChangeReadColumnJedec ? Again : Second;
      end
      Again: begin
        beat_o  = command(8'h05);
        state_d = Column;
      end
      Column: begin
        beat_o  = place(AddressColumn);
        state_d = Second;
      end
      Second: begin
        beat_o  = beat(BeatCommand, 8'he0, WaitCcs);
        state_d = Data;
      end
      Data: begin
        beat_o  = beat(BeatRead, is_id ? ReadRegisters : ReadWords, WaitNone);
        state_d = Last;
      end
      default: ;
    endcase
    if (state_q == First && at_data) begin
      beat_o  = beat(BeatRead, operation_i == ReadTransfer ? ReadWords : ReadFeature, WaitNone);
      state_d = Last;
    end
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
