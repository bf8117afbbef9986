//! Chips of one channel that take the board's times and never fail.

use board::Board;
use channel::{Chips, PageRead, Place, Work};
use contract::packet::Request;
use contract::{Duration, FlashOperation, Instant};
use machine::TimeSpan;
use nand::Tempo;

use crate::flash_load::watcher::ChipWork;

pub(crate) struct TimedChips {
    ways: Vec<Tempo>,
    page_mask: u32,
    /// What was begun and not told yet, without its ticket.
    begun: Vec<ChipWork>,
}

impl TimedChips {
    pub fn new(board: &Board, seed: u64, channel: u32) -> Self {
        let geometry = board.firmware.geometry;
        let flash = (&board.flash, geometry.pages_per_block);
        let die = |way: u32| Tempo::new(flash, seed, way * geometry.channels + channel);
        TimedChips {
            ways: (0..geometry.ways).map(die).collect(),
            page_mask: (1 << sim::controller::plane_shift(board)) - 1,
            begun: Vec::new(),
        }
    }

    /// What was begun since this was called last.
    pub fn begun(&mut self) -> impl Iterator<Item = ChipWork> + '_ {
        self.begun.drain(..)
    }

    /// The chip works for as long as the slowest of its pages takes.
    fn work(
        &mut self,
        operation: FlashOperation,
        place: Place<'_>,
        time: impl Fn(&mut Tempo, u32) -> Duration,
    ) -> Duration {
        let length = place.taken(self.slowest(place, time));
        let start = place.at.as_ps();
        let span = TimeSpan { start, end: start + length.as_ps() };
        let row = place.requests.first().map_or(0, |request| request.row);
        self.begun.push(ChipWork { operation, way: place.way, row, ticket: 0, span });
        length
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
        self.work(FlashOperation::ReadTrigger, place, Tempo::read)
    }

    fn program(&mut self, place: Place<'_>) -> Work {
        Work::good(self.work(FlashOperation::Program, place, Tempo::program))
    }

    fn erase(&mut self, place: Place<'_>) -> Work {
        Work::good(self.work(FlashOperation::Erase, place, |tempo, _| tempo.erase()))
    }

    fn transfer(&mut self, _way: u8, _at: Instant, _request: &Request) -> PageRead {
        PageRead::default()
    }
}
