# SPDX-License-Identifier: Apache-2.0
# For tools that read SDC and whose cells have their path as a name. In front of it belong:
#   set fm_crossing_ns   the shortest period of the clocks that meet, in ns
#   set fm_reset_ports   the ports that reset fm_reset_sync, as "rst_ni"
# Neither side of a crossing knows the other's edges, so nothing is held for a minimum.
set_max_delay $fm_crossing_ns -from [all_clocks] -to [get_cells -hierarchical *crossing_q*]
set_false_path -hold -from [all_clocks] -to [get_cells -hierarchical *crossing_q*]
set_max_delay $fm_crossing_ns -from [get_cells -hierarchical *u_crossing?memory_q*]
set_false_path -hold -from [get_cells -hierarchical *u_crossing?memory_q*]
set_false_path -from [get_ports $fm_reset_ports]
