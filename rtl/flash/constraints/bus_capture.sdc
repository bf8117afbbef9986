# SPDX-License-Identifier: Apache-2.0
# For tools that read SDC, behind crossings.sdc. In front of it belong:
#   set fm_crossing_ns    the shortest period of the clocks that meet, in ns
#   set fm_flash_clock    the clock of the channels
#   set fm_strobe_clocks  the clocks that were created at the chips' strobes
# The last word of a burst stands still in the input cells when it is looked at; these are the cells of flash_pins. Towards the
# strobe goes a reset, and the strobe stands still until it has ended.
set_max_delay $fm_crossing_ns -from [get_cells -hierarchical {*u_capture?rise_q* *u_capture?fall_q*}] -to [get_clocks $fm_flash_clock]
set_false_path -hold -from [get_cells -hierarchical {*u_capture?rise_q* *u_capture?fall_q*}] -to [get_clocks $fm_flash_clock]
set_false_path -from [get_clocks $fm_flash_clock] -to [get_clocks $fm_strobe_clocks]
