# A file system that has been used: files of 4 to 256 KiB come and go until as much was written as /share/times says of what fits.
set -e
read -r kind mkfs <<-END
	$(cat /share/mkfs)
END
$mkfs /dev/nvme0n1
mount -t "$kind" /dev/nvme0n1 /mnt
mkdir /mnt/files
df -k /mnt | awk -v percent="$(cat /share/percent)" -v times="$(cat /share/times)" 'END {
	srand(1)
	room = int($4 * percent / 100)
	for (whole = room * times; whole > 0; whole -= kib) {
		kib = 4 * int(1 + 64 * rand() * rand())
		while (live + kib > room) {
			nth = 1 + int(rand() * count)
			live -= size[nth]
			print "rm", name[nth]
			name[nth] = name[count]
			size[nth] = size[count--]
		}
		name[++count] = ++made
		size[count] = kib
		live += kib
		print "dd", made, kib
	}
}' >/tmp/plan
while read -r what name kib; do
	case $what in
	dd) dd if=/dev/zero of="/mnt/files/$name" bs="${kib}k" count=1 2>/dev/null ;;
	rm) rm "/mnt/files/$name" ;;
	esac
	test $((name % 50)) != 0 || sync
done </tmp/plan
sync
df -k /mnt | awk 'END { print $3, $4 }' >/share/used
umount /mnt
