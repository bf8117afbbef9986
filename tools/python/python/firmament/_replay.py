"""Traces as loads."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _native
from ._policy import Policy
from ._result import Result
from ._run import On, Settings, Watch, do

#: A path of a trace.
Path = str | os.PathLike[str]


def replay(
    board: On,
    traces: Path | Sequence[Path],
    *,
    format: str | None = None,
    time_unit: str | None = None,
    volumes: Sequence[str] = (),
    members: Sequence[str] = (),
    one_clock: bool = False,
    strict: bool = False,
    speed: float | str | None = None,
    depth: int | None = None,
    dependency: bool = False,
    assumed_latency: str | None = None,
    in_flight: int | None = None,
    remap: str | None = None,
    weights: Sequence[int] = (),
    seed: int = 1,
    seeds: int | None = None,
    precondition: str | None = None,
    payload: str | None = None,
    from_snapshot: Path | None = None,
    save: Path | None = None,
    requests: bool = False,
    monitor: bool | str = False,
    timeline: bool | str = False,
    policy: Policy | None = None,
    progress: bool | Watch | None = None,
) -> Result:
    """Replays block traces on a drive, as ``firmament replay`` does: the report is the same, to the byte.

    Several traces are several tenants, each with an equal part of the drive.

    :param board: as that of :func:`run`.
    :param traces: path of a trace or of an archive of them, or a list of paths.
    :param format: of the traces, or a layout such as ``"csv:time=1us,op=3,lba=4,bytes=5"``; found from their beginning if absent.
    :param time_unit: of times in the trace, such as ``"ms"``; that of the format if absent.
    :param volumes: reads the requests of these volumes alone.
    :param members: reads these members of an archive alone.
    :param one_clock: makes all files and members one trace.
    :param strict: refuses a trace with a line that cannot be read.
    :param speed: how fast the clock of the trace runs: 2 halves its times.
    :param depth: keeps so many requests in flight and ignores the times of the trace.
    :param dependency: issues each request when those have completed that had in the trace.
    :param assumed_latency: how long requests lasted where the trace does not tell, such as ``"100us"``.
    :param in_flight: the most requests in flight without ``depth``.
    :param remap: how addresses of the trace become addresses of the drive: none, modulo, scale or volume.
    :param weights: shares of the traces under weighted round robin, one each.

    All else is as for :func:`run`.

    :raises InputError: for what cannot be used, before anything runs.
    """
    said: list[tuple[str, str]] = []
    plain: dict[str, object] = {"format": format, "time-unit": time_unit, "speed": speed, "depth": depth}
    plain |= {"assumed-latency": assumed_latency, "in-flight": in_flight, "remap": remap}
    flags = {"one-clock": one_clock, "strict": strict, "dependency": dependency}
    said += [("volume", volume) for volume in volumes] + [("member", member) for member in members]
    said += [(name, "") for name, is_set in flags.items() if is_set]
    said += [(name, _said(name, value)) for name, value in plain.items() if value is not None]
    # Reports have no options that say what is so anyway.
    said = [option for option in said if option not in (("speed", "1x"), ("remap", "none"))]
    if weights:
        said.append(("weights", ",".join(map(str, weights))))
    order = {name: nth for nth, name in enumerate(ORDER)}
    said.sort(key=lambda option: order[option[0]])
    paths = [traces] if isinstance(traces, (str, os.PathLike)) else list(traces)
    load = ([os.fspath(path) for path in paths], said)
    settings = Settings.of(
        seed=seed,
        seeds=seeds,
        payload=payload,
        precondition=precondition,
        until=None,
        from_snapshot=from_snapshot,
        save=save,
        logs=False,
        monitor=monitor,
        timeline=timeline,
        requests=requests,
        policy=policy,
    )
    return do(board, lambda native, watch: _native.run((native, load), settings, watch), save, progress)


#: Options in the order in which reports have them.
ORDER = (
    "format",
    "time-unit",
    "volume",
    "member",
    "one-clock",
    "strict",
    "speed",
    "depth",
    "dependency",
    "assumed-latency",
    "in-flight",
    "remap",
    "weights",
)


def _said(name: str, value: object) -> str:
    """A value as the command line has it."""
    if name == "speed":
        text = str(value).removesuffix("x")
        return f"{text.removesuffix('.0')}x"
    return str(value)
