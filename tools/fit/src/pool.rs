//! Does pieces of work side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does `count` pieces of work on `threads` threads and gives back what came of them, in their order. `done` is called with
/// the number of each piece that is over, in no order.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    threads: usize,
    work: &(dyn Fn(usize) -> T + Sync),
    done: &mut dyn FnMut(usize),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    thread::scope(|scope| {
        let (sender, ended) = mpsc::channel();
        for _ in 0..threads.clamp(1, count.max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                // Nobody listens only after a panic elsewhere, which ends the program.
                if nth >= count || sender.send((nth, work(nth))).is_err() {
                    return;
                }
            });
        }
        drop(sender);
        for (nth, result) in ended {
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
            let squares = side_by_side(20, threads, &|n| n * n, &mut |n| ended.push(n));
            assert_eq!(squares, (0..20).map(|n| n * n).collect::<Vec<_>>());
            ended.sort_unstable();
            assert_eq!(ended, (0..20).collect::<Vec<_>>());
        }
        assert!(side_by_side(0, 4, &|n| n, &mut |_| ()).is_empty());
    }
}
