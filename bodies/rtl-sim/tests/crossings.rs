//! Queues, resets and clears between clocks that have nothing to do with each other.

use rtl_sim::{seed, tops, Input, Model, Output, Pace, Random};
use std::collections::VecDeque;

/// A clock of the model, in picoseconds.
struct Clock {
    port: Input,
    half: u64,
    next: u64,
    high: bool,
}

impl Clock {
    fn new(model: &Model, name: &str, random: &mut Random) -> Self {
        let half = 500 + random.below(9_500);
        Self { port: model.input(name), half, next: random.below(half), high: false }
    }

    /// Changes the level; whether it rose.
    fn toggle(&mut self, model: &mut Model) -> bool {
        self.high = !self.high;
        self.next += self.half;
        model.set(self.port, u64::from(self.high));
        self.high
    }
}

/// Both sides of the queue. What they drive changes after their own edges alone.
struct Sides {
    paces: [Pace; 2],
    offered: Option<u64>,
    willing: bool,
    sent: VecDeque<u64>,
    received: u64,
    random: Random,
}

impl Sides {
    /// What the edge of the writer's clock takes, and the next offer.
    fn write(&mut self, model: &mut Model, is_ready: bool) {
        if is_ready {
            self.sent.extend(self.offered.take());
        }
        if self.offered.is_none() && self.paces[0].next() {
            self.offered = Some(self.random.below(1 << 16));
        }
        let (valid, data) = (model.input("in_valid_i"), model.input("in_data_i"));
        model.set(valid, u64::from(self.offered.is_some()));
        model.set(data, self.offered.unwrap_or(0));
    }

    /// What the edge of the reader's clock took.
    fn read(&mut self, model: &mut Model, found: Option<u64>) {
        if let Some(found) = found.filter(|_| self.willing) {
            assert_eq!(Some(found), self.sent.pop_front(), "beat {}", self.received);
            self.received += 1;
        }
        self.willing = self.paces[1].next();
        let ready = model.input("out_ready_i");
        model.set(ready, u64::from(self.willing));
    }
}

#[test]
fn beats_cross_between_unrelated_clocks_in_order() {
    seed::each(20, |random| {
        let mut model = Model::new(&tops::PRIM_CROSSINGS);
        let mut clocks = ["clk_i", "out_clk_i"].map(|name| Clock::new(&model, name, random));
        let mut sides = Sides {
            paces: [Pace::any(random), Pace::any(random)],
            offered: None,
            willing: false,
            sent: VecDeque::new(),
            received: 0,
            random: random.split(),
        };
        let reset = model.input("rst_ni");
        let output = |model: &Model, name: &str| model.get(model.output(name));
        let released = 20_000 + random.below(20_000);
        let mut awake = [false; 2];
        for level in [1, 0] {
            model.set(reset, level);
            model.eval();
        }
        while sides.received < 500 {
            let side = usize::from(clocks[1].next < clocks[0].next);
            let now = clocks[side].next;
            assert!(now < 2_000_000_000, "{} beats came", sides.received);
            model.set(reset, u64::from(now >= released));
            model.eval();
            let ready = output(&model, "in_ready_o") == 1;
            let valid = output(&model, "out_valid_o") == 1;
            let found = valid.then(|| output(&model, "out_data_o"));
            // An edge counts for a side that was out of reset before it.
            let resets = ["in_rst_no", "out_rst_no"].map(|name| output(&model, name) == 1);
            assert!(now >= released || resets == [false; 2], "reset does not wait for a clock");
            if clocks[side].toggle(&mut model) {
                model.eval();
                let was_awake = awake[side];
                awake[side] = output(&model, ["in_rst_no", "out_rst_no"][side]) == 1;
                match side {
                    0 if was_awake => sides.write(&mut model, ready),
                    1 if was_awake => sides.read(&mut model, found),
                    _ => {}
                }
            }
            model.eval();
        }
    });
}

/// A side of the queue that may be cleared alone.
struct ClearedSide {
    clear: Input,
    open: Output,
    forget: Output,
    /// Its edges until it changes its mind.
    left: u64,
    wants: bool,
    /// How often it has forgotten what was under way.
    turns: u64,
    /// What had been sent when it was cleared last.
    sent_before: u64,
}

impl ClearedSide {
    fn new(model: &Model, name: &str) -> Self {
        Self {
            clear: model.input(&format!("{name}_clear_i")),
            open: model.output(&format!("{name}_open_o")),
            forget: model.output(&format!("{name}_forget_o")),
            left: 100,
            wants: false,
            turns: 0,
            sent_before: 0,
        }
    }

    /// What an edge of its clock finds: whether it is open.
    fn look(&mut self, model: &Model, sent: u64) -> bool {
        let is_open = model.get(self.open) == 1;
        assert!(!is_open || !self.wants, "open while it is cleared");
        self.turns += model.get(self.forget);
        if self.wants {
            self.sent_before = sent;
        }
        is_open
    }

    /// Wants to be cleared, or no more, behind an edge.
    fn decide(&mut self, model: &mut Model, random: &mut Random) {
        self.left -= 1;
        if self.left == 0 {
            self.wants = !self.wants;
            let longest = [3, 40, 300][random.below(3) as usize];
            self.left = 1 + random.below(longest);
            model.set(self.clear, u64::from(self.wants));
        }
    }
}

/// A beat by its number, with the turn of the writer in which it went in.
struct Sent {
    number: u64,
    turn: u64,
}

#[test]
fn either_side_is_cleared_and_nothing_from_before_comes_out_after_it() {
    seed::each(20, |random| {
        let mut model = Model::new(&tops::PRIM_CROSSINGS);
        let mut clocks = ["clk_i", "out_clk_i"].map(|name| Clock::new(&model, name, random));
        let mut sides = ["in", "out"].map(|name| ClearedSide::new(&model, name));
        let mut paces = [Pace::any(random), Pace::any(random)];
        let (valid, data) = (model.input("in_valid_i"), model.input("in_data_i"));
        let reset = model.input("rst_ni");
        let output = |model: &Model, name: &str| model.get(model.output(name));
        let (mut sent, mut number, mut received) = (VecDeque::<Sent>::new(), 0, 0);
        let (mut offers, mut willing) = (false, false);
        for level in [1, 0] {
            model.set(reset, level);
            model.eval();
        }
        let released = 50_000;
        while received < 500 || sides[1].turns < 20 {
            let side = usize::from(clocks[1].next < clocks[0].next);
            let now = clocks[side].next;
            assert!(now < 20_000_000_000, "{received} beats came in {} turns", sides[1].turns);
            model.set(reset, u64::from(now >= released));
            model.eval();
            let rises = !clocks[side].high;
            if rises {
                let is_open = sides[side].look(&model, number);
                if side == 0 && offers && output(&model, "in_ready_o") == 1 {
                    assert!(is_open, "a closed side takes a beat");
                    sent.push_back(Sent { number, turn: sides[0].turns });
                    (number, offers) = (number + 1, false);
                }
                if side == 1 && willing && output(&model, "out_valid_o") == 1 {
                    assert!(is_open, "a closed side gives a beat");
                    let turn = sides[1].turns;
                    let found =
                        std::iter::from_fn(|| sent.pop_front()).find(|one| one.turn >= turn);
                    let found = found.expect("a beat that was sent");
                    assert_eq!(found.turn, turn, "the turn of beat {}", found.number);
                    assert_eq!(found.number & 0xffff, output(&model, "out_data_o"));
                    assert!(found.number >= sides[1].sent_before, "a beat from before a clear");
                    received += 1;
                }
            }
            clocks[side].toggle(&mut model);
            model.eval();
            if rises {
                sides[side].decide(&mut model, random);
                match side {
                    0 => {
                        offers = offers || paces[0].next();
                        model.set(valid, u64::from(offers));
                        model.set(data, number & 0xffff);
                    }
                    _ => {
                        willing = paces[1].next();
                        let ready = model.input("out_ready_i");
                        model.set(ready, u64::from(willing));
                    }
                }
            }
            model.eval();
        }
    });
}
