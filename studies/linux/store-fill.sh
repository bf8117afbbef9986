# A store of keys in LMDB, and a file that stays beside it: together they fill the drive as far as /share/percent says.
set -e
mkfs.ext4 -q -E nodiscard -O ^has_journal -m 0 /dev/nvme0n1
mount /dev/nvme0n1 /mnt
kib=$(df -k /mnt | awk 'END { print $4 }')
value=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz
mkdir /mnt/keys
{
	printf 'VERSION=3\nformat=print\ntype=btree\nmapsize=1073741824\nHEADER=END\n'
	seq -w 1 "$(cat /share/keys)" | sed "s/.*/ key&\n first value of key & $value/"
	echo DATA=END
} >/tmp/keys
mdb_load -f /tmp/keys /mnt/keys
rm /tmp/keys
used=$(du -k /mnt/keys | awk 'END { print $1 }')
dd if=/dev/zero of=/mnt/stays bs=64k count=$(((kib * $(cat /share/percent) / 100 - used) / 64)) 2>/dev/null
sync
echo "$kib $used $(df -k /mnt | awk 'END { print $4 }')" >/share/filled
umount /mnt
