//! The largest queue depth at which latencies stay below a target (`latency_target`).

/// The latencies that a job is to keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTarget {
    /// The longest latency of a request that counts as good, not zero.
    pub target_ps: u64,
    /// How long each depth is tried (`latency_window`).
    pub window_ps: u64,
    /// Percent of the requests that must be good, 0 to 100 (`latency_percentile`). At 100 each late
    /// request ends the trial of its depth at once.
    pub percentile: f64,
    /// What follows when the depth is found.
    pub found: OnceFound,
}

/// What a job does when its depth is found (`latency_run`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnceFound {
    /// It runs for one more window, which is all that it reports, and ends.
    #[default]
    End,
    /// It goes on, and adjusts the depth.
    GoOn,
}

/// How far the search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Searches,
    /// The depth was found; the window that is reported runs.
    Confirms,
    Over,
}

/// What a search asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// A request may go.
    Go,
    /// None before one in flight has completed.
    Drain,
    /// What was measured until now is to be forgotten.
    Remeasure,
    /// The job is to end.
    Over,
}

/// Whether a late request can be mended by a smaller depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    /// It can, or the window will tell.
    Noted,
    /// The depth is 1 already.
    Hopeless,
}

/// A search as fio makes it: the depth is doubled until a window fails, then the bounds close in.
#[derive(Clone, Debug)]
pub(super) struct DepthSearch {
    target: LatencyTarget,
    /// The job's own depth.
    most: u32,
    depth: u32,
    low: u32,
    high: u32,
    /// Good windows in a row that could not raise the depth.
    stable: u32,
    stage: Stage,
    /// When the window began; none before the first.
    since_ps: Option<u64>,
    completed: u64,
    late: u64,
    /// Whether the depth went down, and requests of the larger one are still in flight.
    drains: bool,
}

/// Good windows after which a bound that stands one above the depth is tried again.
const STABLE_WINDOWS: u32 = 3;

impl DepthSearch {
    pub(super) fn new(target: LatencyTarget, iodepth: u32) -> Self {
        DepthSearch {
            target,
            most: iodepth,
            depth: 1,
            low: 1,
            high: iodepth,
            stable: 0,
            stage: Stage::Searches,
            since_ps: None,
            completed: 0,
            late: 0,
            drains: false,
        }
    }

    /// The depth that is tried.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Counts a completed request.
    pub(super) fn completed(&mut self) {
        self.completed += 1;
    }

    /// Counts a late one. Requests that drain after the depth went down say nothing of the new one.
    pub(super) fn late(&mut self) -> Late {
        if self.drains {
            return Late::Noted;
        }
        if self.target.percentile < 100.0 {
            self.late += 1;
            return Late::Noted;
        }
        match self.depth {
            1 => Late::Hopeless,
            _ => {
                self.lower();
                Late::Noted
            }
        }
    }

    /// Asks whether a request may go. Windows begin at `measure_ps`.
    pub(super) fn ask(&mut self, measure_ps: u64, now_ps: u64, in_flight: u32) -> Trial {
        if self.stage == Stage::Over {
            return Trial::Over;
        }
        if self.drains {
            if in_flight > 0 {
                return Trial::Drain;
            }
            self.drains = false;
            self.begin_window(now_ps);
        }
        if now_ps >= measure_ps {
            match self.since_ps {
                None => self.begin_window(measure_ps),
                Some(since_ps) if now_ps - since_ps >= self.target.window_ps => {
                    let trial = self.judge(now_ps);
                    if trial != Trial::Go {
                        return trial;
                    }
                }
                Some(_) => {}
            }
        }
        if in_flight < self.depth {
            Trial::Go
        } else {
            Trial::Drain
        }
    }

    /// A window is over. One without a completion says nothing, and goes on.
    fn judge(&mut self, now_ps: u64) -> Trial {
        if self.completed == 0 {
            return Trial::Go;
        }
        let good = (self.completed - self.late.min(self.completed)) as f64;
        if good * 100.0 >= self.target.percentile * self.completed as f64 {
            return self.raise(now_ps);
        }
        if self.depth > 1 {
            self.lower();
            return Trial::Drain;
        }
        // fio lets the window go on.
        Trial::Go
    }

    fn begin_window(&mut self, now_ps: u64) {
        (self.since_ps, self.completed, self.late) = (Some(now_ps), 0, 0);
    }

    fn lower(&mut self) {
        self.high = self.depth;
        if self.depth == self.low {
            self.low -= 1;
        }
        self.depth = (self.depth + self.low) / 2;
        self.stable = 0;
        self.drains = true;
    }

    fn raise(&mut self, now_ps: u64) -> Trial {
        let tried = self.depth;
        self.low = tried;
        if tried + 1 == self.high {
            self.stable += 1;
            if self.stable == STABLE_WINDOWS {
                self.high += 1;
                self.stable = 0;
            }
        }
        // Before a window has failed there is nothing to close in on.
        let next = if self.high == self.most { tried * 2 } else { (tried + self.high) / 2 };
        self.depth = next.min(self.most);
        self.begin_window(now_ps);
        match (self.depth == tried, self.target.found, self.stage) {
            (false, _, _) | (_, OnceFound::GoOn, _) => Trial::Go,
            (true, OnceFound::End, Stage::Searches) => {
                self.stage = Stage::Confirms;
                Trial::Remeasure
            }
            (true, OnceFound::End, _) => {
                self.stage = Stage::Over;
                Trial::Over
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Depths that are tried on a drive on which a depth of more than `good` is too slow, until it ends.
    fn depths(found: OnceFound, iodepth: u32, good: u32, windows: usize) -> Vec<u32> {
        let target = LatencyTarget { target_ps: 1, window_ps: 10, percentile: 95.0, found };
        let mut search = DepthSearch::new(target, iodepth);
        let mut tried = Vec::new();
        let mut now_ps = 0;
        assert_eq!(search.ask(0, 0, 0), Trial::Go);
        while tried.len() < windows {
            tried.push(search.depth());
            let late = search.depth() > good;
            for _ in 0..20 {
                search.completed();
            }
            for _ in 0..if late { 2 } else { 1 } {
                search.late();
            }
            now_ps += 10;
            match search.ask(0, now_ps, 0) {
                Trial::Over => break,
                Trial::Drain => assert_eq!(search.ask(0, now_ps, 0), Trial::Go),
                Trial::Go | Trial::Remeasure => {}
            }
        }
        tried
    }

    #[test]
    fn depths_double_until_a_window_fails_and_then_close_in() {
        assert_eq!(depths(OnceFound::End, 64, 100, 99), [1, 2, 4, 8, 16, 32, 64, 64]);
        assert_eq!(depths(OnceFound::End, 64, 21, 99), [1, 2, 4, 8, 16, 32, 24, 20, 22, 21, 21]);
        assert_eq!(depths(OnceFound::End, 6, 100, 99), [1, 2, 4, 6, 6]);
        // A depth of 1 that is too slow already is tried on.
        assert_eq!(depths(OnceFound::End, 8, 0, 4), [1, 1, 1, 1]);
    }

    #[test]
    fn a_search_that_goes_on_tries_the_bound_again() {
        let tried = depths(OnceFound::GoOn, 64, 21, 20);
        assert_eq!(tried[..10], [1, 2, 4, 8, 16, 32, 24, 20, 22, 21]);
        // After three good windows the bound is tried, fails, and the depth comes back.
        assert_eq!(tried[10..16], [21, 21, 22, 21, 21, 21]);
    }

    #[test]
    fn at_a_hundred_percent_one_late_request_is_enough() {
        let target =
            LatencyTarget { target_ps: 1, window_ps: 10, percentile: 100.0, found: OnceFound::End };
        let mut search = DepthSearch::new(target, 8);
        assert_eq!(search.late(), Late::Hopeless);
        search.ask(0, 0, 0);
        search.completed();
        assert_eq!((search.ask(0, 10, 0), search.depth()), (Trial::Go, 2));
        assert_eq!((search.late(), search.depth()), (Late::Noted, 1));
        // What is in flight from before does not count.
        assert_eq!(search.late(), Late::Noted);
        assert_eq!(search.ask(0, 11, 1), Trial::Drain);
        assert_eq!(search.ask(0, 12, 0), Trial::Go);
        assert_eq!(search.late(), Late::Hopeless);
    }
}
