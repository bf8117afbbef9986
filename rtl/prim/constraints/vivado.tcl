# SPDX-License-Identifier: Apache-2.0
# Adds the constraints of this folder to a Vivado project, each scoped to the module that it is named for: once per instance,
# behind the constraints that define clocks, and not in synthesis, which has no registers yet. Does nothing in other tools.
if {[info commands read_xdc] eq ""} return
foreach fm_file [lsort [glob -directory [file dirname [file normalize [info script]]] *.xdc]] {
    add_files -fileset constrs_1 -norecurse $fm_file
    set_property SCOPED_TO_REF [file rootname [file tail $fm_file]] [get_files $fm_file]
    set_property PROCESSING_ORDER LATE [get_files $fm_file]
    set_property USED_IN_SYNTHESIS false [get_files $fm_file]
}
