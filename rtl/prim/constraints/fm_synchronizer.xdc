# SPDX-License-Identifier: Apache-2.0
# Vivado, scoped to fm_synchronizer: what comes from another clock takes a cycle of this one at most. Not a false path, which
# would outrank what holds the bits of a count together.
set_max_delay -datapath_only \
    -from [all_fanin -flat -startpoints_only [get_pins crossing_q_reg*/D]] -to [get_pins crossing_q_reg*/D] \
    [get_property -min PERIOD [get_clocks -of_objects [get_ports clk_i]]]
