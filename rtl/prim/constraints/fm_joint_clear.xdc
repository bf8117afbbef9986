# SPDX-License-Identifier: Apache-2.0
# Vivado, scoped to fm_joint_clear. fm_synchronizer.xdc belongs to it.
# A state changes once in a cycle of its clock: bits that differ by less on their way never show two changes as one.
set_bus_skew -from [get_cells u_in/state_gray_q_reg*] -to [get_cells u_out/u_peer/crossing_q_reg*] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports in_clk_i]]]
set_bus_skew -from [get_cells u_out/state_gray_q_reg*] -to [get_cells u_in/u_peer/crossing_q_reg*] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports out_clk_i]]]
