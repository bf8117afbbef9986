//! Does pieces of work side by side.

use std::ops::Range;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;

/// Pieces of work by number, which threads take until none is left.
#[derive(Debug)]
pub struct Queue {
    next: AtomicU64,
    end: AtomicU64,
}

impl Queue {
    /// Pieces with these numbers.
    pub fn new(pieces: Range<u64>) -> Self {
        Queue { next: AtomicU64::new(pieces.start), end: AtomicU64::new(pieces.end) }
    }

    /// Takes the next piece.
    pub fn take(&self) -> Option<u64> {
        self.take_some(1).next()
    }

    /// Takes the next pieces, at most so many.
    pub fn take_some(&self, most: u64) -> Range<u64> {
        let first = self.next.fetch_add(most, Ordering::Relaxed);
        let end = self.end.load(Ordering::Relaxed);
        first.min(end)..first.saturating_add(most).min(end)
    }

    /// No piece is taken any more. What threads have taken before, they do.
    pub fn close(&self) {
        self.end.store(0, Ordering::Relaxed);
    }
}

/// Lets `threads` threads, one at least, do `work`, and `listen` to what they tell meanwhile, until all of them have ended or
/// it has heard enough.
///
/// # Panics
/// With what a thread has panicked with.
pub fn side_by_side<T: Send, R>(
    threads: usize,
    work: &(dyn Fn(&Sender<T>) + Sync),
    listen: impl FnOnce(Receiver<T>) -> R,
) -> R {
    thread::scope(|scope| {
        let (sender, told) = channel();
        let begin = |sender: Sender<T>| scope.spawn(move || work(&sender));
        let workers: Vec<_> = (0..threads.max(1)).map(|_| begin(sender.clone())).collect();
        drop(sender);
        let result = listen(told);
        for worker in workers {
            if let Err(payload) = worker.join() {
                panic::resume_unwind(payload);
            }
        }
        result
    })
}

/// Does `count` pieces of work on `threads` threads and gives back what came of them, in their order. `done` is called with
/// the number of each piece that is over, in no order.
///
/// # Panics
/// With what a piece has panicked with.
pub fn in_order<T: Send>(
    count: usize,
    threads: usize,
    work: &(dyn Fn(usize) -> T + Sync),
    done: &mut dyn FnMut(usize),
) -> Vec<T> {
    let queue = Queue::new(0..count as u64);
    let take = |tell: &Sender<(usize, T)>| {
        while let Some(nth) = queue.take() {
            let nth = nth as usize;
            // Nobody listens only after a panic elsewhere, which ends the program.
            if tell.send((nth, work(nth))).is_err() {
                return;
            }
        }
    };
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    side_by_side(threads.min(count), &take, |told| {
        for (nth, result) in told {
            results[nth] = Some(result);
            done(nth);
        }
    });
    results.into_iter().map(|result| result.expect("each piece was done")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_pieces() {
        for threads in [1, 3, 99] {
            let mut ended = Vec::new();
            let squares = in_order(20, threads, &|n| n * n, &mut |n| ended.push(n));
            assert_eq!(squares, (0..20).map(|n| n * n).collect::<Vec<_>>());
            ended.sort_unstable();
            assert_eq!(ended, (0..20).collect::<Vec<_>>());
        }
        assert!(in_order(0, 4, &|n| n, &mut |_| ()).is_empty());
    }

    #[test]
    fn pieces_are_taken_once_and_none_behind_the_last() {
        let queue = Queue::new(3..8);
        assert_eq!((queue.take(), queue.take_some(3), queue.take_some(3)), (Some(3), 4..7, 7..8));
        assert_eq!((queue.take(), queue.take_some(3).count()), (None, 0));
    }

    #[test]
    fn nothing_is_taken_once_the_queue_is_closed() {
        let queue = Queue::new(3..8);
        assert_eq!(queue.take(), Some(3));
        queue.close();
        assert_eq!((queue.take(), queue.take_some(4).count()), (None, 0));
    }

    #[test]
    #[should_panic(expected = "a piece that fails")]
    fn a_panic_is_that_of_the_thread() {
        in_order(4, 2, &|n| assert!(n != 2, "a piece that fails"), &mut |_| ());
    }
}
