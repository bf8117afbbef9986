# SPDX-License-Identifier: Apache-2.0
# Vivado, scoped to fm_reset_sync: the reset from outside belongs to no clock. What leaves is timed as always.
set_false_path -to [get_pins {crossing_q_reg/CLR settled_q_reg/CLR}]
