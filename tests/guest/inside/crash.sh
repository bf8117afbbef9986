# One life of a guest whose drive, or which itself, is killed without warning. First it looks at what the
# life before has left; then it writes until it is killed, and tells what is durable.
for word in $(cat /proc/cmdline); do
	case $word in
	load=*) load=${word#load=} ;;
	life=*) life=${word#life=} ;;
	done=*) done=${word#done=} ;;
	esac
done

# Writers of a file system, and the files of each that are kept.
WRITERS="0 1 2"
KEPT=20

# piece WRITER NUMBER: the bytes of a file, up to 32 KiB.
piece() {
	seq $(($1 * 1000000 + $2)) $(($1 * 1000000 + $2 + $2 * 37 % 4000))
}

make_fs() {
	case $load in
	ext4) /usr/sbin/mke2fs -q -F -t ext4 $drive ;;
	xfs) mkfs.xfs -q -f $drive ;;
	btrfs) mkfs.btrfs -q -f $drive ;;
	esac
}

check_fs() {
	case $load in
	ext4) e2fsck -f -n $drive ;;
	xfs) xfs_repair -n $drive ;;
	btrfs) btrfs check --readonly $drive ;;
	esac
}

# The file system replays its journal, holds all that was synced, and is sound.
file_system_is_whole() {
	mount -t $load $drive /mnt
	for writer in $WRITERS; do
		last=$(echo $done | cut -d, -f$((writer + 1)))
		first=$((last - KEPT + 1))
		[ $first -gt 0 ] || first=1
		[ $last = 0 ] || for number in $(seq $first $last); do
			piece $writer $number | cmp - /mnt/$writer-$number
		done
	done
	rm -f /mnt/*-*
	umount /mnt
	check_fs
}

# write_files WRITER: a file after the other, each synced; tells the number of each.
write_files() {
	number=0
	while true; do
		number=$((number + 1))
		piece $1 $number >/tmp/piece-$1
		dd if=/tmp/piece-$1 of=/mnt/$1-$number bs=32k conv=fsync 2>/dev/null || return
		echo "SYNCED $1 $number"
		rm -f /mnt/$1-$((number - KEPT))
	done
}

# verified LIFE MORE...: fio on the part of the drive that this life has.
verified() {
	part=$(($1 % 4))
	shift
	fio --name=v --filename=$drive --direct=1 --ioengine=libaio --iodepth=8 --bs=16k --size=4m \
		--offset=$((part * 4))m --randseed=77 --verify=crc32c --verify_fatal=1 --output=result "$@"
	cat result
	grep -q 'err= 0' result
}

# What fio has written to the end and flushed is there, and all of the drive can be read.
blocks_are_whole() {
	[ $done = 0 ] || verified $done --rw=randwrite --verify_only=1
	dd if=$drive of=/dev/null bs=1M count=32
}

if [ $load = btrfs ]; then
	for module in /lib/btrfs/*.ko; do
		insmod "$module"
	done
fi
settle
if [ $load = fio ]; then
	[ $life = 1 ] || check killed-fio blocks_are_whole
	check life-$life-writes verified $life --rw=randwrite --do_verify=0 --end_fsync=1
	echo "SYNCED 0 $life"
	fio --name=w --filename=$drive --direct=1 --ioengine=libaio --iodepth=16 --rw=randwrite --bs=4k \
		--size=16m --offset=16m --verify=crc32c --time_based --runtime=600 >/dev/null 2>&1
else
	[ $life = 1 ] || check killed-$load file_system_is_whole
	[ $life = 1 ] && make_fs
	mount -t $load $drive /mnt && echo MOUNTED
	for writer in $WRITERS; do
		write_files $writer &
	done
	wait
fi
