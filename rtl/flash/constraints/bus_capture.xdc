# SPDX-License-Identifier: Apache-2.0
# Vivado, scoped to bus_capture. fm_synchronizer.xdc belongs to it, and a create_clock for the strobe's pad.
# A count changes once in a cycle of the strobe.
set_bus_skew -from [get_cells falls_gray_q_reg*] -to [get_cells u_falls/crossing_q_reg*] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports strobe_i]]]
# A word is looked at two cycles of the clock behind the count that tells of it, or later. The last one stands still in the
# input cells by then.
set_max_delay -datapath_only -from [get_cells u_crossing/memory_q_reg*] -to [get_clocks -of_objects [get_ports clk_i]] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports clk_i]]]
set_max_delay -datapath_only -from [all_fanin -flat -startpoints_only [get_ports capture_i*]] \
    -to [get_clocks -of_objects [get_ports clk_i]] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports clk_i]]]
# The strobe stands still while these are reset.
set_false_path -to [get_pins {falls_q_reg*/CLR falls_gray_q_reg*/CLR}]
