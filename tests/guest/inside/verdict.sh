# check NAME COMMAND...: runs the command and prints a verdict line, with what it said if it failed.
drive=/dev/nvme0n1
controller=/dev/nvme0

check() {
	name=$1
	shift
	began=$(cut -d' ' -f1 /proc/uptime)
	# In a condition set -e would not hold.
	(
		set -e
		"$@"
	) >/tmp/verdict.log 2>&1 </dev/null
	status=$?
	ended=$(cut -d' ' -f1 /proc/uptime)
	if [ $status = 0 ]; then
		echo "VERDICT pass $name $began $ended"
	else
		tail -n 25 /tmp/verdict.log | sed 's/^/    /'
		echo "VERDICT fail $name $began $ended"
	fi
}

# same FOUND EXPECTED WHAT
same() {
	[ "$1" = "$2" ] || {
		echo "$3: found $1, expected $2"
		return 1
	}
}

# number FILE [OFFSET [BYTES]]: a little-endian number of a file.
number() {
	od -A n -t u${3:-4} -j ${2:-0} -N ${3:-4} $1 | tr -d ' '
}

# field NAME: the value of `name : value` on standard input.
field() {
	sed -n "s/^$1[[:space:]]*:[[:space:]]*//p" | head -n 1
}

# settle: waits until the drive's block device is there and can be read.
settle() {
	for try in $(seq 100); do
		[ -b $drive ] && dd if=$drive of=/dev/null bs=4096 count=1 2>/dev/null && return 0
		sleep 0.1
	done
	echo "no $drive after 10 s"
	return 1
}
