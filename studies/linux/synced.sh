# 4 KiB at a random place of a file, made durable, again and again, on the file system that /share tells of.
set -e
read -r kind mkfs <<-END
	$(cat /share/mkfs)
END
$mkfs /dev/nvme0n1
mount -t "$kind" -o "$(cat /share/options)" /dev/nvme0n1 /mnt
job="fio --clocksource=clock_gettime --name=synced --filename=/mnt/file --size=16m --bs=4k --randrepeat=1"
$job --rw=write --end_fsync=1 >/dev/null
sync
$job --rw=randwrite --fsync=1 --number_ios="$(cat /share/count)" --output-format=json --output=/share/fio.json
