# A drive in hardware that is simulated cycle by cycle: a little of everything, then a reboot of the guest.
. /checks/identify.sh
. /checks/workloads.sh
. /checks/commands.sh
. /checks/resets.sh
. /checks/messages.sh

# leaves: some files of several sizes, half a megabyte in all.
leaves() {
	mkdir -p /tmp/leaves
	for leaf in $(seq 40); do
		printf "%0$((leaf * 600))d" $leaf >/tmp/leaves/$leaf
	done
}

# A file system that is made, filled, checked and compared.
small_ext4() {
	leaves
	/usr/sbin/mke2fs -q -F -t ext4 $drive
	mount -t ext4 $drive /mnt
	cp -a /tmp/leaves /mnt/first
	umount /mnt
	e2fsck -f -n $drive
	mount -t ext4 $drive /mnt
	diff -r /tmp/leaves /mnt/first
	rm -r /mnt/first
	cp -a /tmp/leaves /mnt/second
	umount /mnt
}

small_trim() {
	mount -t ext4 $drive /mnt
	/usr/sbin/fstrim -v /mnt >said
	cat said
	grep -q '([1-9][0-9]* bytes) trimmed' said
	umount /mnt
	e2fsck -f -n $drive
}

# I/O in the background of a reset, which may fail.
busy() {
	fio --name=busy --filename=$drive --direct=1 --ioengine=libaio --rw=randrw --bs=4k --iodepth=8 \
		--offset=24m --size=8m --time_based --runtime=$1 --continue_on_error=all --output=/dev/null &
	sleep 1
}

if mount -t ext4 -o ro $drive /mnt 2>/dev/null && [ -e /mnt/rebooted ]; then
	kept_over_reboot() {
		leaves
		diff -r /tmp/leaves /mnt/second
		umount /mnt
		e2fsck -f -n $drive
	}
	check reboot-keeps-data kept_over_reboot
else
	check fio-verify-random verified --ioengine=libaio --rw=randwrite --bsrange=4k-64k --iodepth=8 --size=1m
	check fio-verify-sequential verified --ioengine=psync --rw=write --bs=128k --size=2m --offset=8m
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
	check function-level-reset function_reset
	check no-time-outs no_timeouts
	check ext4 small_ext4
	check fstrim small_trim
	mount -t ext4 $drive /mnt && touch /mnt/rebooted && umount /mnt
	again=yes
fi
