"""Worker threads: at most so many at a time, and those that wait for a person do not count."""

from __future__ import annotations

import threading

from engram.interfaces.mcp.pool import Pool

LONG = 30  # seconds, for what must happen


def test_a_job_runs_on_another_thread() -> None:
    pool, ran = Pool(), threading.Event()
    threads: list[threading.Thread] = []

    def job() -> None:
        threads.append(threading.current_thread())
        ran.set()

    pool.submit(job)
    assert ran.wait(LONG)
    assert threads[0] is not threading.current_thread()
    assert threads[0].daemon
    assert pool.finish(LONG)


def test_no_more_jobs_run_at_once_than_allowed() -> None:
    pool, both = Pool(at_once=2), threading.Barrier(2, timeout=LONG)
    lock = threading.Lock()
    running, most, done = 0, 0, 0

    def job() -> None:
        nonlocal running, most, done
        with lock:
            running += 1
            most = max(most, running)
        both.wait()
        with lock:
            running -= 1
            done += 1

    for _ in range(10):
        pool.submit(job)
    assert pool.finish(LONG)
    assert (most, done) == (2, 10)


def test_jobs_that_wait_outside_make_room_for_others() -> None:
    pool, answer, passed = Pool(at_once=1), threading.Event(), threading.Event()
    answers: list[bool] = []

    def asks() -> None:
        answers.append(pool.wait_outside(lambda: answer.wait(LONG)))

    for _ in range(3):
        pool.submit(asks)
    pool.submit(passed.set)
    assert passed.wait(LONG)
    assert not pool.finish(0)
    answer.set()
    assert pool.finish(LONG)
    assert answers == [True, True, True]


def test_a_job_that_comes_back_works_beside_the_others() -> None:
    pool, first, second = Pool(at_once=1), threading.Event(), threading.Event()
    order: list[str] = []

    def asks() -> None:
        pool.wait_outside(lambda: first.wait(LONG))
        order.append("came back")
        second.set()

    def holds() -> None:
        first.set()
        second.wait(LONG)
        order.append("held")

    pool.submit(asks)
    pool.submit(holds)
    assert pool.finish(LONG)
    assert order == ["came back", "held"]


def test_a_thread_that_waits_for_work_is_used_again() -> None:
    pool = Pool()
    threads: set[int] = set()
    for _ in range(20):
        pool.submit(lambda: threads.add(threading.get_ident()))
        assert pool.finish(LONG)
    assert len(threads) <= 2
