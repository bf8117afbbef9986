# Everything, then a reboot of the guest.
. /checks/resets.sh
. /checks/filesystems.sh

if mount -t ext4 -o ro $drive /mnt 2>/dev/null && [ -e /mnt/rebooted ]; then
	kept_over_reboot() {
		tree
		diff -r /tmp/tree /mnt/tree
		umount /mnt
		e2fsck -f -n $drive
	}
	check reboot-keeps-data kept_over_reboot
	keep
	sync
else
	. /checks/identify.sh
	. /checks/workloads.sh
	. /checks/commands.sh
	. /checks/messages.sh
	check ext4 ext4
	check xfs xfs
	check fstrim trimmed
	check fio-verify-random verify_random 16m
	check fio-verify-sequential verify_sequential 32m
	check discard discard
	check write-zeroes write_zeroes
	check compare compare
	check verify verify
	check flush flush
	check unknown-opcodes unknown_opcodes
	check out-of-range-lbas out_of_range
	check wrong-fields wrong_fields
	check format-512 format
	check fio-verify-512-to-1m verify_512 16m
	check fio-verify-odd-buffers odd_buffers 8m
	check format-4096 format_back
	check kernel-has-no-complaints no_complaints
	check controller-reset-during-io controller_reset
	check function-level-reset function_reset
	check rebind-during-io rebind
	check no-time-outs no_timeouts
	tree
	/usr/sbin/mke2fs -q -F -t ext4 $drive && mount -t ext4 $drive /mnt && cp -a /tmp/tree /mnt &&
		touch /mnt/rebooted && umount /mnt
	again=yes
fi
