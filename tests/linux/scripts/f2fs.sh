# Formats the drive with f2fs, writes and reads back files, and checks the file system.
set -e
mkfs.f2fs -q -f -t 0 /dev/nvme0n1
mount -t f2fs /dev/nvme0n1 /mnt
cp /bin/busybox /mnt/copy
fio --clocksource=clock_gettime --directory=/mnt --name=synced --rw=randwrite --bs=4k --size=2m --number_ios=200 --fsync=4
umount /mnt
mount -t f2fs /dev/nvme0n1 /mnt
cmp /bin/busybox /mnt/copy
umount /mnt
fsck.f2fs --dry-run /dev/nvme0n1
