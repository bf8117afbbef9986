# Random reads of data that lie in flash, as the guest measures them. The result goes to the host.
. /checks/workloads.sh

paced() {
	settle
	fio --name=fill --filename=$drive --direct=1 --ioengine=libaio --rw=write --bs=128k --iodepth=8 \
		--size=48m --output=/dev/null
	nvme flush $drive
	fio --name=paced --filename=$drive --direct=1 --ioengine=psync --rw=randread --bs=4k --size=48m \
		--number_ios=2000 --norandommap --output-format=json --output=result
	mean=$(sed -n '/"clat_ns"/,/}/p' result | sed -n 's/.*"mean" : *\([0-9]*\).*/\1/p' | head -n 1)
	[ "$mean" -gt 0 ]
	median=$(sed -n 's/.*"50.000000" : *\([0-9]*\).*/\1/p' result | head -n 1)
	echo "MEASURED mean-ns $mean" >/dev/console
	echo "MEASURED median-ns $median" >/dev/console
}

check reads-in-real-time paced
