//! Takes out of a round what it can do without and still go wrong.

use crate::outcome::Outcome;
use crate::plan::{Act, Command, Data, Plan, Pointer, Step};
use crate::violation::{attempt, Violation};

/// A plan that goes wrong, and as what.
#[derive(Clone, Debug)]
pub struct Failing {
    /// The drive and the steps with which a round goes wrong.
    pub plan: Plan,
    /// What goes wrong in it.
    pub violation: Violation,
}

/// Shrinks a plan with at most `runs` more runs: it takes out steps, single commands and values of the board as long
/// as any violation is left, and then makes commands plainer. `progress` is told after each run how many are left.
pub fn shrink(failing: Failing, runs: u32, progress: &mut dyn FnMut(u32)) -> Failing {
    let mut shrinking = Shrinking { failing, left: runs, progress };
    shrinking.cut_behind_violation();
    loop {
        let before = shrinking.size();
        shrinking.drop_steps();
        shrinking.drop_commands();
        shrinking.drop_values();
        if shrinking.left == 0 || shrinking.size() == before {
            break;
        }
    }
    shrinking.make_plainer();
    shrinking.failing
}

struct Shrinking<'a> {
    failing: Failing,
    left: u32,
    progress: &'a mut dyn FnMut(u32),
}

impl Shrinking<'_> {
    fn size(&self) -> (usize, usize, usize) {
        let plan = &self.failing.plan;
        (plan.steps.len(), plan.commands(), plan.values.len())
    }

    /// Takes a plan in place of the one there is if it can be run and goes wrong too. A file holds no other, and one that cannot be run
    /// would go wrong by itself.
    fn accept(&mut self, plan: Plan) -> bool {
        if self.left == 0 || plan.check().is_err() {
            return false;
        }
        match self.run(&plan) {
            Ok(_) => false,
            Err(violation) => {
                self.failing = Failing { plan, violation };
                true
            }
        }
    }

    /// Whether a drive can be made and holds as long as nothing is done to it, which takes a run to see.
    fn is_sound(&mut self, plan: &Plan) -> bool {
        if self.left == 0 || plan.check().is_err() {
            return false;
        }
        self.run(&Plan { steps: Vec::new(), ..plan.clone() }).is_ok()
    }

    /// Runs a plan, one run of those that are left.
    fn run(&mut self, plan: &Plan) -> Result<Outcome, Violation> {
        self.left -= 1;
        (self.progress)(self.left);
        attempt(plan)
    }

    /// Nothing comes after the step in which the violation was found.
    fn cut_behind_violation(&mut self) {
        let Failing { plan, violation } = &self.failing;
        let mut plan = plan.clone();
        plan.steps.truncate(violation.step + 1);
        self.accept(plan);
    }

    /// Drops runs of steps, long ones first (delta debugging).
    fn drop_steps(&mut self) {
        let mut chunk = self.failing.plan.steps.len().div_ceil(2);
        while chunk > 0 {
            let mut at = 0;
            while at < self.failing.plan.steps.len() {
                let mut plan = self.failing.plan.clone();
                let end = (at + chunk).min(plan.steps.len());
                plan.steps.drain(at..end);
                if !self.accept(plan) {
                    at += chunk;
                }
            }
            chunk /= 2;
        }
    }

    /// Drops commands one by one, the last first.
    fn drop_commands(&mut self) {
        for at in (0..self.failing.plan.steps.len()).rev() {
            let mut nth = commands_of(&self.failing.plan.steps[at]);
            while nth > 0 {
                nth -= 1;
                let mut plan = self.failing.plan.clone();
                if let Step::Submit { commands, .. } = &mut plan.steps[at] {
                    commands.remove(nth);
                }
                self.accept(plan);
            }
        }
    }

    /// Gives the board its own values back, one by one.
    fn drop_values(&mut self) {
        // Where the drive holds as long as nothing is done to it, one that does not shows something else: zones that have no blocks from the
        // start on, such as values of the board keep away.
        let was_sound = self.is_sound(&self.failing.plan.clone());
        for at in (0..self.failing.plan.values.len()).rev() {
            let mut plan = self.failing.plan.clone();
            plan.values.remove(at);
            if !was_sound || self.is_sound(&plan) {
                self.accept(plan);
            }
        }
        if self.failing.plan.data == Data::Bytes {
            let plan = Plan { data: Data::Stamps, ..self.failing.plan.clone() };
            self.accept(plan);
        }
    }

    /// Makes commands plainer one by one: sound, without FUA, of one block, with one queue for all.
    fn make_plainer(&mut self) {
        const PLAINER: [fn(&mut Command); 4] = [
            |command| command.pointer = Pointer::Sound,
            |command| command.fua = false,
            |command| command.blocks = 1,
            |command| {
                command.act =
                    if let Act::Malformed(_) = command.act { Act::Read } else { command.act }
            },
        ];
        for at in 0..self.failing.plan.steps.len() {
            self.change(|plan| {
                if let Step::Submit { queue, .. } = &mut plan.steps[at] {
                    *queue = 1;
                }
            });
            for nth in 0..commands_of(&self.failing.plan.steps[at]) {
                for plainer in PLAINER {
                    self.change(|plan| {
                        if let Step::Submit { commands, .. } = &mut plan.steps[at] {
                            plainer(&mut commands[nth]);
                        }
                    });
                }
            }
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Plan)) {
        let mut plan = self.failing.plan.clone();
        change(&mut plan);
        if plan != self.failing.plan {
            self.accept(plan);
        }
    }
}

fn commands_of(step: &Step) -> usize {
    match step {
        Step::Submit { commands, .. } => commands.len(),
        _ => 0,
    }
}
