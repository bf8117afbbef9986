# What the kernel has to say of the drive.

# messages: all lines of the kernel but its command line, which may name time-outs.
messages() {
	dmesg "$@" | grep -v 'ommand line: '
}

# complaints: lines of warning or worse that concern it. Linux tells of every controller without
# scatter-gather lists that it uses "unchecked data buffers" for commands passed through.
complaints() {
	messages -r | grep -E '^<[0-4]>|^<[0-9]+>.*(time ?out|hung task|I/O error)' |
		grep -iE "nvme|$(cat /sys/class/nvme/nvme0/address)|ext4|xfs|blk_|time ?out|hung" |
		grep -v 'using unchecked data buffer'
}

no_complaints() {
	! complaints
}

# After resets with I/O under way that I/O may fail, but nothing may have timed out.
no_timeouts() {
	! messages | grep -iE 'time ?out|hung task|not ready|controller is down'
}
