# SPDX-License-Identifier: Apache-2.0
# Vivado, scoped to fm_fifo_async. fm_synchronizer.xdc belongs to it.
# A count changes once in a cycle of its clock: bits that differ by less on their way never show two changes as one.
set_bus_skew -from [get_cells written_gray_q_reg*] -to [get_cells u_written_seen/crossing_q_reg*] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports in_clk_i]]]
set_bus_skew -from [get_cells read_gray_q_reg*] -to [get_cells u_read_seen/crossing_q_reg*] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports out_clk_i]]]
# A beat is looked at two cycles of the reader behind the count that tells of it, or later.
set_max_delay -datapath_only -from [get_cells u_crossing/memory_q_reg*] -to [get_clocks -of_objects [get_ports out_clk_i]] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports out_clk_i]]]
