# A drive whose host places its data: nvme-cli knows the commands, and Linux passes them through.
. /checks/filesystems.sh
. /checks/workloads.sh
. /checks/commands.sh
. /checks/resets.sh
. /checks/messages.sh

handles=4

# status: what the reclaim unit of each handle still takes, in blocks.
status() {
	nvme fdp status $drive --raw-binary >handles
	for handle in $(seq 0 $((handles - 1))); do
		number handles $((16 + 32 * handle + 8)) 8
	done | xargs
}

# write_to HANDLE BLOCK: 64 KiB of a pattern, into flash.
write_to() {
	nvme write $drive --start-block=$2 --block-count=15 --data-size=65536 --data=pattern --dir-type=2 --dir-spec=$1
	nvme flush $drive
}

configured() {
	settle
	nvme fdp configs $controller --endgrp-id=1
	nvme get-log $controller --log-id=0x20 --lsi=1 --log-len=96 --raw-binary >log
	same "$(number log 24 2) $(number log 26 2)" "$handles $((handles - 1))" "handles, and identifiers less one"
	same "$(number log 18 1) $(number log 20)" "128 1" "attributes and reclaim groups"
	unit=$(number log 32 8)
	nvme get-feature $controller --feature-id=0x1d --cdw11=1 >said
	cat said
	grep -qi 'current value: *\(0x\)\?0*1$' said
	nvme id-ctrl $controller >ctrl
	same "$(($(field ctratt <ctrl) & 0x80010))" $((0x80010)) "attributes of the controller"
	same "$(status)" "$(for handle in $(seq $handles); do echo $((unit / 4096)); done | xargs)" "blocks of new reclaim units"
}

used() {
	nvme fdp usage $controller --endgrp-id=1
	nvme get-log $controller --log-id=0x21 --lsi=1 --log-len=64 --raw-binary >log
	same "$(number log 0 2)" $handles handles
	same "$(number log 8 1) $(number log 16 1)" "1 1" "who specifies the first two"
}

written() {
	pattern 31
	set -- $(status)
	write_to 2 5000
	same "$(status)" "$1 $2 $(($3 - 16)) $4" "blocks left after a write of 16"
	write_to 3 6000
	write_to 9 7000
	same "$(status)" "$(($1 - 16)) $2 $(($3 - 16)) $(($4 - 16))" "blocks left after two more, one of a handle that there is not"
	for block in 5000 6000 7000; do
		at $block
		cmp found pattern
	done
	nvme fdp stats $controller --endgrp-id=1
	nvme get-log $controller --log-id=0x22 --lsi=1 --log-len=64 --raw-binary >log
	same "$(number log 0 8)" 196608 "bytes that the host has written"
}

updated() {
	pattern 33
	nvme fdp set-events $drive --placement-handle=1 --enable --event-types=0
	write_to 1 8000
	nvme get-log $controller --log-id=0x20 --lsi=1 --log-len=96 --raw-binary >log
	full=$(($(number log 32 8) / 4096))
	set -- $(status)
	same "$2" $((full - 16)) "blocks left"
	nvme fdp update $drive --pids=1
	same "$(status)" "$1 $full $3 $4" "blocks left after an update"
	refused 0x6002 nvme fdp update $drive --pids=$handles
	nvme fdp events $controller --endgrp-id=1 --host-events
	nvme get-log $controller --log-id=0x23 --lsi=1 --lsp=1 --log-len=128 --raw-binary >log
	same "$(number log) $(number log 64 1) $(number log 66 2)" "1 0 1" "events: how many, the kind, the identifier"
	at 8000
	cmp found pattern
}

check fdp-configuration configured
check fdp-usage used
check fdp-writes written
check fdp-update-and-events updated
check ext4 ext4
check fio-verify-random verify_random 4m
check kernel-has-no-complaints no_complaints
check controller-reset-during-io controller_reset
check no-time-outs no_timeouts
