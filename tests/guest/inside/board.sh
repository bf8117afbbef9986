# What any board has to do for a Linux.
. /checks/identify.sh
. /checks/filesystems.sh
. /checks/workloads.sh
. /checks/commands.sh
. /checks/resets.sh
. /checks/messages.sh

check ext4 ext4
check fio-verify-random verify_random 2m
check fio-verify-sequential verify_sequential 4m
check discard discard
check compare compare
check verify verify
check flush flush
check kernel-has-no-complaints no_complaints
check controller-reset-during-io controller_reset
check no-time-outs no_timeouts
