//! What the drive did over virtual time, in fixed memory: looks at its counters, far enough apart to cost nothing.

use serde::{Deserialize, Serialize};

/// Looks that are kept at most, the first one included. An even number.
const MOST_LOOKS: usize = 128;

/// A column of the table over time.
pub(crate) struct Column {
    /// Its key: the field of [`Look`].
    pub(crate) name: &'static str,
    /// Of which drives it is told.
    pub(crate) told: Told,
    /// Its value between two looks: how much a counter has grown, or a level at the second look.
    pub(crate) value: fn(&Span<'_>) -> u64,
}

/// Of which drives a column is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Of any drive.
    OfAny,
    /// Of drives whose firmware tells what it does.
    ByFirmware,
    /// Of none by itself: write amplification is made of it.
    InAmplification,
}

/// Makes [`Look`] of its counters and its levels, and all that goes through them one by one.
macro_rules! look {
    (
        counters { $($(#[$counter_doc:meta])* $counter:ident: $counter_told:ident,)* }
        levels { $($(#[$level_doc:meta])* $level:ident: $level_told:ident,)* }
    ) => {
        /// What the drive had counted when somebody looked, since the first job began, and levels at that moment.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Look {
            /// Virtual time since the first job began.
            pub at_ps: u64,
            $($(#[$counter_doc])* pub $counter: u64,)*
            $($(#[$level_doc])* pub $level: u64,)*
            /// Time that each channel's bus was in use.
            pub channels_ps: Vec<u64>,
            /// Time that each channel's dies were busy, all of them together.
            pub dies_ps: Vec<u64>,
        }

        impl Look {
            /// What was counted since the `first` look; time and levels are those of this look.
            pub fn since(&self, first: &Look) -> Look {
                Look {
                    at_ps: self.at_ps,
                    $($counter: self.$counter - first.$counter,)*
                    $($level: self.$level,)*
                    channels_ps: each_since(&self.channels_ps, &first.channels_ps),
                    dies_ps: each_since(&self.dies_ps, &first.dies_ps),
                }
            }
        }

        /// All counters and levels, in the order of [`Look`].
        pub(crate) const COLUMNS: &[Column] = &[
            $(Column {
                name: stringify!($counter),
                told: Told::$counter_told,
                value: |span| span.grown(|look| look.$counter),
            },)*
            $(Column {
                name: stringify!($level),
                told: Told::$level_told,
                value: |span| span.after.$level,
            },)*
        ];
    };
}

look! {
    counters {
        /// Requests that the host saw completed.
        requests: OfAny,
        /// Bytes of the writes among them.
        written_bytes: InAmplification,
        /// Pages programmed for host data.
        programs: InAmplification,
        /// Pages programmed by collection, whatever it was for.
        moves: InAmplification,
        /// Pages programmed for the log.
        log_pages: InAmplification,
        /// Pages of superblocks that were emptied so that all wear evenly.
        wear_pages: InAmplification,
        /// Pages of superblocks that were refreshed.
        refresh_pages: InAmplification,
        /// Blocks erased, those of the log too.
        erases: ByFirmware,
        /// Blocks that collection emptied, whatever it was for.
        collections: ByFirmware,
        /// Superblocks that were emptied so that all wear evenly.
        wear_levellings: ByFirmware,
        /// Superblocks that were refreshed.
        refreshes: ByFirmware,
        /// Reads repeated because ECC failed.
        read_retries: ByFirmware,
    }
    levels {
        /// Level: pages of host data that flash has still to take.
        pages_to_program: InAmplification,
        /// Level: blocks that may still be opened, the reserve of each way included.
        free_blocks: ByFirmware,
        /// Level: entries of the data buffer that are newer than flash.
        dirty_entries: ByFirmware,
        /// Level: commands that the host handed out and whose completion it did not take.
        outstanding: OfAny,
        /// Level: of those, fetched by the drive and not completed by it.
        outstanding_in_drive: OfAny,
    }
}

fn each_since(now: &[u64], then: &[u64]) -> Vec<u64> {
    now.iter().zip(then).map(|(now, then)| now.saturating_sub(*then)).collect()
}

/// Looks in order, the first when the first job began. When there are too many, every other one is forgotten, so that
/// all of a run is there, more coarsely.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OverTime {
    looks: Vec<Look>,
}

/// Whether looks were forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There was room.
    Enough,
    /// Every other look was forgotten: those to come should be twice as far apart.
    Halved,
}

impl OverTime {
    /// Nobody has looked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.looks.len() < 2
    }

    /// Adds a look, later than those before.
    pub fn push(&mut self, look: Look) -> Room {
        let is_full = self.looks.len() == MOST_LOOKS;
        if is_full {
            let mut nth = 0;
            self.looks.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
        }
        self.looks.push(look);
        if is_full {
            Room::Halved
        } else {
            Room::Enough
        }
    }

    /// What happened between each two looks.
    pub fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        self.looks.windows(2).map(|pair| Span { before: &pair[0], after: &pair[1] })
    }
}

/// What happened between two looks.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    before: &'a Look,
    /// The second look, for its levels.
    pub after: &'a Look,
}

/// Bytes programmed for each byte that the host wrote, by what they were programmed for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AmplificationByCause {
    /// What the host wrote: 1 at most, and less where the buffer took several writes to a page.
    pub host: f64,
    /// What else was in the pages that its writes fill.
    pub partial_pages: f64,
    /// What collection moved to gain room.
    pub collection: f64,
    /// Pages of the log, in which the drive finds its map after a power loss.
    pub log: f64,
    /// What was moved so that blocks wear evenly.
    pub wear: f64,
    /// What was moved because its bits went wrong.
    pub refresh: f64,
}

impl AmplificationByCause {
    /// Names of the causes, for people and as keys, in the order of [`AmplificationByCause::values`].
    pub const NAMES: [(&'static str, &'static str); 6] = [
        ("host", "host"),
        ("partial pages", "partial_pages"),
        ("collection", "collection"),
        ("log", "log"),
        ("wear levelling", "wear"),
        ("refresh", "refresh"),
    ];

    /// All of them.
    pub fn values(&self) -> [f64; 6] {
        let Self { host, partial_pages, collection, log, wear, refresh } = *self;
        [host, partial_pages, collection, log, wear, refresh]
    }
}

impl Span<'_> {
    /// When it began.
    pub fn from_ps(&self) -> u64 {
        self.before.at_ps
    }

    /// When it ended.
    pub fn to_ps(&self) -> u64 {
        self.after.at_ps
    }

    /// How much a counter has grown.
    pub fn grown(&self, counter: impl Fn(&Look) -> u64) -> u64 {
        counter(self.after).saturating_sub(counter(self.before))
    }

    /// Bytes programmed for each byte that the host wrote, by cause, of pages of `page_bytes`; `None` where it wrote none.
    /// What is left to be programmed counts, and what was before does not.
    pub fn amplification(&self, page_bytes: u32) -> Option<AmplificationByCause> {
        let written = self.grown(|look| look.written_bytes) as f64;
        if written == 0.0 {
            return None;
        }
        let of_pages = |pages: u64| pages as f64 * f64::from(page_bytes) / written;
        let taken = self.grown(|look| look.programs).saturating_add(self.after.pages_to_program);
        let taken = of_pages(taken.saturating_sub(self.before.pages_to_program));
        let moved = self.grown(|look| look.moves);
        let wear = self.grown(|look| look.wear_pages).min(moved);
        let refresh = self.grown(|look| look.refresh_pages).min(moved - wear);
        Some(AmplificationByCause {
            host: taken.min(1.0),
            partial_pages: (taken - 1.0).max(0.0),
            collection: of_pages(moved - wear - refresh),
            log: of_pages(self.grown(|look| look.log_pages)),
            wear: of_pages(wear),
            refresh: of_pages(refresh),
        })
    }

    /// Share of the time that a channel's bus was in use, by channel.
    pub fn channels(&self) -> impl Iterator<Item = f64> + '_ {
        self.shares(&self.before.channels_ps, &self.after.channels_ps, 1)
    }

    /// Share of the time that the `dies` of each channel were busy, by channel.
    pub fn dies(&self, dies: usize) -> impl Iterator<Item = f64> + '_ {
        self.shares(&self.before.dies_ps, &self.after.dies_ps, dies)
    }

    fn shares<'s>(
        &'s self,
        before: &'s [u64],
        after: &'s [u64],
        of: usize,
    ) -> impl Iterator<Item = f64> + 's {
        let all_ps = (self.to_ps() - self.from_ps()).max(1) as f64 * of.max(1) as f64;
        let share = move |(after, before): (&u64, &u64)| {
            (after.saturating_sub(*before) as f64 / all_ps).min(1.0)
        };
        after.iter().zip(before).map(share)
    }
}

/// Mean of shares; 0 where there are none.
pub(crate) fn mean(shares: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = shares.fold((0, 0.0), |(count, sum), share| (count + 1, sum + share));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_a_run_is_there_however_long() {
        let mut over_time = OverTime::new();
        let mut halved = 0;
        for nth in 0..5_000 {
            let look = Look { at_ps: 10 * nth, erases: 3 * nth, ..Look::default() };
            halved += u32::from(over_time.push(look) == Room::Halved);
        }
        let spans: Vec<_> = over_time.spans().collect();
        assert!((MOST_LOOKS / 2..MOST_LOOKS).contains(&spans.len()), "{}", spans.len());
        assert!(halved > 0);
        assert_eq!((spans[0].from_ps(), spans.last().unwrap().to_ps()), (0, 49_990));
        assert_eq!(spans.iter().map(|span| span.grown(|look| look.erases)).sum::<u64>(), 14_997);
        assert!(spans.windows(2).all(|pair| pair[0].to_ps() == pair[1].from_ps()));
    }

    #[test]
    fn counters_are_told_since_a_look_and_levels_as_they_are() {
        let first =
            Look { at_ps: 5, erases: 3, free_blocks: 9, dies_ps: vec![7], ..Look::default() };
        let later =
            Look { at_ps: 8, erases: 10, free_blocks: 4, dies_ps: vec![9], ..Look::default() };
        let expected =
            Look { at_ps: 8, erases: 7, free_blocks: 4, dies_ps: vec![2], ..Look::default() };
        assert_eq!(later.since(&first), expected);
        let span = Span { before: &first, after: &later };
        let values: Vec<_> = COLUMNS.iter().map(|column| (column.value)(&span)).collect();
        let of = |name| COLUMNS.iter().position(|column| column.name == name).unwrap();
        assert_eq!((values[of("erases")], values[of("free_blocks")]), (7, 4));
        assert_eq!(values.iter().sum::<u64>(), 11);
    }

    fn span(before: &Look, after: Look) -> AmplificationByCause {
        Span { before, after: &after }.amplification(16_384).unwrap()
    }

    #[test]
    fn causes_of_what_is_programmed_add_up() {
        let before = Look { pages_to_program: 5, ..Look::default() };
        // Four writes of 4 KiB in 3 pages, one of which waits; 6 pages moved, of which 2 for wear and 1 to refresh.
        let after = Look {
            written_bytes: 16_384,
            programs: 4,
            moves: 6,
            wear_pages: 2,
            refresh_pages: 1,
            log_pages: 2,
            pages_to_program: 4,
            ..Look::default()
        };
        let by = span(&before, after.clone());
        assert_eq!(by.values(), [1.0, 2.0, 3.0, 2.0, 2.0, 1.0]);
        // The buffer took two of three pages' worth.
        let absorbed = Look { written_bytes: 49_152, programs: 6, moves: 0, ..after };
        let by = span(&before, Look { wear_pages: 0, refresh_pages: 0, programs: 2, ..absorbed });
        assert_eq!((by.host, by.partial_pages), (1.0 / 3.0, 0.0));
        let none = Look::default();
        assert_eq!(Span { before: &none, after: &none }.amplification(4096), None);
    }

    #[test]
    fn use_is_a_share_of_the_time_between_looks() {
        let before =
            Look { at_ps: 100, channels_ps: vec![10, 0], dies_ps: vec![0, 40], ..Look::default() };
        let after = Look {
            at_ps: 200,
            channels_ps: vec![60, 0],
            dies_ps: vec![400, 40],
            ..Look::default()
        };
        let span = Span { before: &before, after: &after };
        assert_eq!(span.channels().collect::<Vec<_>>(), [0.5, 0.0]);
        assert_eq!(span.dies(8).collect::<Vec<_>>(), [0.5, 0.0]);
        assert_eq!(mean(span.channels()), 0.25);
    }
}
