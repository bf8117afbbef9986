# A drive with a namespace of zones: Linux takes it as a host-managed zoned device, and util-linux, nvme-cli, fio and btrfs use its zones.
. /checks/filesystems.sh
. /checks/commands.sh
. /checks/resets.sh
. /checks/messages.sh

queue=/sys/block/nvme0n1/queue

# zone NUMBER: what blkzone tells of the zone, in one line.
zone() {
	blkzone report -o $(($1 * sectors)) -c 1 $drive
}

# pointer NUMBER: sectors that are written of the zone.
pointer() {
	echo $(($(zone $1 | sed -n 's/.*wptr \(0x[0-9a-f]*\).*/\1/p')))
}

# condition NUMBER: the state of the zone, as blkzone abbreviates it.
condition() {
	zone $1 | sed -n 's/.*zcond: *[0-9]*(\([a-z]*\)).*/\1/p'
}

# put_in ZONE BLOCK: 64 KiB of the pattern, at a block of the zone.
put_in() {
	dd if=pattern of=$drive bs=64k count=1 seek=$(($1 * sectors * 512 + $2 * 4096)) oflag=direct,seek_bytes 2>&1
}

described() {
	same "$(cat $queue/zoned)" host-managed "kind of device"
	same "$(cat $queue/chunk_sectors)" "$sectors" "sectors of a zone"
	same "$(cat $queue/nr_zones)" "$(cat /sys/block/nvme0n1/size | awk -v zone=$sectors '{ print $1 / zone }')" zones
	same "$(cat $queue/max_open_zones) $(cat $queue/max_active_zones)" "14 14" "open and active zones"
	[ "$(cat $queue/zone_append_max_bytes)" -gt 0 ]
	nvme zns id-ns $drive
	nvme zns id-ctrl $controller
	nvme zns report-zones $drive -d 4
	same "$(blkzone report $drive | wc -l)" "$(cat $queue/nr_zones)" "lines of a report"
}

in_order() {
	pattern 11
	put_in 3 0
	put_in 3 16
	same "$(pointer 3) $(condition 3)" "256 oi" "write pointer and state after two writes"
	dd if=$drive of=found bs=64k count=1 skip=$((3 * sectors * 512 + 65536)) iflag=direct,skip_bytes
	cmp found pattern
	! nvme write $drive --start-block=$((3 * sectors / 8 + 64)) --block-count=15 --data-size=65536 --data=pattern
	same "$(pointer 3)" 256 "write pointer after a write beyond it"
	blkzone reset -o $((3 * sectors)) -c 1 $drive
	same "$(pointer 3) $(condition 3)" "0 em" "write pointer and state after a reset"
	dd if=$drive of=found bs=64k count=1 skip=$((3 * sectors * 512)) iflag=direct,skip_bytes
	cmp found zeroes
}

appended() {
	pattern 13
	for block in 0 16 32; do
		nvme zns zone-append $drive --zslba=$((5 * sectors / 8)) --data-size=65536 --data=pattern >said
		cat said
		grep -qi "$(printf '%x' $((5 * sectors / 8 + block)))" said
	done
	same "$(pointer 5)" 384 "write pointer after three appends"
	dd if=$drive of=found bs=64k count=1 skip=$((5 * sectors * 512 + 131072)) iflag=direct,skip_bytes
	cmp found pattern
}

# Each action has its state, and one zone more than may be open is refused.
managed() {
	blkzone reset $drive
	blkzone open -o 0 -c 14 $drive
	same "$(condition 0) $(condition 13)" "oe oe" "states of zones that were opened"
	! blkzone open -o $((14 * sectors)) -c 1 $drive
	blkzone close -o 0 -c 1 $drive
	same "$(condition 0)" cl "state of a zone that was closed"
	put_in 0 0
	same "$(condition 0)" oi "state of a closed zone that was written"
	blkzone finish -o 0 -c 1 $drive
	same "$(condition 0)" fu "state of a zone that was finished"
	blkzone reset $drive
	same "$(condition 0) $(condition 13)" "em em" "states after a reset of all zones"
}

zoned_fio() {
	fio --name=v --filename=$drive --direct=1 --zonemode=zbd --ioengine=io_uring --rw=write --bs=64k --iodepth=8 \
		--size=$((3 * sectors * 512)) --verify=crc32c --verify_fatal=1 --output=result
	cat result
	grep -q 'err= 0' result
	grep -q ' READ: ' result
	fio --name=w --filename=$drive --direct=1 --zonemode=zbd --ioengine=libaio --rw=randwrite --bs=16k --iodepth=4 \
		--size=$((20 * sectors * 512)) --max_open_zones=8 --io_size=64m --output=result
	cat result
	grep -q 'err= 0' result
	blkzone reset $drive
}

zoned_btrfs() {
	for module in /lib/btrfs/*.ko; do
		insmod "$module"
	done
	lives_on btrfs "mkfs.btrfs -q -f -O zoned -d single -m single" "btrfs check --readonly"
	blkzone reset $drive
}

zoned_reset() {
	pattern 17
	put_in 7 0
	fio --name=busy --filename=$drive --direct=1 --zonemode=zbd --ioengine=libaio --rw=write --bs=64k --iodepth=4 \
		--offset=$((8 * sectors * 512)) --size=$((4 * sectors * 512)) --time_based --runtime=4 --continue_on_error=all --output=/dev/null &
	sleep 1
	nvme reset $controller
	nvme reset $controller
	settle
	wait
	same "$(cat /sys/class/nvme/nvme0/state)" live state
	same "$(pointer 7)" 128 "write pointer after resets of the controller"
	put_in 7 16
	dd if=$drive of=found bs=64k count=1 skip=$((7 * sectors * 512 + 65536)) iflag=direct,skip_bytes
	cmp found pattern
}

settle
sectors=$(cat $queue/chunk_sectors)
check zoned-device described
check zoned-writes-in-order in_order
check zoned-append appended
check zoned-fio-verify zoned_fio
check zoned-btrfs zoned_btrfs
check kernel-has-no-complaints no_complaints
check zoned-management managed
check zoned-controller-reset zoned_reset
check no-time-outs no_timeouts
