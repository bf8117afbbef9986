//! Firmware on the processor in the controller: its program is loaded, and what it tells is heard.

use super::host_side::HostEnd;
use super::seat::Seat;
use crate::nvme::CorePort;
use contract::{Pass, Work};
use driver::boot::{Boot, PLACE};
use driver::trace::Event;
use driver::Bus;
use firmware::Told;
use soc_program::{pieces, Piece, PROGRAM};
use std::cell::RefCell;
use std::rc::Rc;

/// Cycles after which a turn of the main loop is looked at while it goes on.
const LOOK_CYCLES: u64 = 1000;

/// Cycles without a turn of the main loop after which the program counts as lost: longer than its start takes.
const PATIENCE: u64 = 20_000_000;

/// What one kind of work took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCount {
    /// How often it was done.
    pub times: u64,
    /// Instructions from its name to the next one's.
    pub instructions: u64,
    /// Cycles that passed meanwhile, without those in which the processor slept.
    pub cycles: u64,
    /// Cycles of them that went into waiting for registers and the data buffer memory.
    pub waited: u64,
}

/// What each kind of work took so far, in the order of [`Work::ALL`]. Whoever asked for it sees it grow.
pub type WorkCounts = Rc<RefCell<[WorkCount; Work::ALL.len()]>>;

/// Counters that only grow, at a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    instructions: u32,
    cycles: u64,
    waited: u64,
    slept: u64,
}

/// What ended in the program.
enum Ended {
    Turn(Pass),
    Program,
}

/// A drive whose firmware runs inside.
pub struct Inside<'o, E> {
    /// What is around it.
    pub seat: Seat<'o, E>,
    counts: WorkCounts,
    /// The work that is done now, and since when.
    work: Work,
    since: Moment,
    slept: u64,
    is_at_rest: bool,
    /// When the last turn ended.
    passed_at: u64,
    /// Between a turn and the next one it does nothing that has a name.
    is_between: bool,
    told: Told,
    /// Erases of each block, if it takes data.
    erases: Vec<Option<u32>>,
    /// What the program said.
    text: String,
}

impl<'o, E: HostEnd> Inside<'o, E> {
    /// Puts the program and what it has to know into the processor's memory, and lets it start.
    ///
    /// # Errors
    /// A line, when there is no program, or it stops before its main loop: its tables may need more memory than there is.
    ///
    /// # Panics
    /// If the top has no processor.
    pub fn new(mut seat: Seat<'o, E>, boot: &Boot) -> Result<Self, String> {
        let program = PROGRAM.map_err(|line| format!("--processor ibex: {line}"))?;
        let pieces = pieces(program).expect("a program for this processor");
        let core = seat.card.core.as_mut().expect("a top with a processor");
        for Piece { address, bytes } in pieces {
            let word = |bytes: &[u8]| {
                let mut word = [0; 4];
                word[..bytes.len()].copy_from_slice(bytes);
                u32::from_le_bytes(word)
            };
            core.load(address, bytes.chunks(4).map(word));
        }
        core.load(PLACE, boot.emit());
        let geometry = boot.config.geometry;
        let blocks = geometry.dies() * geometry.blocks_per_way;
        let mut inside = Self {
            seat,
            counts: Default::default(),
            work: Work::Loop,
            since: Moment::default(),
            slept: 0,
            is_at_rest: false,
            passed_at: 0,
            is_between: true,
            told: Told::default(),
            erases: vec![None; blocks as usize],
            text: String::new(),
        };
        while inside.passed_at == 0 {
            if inside.look().is_err() {
                return Err(format!(
                    "--processor ibex: the program in the controller does not start: {}",
                    inside.text
                ));
            }
        }
        Ok(inside)
    }

    /// What each kind of work took.
    pub fn counts(&self) -> WorkCounts {
        Rc::clone(&self.counts)
    }

    /// A turn of the firmware's main loop, or a part of one that takes long.
    ///
    /// # Panics
    /// If the program stopped, with what it said, or is lost.
    pub fn turn(&mut self) {
        if self.look().is_err() {
            panic!("the program in the controller: {}", self.text);
        }
    }

    /// Runs to the end of a turn, or not that far. An error says that the program has stopped.
    fn look(&mut self) -> Result<(), ()> {
        let start = self.seat.card.cycles();
        while self.seat.card.cycles() - start < LOOK_CYCLES {
            self.seat.cycle();
            self.slept += u64::from(self.core().is_asleep());
            while let Some(event) = self.core().take_told() {
                match self.hear(event) {
                    Some(Ended::Program) => return Err(()),
                    Some(Ended::Turn(pass)) => {
                        self.is_at_rest = pass == Pass::Idle;
                        self.passed_at = self.seat.card.cycles();
                        self.seat.end_pass(pass);
                        return Ok(());
                    }
                    None => {}
                }
            }
        }
        self.is_at_rest &= self.core().is_asleep();
        let silence = self.seat.card.cycles() - self.passed_at;
        assert!(silence < PATIENCE, "the program in the controller is lost: {}", self.text);
        Ok(())
    }

    /// What the firmware told of itself, and of each block its erases, if it takes data.
    pub fn told(&self) -> (Told, &[Option<u32>]) {
        (self.told, &self.erases)
    }

    /// Whether the last turn found nothing, and no other has begun to last.
    pub fn is_at_rest(&self) -> bool {
        self.is_at_rest
    }

    fn core(&mut self) -> &mut CorePort {
        self.seat.card.core.as_mut().expect("there is one since it was loaded")
    }

    /// Takes what the processor told. What has ended is for the caller.
    fn hear(&mut self, event: Event) -> Option<Ended> {
        match event {
            Event::Work { work, times, instructions } => {
                self.count(instructions);
                self.work = work;
                self.counts.borrow_mut()[work as usize].times += u64::from(times);
                self.seat.work(work, times);
            }
            Event::Note(note) => self.seat.note(note),
            Event::Pass { pass, instructions } => {
                self.count(instructions);
                self.is_between = true;
                return Some(Ended::Turn(pass));
            }
            Event::Count(which, more) => self.change(which, more),
            Event::Erases(block, erases) => self.erases[block as usize] = erases,
            Event::Text(byte) => self.text.push(byte.into()),
            Event::Stopped(_) => return Some(Ended::Program),
        }
        None
    }

    /// A number that the firmware tells is more than it was, modulo 2^24.
    fn change(&mut self, which: u8, more: u32) {
        let more = (more << 8) as i32 >> 8;
        let number = self.told.each().nth(which.into()).expect("a number that is told");
        *number = number.wrapping_add_signed(more.into());
    }

    /// Counts what was done since the last time to the work that was done.
    fn count(&mut self, instructions: u32) {
        let (cycles, slept) = (self.seat.card.cycles(), self.slept);
        let now = Moment { instructions, cycles, waited: self.core().waited(), slept };
        let since = std::mem::replace(&mut self.since, now);
        if std::mem::take(&mut self.is_between) {
            return;
        }
        let count = &mut self.counts.borrow_mut()[self.work as usize];
        count.instructions += u64::from(instructions.wrapping_sub(since.instructions));
        count.cycles += (now.cycles - since.cycles) - (now.slept - since.slept);
        count.waited += now.waited - since.waited;
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_side::HostSide;
    use super::super::shape::Plan;
    use super::super::{Processor, BUS_BITS};
    use super::*;
    use crate::nvme::Card;
    use crate::Random;
    use board::Board;

    #[test]
    fn a_program_that_does_not_start_says_why() {
        if let Err(line) = PROGRAM {
            return eprintln!("skipped: {line}");
        }
        let board = Board::resolve("small", &[]).expect("a board");
        let plan = match Plan::new(&board, Processor::Ibex) {
            Ok(plan) => plan,
            Err(line) => return eprintln!("skipped: {line}"),
        };
        let card = Card::<HostSide>::new(plan.top, BUS_BITS, plan.around, &mut Random::new(1));
        let seat = Seat::new(card, &board, plan.parts.period.as_ps());
        let mut boot = Boot { config: plan.parts.config, setup: plan.parts.setup };
        boot.config.geometry.ways = 3;
        let text = Inside::new(seat, &boot).err().expect("it does not start");
        for part in [
            "--processor ibex",
            "drive/driver/src/body.rs",
            "channels and ways of the controller",
            "(2, 3)",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
