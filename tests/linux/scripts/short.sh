# Formats the drive, writes and reads back a file, lets fio verify what it wrote, and looks at the file system.
set -e
echo "up after $(cut -d' ' -f1 /proc/uptime) s, $(date)"
mkfs.ext4 -q -E nodiscard /dev/nvme0n1
mount /dev/nvme0n1 /mnt
cp /bin/busybox /mnt/copy
sync
echo 3 >/proc/sys/vm/drop_caches
cmp /bin/busybox /mnt/copy
fio --clocksource=clock_gettime --directory=/mnt --name=verified --rw=randwrite --bs=4k --size=2m --ioengine=libaio \
	--iodepth=8 --direct=1 --verify=crc32c --randseed=1
umount /mnt
e2fsck -f -n /dev/nvme0n1
dd if=/dev/urandom bs=16 count=1 2>/dev/null | md5sum
