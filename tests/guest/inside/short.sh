# What fits into a minute.
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
check write-zeroes write_zeroes
check compare compare
check verify verify
check flush flush
check unknown-opcodes unknown_opcodes
check out-of-range-lbas out_of_range
check wrong-fields wrong_fields
check kernel-has-no-complaints no_complaints
check controller-reset-during-io controller_reset
check no-time-outs no_timeouts
keep
sync
