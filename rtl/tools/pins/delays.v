// SPDX-License-Identifier: Apache-2.0

// Cells of a netlist of Yosys as cells with delays, in picoseconds: registers of 300 and 340 behind their edges, gates of 40.
(* techmap_celltype = "$_DFF_PN0_" *)
module map_rise_0 (input D, C, R, output Q);
  pin_register #(.Rise(1), .Value(0), .Delay(300)) _TECHMAP_REPLACE_ (.d(D), .c(C), .r(R), .q(Q));
endmodule
(* techmap_celltype = "$_DFF_PN1_" *)
module map_rise_1 (input D, C, R, output Q);
  pin_register #(.Rise(1), .Value(1), .Delay(300)) _TECHMAP_REPLACE_ (.d(D), .c(C), .r(R), .q(Q));
endmodule
(* techmap_celltype = "$_DFF_NN0_" *)
module map_fall_0 (input D, C, R, output Q);
  pin_register #(.Rise(0), .Value(0), .Delay(340)) _TECHMAP_REPLACE_ (.d(D), .c(C), .r(R), .q(Q));
endmodule
(* techmap_celltype = "$_DFF_NN1_" *)
module map_fall_1 (input D, C, R, output Q);
  pin_register #(.Rise(0), .Value(1), .Delay(340)) _TECHMAP_REPLACE_ (.d(D), .c(C), .r(R), .q(Q));
endmodule
(* techmap_celltype = "$_MUX_" *)
module map_mux (input A, B, S, output Y);
  pin_mux _TECHMAP_REPLACE_ (.a(A), .b(B), .s(S), .y(Y));
endmodule
(* techmap_celltype = "$_XOR_" *)
module map_xor (input A, B, output Y);
  pin_xor _TECHMAP_REPLACE_ (.a(A), .b(B), .y(Y));
endmodule
