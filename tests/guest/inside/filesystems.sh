# File systems live on the drive.

# tree: a tree with a few hundred files of several sizes, links and directories.
tree() {
	[ -d /tmp/tree ] && return 0
	mkdir -p /tmp/tree/pieces /tmp/tree/links
	for piece in $(seq 200); do
		printf "%0$((piece * 37))d" $piece >/tmp/tree/pieces/$piece
	done
	for link in awk cat cmp dd diff; do
		ln -s ../pieces/7 /tmp/tree/links/$link
	done
	cp /lib/libc.so.6 /usr/bin/fio /usr/sbin/nvme /tmp/tree
}

# lives_on TYPE MAKE CHECK: makes a file system, fills it, checks it, and compares.
lives_on() {
	tree
	$2 $drive
	mount -t $1 $drive /mnt
	cp -a /tmp/tree /mnt/first
	sync
	umount /mnt
	$3 $drive
	mount -t $1 $drive /mnt
	diff -r /tmp/tree /mnt/first
	cp -a /mnt/first /mnt/second
	rm -r /mnt/first/pieces
	umount /mnt
	$3 $drive
	mount -t $1 $drive /mnt
	diff -r /tmp/tree /mnt/second
	umount /mnt
}

ext4() {
	lives_on ext4 "/usr/sbin/mke2fs -q -F -t ext4" "e2fsck -f -n"
}

xfs() {
	lives_on xfs "mkfs.xfs -q -f" "xfs_repair -n"
}

trimmed() {
	/usr/sbin/mke2fs -q -F -t ext4 $drive
	mount -t ext4 $drive /mnt
	cp -a /tmp/tree/pieces /mnt
	sync
	rm -r /mnt/pieces
	sync
	/usr/sbin/fstrim -v /mnt >said
	cat said
	grep -q '([1-9][0-9]* bytes) trimmed' said
	umount /mnt
	e2fsck -f -n $drive
}
