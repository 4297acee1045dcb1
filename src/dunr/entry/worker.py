"""The worker for real time: asks again and again what is due, and does it in threads.

The same case is never in two threads of one process at once; between processes, the store's conditions, the lease of a card and the claim of an effect decide. What
goes wrong in one case stays in that case.
"""

import os
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait

import structlog

from dunr.application import Application
from dunr.core.terms import AlertKind
from dunr.entry.work import Job, jobs_due
from dunr.errors import StoreUnavailable

IDLE_SECONDS = 0.2
ENOUGH_FOR_EACH_THREAD = 2  # while so much is in hand, nothing more is asked for
STORE_WAIT_SECONDS = 1.0
STORE_WAIT_SECONDS_MAX = 30.0
ELSEWHERE_WAIT_SECONDS = 0.5  # while somebody else is at it
FAULT_WAIT_SECONDS = 5.0
FAULT_WAIT_SECONDS_MAX = 3600.0
SWEEP_LOOK_SECONDS = 60.0
WORDS_AT_ONCE = 200

_log = structlog.get_logger()


class Worker:
    """One process's hands."""

    def __init__(self, application: Application, stop: threading.Event) -> None:
        """Keep the application; nothing is begun yet."""
        self._application = application
        self._stop = stop
        self._guard = threading.Lock()
        self._busy: dict[str, Future[None]] = {}  # by what must not be done twice at once
        self._faults: dict[str, tuple[int, float]] = {}  # how often it went wrong, and when to try again
        self._store_failures_count = 0
        self._moved = threading.Event()  # something ended, so there is room for more
        self._sweep = application.sweep
        self._swept_at = 0.0

    def run(self) -> bool:
        """Work until told to stop; whether everything that was begun has ended within the limit."""
        stop_listening = self._application.listen(self._moved.set)
        try:
            return self._work()
        finally:
            stop_listening()

    def _work(self) -> bool:
        threads = ThreadPoolExecutor(self._application.settings.worker_threads, thread_name_prefix="dunr-worker")
        enough = self._application.settings.worker_threads * ENOUGH_FOR_EACH_THREAD
        while not self._stop.is_set():
            self._moved.clear()
            with self._guard:
                has_room = len(self._busy) < enough
            if not has_room or not self._begin_due(threads):
                self._moved.wait(IDLE_SECONDS)
        threads.shutdown(wait=False, cancel_futures=True)
        with self._guard:
            begun = list(self._busy.values())
        unfinished = wait(begun, self._application.settings.stop_seconds).not_done
        if unfinished:
            self._release()
        return not unfinished

    def _release(self) -> None:
        """Time is up: let whoever follows have what we hold. Where even that does not work, they wait until our leases have passed."""
        try:
            charges_count = self._application.engine.let_go()
            effects_count = self._application.performer.claims.give_back()
        except StoreUnavailable as unavailable:
            _log.warning("not_released", text=str(unavailable))
        else:
            _log.warning("released", charges=charges_count, effects=effects_count)

    def _begin_due(self, threads: ThreadPoolExecutor) -> int:
        """Hand everything that is due, and not in hand, to the threads; how much that was."""
        now = time.monotonic()
        with self._guard:
            resting = {key for key, (_, again_at) in self._faults.items() if again_at > now}
            out_of_reach = resting | self._busy.keys()
        try:
            jobs = list(jobs_due(self._application, len(out_of_reach)))
            self._store_failures_count = 0
        except StoreUnavailable as unavailable:
            self._rest(unavailable)
            return 0
        except Exception as fault:  # noqa: BLE001 - a fault in the asking must not end the worker, silently, beside a server that runs on
            _log.exception("asking_failed")
            self._rest(fault)
            return 0
        if now - self._swept_at >= SWEEP_LOOK_SECONDS:
            self._swept_at = now
            jobs.append(Job("sweep", self._sweep_if_due))
        return sum(self._begin(threads, job, out_of_reach) for job in jobs)

    def _begin(self, threads: ThreadPoolExecutor, job: Job, out_of_reach: set[str]) -> bool:
        if job.key in out_of_reach:
            return False
        out_of_reach.add(job.key)
        with self._guard:
            future = threads.submit(self._do, job)
            self._busy[job.key] = future
        future.add_done_callback(lambda _: self._ended(job))
        return True

    def _ended(self, job: Job) -> None:
        with self._guard:
            self._busy.pop(job.key, None)
        self._moved.set()

    def _rest(self, why: Exception) -> None:
        """The store does not answer as it should: leave it alone for a while, growing."""
        self._store_failures_count += 1
        seconds = min(STORE_WAIT_SECONDS * 2 ** (self._store_failures_count - 1), STORE_WAIT_SECONDS_MAX)
        _log.warning("store_left_alone", error=type(why).__name__, text=str(why), wait_seconds=seconds)
        self._stop.wait(seconds)

    def _sweep_if_due(self) -> bool:
        give_words = self._application.give_words
        while give_words is not None and not self._stop.is_set() and give_words(WORDS_AT_ONCE):
            pass  # a release before opened them; each lot is a transaction of its own
        self._sweep.next_at()
        self._sweep.run_if_due()
        return True

    # --- one thing --------------------------------------------------------------------------------------------------------------

    def _do(self, job: Job) -> None:
        """Do one thing. A fault in it is told, and it rests for a while; the others go on."""
        try:
            is_over = job.work()
        except StoreUnavailable as unavailable:
            _log.warning("store_unavailable", job=job.key, text=str(unavailable))
            self._set_aside(job, STORE_WAIT_SECONDS)
        except Exception as fault:  # noqa: BLE001 - the outermost place: what is wrong with one case must not stop the others
            _log.exception("job_failed", job=job.key)
            count = self._set_aside(job, FAULT_WAIT_SECONDS)
            self._tell(job, fault, count)
            self._set_aside_for_all(job, fault)
        else:
            with self._guard:
                self._faults.pop(job.key, None)
                if not is_over:
                    self._faults[job.key] = (0, time.monotonic() + ELSEWHERE_WAIT_SECONDS)

    def _set_aside(self, job: Job, first_seconds: float) -> int:
        """Not again before a while, which grows each time; how often that was."""
        with self._guard:
            count = self._faults.get(job.key, (0, 0.0))[0] + 1
            seconds = min(first_seconds * 2 ** min(count - 1, 16), FAULT_WAIT_SECONDS_MAX)
            self._faults[job.key] = (count, time.monotonic() + seconds)
        return count

    def _set_aside_for_all(self, job: Job, fault: Exception) -> None:
        """Also where other workers see it, if there is such a place; the store may be what is wrong."""
        if job.set_aside is None:
            return
        try:
            job.set_aside(f"{type(fault).__name__}: {fault}")
        except StoreUnavailable as unavailable:
            _log.warning("not_set_aside", job=job.key, text=str(unavailable))

    def _tell(self, job: Job, fault: Exception, count: int) -> None:
        """One alert for each thing that goes wrong; the store may be what is wrong."""
        if count > 1:
            return
        text = f"{job.key} could not be worked on: {type(fault).__name__}. The log tells more. It is tried again; others go on."
        try:
            self._application.intake.alert(AlertKind.DEAD_LETTER, f"job/{job.key}", text)
        except StoreUnavailable as unavailable:
            _log.warning("alert_not_recorded", job=job.key, text=str(unavailable))


def run_worker(application: Application, stop: threading.Event) -> bool:
    """Work in this thread until told to stop; whether everything that was begun has ended."""
    return Worker(application, stop).run()


class WorkerThread(threading.Thread):
    """A worker beside something else in one process."""

    def __init__(self, application: Application, stop: threading.Event) -> None:
        super().__init__(name="dunr-worker", daemon=True)
        self._worker = Worker(application, stop)
        self._stop_seconds = application.settings.stop_seconds
        self._everything_ended = False

    def run(self) -> None:
        """Work until told to stop."""
        self._everything_ended = self._worker.run()

    def ended(self) -> bool:
        """Wait for the end, for as long as a worker is given; whether everything that was begun has ended."""
        self.join(self._stop_seconds + IDLE_SECONDS + 1)
        return self._everything_ended


def start_worker(application: Application, stop: threading.Event) -> WorkerThread:
    """Work in a thread of its own until told to stop."""
    worker = WorkerThread(application, stop)
    worker.start()
    return worker


def leave() -> None:
    """End the process though something is still under way. What was sent stays in flight, and whoever works next looks it up."""
    _log.warning("left_with_work_in_flight")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
