# Random reads of a kind and number that the kernel's command line says.
for word in $(cat /proc/cmdline); do
	case $word in depth=* | reads=*) eval "$word" ;; esac
done

reads() {
	settle
	fio --name=rings --filename=$drive --direct=1 --ioengine=libaio --rw=randread --bs=4k \
		--iodepth=$depth --size=40m --io_size=4g --norandommap --number_ios=$reads \
		--output-format=json --output=result
	iops=$(sed -n 's/^ *"iops" : *\([0-9.]*\).*/\1/p' result | head -n 1)
	echo "MEASURED iops $iops" >/dev/console
}

check reads reads
