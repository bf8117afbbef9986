# Values of the store's keys are written anew, in batches that are durable one after the other. A key is drawn by the product of three
# random numbers, so that four fifths of the updates are of a fifth of the keys, and these lie anywhere in the tree.
set -e
mount /dev/nvme0n1 /mnt
for batch in $(seq 1 "$(cat /share/batches)"); do
	printf 'VERSION=3\nformat=print\ntype=btree\nmapsize=1073741824\nHEADER=END\n' >/tmp/updates
	awk -v keys="$(cat /share/keys)" -v batch="$batch" -v count="$(cat /share/updates)" 'BEGIN {
		srand(batch)
		line = " key%0" length(keys) "d\n value %d.%d of key %d %s\n"
		value = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
		for (nth = 0; nth < count; nth++) {
			drawn = int(keys * rand() * rand() * rand())
			printf line, drawn * 7919 % keys + 1, batch, nth, drawn, value
		}
		print "DATA=END"
	}' >>/tmp/updates
	mdb_load -f /tmp/updates /mnt/keys
	sync
done
mdb_stat -e /mnt/keys >/share/stat
umount /mnt
