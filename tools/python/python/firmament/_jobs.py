"""Jobs: loads, in fio's words."""

from __future__ import annotations

import inspect
import keyword
import os
from collections.abc import Sequence

from . import _native
from .errors import InputError

#: What an option of fio may be given.
Option = bool | int | float | str | os.PathLike[str]


def fio_options() -> dict[str, str]:
    """Options of fio that a run acts on, each with its subject.

    >>> import firmament as fm
    >>> fm.fio_options()["iodepth"]
    'Requests in flight'
    """
    return dict(_native.fio_options())


class Job:
    """A load, by fio's options.

    Names are fio's. A name that Python keeps for itself takes an underscore at its end. ``True`` and ``False`` are 1 and 0,
    and ``None`` leaves an option out.

    >>> import firmament as fm
    >>> fm.Job(rw="randread", bs="4k", iodepth=8, size="64m")
    Job(rw='randread', bs='4k', iodepth='8', size='64m')
    """

    __slots__ = ("options",)

    #: Name and value of each option, in order.
    options: tuple[tuple[str, str], ...]

    def __init__(self, **options: Option | None):
        """A job of these options.

        :param options: fio's names and values. Whether fio's options are right is seen when the job is run.
        """
        pairs = ((key.removesuffix("_"), option(key, value)) for key, value in options.items() if value is not None)
        self.options = tuple(pairs)

    @property
    def name(self) -> str | None:
        """Its name, if it was given one."""
        return dict(self.options).get("name")

    def __repr__(self) -> str:
        return "Job(" + ", ".join(f"{key}={value!r}" for key, value in self.options) + ")"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self.options == other.options

    def __hash__(self) -> int:
        return hash(self.options)


def _signature() -> inspect.Signature:
    """That of a job, with an argument for each option: notebooks and shells complete it."""
    names = [name + "_" * keyword.iskeyword(name) for name in fio_options() if name.isidentifier()]
    named = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    return inspect.Signature([*named, inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)])


Job.__signature__ = _signature()  # type: ignore[attr-defined]


class JobFile:
    """The jobs of a file in fio's format."""

    __slots__ = ("path",)

    #: The file, as it is named in reports.
    path: str

    def __init__(self, path: str | os.PathLike[str]):
        """The jobs of this file, which is read when they are run.

        :param path: where the file is.
        """
        self.path = os.fspath(path)

    def __repr__(self) -> str:
        return f"JobFile({self.path!r})"


#: Whatever says what is to be run.
Jobs = Job | JobFile | Sequence[Job] | str | os.PathLike[str]


def load(jobs: Jobs) -> str | list[tuple[str, str]]:
    """What the native part takes: the path of a file, or the options of a command line."""
    if isinstance(jobs, JobFile):
        return jobs.path
    if isinstance(jobs, (str, os.PathLike)):
        return os.fspath(jobs)
    if isinstance(jobs, Job):
        return list(jobs.options)
    listed = [job for job in jobs if isinstance(job, Job)] if isinstance(jobs, Sequence) else []
    if not listed or len(listed) != len(jobs):
        raise InputError(f"jobs: found {type(jobs).__name__}, expected a Job, a list of them, or a job file")
    if len(listed) == 1:
        return list(listed[0].options)
    options: list[tuple[str, str]] = []
    for nth, job in enumerate(listed, 1):
        options.append(("name", job.name or f"job{nth}"))
        options.extend(pair for pair in job.options if pair[0] != "name")
    return options


def option(key: str, value: object) -> str:
    """A value as fio's command line has it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float, str)):
        return str(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    raise InputError(f"{key}: found {type(value).__name__}, expected a text or a number")
