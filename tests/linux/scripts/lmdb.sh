# Ten thousand keys loaded into LMDB, which keeps its pages in a file that is mapped.
set -e
mkfs.ext4 -q -E nodiscard /dev/nvme0n1
mount /dev/nvme0n1 /mnt
mkdir /mnt/keys
{
	printf 'VERSION=3\nformat=print\ntype=btree\nmapsize=268435456\nHEADER=END\n'
	seq -w 1 10000 | sed 's/.*/ key&\n value of key &/'
	echo DATA=END
} >/tmp/keys
mdb_load -f /tmp/keys /mnt/keys
mdb_stat -e /mnt/keys | grep 'Entries: 10000'
umount /mnt
e2fsck -f -n /dev/nvme0n1
