//! The levels on the pins of a chip.

/// What the host puts on the pins. True is high; a name that ends in `_n` is active low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Chip enable.
    pub ce_n: bool,
    /// Command latch enable.
    pub cle: bool,
    /// Address latch enable.
    pub ale: bool,
    /// Write enable.
    pub we_n: bool,
    /// Read enable.
    pub re_n: bool,
    /// Write protect.
    pub wp_n: bool,
    /// The data pins, if the host drives them.
    pub dq: Option<u8>,
    /// The data strobe, if the host drives it.
    pub dqs: Option<bool>,
}

/// What the chip puts on the pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// Ready (high) or busy (low). An open drain: high is what a pull-up makes of it.
    pub rb_n: bool,
    /// The data pins, if the chip drives them.
    pub dq: Option<u8>,
    /// The data strobe, if the chip drives it.
    pub dqs: Option<bool>,
}

impl Inputs {
    /// Nobody is selected.
    pub const IDLE: Self = Self {
        ce_n: true,
        cle: false,
        ale: false,
        we_n: true,
        re_n: true,
        wp_n: true,
        dq: None,
        dqs: None,
    };

    /// Whether data may move: selected, and neither latch enabled.
    pub(crate) fn data_phase(&self) -> bool {
        !self.ce_n && !self.cle && !self.ale
    }
}

impl Outputs {
    /// Ready, and driving nothing.
    pub const RELEASED: Self = Self { rb_n: true, dq: None, dqs: None };

    /// Whether the chip drives DQ or DQS.
    pub(crate) fn drives(&self) -> bool {
        self.dq.is_some() || self.dqs.is_some()
    }
}
