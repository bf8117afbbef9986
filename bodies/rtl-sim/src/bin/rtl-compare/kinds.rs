//! Drives that are compared, and the jobs that run on them.

use clap::ValueEnum;

/// A kind of drive, by the name under which it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Over flash, one channel of one way.
    #[value(name = "1")]
    One,
    /// Over flash, two channels of two ways.
    #[value(name = "2")]
    Two,
    /// Over flash, four channels of four ways.
    #[value(name = "4")]
    Four,
    /// Over flash, eight channels of eight ways.
    #[value(name = "8")]
    Eight,
    /// Two channels of two ways over chips that program word lines at one go.
    WordLines,
    /// Over memory, with commands that run without firmware.
    Automated,
}

/// How much each job does.
#[derive(Clone, Copy)]
pub struct Amount {
    /// Commands, unless they move more than the drive's [`Kind::most_mib`].
    pub commands: u32,
    /// Data that a job moves at the most, in MiB, in place of the drive's own.
    pub most_mib: Option<u32>,
}

/// A load: who runs or schedules its commands, settings of the board, and jobs.
pub struct Load {
    /// Who schedules.
    pub who: &'static str,
    /// Keys of the board, and their values.
    pub settings: Vec<(String, String)>,
    /// The jobs that run one by one, each on a new drive.
    pub jobs: Vec<Job>,
}

/// A job that is compared.
pub struct Job {
    /// What tables call the job.
    pub name: &'static str,
    /// A job file: what is written before, if anything, and the job itself.
    pub text: String,
}

/// A job as it stands in a table.
struct Row {
    name: &'static str,
    /// Whether the area is written before.
    filled: bool,
    /// Block size in KiB.
    block_kib: u32,
    options: &'static str,
}

const fn row(name: &'static str, filled: bool, block_kib: u32, options: &'static str) -> Row {
    Row { name, filled, block_kib, options }
}

/// Jobs of drives over flash. What is read is written before, one page after the other: so it lies on the same dies in
/// both bodies.
const FLASH_JOBS: [Row; 8] = [
    row("sequential write, 128 KiB", false, 128, "rw=write iodepth=8 end_fsync=1"),
    row("sequential read, 128 KiB", true, 128, "rw=read iodepth=8"),
    row("random write, 16 KiB", false, 16, "rw=randwrite iodepth=16 end_fsync=1"),
    row("random read, 16 KiB, depth 1", true, 16, "rw=randread iodepth=1"),
    row("random read, 4 KiB, depth 16", true, 4, "rw=randread iodepth=16"),
    row("random mix, 16 KiB", true, 16, "rw=randrw iodepth=8"),
    row("random write, 16 KiB, a flush after 4", false, 16, "rw=randwrite iodepth=4 fsync=4"),
    row("random trim, 16 KiB", true, 16, "rw=randtrim iodepth=4"),
];

/// Jobs of drives over memory.
const MEMORY_JOBS: [Row; 17] = [
    row("random read, 4 KiB, depth 1", true, 4, "rw=randread iodepth=1"),
    row("random write, 4 KiB, depth 1", false, 4, "rw=randwrite iodepth=1"),
    row("sequential read, 4 KiB, depth 1", true, 4, "rw=read iodepth=1"),
    row("sequential write, 4 KiB, depth 1", false, 4, "rw=write iodepth=1"),
    row("random read, 128 KiB, depth 1", true, 128, "rw=randread iodepth=1"),
    row("random write, 128 KiB, depth 1", false, 128, "rw=randwrite iodepth=1"),
    row("sequential read, 128 KiB, depth 1", true, 128, "rw=read iodepth=1"),
    row("sequential write, 128 KiB, depth 1", false, 128, "rw=write iodepth=1"),
    row("random read, 4 KiB, depth 8", true, 4, "rw=randread iodepth=8"),
    row("random write, 4 KiB, depth 8", false, 4, "rw=randwrite iodepth=8"),
    row("sequential read, 4 KiB, depth 8", true, 4, "rw=read iodepth=8"),
    row("sequential write, 4 KiB, depth 8", false, 4, "rw=write iodepth=8"),
    row("random read, 128 KiB, depth 8", true, 128, "rw=randread iodepth=8"),
    row("random write, 128 KiB, depth 8", false, 128, "rw=randwrite iodepth=8"),
    row("sequential read, 128 KiB, depth 8", true, 128, "rw=read iodepth=8"),
    row("sequential write, 128 KiB, depth 8", false, 128, "rw=write iodepth=8"),
    row("random mix, 4 KiB, depth 8", true, 4, "rw=randrw iodepth=8"),
];

/// Who schedules over flash, and the settings that say so.
const SCHEDULERS: [(&str, &[(&str, &str)]); 2] = [
    ("firmware", &[]),
    ("channels", &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")]),
];

impl Kind {
    /// The board whose times are those of this hardware.
    pub fn board(self) -> &'static str {
        match self {
            Kind::WordLines => "firmament-rtl-tlc",
            Kind::Automated => "firmament-automated",
            _ => "firmament-rtl",
        }
    }

    /// Its size, as a heading tells it.
    pub fn told(self) -> &'static str {
        match self {
            Kind::One => "1 x 1",
            Kind::Two => "2 x 2",
            Kind::Four => "4 x 4",
            Kind::Eight => "8 x 8",
            Kind::WordLines => "2 x 2, word lines",
            Kind::Automated => "automated",
        }
    }

    /// Channels, and ways of each, where the board does not say so already.
    fn size(self) -> Option<u32> {
        match self {
            Kind::One => Some(1),
            Kind::Two => Some(2),
            Kind::Four => Some(4),
            Kind::Eight => Some(8),
            Kind::WordLines | Kind::Automated => None,
        }
    }

    /// The part of the drive that jobs use, in MiB. Over word lines it is a whole number of word lines.
    fn area_mib(self) -> u32 {
        match self {
            Kind::WordLines => 3,
            Kind::Automated => 8,
            _ => 2,
        }
    }

    /// Data that a job moves at the most, in MiB: what the hardware simulates within seconds, eight pairs of all rows within hours.
    fn most_mib(self) -> u32 {
        match self {
            Kind::Automated => 16,
            _ => 2,
        }
    }

    /// What is run on it.
    pub fn loads(self, amount: Amount) -> Vec<Load> {
        let jobs = |rows: &[Row]| rows.iter().map(|row| self.job(row, amount)).collect();
        let load = |(who, settings): (&'static str, &[(&str, &str)])| {
            let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
            let size = |size: u32| {
                ["geometry.channels", "geometry.ways"].map(|key| (key.to_owned(), size.to_string()))
            };
            let sizes = self.size().map(size).into_iter().flatten();
            let settings = sizes.chain(settings.iter().map(owned)).collect();
            Load { who, settings, jobs: jobs(&FLASH_JOBS) }
        };
        match self {
            Kind::WordLines => vec![load(SCHEDULERS[0])],
            Kind::Automated => {
                vec![Load { who: "nobody", settings: Vec::new(), jobs: jobs(&MEMORY_JOBS) }]
            }
            _ => SCHEDULERS.map(load).into(),
        }
    }

    fn job(self, row: &Row, amount: Amount) -> Job {
        let Row { name, filled, block_kib, options } = *row;
        let area = self.area_mib();
        let most_kib = amount.most_mib.unwrap_or(self.most_mib()) * 1024;
        let io_kib = amount.commands.saturating_mul(block_kib).min(most_kib).max(block_kib);
        let fill = match filled {
            true => format!("[fill]\nrw=write\nbs=16k\nsize={area}m\niodepth=1\nend_fsync=1\n"),
            false => String::new(),
        };
        let options = options.replace(' ', "\n");
        let text = format!(
            "{fill}[job]\nstonewall\n{options}\nbs={block_kib}k\nsize={area}m\nio_size={io_kib}k\n"
        );
        Job { name, text }
    }
}
