//! Chips of one channel that take the board's times and never fail.

use board::Board;
use channel::{Chips, PageRead, Place, Work};
use contract::packet::Request;
use contract::{Duration, Instant};
use nand::Tempo;

pub(crate) struct TimedChips {
    ways: Vec<Tempo>,
    page_mask: u32,
}

impl TimedChips {
    pub fn new(board: &Board, seed: u64, channel: u32) -> Self {
        let geometry = board.firmware.geometry;
        let die = |way: u32| Tempo::new(&board.flash, seed, way * geometry.channels + channel);
        TimedChips {
            ways: (0..geometry.ways).map(die).collect(),
            page_mask: (1 << sim::controller::plane_shift(board)) - 1,
        }
    }

    /// Pages of several planes are ready together: the slowest tells.
    fn slowest(
        &mut self,
        place: Place<'_>,
        time: impl Fn(&mut Tempo, u32) -> Duration,
    ) -> Duration {
        let tempo = &mut self.ways[usize::from(place.way)];
        let mask = self.page_mask;
        let times = place.requests.iter().map(|request| time(tempo, request.row & mask));
        times.max().expect("an operation has a request")
    }
}

impl Chips for TimedChips {
    fn read(&mut self, place: Place<'_>) -> Duration {
        self.slowest(place, Tempo::read)
    }

    fn program(&mut self, place: Place<'_>) -> Work {
        Work::good(self.slowest(place, Tempo::program))
    }

    fn erase(&mut self, place: Place<'_>) -> Work {
        Work::good(self.slowest(place, |tempo, _| tempo.erase()))
    }

    fn transfer(&mut self, _way: u8, _at: Instant, _request: &Request) -> PageRead {
        PageRead::default()
    }
}
