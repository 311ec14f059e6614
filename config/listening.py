"""Which thread of the web server listens at granian's queue, and which ones work or rest.

Granian hands requests to a pool of threads. When all of them compete for the interpreter, finished pages go out at
half the rate of a single thread (ADR 3). So one thread listens at a time (leader and followers): it answers from memory
itself. Before it takes anything longer to the application, it wakes a resting thread to listen in its place.
"""

from __future__ import annotations

import threading
from collections import Counter


class Listening:
    """Sees to it that one thread listens, that the last free one only answers from memory, and that nobody gets more
    than `for_one_address` threads.
    """

    def __init__(self, threads: int, for_one_address: int) -> None:
        self.threads = threads
        self.for_one_address = for_one_address
        self.lock = threading.Lock()
        self.listening = 0  # threads in granian's queue, or answering from memory
        self.working = 0  # threads in the application
        self.by_address: Counter[str] = Counter()
        self.resting: list[threading.Lock] = []  # one locked lock for each thread that rests
        self.this_thread = threading.local()

    def join(self) -> None:
        """Counts a thread that granian has just started; it listens already. Called for every request."""
        if not hasattr(self.this_thread, "member"):
            self.this_thread.member = Member(self)

    def begin_work(self, address: str) -> bool:
        """The calling thread stops listening, and another takes over. False where none is left to, or where this
        address has enough of them: then it must answer at once.
        """
        with self.lock:
            if self.working >= max(1, self.threads - 1) or self.by_address[address] >= self.for_one_address:
                return False
            self.working += 1
            self.by_address[address] += 1
            self.stop_listening()
            return True

    def end_work(self, address: str) -> None:
        """The calling thread listens again."""
        with self.lock:
            self.working -= 1
            self.by_address[address] -= 1
            if not self.by_address[address]:
                del self.by_address[address]  # or the counter would remember every address for good
            self.listening += 1

    def stop_listening(self) -> None:
        """One thread fewer listens. If it was the only one, a resting one is woken; without any, granian starts one."""
        self.listening -= 1
        if not self.listening and self.resting:
            self.resting.pop().release()
            self.listening += 1

    def rest_if_another_listens(self) -> None:
        """Keeps the calling thread out of granian's queue for as long as another one is in it."""
        if self.listening == 1:  # the usual case costs no lock; a wrong look only means one listener more
            return
        with self.lock:
            if self.listening == 1:
                return
            self.listening -= 1
            self.resting.append(self.this_thread.member.wake_up)
        self.this_thread.member.wake_up.acquire()  # blocks until `stop_listening` releases it


class Member:
    """A thread of the pool, for as long as it lives.

    Granian ends threads that were idle for a while and tells nobody. What a thread keeps in `threading.local` dies with
    it, so `__del__` is the place to learn of that.
    """

    def __init__(self, listening: Listening) -> None:
        self.group = listening
        self.wake_up = threading.Lock()
        self.wake_up.acquire()
        with listening.lock:
            listening.listening += 1

    def __del__(self) -> None:
        with self.group.lock:
            self.group.stop_listening()
