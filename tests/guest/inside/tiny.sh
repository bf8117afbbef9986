# What the tiny firmware has to do for a Linux. It has neither Compare, nor Write Zeroes, nor Dataset Management.
. /checks/identify.sh
. /checks/filesystems.sh
. /checks/workloads.sh
. /checks/commands.sh
. /checks/resets.sh
. /checks/messages.sh

check ext4 ext4
check fio-verify-random verify_random 2m
check fio-verify-sequential verify_sequential 4m
check flush flush
check kernel-has-no-complaints no_complaints
check controller-reset-during-io controller_reset
check no-time-outs no_timeouts
