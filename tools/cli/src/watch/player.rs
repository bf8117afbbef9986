//! Which interval is shown: time goes on, stands still, or is moved by hand.

use std::time::Duration;

use monitor::Interval;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Intervals a second that can be chosen, and the first choice: eyes can follow it.
const SPEEDS: [u32; 8] = [1, 2, 5, 10, 20, 50, 100, 500];
const FIRST_SPEED: usize = 3;
/// Intervals of a large step.
const LARGE_STEP: usize = 20;

/// What is shown of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// One interval.
    Interval,
    /// All of the file, added together.
    Whole,
}

/// Whether time goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It does.
    Playing,
    /// It stands still.
    Paused,
}

/// What a key asks of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To go on.
    GoOn,
    /// To end.
    Quit,
}

/// The state of a replay.
#[derive(Clone, Debug)]
pub struct Player {
    /// What is shown.
    pub view: View,
    /// Whether time goes by.
    pub motion: Motion,
    speed: usize,
    /// End of the interval that is shown. It stays when intervals are joined to save room.
    shown_ps: u64,
    /// Time that has gone by since the last step.
    passed: Duration,
}

impl Player {
    /// A replay from the start, for a file that may grow.
    pub fn following() -> Self {
        Player { view: View::Interval, motion: Motion::Playing, ..Self::ended() }
    }

    /// A file that is done: all of it is shown, and the last interval stands by.
    pub fn ended() -> Self {
        Player {
            view: View::Whole,
            motion: Motion::Paused,
            speed: FIRST_SPEED,
            shown_ps: 0,
            passed: Duration::ZERO,
        }
    }

    /// Intervals a second.
    pub fn speed(&self) -> u32 {
        SPEEDS[self.speed]
    }

    /// Number of the interval that is shown, from 0.
    pub fn index(&self, intervals: &[Interval]) -> usize {
        let nth = intervals.partition_point(|interval| interval.to_ps < self.shown_ps);
        nth.min(intervals.len().saturating_sub(1))
    }

    /// Shows the last interval.
    pub fn go_to_end(&mut self, intervals: &[Interval]) {
        self.show(intervals, intervals.len());
    }

    /// Real time goes by.
    pub fn advance(&mut self, passed: Duration, intervals: &[Interval]) {
        if self.motion == Motion::Paused {
            return;
        }
        self.passed += passed;
        let a_step = Duration::from_secs(1) / self.speed();
        let steps = self.passed.as_nanos() / a_step.as_nanos();
        self.passed -= a_step * steps as u32;
        self.show(intervals, self.index(intervals) + steps as usize);
    }

    /// Does what a key stands for.
    pub fn press(&mut self, key: &KeyEvent, intervals: &[Interval]) -> Asked {
        let index = self.index(intervals);
        let last = intervals.len().saturating_sub(1);
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Asked::Quit,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Asked::Quit
            }
            KeyCode::Char(' ') if self.motion == Motion::Playing => self.motion = Motion::Paused,
            KeyCode::Char(' ') => {
                // A film that has ended begins again.
                let from = if index == last { 0 } else { index };
                self.step_to(intervals, from);
                (self.motion, self.passed) = (Motion::Playing, Duration::ZERO);
            }
            KeyCode::Left => self.step_to(intervals, index.saturating_sub(1)),
            KeyCode::Right => self.step_to(intervals, index + 1),
            KeyCode::PageUp => self.step_to(intervals, index.saturating_sub(LARGE_STEP)),
            KeyCode::PageDown => self.step_to(intervals, index + LARGE_STEP),
            KeyCode::Home => self.step_to(intervals, 0),
            KeyCode::End => self.step_to(intervals, last),
            KeyCode::Char('+' | '=') => self.speed = (self.speed + 1).min(SPEEDS.len() - 1),
            KeyCode::Char('-') => self.speed = self.speed.saturating_sub(1),
            KeyCode::Char('t') if self.view == View::Whole => self.view = View::Interval,
            KeyCode::Char('t') => self.view = View::Whole,
            _ => {}
        }
        Asked::GoOn
    }

    /// Stops at an interval.
    fn step_to(&mut self, intervals: &[Interval], index: usize) {
        (self.motion, self.view) = (Motion::Paused, View::Interval);
        self.show(intervals, index);
    }

    fn show(&mut self, intervals: &[Interval], index: usize) {
        let shown = intervals.get(index).or(intervals.last());
        self.shown_ps = shown.map_or(0, |interval| interval.to_ps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(count: u64) -> Vec<Interval> {
        let interval =
            |nth| Interval { from_ps: 10 * nth, to_ps: 10 * nth + 10, ..Interval::default() };
        (0..count).map(interval).collect()
    }

    fn press(player: &mut Player, keys: &[KeyCode], intervals: &[Interval]) -> usize {
        for key in keys {
            assert_eq!(player.press(&KeyEvent::from(*key), intervals), Asked::GoOn);
        }
        player.index(intervals)
    }

    #[test]
    fn time_is_moved_by_hand() {
        let all = intervals(50);
        let mut player = Player::ended();
        player.go_to_end(&all);
        let cases: [(&[KeyCode], usize); 7] = [
            (&[KeyCode::Left], 48),
            (&[KeyCode::PageUp, KeyCode::PageUp], 8),
            (&[KeyCode::Right, KeyCode::Right], 10),
            (&[KeyCode::Home, KeyCode::Left], 0),
            (&[KeyCode::PageDown], 20),
            (&[KeyCode::End, KeyCode::Right], 49),
            (&[KeyCode::Char('t'), KeyCode::Char('x')], 49),
        ];
        for (keys, expected) in cases {
            assert_eq!(press(&mut player, keys, &all), expected, "{keys:?}");
        }
        assert_eq!(player.view, View::Whole);
        let quit = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(player.press(&quit, &all), Asked::Quit);
    }

    #[test]
    fn a_film_goes_on_at_its_speed_however_fast_the_file_grew() {
        let all = intervals(1_000);
        let mut player = Player::following();
        let tick = Duration::from_millis(50);
        (0..20).for_each(|_| player.advance(tick, &all));
        assert_eq!(player.index(&all), 10, "ten intervals a second");
        press(&mut player, &[KeyCode::Char('+')], &all);
        player.motion = Motion::Playing;
        (0..20).for_each(|_| player.advance(tick, &all));
        assert_eq!(player.index(&all), 30);
        press(&mut player, &[KeyCode::Char(' ')], &all);
        player.advance(Duration::from_secs(9), &all);
        assert_eq!(player.index(&all), 30, "it stands still");
    }

    #[test]
    fn a_film_that_has_ended_waits_for_more_or_begins_again() {
        let mut player = Player::following();
        player.advance(Duration::from_secs(9), &intervals(3));
        assert_eq!(player.index(&intervals(3)), 2);
        player.advance(Duration::from_millis(100), &intervals(9));
        assert_eq!(player.index(&intervals(9)), 3);
        let mut ended = Player::ended();
        ended.go_to_end(&intervals(9));
        assert_eq!(press(&mut ended, &[KeyCode::Char(' ')], &intervals(9)), 0);
        assert_eq!((ended.motion, ended.view), (Motion::Playing, View::Interval));
    }

    #[test]
    fn joined_intervals_do_not_move_what_is_shown() {
        let mut player = Player::following();
        player.go_to_end(&intervals(5));
        let all = intervals(8);
        let joined: Vec<_> = all.chunks(2).map(|pair| pair[1].joined(&pair[0])).collect();
        let index = player.index(&joined);
        assert!(joined[index].from_ps < 50 && 50 <= joined[index].to_ps);
        player.advance(Duration::from_secs(1), &[]);
        assert_eq!(player.index(&[]), 0);
    }
}
