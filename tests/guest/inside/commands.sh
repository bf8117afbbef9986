# NVM and admin commands one by one, and their statuses.

# pattern SEED: a file of 64 KiB that is not all alike.
pattern() {
	dd if=/lib/libc.so.6 of=pattern bs=4096 skip=$1 count=16 2>/dev/null
	dd if=/dev/zero of=zeroes bs=4096 count=16 2>/dev/null
}

# at BLOCK: 64 KiB of the drive from the block on, into a file.
at() {
	dd if=$drive of=found bs=4096 skip=$1 count=16 iflag=direct 2>/dev/null
}

put() {
	dd if=pattern of=$drive bs=4096 seek=$1 count=16 oflag=direct 2>/dev/null
}

discard() {
	pattern 3
	put 1000
	at 1000
	cmp found pattern
	/usr/sbin/blkdiscard -o $((1000 * 4096)) -l 65536 $drive
	at 1000
	cmp found zeroes
}

write_zeroes() {
	pattern 5
	put 2000
	nvme write-zeroes $drive -s 2000 -c 15
	at 2000
	cmp found zeroes
	put 2000
	/usr/sbin/blkdiscard -z -o $((2000 * 4096)) -l 65536 $drive
	at 2000
	cmp found zeroes
}

compare() {
	pattern 7
	put 3000
	nvme compare $drive -s 3000 -c 15 -z 65536 -d pattern
	! nvme compare $drive -s 3000 -c 15 -z 65536 -d zeroes >said 2>&1
	cat said
	grep -qi 'compare fail' said
}

# The drive reads the blocks for itself, before and after they are in flash, and where nothing was ever written.
verify() {
	pattern 13
	put 3500
	nvme verify $drive -s 3500 -c 15
	nvme verify $drive -s 3500 -c 15 --force-unit-access
	at 3500
	cmp found pattern
	nvme verify $drive -s 0 -c 65535
}

flush() {
	pattern 9
	put 4000
	nvme flush $drive
	at 4000
	cmp found pattern
}

# formatted LBAF BYTES: formats, and the drive is empty and has these blocks.
formatted() {
	pattern 11
	put 0
	nvme format $controller -n 1 -l $1 -f
	settle
	for try in $(seq 50); do
		[ "$(cat /sys/block/nvme0n1/queue/logical_block_size)" = $2 ] && break
		sleep 0.1
	done
	same "$(cat /sys/block/nvme0n1/queue/logical_block_size)" $2 "logical block"
	at 0
	cmp found zeroes
	put 0
	at 0
	cmp found pattern
}

format() {
	formatted 1 512
}

format_back() {
	formatted 0 4096
}

# refused STATUS COMMAND...: the command ends with this status code and type.
refused() {
	expected=$1
	shift
	! "$@" >said 2>&1
	cat said
	grep -qi "($expected)" said
}

# Statuses as nvme-cli prints them: with Do Not Retry (4000h) and More (2000h), since the error log has them.
unknown_opcodes() {
	refused 0x6001 nvme io-passthru $drive --opcode=0x7f --namespace-id=1
	refused 0x6001 nvme io-passthru $drive --opcode=0x0d --namespace-id=1
	refused 0x6001 nvme admin-passthru $controller --opcode=0x1d
	refused 0x6001 nvme admin-passthru $controller --opcode=0xff
}

out_of_range() {
	blocks=$(($(cat /sys/block/nvme0n1/size) / 8))
	last=$((blocks - 1))
	nvme io-passthru $drive --opcode=2 --namespace-id=1 --data-len=4096 --read --cdw10=$last --cdw12=0 >/dev/null
	for first in $blocks $((blocks * 4)) 4294967295; do
		refused 0x6080 nvme io-passthru $drive --opcode=2 --namespace-id=1 --data-len=4096 --read --cdw10=$first --cdw12=0
		refused 0x6080 nvme io-passthru $drive --opcode=1 --namespace-id=1 --data-len=4096 --write --cdw10=$first --cdw12=0
	done
	# The last block is there, the one behind it is not.
	refused 0x6080 nvme io-passthru $drive --opcode=2 --namespace-id=1 --data-len=8192 --read --cdw10=$last --cdw12=1
}

wrong_fields() {
	refused 0x6002 nvme admin-passthru $controller --opcode=6 --data-len=4096 --read --cdw10=0x55
	refused 0x600b nvme admin-passthru $controller --opcode=6 --namespace-id=7 --data-len=4096 --read
	refused 0x6109 nvme get-log $controller -i 0x7e -l 512
	refused 0x6002 nvme get-feature $controller -f 0x7e
	# Queue 0 and a queue that is there cannot be created.
	refused 0x6101 nvme admin-passthru $controller --opcode=5 --cdw10=0x00070000 --cdw11=1
	refused 0x6101 nvme admin-passthru $controller --opcode=5 --cdw10=0x00070001 --cdw11=1
	# What was refused stands in the error log.
	[ "$(nvme smart-log $controller | field num_err_log_entries | tr -d ,)" -gt 5 ]
}
