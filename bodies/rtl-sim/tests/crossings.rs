//! Queues and resets between clocks that have nothing to do with each other.

use rtl_sim::{seed, tops, Input, Model, Pace, Random};
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
