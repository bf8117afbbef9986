# fio writes, reads back and compares checksums.

# verified OPTION...: a fio job on the drive whose data are checked.
verified() {
	fio --name=v --filename=$drive --direct=1 --verify=crc32c --verify_fatal=1 --group_reporting \
		--randrepeat=1 --output=result "$@"
	cat result
	grep -q 'err= 0' result
	grep -q ' READ: ' result
}

verify_random() {
	verified --ioengine=libaio --rw=randwrite --bsrange=4k-64k --iodepth=16 --size=$1 --numjobs=3 \
		--offset_increment=64m
}

verify_sequential() {
	verified --ioengine=io_uring --rw=write --bs=1m --iodepth=4 --size=$1
	verified --ioengine=psync --rw=write --bs=128k --size=$1 --offset=100m
}

# On blocks of 512 bytes, requests of 512 bytes to 1 MB.
verify_512() {
	same "$(cat /sys/block/nvme0n1/queue/logical_block_size)" 512 "logical block"
	verified --ioengine=libaio --rw=randwrite --bsrange=512-1m --blockalign=512 --iodepth=8 \
		--size=$1 --numjobs=2 --offset_increment=100m
	verified --ioengine=io_uring --rw=randwrite --bs=512 --iodepth=32 --size=256k
}

# Buffers that begin anywhere in a page: the first is aligned to 4 bytes only, the others follow at
# multiples of 33.5 KiB.
odd_buffers() {
	verified --ioengine=libaio --rw=randwrite --bsrange=512-34304 --blockalign=512 --iodepth=8 \
		--size=$1 --iomem_align=4 --mem=malloc
	verified --ioengine=psync --rw=write --bs=1536 --size=600k --iomem_align=4 --mem=malloc
}
