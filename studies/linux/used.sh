# 4 KiB at a random place of a file, made durable, again and again, on a file system that is there already.
set -e
mount -t "$(cut -d ' ' -f 1 /share/mkfs)" /dev/nvme0n1 /mnt
job="fio --clocksource=clock_gettime --name=synced --filename=/mnt/file --size=8m --bs=4k --randrepeat=1"
$job --rw=write --end_fsync=1 >/dev/null
sync
$job --rw=randwrite --fsync=1 --number_ios="$(cat /share/count)" --output-format=json --output=/share/fio.json
umount /mnt
