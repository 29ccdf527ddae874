"""A few worker threads, started when there is work: the reader is never held up by a call."""

from __future__ import annotations

import threading
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE = 4  # calls that run at the same time; one that waits for a person does not count


class Pool:
    """Runs jobs on daemon threads, at most `at_once` of them at the same time."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._at_once = at_once
        self._running = 0
        self._outside = 0  # jobs that wait for a person
        self._idle = 0

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job, which must not raise, as soon as a thread is free."""
        with self._changed:
            self._jobs.append(job)
            self._staff()

    def wait_outside(self, wait: Callable[[], bool]) -> bool:
        """Called inside a job: the answer of `wait`, while another job may take this one's place."""
        with self._changed:
            self._running -= 1
            self._outside += 1
            self._staff()
        try:
            return wait()
        finally:
            with self._changed:
                self._running += 1
                self._outside -= 1

    def finish(self, seconds: float) -> bool:
        """Wait at most so long until nothing is left to do; whether that was reached."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not (self._jobs or self._running or self._outside), timeout=seconds
            )

    def _staff(self) -> None:
        """See that somebody takes the next job; the lock is held."""
        if not self._jobs or self._running >= self._at_once:
            return
        if self._idle:
            self._changed.notify_all()
            return
        self._running += 1
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()

    def _next(self) -> Callable[[], None] | None:
        """The next job for a thread that counts as running; None: one thread too many."""
        with self._changed:
            if self._running > self._at_once:
                self._running -= 1
                self._changed.notify_all()
                return None
            if not self._jobs:
                self._running -= 1
                self._idle += 1
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._jobs and self._running < self._at_once)
                self._idle -= 1
                self._running += 1
            return self._jobs.popleft()
