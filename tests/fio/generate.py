"""Jobs for the comparison with fio: each is drawn from a seed and its number, and nothing else."""

import random

KIB = 1024
# What jobs are about; each job is about one or two of these.
SUBJECTS = [
    "plain", "backlog", "files", "split", "loops", "gap", "trim", "distribution", "io_size", "flush", "rate", "offset",
    "verify", "lengths", "range", "number_ios", "runs", "no_map", "rate_iops", "thinktime", "depth", "align",
    "filesize", "percent", "rate_split", "unified", "least", "target", "alone",
]


class Job:
    """The options of a job, and what the comparison has to know of them."""

    def __init__(self, options):
        self.options = options
        self.values = dict(options)

    def __str__(self):
        return " ".join(f"{key}={value}" if value else key for key, value in self.options)

    def get(self, key, otherwise=""):
        return self.values.get(key, otherwise)

    @property
    def rw(self):
        return self.values["rw"].split(":")[0]

    @property
    def is_random(self):
        return self.rw.startswith("rand")

    @property
    def is_mix(self):
        return self.rw in ("rw", "randrw")

    @property
    def has_lengths(self):
        return "bsrange" in self.values or "bssplit" in self.values or "ba" in self.values

    @property
    def has_one_length(self):
        return not ("bsrange" in self.values or "bssplit" in self.values)

    @property
    def has_runs(self):
        return self.is_random and (":" in self.values["rw"] or "percentage_random" in self.values)

    @property
    def draws(self):
        return "norandommap" in self.values or "random_distribution" in self.values

    @property
    def verifies(self):
        return "verify" in self.values

    @property
    def is_paced(self):
        """Whether a rate is kept that fio catches up with where the machine is late."""
        return "rate" in self.values or "rate_iops" in self.values

    @property
    def searches(self):
        """Whether it looks for a queue depth, so that all but the depth is a matter of time."""
        return "latency_target" in self.values

    @property
    def tells_sums_alone(self):
        return self.get("unified_rw_reporting") in ("mixed", "1")

    @property
    def ends_early(self):
        """Whether not every place is met as often as each other."""
        return any(key in self.values for key in ("number_ios", "io_size", "filesize"))

    @property
    def files(self):
        return int(self.get("nrfiles", "1"))

    @property
    def size(self):
        """Bytes from the first place to the end of the last."""
        return size(self.get("filesize", self.values["size"]))

    @property
    def shortest(self):
        if "bsrange" in self.values:
            return size(self.values["bsrange"].split("-")[0])
        if "bssplit" in self.values:
            return min(size(part.split("/")[0]) for part in self.values["bssplit"].split(":"))
        return min(size(part) for part in self.get("bs", "4k").split(","))

    @property
    def longest(self):
        if "bsrange" in self.values:
            return size(self.values["bsrange"].split("-")[1])
        if "bssplit" in self.values:
            return max(size(part.split("/")[0]) for part in self.values["bssplit"].split(":"))
        return max(size(part) for part in self.get("bs", "4k").split(","))

    @property
    def step(self):
        """All places are multiples of this."""
        if self.has_lengths or self.files > 1:
            return 4 * KIB
        return self.shortest if "gap" not in self.get("rw") and ":" not in self.get("rw") else 4 * KIB

    @property
    def start(self):
        return 0 if self.files > 1 else size(self.get("offset", "0"))

    @property
    def end(self):
        return self.start + self.size

    @property
    def file_bytes(self):
        return self.size // self.files


def size(text):
    units = {"k": KIB, "m": KIB * KIB}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def kib(bytes_):
    return f"{bytes_ // KIB}k"


def job(seed, number):
    """The job of this number. The first of all are about each subject once."""
    draw = random.Random(seed * 1_000_003 + number)
    first = SUBJECTS[number % len(SUBJECTS)]
    subjects = {first, draw.choice(SUBJECTS)} if draw.random() < 0.4 else {first}
    return Job(list(options(draw, subjects).items()))


def options(draw, subjects):
    block = draw.choice([4, 4, 8, 16]) * KIB
    blocks = draw.choice([16, 17, 31, 64, 100, 256])
    found = {"rw": draw.choice(["read", "write", "randread", "randwrite", "rw", "randrw"])}
    found["bs"], found["size"] = kib(block), kib(block * blocks)
    # A job is about at most one kind of pace, of lengths and of order.
    paced = [subject for subject in ("rate", "rate_iops", "thinktime") if subject in subjects][:1]
    lengths = [subject for subject in ("lengths", "range", "split", "align") if subject in subjects][:1]
    order = [subject for subject in ("gap", "runs", "distribution", "no_map") if subject in subjects][:1]
    back = [subject for subject in ("backlog", "verify", "trim") if subject in subjects][:1]
    for subject in lengths:
        of_lengths(draw, subject, found)
    for subject in order:
        of_order(draw, subject, found)
    for subject in back:
        of_going_back(draw, subject, found)
    if "files" in subjects and not order:
        of_files(draw, found, block)
    if subjects & {"filesize", "percent"} and "nrfiles" not in found:
        found.update(filesize=kib(block * blocks), size=draw.choice(["25%", "50%"]))
        if "filesize" in subjects:
            found["size"] = kib(block * draw.choice([blocks // 2, blocks]))
    if "rate_split" in subjects:
        found.update(bssplit="4k/50:8k/50", rate_iops="400", number_ios="600", size="16384k")
        for key in ("bsrange", "ba", "loops", "io_size", "filesize", "nrfiles", "verify", "verify_backlog"):
            found.pop(key, None)
        if found["rw"] not in ("read", "write", "randread", "randwrite"):
            found["rw"] = "randread"
        return found
    if "target" in subjects:
        return of_search(draw, found)
    if "least" in subjects:
        return of_least(draw, found)
    if "unified" in subjects:
        found["unified_rw_reporting"] = draw.choice(["none", "mixed", "both", "0", "1", "2"])
    if "alone" in subjects:
        # Nobody else is in its flow.
        found.update(flow=draw.choice(["1", "1000", "-1", "-1000"]), flow_id=draw.choice(["0", "9"]))
    if "offset" in subjects and "nrfiles" not in found:
        found["offset"] = kib(block * draw.choice([1, 16, 100]))
    if "loops" in subjects:
        found["loops"] = str(draw.choice([2, 3]))
    # How many passes are read back hangs on lengths that are drawn.
    drawn = {"bsrange", "bssplit", "ba"} & set(found)
    if "io_size" in subjects and not ("verify" in found and drawn):
        found["io_size"] = kib(block * draw.choice([5, blocks // 2, blocks * 2, blocks + 7]))
    if "number_ios" in subjects:
        found["number_ios"] = str(draw.choice([1, 10, blocks // 2]))
    if "flush" in subjects:
        found["rw"] = draw.choice(["write", "randwrite"])
        found[draw.choice(["fsync", "fdatasync"])] = str(draw.choice([1, 3, 8]))
        if draw.random() < 0.5:
            found["end_fsync"] = "1"
    if "depth" in subjects:
        found["iodepth"] = str(draw.choice([2, 8, 32]))
    for subject in paced:
        of_pace(draw, subject, found)
    return found


def of_search(draw, found):
    """Every depth keeps to the target, so the job's own is found."""
    return {
        "rw": draw.choice(["randread", "randwrite"]), "bs": found["bs"], "size": "4096k", "norandommap": "",
        "iodepth": draw.choice(["1", "6", "16", "64"]), "time_based": "", "runtime": "5", "latency_target": "10s",
        "latency_window": draw.choice(["5ms", "10000"]), "latency_percentile": draw.choice(["90", "99.5"]),
    }


def of_least(draw, found):
    """Ten requests a second for three and a half seconds, which is enough or not."""
    key, least = draw.choice([("rate_iops_min", 8), ("rate_iops_min", 20), ("rate_min", 8), ("rate_min", 20)])
    return {
        "rw": draw.choice(["read", "write", "randread"]), "bs": found["bs"], "size": kib(size(found["bs"]) * 64),
        "thinktime": "100000", "number_ios": "35", key: str(least * (size(found["bs"]) if key == "rate_min" else 1)),
        "rate_cycle": draw.choice(["500", "1000"]),
    }


def of_lengths(draw, subject, found):
    if subject == "lengths":
        found["bs"] = draw.choice(["12k", "20k", "64k"])
        found["size"] = kib(size(found["bs"]) * draw.choice([5, 16]) + draw.choice([0, 4 * KIB]))
        return
    found["size"] = draw.choice(["1024k", "2048k"])
    if subject == "range":
        found["bsrange"] = draw.choice(["4k-8k", "4k-16k", "8k-32k"])
    elif subject == "split":
        found["bssplit"] = draw.choice(["4k/50:8k/50", "4k/10:16k/90", "4k/33:8k/33:16k/34"])
    else:
        found["bs"], found["ba"] = "4k", draw.choice(["8k", "16k"])
        found["rw"] = draw.choice(["randread", "randwrite"])


def of_order(draw, subject, found):
    if subject == "gap":
        found["rw"] = draw.choice(["read", "write"]) + ":" + draw.choice(["4k", "8k", "12k", "-8k"])
        found["bs"], found["size"] = "4k", draw.choice(["64k", "128k", "256k"])
        found["offset"] = "64k"
        found.pop("bsrange", None), found.pop("bssplit", None), found.pop("ba", None)
    elif subject == "runs":
        if draw.random() < 0.5:
            found["rw"] = draw.choice(["randread", "randwrite"]) + ":" + draw.choice(["2", "8"])
        else:
            found["rw"], found["percentage_random"] = "randread", draw.choice(["25", "50"])
    elif subject == "distribution":
        found["rw"] = draw.choice(["randread", "randwrite"])
        found["random_distribution"] = draw.choice(["zipf:1.2", "pareto:0.3", "normal:20", "zoned:60/20:40/80"])
    else:
        found["rw"], found["norandommap"] = draw.choice(["randread", "randwrite"]), ""


def of_going_back(draw, subject, found):
    if subject == "trim":
        if "ba" not in found and ":" not in found["rw"]:
            found["rw"] = draw.choice(["trim", "trimwrite", "randtrim"])
            found.pop("norandommap", None), found.pop("percentage_random", None)
            found.pop("random_distribution", None)
        return
    if ":" in found["rw"]:
        return
    if found["rw"] not in ("write", "randwrite"):
        found["rw"] = "randwrite" if found["rw"].startswith("rand") else "write"
    found["verify"] = "null"
    if subject == "backlog":
        found["verify_backlog"] = str(draw.choice([1, 4, 7, 16]))
        if draw.random() < 0.4:
            found["verify_backlog_batch"] = str(draw.choice([1, 3, 20]))


def of_files(draw, found, block):
    files = draw.choice([2, 3, 4])
    if "bsrange" in found or "bssplit" in found or found["rw"] in ("trimwrite", "randtrim", "trim"):
        return
    found["nrfiles"] = str(files)
    found["size"] = kib(size(found["bs"]) * files * draw.choice([4, 9, 32]))
    found["file_service_type"] = draw.choice(["roundrobin", "roundrobin:3", "sequential", "random"])
    if draw.random() < 0.4:
        found["openfiles"] = str(draw.choice([1, 2]))


def of_pace(draw, subject, found):
    # 400 requests a second for a second and a half, or 100 pauses.
    if subject == "thinktime":
        found.update(thinktime="20000", number_ios="30")
        found["thinktime_blocks"] = draw.choice(["1", "2"])
    else:
        found["number_ios"] = "600"
        if "bsrange" not in found and "bssplit" not in found:
            found["rate" if subject == "rate" else "rate_iops"] = (
                str(size(found["bs"]) * 400) if subject == "rate" else "400"
            )
    for key in ("loops", "io_size", "fsync", "fdatasync", "end_fsync", "verify_backlog", "verify_backlog_batch"):
        found.pop(key, None)
    found.pop("verify", None)
    found.pop("filesize", None)
    found["size"] = kib(size(found["bs"]) * 1024)
    if "nrfiles" in found:
        found["size"] = kib(size(found["bs"]) * 512 * int(found["nrfiles"]))
    if "bsrange" in found or "bssplit" in found:
        found["size"] = "16384k"
