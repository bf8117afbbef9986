# Two drives in one guest are two.
pair() {
	settle
	nvme list
	[ -b /dev/nvme0n1 ]
	[ -b /dev/nvme1n1 ]
	first=$(cat /sys/class/nvme/nvme0/serial)
	second=$(cat /sys/class/nvme/nvme1/serial)
	[ "$first" != "$second" ]
	for nth in 0 1; do
		dd if=/lib/libc.so.6 of=/dev/nvme${nth}n1 bs=4096 skip=$((nth * 30)) count=16 oflag=direct
	done
	for nth in 0 1; do
		dd if=/lib/libc.so.6 of=expected bs=4096 skip=$((nth * 30)) count=16
		dd if=/dev/nvme${nth}n1 of=found bs=4096 count=16 iflag=direct
		cmp found expected
	done
}

check two-drives pair
