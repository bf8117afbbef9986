//! What a drive is made of, and what its firmware runs on, by name.

/// What a drive is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A body in virtual time.
    Sim,
    /// The controller in hardware, with chips on its pins.
    Rtl,
}

impl Body {
    /// All of them.
    pub const ALL: [Body; 2] = [Body::Sim, Body::Rtl];

    /// Its name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Body::Sim => "sim",
            Body::Rtl => "rtl",
        }
    }
}

/// What the firmware runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// This computer, in the time that the board's processor would need.
    Board,
    /// An Ibex core in the controller, which is hardware.
    Ibex,
}

impl Processor {
    /// All of them.
    pub const ALL: [Processor; 2] = [Processor::Board, Processor::Ibex];

    /// Its name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Processor::Board => "board",
            Processor::Ibex => "ibex",
        }
    }
}
