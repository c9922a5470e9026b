//! The threads of one block: who runs, who waits for whom.
//!
//! A fiber is a stack that runs one thread after another, until one of them
//! waits; then another fiber takes the next thread. So a block whose threads
//! never wait needs one stack.

use std::collections::VecDeque;

use super::contract::Clock;
use super::warp::{Arrival, Warp};

/// The number of a fiber.
pub(super) type Fiber = u16;

/// How the threads of a block stand.
#[derive(Default)]
pub(super) struct Block {
    threads: u32,
    /// Whether the last thread comes first.
    backwards: bool,
    /// The first thread that has not started.
    next: u32,
    /// Threads that have not ended, the ones that have not started among them.
    live: u32,
    ready: VecDeque<Fiber>,
    /// Those who let others run first.
    later: VecDeque<Fiber>,
    idle: Vec<Fiber>,
    fibers: Fiber,
    /// By fiber: the thread that it runs, and what it gets when it continues.
    thread_of: Vec<u32>,
    results: Vec<u64>,
    /// By fiber: when it continues after it has waited.
    clocks: Vec<Clock>,
    barrier: Barrier,
    warps: Vec<Warp>,
}

#[derive(Default)]
struct Barrier {
    waiting: Vec<Fiber>,
    /// The lines that they wait at.
    lines: Vec<i32>,
    /// Threads whose predicate holds.
    holds: u32,
    /// The latest of those who wait.
    clock: Clock,
}

/// Of two clocks the later one.
pub(super) fn latest(a: Clock, b: Clock) -> Clock {
    [a[0].max(b[0]), a[1].max(b[1])]
}

/// What the scheduler does next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Lets a fiber continue, or start with a new thread.
    Run(Fiber),
    /// All threads have ended.
    Done,
    /// No thread can continue.
    Deadlock,
}

/// What threads wait for: how many, at which line, for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::host) struct Waiting {
    pub(in crate::host) threads: usize,
    pub(in crate::host) line: i32,
    pub(in crate::host) at: &'static str,
    /// One of them, by its number in the block.
    pub(in crate::host) first: u32,
}

impl Block {
    /// Starts a block of so many threads. No fiber is in the middle of one.
    pub(super) fn start(&mut self, threads: u32, backwards: bool) {
        (self.threads, self.backwards) = (threads, backwards);
        self.next = 0;
        self.live = threads;
        self.ready.clear();
        self.later.clear();
        self.barrier.waiting.clear();
        self.barrier.lines.clear();
        self.barrier.holds = 0;
        self.barrier.clock = [0; 2];
        self.idle.clear();
        self.idle.extend((0..self.fibers).rev());
        let warps = threads.div_ceil(32) as usize;
        self.warps.truncate(warps);
        self.warps.resize_with(warps, Warp::default);
        for (k, warp) in self.warps.iter_mut().enumerate() {
            let lanes = (threads - 32 * k as u32).min(32);
            warp.start(lanes);
        }
    }

    /// The number of fibers that there are.
    pub(super) fn fibers(&self) -> Fiber {
        self.fibers
    }

    pub(super) fn thread_of(&self, fiber: Fiber) -> u32 {
        self.thread_of[usize::from(fiber)]
    }

    /// Who runs next.
    pub(super) fn next(&mut self) -> Next {
        loop {
            if let Some(fiber) = self.ready.pop_front() {
                return Next::Run(fiber);
            }
            if self.next < self.threads {
                let fiber = self.idle.pop().unwrap_or_else(|| {
                    self.fibers += 1;
                    self.thread_of.push(0);
                    self.results.push(0);
                    self.clocks.push([0; 2]);
                    self.fibers - 1
                });
                return Next::Run(fiber);
            }
            // All that can run has run: who asks which threads are active can
            // be told, before those who wait in a loop look again.
            if let Some((meeting, mask)) = self.warps.iter_mut().find_map(Warp::settle_active) {
                self.wake(&meeting.lanes(), meeting.after(), |_| u64::from(mask));
            } else if !self.later.is_empty() {
                std::mem::swap(&mut self.ready, &mut self.later);
            } else if self.live == 0 {
                return Next::Done;
            } else {
                return Next::Deadlock;
            }
        }
    }

    /// The next thread for a fiber to run.
    pub(super) fn take_thread(&mut self, fiber: Fiber) -> Option<u32> {
        let number = (self.next < self.threads).then_some(self.next)?;
        self.next += 1;
        let thread = if self.backwards { self.threads - 1 - number } else { number };
        self.thread_of[usize::from(fiber)] = thread;
        Some(thread)
    }

    pub(super) fn become_idle(&mut self, fiber: Fiber) {
        self.idle.push(fiber);
    }

    pub(super) fn run_later(&mut self, fiber: Fiber) {
        self.later.push_back(fiber);
    }

    /// Whether there is anybody to run instead.
    pub(super) fn has_others(&self) -> bool {
        !self.ready.is_empty()
            || !self.later.is_empty()
            || self.next < self.threads
            || self.warps.iter().any(Warp::is_asked)
    }

    /// What a fiber gets that has been waiting.
    pub(super) fn result(&self, fiber: Fiber) -> u64 {
        self.results[usize::from(fiber)]
    }

    /// When a fiber continues that has been waiting.
    pub(super) fn clock(&self, fiber: Fiber) -> Clock {
        self.clocks[usize::from(fiber)]
    }

    fn wake(&mut self, lanes: &[(u32, Fiber)], clock: Clock, result: impl Fn(u32) -> u64) {
        for (lane, fiber) in lanes {
            self.results[usize::from(*fiber)] = result(*lane);
            self.clocks[usize::from(*fiber)] = clock;
            self.ready.push_back(*fiber);
        }
    }

    /// The end of a fiber's thread, for which others may have waited.
    pub(super) fn thread_ended(&mut self, fiber: Fiber) {
        self.live -= 1;
        let thread = self.thread_of(fiber);
        if self.live > 0 && self.barrier.waiting.len() == self.live as usize {
            // All count alike: the last to arrive decides what it was.
            self.release(0);
        }
        let warp = &mut self.warps[thread as usize / 32];
        warp.lane_ended(thread % 32);
        while let Some(meeting) = self.warps[thread as usize / 32].complete() {
            let results = meeting.results();
            self.wake(&meeting.lanes(), meeting.after(), |lane| results[lane as usize]);
        }
    }

    /// A thread arrives at a barrier. The last one gets the answer, everybody
    /// else has to wait for it.
    ///
    /// `operation` is 0 for a plain barrier, then count, and, or.
    pub(super) fn arrive(
        &mut self,
        fiber: Fiber,
        operation: i32,
        predicate: bool,
        line: i32,
        clock: Clock,
    ) -> Option<u64> {
        self.barrier.holds += u32::from(predicate);
        self.barrier.clock = latest(self.barrier.clock, clock);
        if self.barrier.waiting.len() + 1 < self.live as usize {
            self.barrier.waiting.push(fiber);
            self.barrier.lines.push(line << 2 | operation);
            return None;
        }
        let clock = self.barrier.clock;
        let answer = self.release(operation);
        self.clocks[usize::from(fiber)] = [clock[0].saturating_add(1), clock[1]];
        Some(answer)
    }

    fn release(&mut self, operation: i32) -> u64 {
        let operation = self.barrier.lines.last().map_or(operation, |last| last & 3);
        let holds = self.barrier.holds;
        let result = match operation {
            1 => u64::from(holds),
            2 => u64::from(holds == self.live),
            3 => u64::from(holds > 0),
            _ => 0,
        };
        let clock = std::mem::take(&mut self.barrier.clock);
        for fiber in self.barrier.waiting.drain(..) {
            self.clocks[usize::from(fiber)] = [clock[0].saturating_add(1), clock[1]];
            self.results[usize::from(fiber)] = result;
            self.ready.push_back(fiber);
        }
        self.barrier.lines.clear();
        self.barrier.holds = 0;
        result
    }

    /// A thread arrives at an operation of its warp.
    ///
    /// # Errors
    ///
    /// If the thread is not in the mask that it gives.
    pub(super) fn meet(&mut self, arrival: Arrival) -> Result<Option<u64>, ()> {
        let thread = self.thread_of(arrival.fiber);
        let (warp, lane) = (thread as usize / 32, thread % 32);
        if arrival.mask & 1 << lane == 0 {
            return Err(());
        }
        let fiber = arrival.fiber;
        self.warps[warp].arrive(lane, arrival);
        let Some(meeting) = self.warps[warp].complete() else { return Ok(None) };
        let results = meeting.results();
        let others: Vec<(u32, Fiber)> =
            meeting.lanes().into_iter().filter(|(_, other)| *other != fiber).collect();
        self.wake(&others, meeting.after(), |lane| results[lane as usize]);
        self.clocks[usize::from(fiber)] = meeting.after();
        Ok(Some(results[lane as usize]))
    }

    /// What everybody waits for: for the report of a deadlock.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        let mut all: Vec<Waiting> = Vec::new();
        let mut add = |line: i32, at: &'static str, thread: u32| match all
            .iter_mut()
            .find(|waiting| waiting.line == line && waiting.at == at)
        {
            Some(waiting) => {
                waiting.threads += 1;
                waiting.first = waiting.first.min(thread);
            }
            None => all.push(Waiting { threads: 1, line, at, first: thread }),
        };
        for (fiber, line) in self.barrier.waiting.iter().zip(&self.barrier.lines) {
            let names = ["__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"];
            add(line >> 2, names[(line & 3) as usize], self.thread_of(*fiber));
        }
        for (k, warp) in self.warps.iter().enumerate() {
            warp.waiting(|line, at, lane| add(line, at, 32 * k as u32 + lane));
        }
        all.sort_by_key(|waiting| (waiting.line, waiting.first));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs threads that each do what `step` says at their n-th turn: true to
    /// wait at the barrier, false to end.
    fn run(threads: u32, step: impl Fn(u32, u32) -> bool) -> Next {
        let mut block = Block::default();
        block.start(threads, false);
        let mut turns: Vec<u32> = vec![0; threads as usize];
        let mut busy: Vec<Option<u32>> = Vec::new();
        loop {
            let fiber = match block.next() {
                Next::Run(fiber) => fiber,
                end => return end,
            };
            busy.resize((block.fibers() as usize).max(busy.len()), None);
            let place = usize::from(fiber);
            loop {
                let Some(thread) = busy[place].or_else(|| block.take_thread(fiber)) else {
                    block.become_idle(fiber);
                    break;
                };
                busy[place] = Some(thread);
                let turn = turns[thread as usize];
                turns[thread as usize] += 1;
                if !step(thread, turn) {
                    busy[place] = None;
                    block.thread_ended(fiber);
                } else if block.arrive(fiber, 0, false, 1, [0; 2]).is_none() {
                    break;
                }
            }
        }
    }

    #[test]
    fn threads_that_end_are_not_waited_for() {
        assert_eq!(run(100, |thread, turn| turn < 3 && (thread % 7 != 0 || turn < 1)), Next::Done);
    }

    #[test]
    fn one_fiber_is_enough_for_threads_that_never_wait() {
        let mut block = Block::default();
        block.start(64, true);
        let Next::Run(fiber) = block.next() else { panic!() };
        while block.take_thread(fiber).is_some() {
            block.thread_ended(fiber);
        }
        block.become_idle(fiber);
        assert_eq!((block.next(), block.fibers()), (Next::Done, 1));
    }
}
