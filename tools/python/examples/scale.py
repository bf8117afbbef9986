"""What a sweep costs on many cores: measures its parts on this computer, and prints the model.

    python tools/python/examples/scale.py jobs/sweep.toml --points 1000000 --cores 1000

Needs the package ray, of which two workers are started here.
"""

import argparse
import subprocess
import sys
import tempfile
import time

import firmament as fm
import ray
from firmament import _native, _ray

#: Bytes a second that a computer of a cluster gets over the network: assumed, not measured.
NETWORK_BYTES_PER_S = 1e9


def seconds(work, times):
    """Mean seconds of some work."""
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def measured(file):
    """The parts of a sweep's cost, in seconds and bytes."""
    table = fm.sweep(file, workers=1, progress=False)
    start = seconds(lambda: subprocess.run([sys.executable, "-c", "import firmament, ray"], check=True), 3)
    with tempfile.TemporaryDirectory() as folder:
        job = fm.Job(rw="randwrite", bs="16k", size="1g", number_ios=2000)
        fm.run("cosmos-plus", job, save=f"{folder}/drive.snap", progress=False)
        text = _native.toml_of('{"from": "%s/drive.snap", "options": {"rw": "randread", "size": "64k"}}' % folder)
        parcel = _ray.packed(_native.Sweep.parse("scale", text, {}))
        unpack = seconds(lambda: _ray.unpacked(parcel), 3)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    nothing = ray.remote(lambda: None)
    ray.get([nothing.remote() for _ in range(100)])
    task = seconds(lambda: ray.get([nothing.remote() for _ in range(100)]), 5) / 100
    ray.shutdown()
    return {
        "points": table.points,
        "point_s": table.seconds_in_points / table.points,
        "start_s": start,
        "snapshot_bytes": sum(map(len, parcel["files"].values())),
        "unpack_s": unpack,
        "task_s": task,
    }


def model(cost, points, cores):
    """Wall seconds and core hours: points side by side, after each worker has started and got its drive once."""
    handful = max(1, min(_ray.MOST, round(_ray.HANDFUL_S / cost["point_s"])))
    in_points = points * cost["point_s"] / cores
    # The driver hands out one handful after another.
    handing_out = points / handful * cost["task_s"]
    transfer = cost["snapshot_bytes"] / NETWORK_BYTES_PER_S
    once = cost["start_s"] + transfer + cost["unpack_s"]
    # The last handfuls end one by one.
    tail = handful * cost["point_s"]
    wall = max(in_points, handing_out) + once + tail
    return {"handful": handful, "in_points": in_points, "handing_out": handing_out, "once": once, "wall": wall}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--cores", type=int, default=1_000)
    asked = parser.parse_args()
    cost = measured(asked.file)
    print(f"a point:           {cost['point_s'] * 1e3:9.2f} ms  (mean of {cost['points']})")
    print(f"a worker's start:  {cost['start_s']:9.2f} s")
    print(f"a drive, unpacked: {cost['unpack_s']:9.2f} s   ({cost['snapshot_bytes'] / 1e6:.2f} MB of snapshot)")
    print(f"a handful, handed: {cost['task_s'] * 1e3:9.2f} ms")
    told = model(cost, asked.points, asked.cores)
    print(f"{asked.points} points on {asked.cores} cores, {told['handful']} points a handful:")
    print(f"  in points        {told['in_points']:9.1f} s")
    print(f"  handing out      {told['handing_out']:9.1f} s  (beside it)")
    print(f"  once a worker    {told['once']:9.1f} s")
    print(f"  from start to end{told['wall']:9.1f} s, {told['wall'] * asked.cores / 3600:.1f} core hours")


if __name__ == "__main__":
    main()
