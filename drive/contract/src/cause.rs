//! Why a command's time passes, and in which part of the drive.
//!
//! Names and definitions stand here alone: reports, the operation monitor and the timeline use them.

/// A part of the drive in which a command spends its time (Cosmos+ Table 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Part {
    /// Before the firmware takes the command, after it hands the completion over, and a DMA from its
    /// issue until its end is sensed.
    HostInterface,
    /// All time that is in neither of the other parts, with all waiting for a first issue.
    Firmware,
    /// A flash operation, from its first issue until its end is sensed.
    Storage,
}

impl Part {
    /// Every part, in the order of their discriminants.
    pub const ALL: [Part; 3] = [Part::HostInterface, Part::Firmware, Part::Storage];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Part::HostInterface => "host interface",
            Part::Firmware => "firmware",
            Part::Storage => "storage",
        }
    }

    /// Its name as a key.
    pub const fn key(self) -> &'static str {
        match self {
            Part::HostInterface => "host_interface",
            Part::Firmware => "firmware",
            Part::Storage => "storage",
        }
    }
}

/// What a command's time goes into. At each moment the time has one cause: the cause of the operation that
/// the command turns out to have waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// The link to the host is at work.
    HostLink,
    /// The command stands in its submission queue.
    Fetch,
    /// The completion waits for the host.
    Host,
    /// The processor works for the command.
    Processing,
    /// The processor works for something else.
    Processor,
    /// Commands before it have to get on first.
    Order,
    /// Others use the entry of the data buffer.
    Entry,
    /// A part of the map is read that is not in memory.
    Map,
    /// The die works on the drive's own behalf.
    Internal,
    /// The die works for others.
    Die,
    /// Others have the flash bus.
    Bus,
    /// Others have the DMA engine.
    DmaEngine,
    /// The chip works.
    Flash,
    /// The flash bus works.
    Transfer,
    /// DRAM and its buses.
    Memory,
    /// Error correction.
    Ecc,
    /// What a body in hardware does not tell apart.
    Untold,
}

impl Cause {
    /// Number of causes.
    pub const COUNT: usize = 17;

    /// Every cause, in the order of their discriminants: from the host to the flash.
    pub const ALL: [Cause; Cause::COUNT] = [
        Cause::HostLink,
        Cause::Fetch,
        Cause::Host,
        Cause::Processing,
        Cause::Processor,
        Cause::Order,
        Cause::Entry,
        Cause::Map,
        Cause::Internal,
        Cause::Die,
        Cause::Bus,
        Cause::DmaEngine,
        Cause::Flash,
        Cause::Transfer,
        Cause::Memory,
        Cause::Ecc,
        Cause::Untold,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::HostLink => "host link and DMA",
            Cause::Fetch => "waiting to be fetched",
            Cause::Host => "waiting for the host",
            Cause::Processing => "command processing",
            Cause::Processor => "waiting for the processor",
            Cause::Order => "waiting for earlier commands",
            Cause::Entry => "waiting for a buffer entry",
            Cause::Map => "waiting for the map",
            Cause::Internal => "waiting behind internal work",
            Cause::Die => "waiting for the die",
            Cause::Bus => "waiting for the bus",
            Cause::DmaEngine => "waiting for the DMA engine",
            Cause::Flash => "flash busy",
            Cause::Transfer => "transfer",
            Cause::Memory => "waiting for memory",
            Cause::Ecc => "ECC",
            Cause::Untold => "not told apart",
        }
    }

    /// Its name as a key.
    pub const fn key(self) -> &'static str {
        match self {
            Cause::HostLink => "host_link",
            Cause::Fetch => "wait_fetch",
            Cause::Host => "wait_host",
            Cause::Processing => "processing",
            Cause::Processor => "wait_processor",
            Cause::Order => "wait_order",
            Cause::Entry => "wait_buffer_entry",
            Cause::Map => "wait_map",
            Cause::Internal => "wait_internal_work",
            Cause::Die => "wait_die",
            Cause::Bus => "wait_bus",
            Cause::DmaEngine => "wait_dma_engine",
            Cause::Flash => "flash_busy",
            Cause::Transfer => "transfer",
            Cause::Memory => "wait_memory",
            Cause::Ecc => "ecc",
            Cause::Untold => "untold",
        }
    }

    /// What it means, in a sentence or two for a reader of reports.
    pub const fn definition(self) -> &'static str {
        match self {
            Cause::HostLink => {
                "Doorbell, command and data cross the link to the host, then completion and interrupt."
            }
            Cause::Fetch => {
                "The command stands in its submission queue, or waits for room there: other commands \
                 are fetched first, or the drive holds as many as it can."
            }
            Cause::Host => {
                "The completion waits for room in its queue, for an interrupt that is held back to \
                 announce several, or for a host that is busy. An FTL in the host has the request: it \
                 works for it, or has no room for it in its write buffer."
            }
            Cause::Processing => "The processor works for this command.",
            Cause::Processor => {
                "The processor works for something else, or has not seen yet that hardware is ready."
            }
            Cause::Order => {
                "Earlier commands hold what is given out in order: the queues of the firmware, the \
                 control page, or, for a flush, the programs of earlier writes."
            }
            Cause::Entry => "Operations of other commands, or the drive's own, come first on the same buffer entry.",
            Cause::Map => {
                "The drive keeps a part of its map in memory, and reads what the command needs of the rest."
            }
            Cause::Internal => {
                "The die works on the drive's own behalf: it collects garbage or writes buffered data \
                 back in the background."
            }
            Cause::Die => "The die works on operations of commands that were queued there before.",
            Cause::Bus => "Other dies of the channel have its bus, and its controller takes no more requests.",
            Cause::DmaEngine => "The DMA engine moves other data, or takes no more requests.",
            Cause::Flash => "The chip reads (tR), programs (tPROG) or erases (tBERS).",
            Cause::Transfer => "The command's own requests and pages are on the flash bus.",
            Cause::Memory => "DRAM or the bus to it delays the data beyond the link or the flash bus.",
            Cause::Ecc => "The page is decoded, the wait for a shared solver included.",
            Cause::Untold => "A body in hardware tells which part has the command, and not why its time passes.",
        }
    }
}

/// Every cause with the parts in which it occurs; where a command's time lies is one of these.
const STRETCHES: [(Part, Cause); Split::STRETCHES] = [
    (Part::HostInterface, Cause::HostLink),
    (Part::HostInterface, Cause::Fetch),
    (Part::HostInterface, Cause::Host),
    (Part::HostInterface, Cause::Processing),
    (Part::HostInterface, Cause::Processor),
    (Part::HostInterface, Cause::DmaEngine),
    (Part::HostInterface, Cause::Memory),
    (Part::Firmware, Cause::Processing),
    (Part::Firmware, Cause::Processor),
    (Part::Firmware, Cause::Order),
    (Part::Firmware, Cause::Entry),
    (Part::Firmware, Cause::Map),
    (Part::Firmware, Cause::Internal),
    (Part::Firmware, Cause::Die),
    (Part::Firmware, Cause::Bus),
    (Part::Firmware, Cause::DmaEngine),
    (Part::Storage, Cause::Processing),
    (Part::Storage, Cause::Processor),
    (Part::Storage, Cause::Bus),
    (Part::Storage, Cause::Flash),
    (Part::Storage, Cause::Transfer),
    (Part::Storage, Cause::Memory),
    (Part::Storage, Cause::Ecc),
    // Where channels schedule.
    (Part::Storage, Cause::Internal),
    (Part::Storage, Cause::Die),
    // Of a body in hardware.
    (Part::HostInterface, Cause::Untold),
    (Part::Firmware, Cause::Untold),
    (Part::Storage, Cause::Untold),
];

/// Does something for each of [`STRETCHES`], by its number, which is then a constant. Written out so, sums over a request's times
/// are a third of the instructions of a loop.
macro_rules! each_stretch {
    ($nth:ident => $does:expr) => {
        each_stretch!($nth => $does; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27)
    };
    ($nth:ident => $does:expr; $($number:literal)*) => {
        $({ let $nth: usize = $number; $does; })*
    };
}

/// Stands for a cause that does not occur in a part.
const NOWHERE: u8 = u8::MAX;

/// Index in [`STRETCHES`] by part and cause.
const INDEX: [[u8; Cause::COUNT]; 3] = {
    let mut index = [[NOWHERE; Cause::COUNT]; 3];
    let mut nth = 0;
    while nth < STRETCHES.len() {
        let (part, cause) = STRETCHES[nth];
        index[part as usize][cause as usize] = nth as u8;
        nth += 1;
    }
    index
};

/// Times by part and cause, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Split {
    times: [u64; Split::STRETCHES],
}

impl Split {
    /// Pairs of part and cause that occur.
    pub const STRETCHES: usize = 28;

    /// No time in any of them.
    pub const NONE: Self = Split { times: [0; Split::STRETCHES] };

    /// Adds to one cause in one part.
    ///
    /// # Panics
    /// When the cause does not occur in the part.
    #[inline]
    pub fn add(&mut self, part: Part, cause: Cause, time_ps: u64) {
        self.times[usize::from(INDEX[part as usize][cause as usize])] += time_ps;
    }

    /// Takes up to so much from one cause in one part. Returns how much that is.
    ///
    /// # Panics
    /// When the cause does not occur in the part.
    pub fn take(&mut self, part: Part, cause: Cause, most_ps: u64) -> u64 {
        let time = &mut self.times[usize::from(INDEX[part as usize][cause as usize])];
        let taken = most_ps.min(*time);
        *time -= taken;
        taken
    }

    /// Adds all times of another.
    #[inline]
    pub fn merge(&mut self, other: &Split) {
        for (time, more) in self.times.iter_mut().zip(&other.times) {
            *time += more;
        }
    }

    /// Whether a cause occurs in a part.
    pub fn occurs(part: Part, cause: Cause) -> bool {
        INDEX[part as usize][cause as usize] != NOWHERE
    }

    /// The time that a cause took in a part; nothing where it does not occur.
    pub fn of(&self, part: Part, cause: Cause) -> u64 {
        let index = INDEX[part as usize][cause as usize];
        if index == NOWHERE {
            return 0;
        }
        self.times[usize::from(index)]
    }

    /// The time of each cause, in the order of [`Cause::ALL`].
    #[inline]
    pub fn by_cause(&self) -> [u64; Cause::COUNT] {
        let mut causes = [0; Cause::COUNT];
        each_stretch!(nth => causes[STRETCHES[nth].1 as usize] += self.times[nth]);
        causes
    }

    /// The time in each part, in the order of [`Part::ALL`].
    #[inline]
    pub fn by_part(&self) -> [u64; 3] {
        let mut parts = [0; 3];
        each_stretch!(nth => parts[STRETCHES[nth].0 as usize] += self.times[nth]);
        parts
    }

    /// All of it.
    #[inline]
    pub fn total(&self) -> u64 {
        self.times.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_and_parts_stand_in_the_order_of_their_numbers_and_have_names_of_their_own() {
        for (nth, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, nth);
            assert!(INDEX.iter().any(|part| part[nth] != NOWHERE), "{cause:?} occurs nowhere");
            assert!(cause.definition().ends_with('.'), "{cause:?}");
            for other in &Cause::ALL[..nth] {
                assert_ne!((cause.name(), cause.key()), (other.name(), other.key()));
                assert!(cause.name() != other.name() && cause.key() != other.key());
            }
        }
        assert!(Part::ALL.into_iter().enumerate().all(|(nth, part)| part as usize == nth));
    }

    #[test]
    fn the_same_time_lies_in_parts_and_in_causes() {
        let mut split = Split::default();
        for (nth, (part, cause)) in STRETCHES.into_iter().enumerate() {
            split.add(part, cause, 1 << nth);
            assert_eq!(split.of(part, cause), 1 << nth);
        }
        assert_eq!(split.total(), (1 << Split::STRETCHES) - 1);
        assert_eq!(split.by_part().iter().sum::<u64>(), split.total());
        assert_eq!(split.by_cause().iter().sum::<u64>(), split.total());
        assert_eq!(split.of(Part::Storage, Cause::Fetch), 0);
        let before = split;
        split.merge(&before);
        assert_eq!(split.total(), 2 * before.total());
    }
}
