"""Puts limits on itself, then becomes the command it was given. A script of its own, run with `python -I -S`.

    jail.py PARENT_PID ADDRESS_SPACE_BYTES CPU_SECONDS FILE_BYTES NICE COMMAND [ARGUMENT ...]

A fresh single-threaded interpreter does this, because `preexec_fn` runs Python between fork and exec, where
another thread of a busy worker may hold a lock forever. It imports nothing of ours, and of Python only what starts
quickly: `signal` alone, with its enumerations, would take a third of the time.
"""

import ctypes
import os
import resource
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_NO_NEW_PRIVS = 38
SIGKILL, SIGPIPE, SIGXFSZ = 9, 13, 25  # asm/signal.h
SIG_DFL = 0
GRACE_SECONDS = (
    5  # of computing between SIGXCPU, sent every second, and SIGKILL; ffmpeg gives up at the fourth
)


libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Call prctl(2). Raises OSError."""
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, also when the parent ended a moment ago."""
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        sys.exit("The parent is gone.")


def limit(address_space: int, cpu_seconds: int, file_size: int, nice: int) -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.nice(nice)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + GRACE_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def main() -> None:
    parent, address_space, cpu_seconds, file_size, nice = (int(number) for number in sys.argv[1:6])
    command = sys.argv[6:]
    die_with(parent)
    limit(address_space, cpu_seconds, file_size, nice)
    for number in (SIGXFSZ, SIGPIPE):  # Python ignores them, and an ignored signal outlives exec
        libc.signal(number, SIG_DFL)
    os.execve(command[0], command, {})  # noqa: S606 - no shell is the point


main()
