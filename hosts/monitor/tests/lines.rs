//! Lines from the sampler to the reader.

use std::cell::RefCell;
use std::io::{self, BufRead, Cursor, Read, Write};
use std::rc::Rc;

use monitor::{
    ChannelUse, Counts, Header, Interval, Period, ReadError, Reader, Sampler, Table, KIND, VERSION,
};

const PERIOD_PS: u64 = 1_000_000;
const START_PS: u64 = 300;

/// What was written, to be looked at while the sampler has it.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn header() -> Header {
    Header {
        kind: KIND.to_string(),
        version: VERSION,
        board: "made-up".to_string(),
        job_file: "a.fio".to_string(),
        seed: 3,
        interval_ps: PERIOD_PS,
        origin_ps: START_PS,
        channels: 1,
        ways: 2,
        blocks_per_way: 4,
        pages_per_block: 4,
        page_bytes: 4096,
        buffer_entries: 8,
        command_slots: 8,
        modules: vec!["issuer".to_string()],
        causes: contract::Cause::ALL.map(|cause| cause.name().to_string()).to_vec(),
    }
}

/// A table at `now_ps` of a drive that has done `done` requests.
fn table(now_ps: u64, done: u64) -> Table {
    let channel = ChannelUse { busy_ps: done, ways_busy_ps: vec![0, done], ..Default::default() };
    let counts = Counts {
        requests: done,
        channels: vec![channel],
        modules_ps: vec![now_ps],
        ..Counts::default()
    };
    Table { now_ps, counts }
}

fn sampler(out: impl Write + 'static) -> Sampler {
    Sampler::new(Box::new(out), Period::from_ps(PERIOD_PS).unwrap())
}

fn sampled() -> Vec<u8> {
    let written = Written::default();
    let mut sampler = sampler(written.clone());
    sampler.start(&header(), table(START_PS, 10));
    assert_eq!(sampler.due_ps(), START_PS + PERIOD_PS);
    sampler.sample(&table(START_PS + PERIOD_PS + 7, 15));
    assert_eq!(written.0.borrow().iter().filter(|&&byte| byte == b'\n').count(), 2);
    // A turn of the firmware that takes longer than two periods.
    sampler.sample(&table(START_PS + 4 * PERIOD_PS, 35));
    assert_eq!(sampler.due_ps(), START_PS + 5 * PERIOD_PS);
    sampler.end(&table(START_PS + 4 * PERIOD_PS + 100, 36));
    assert_eq!(sampler.finish().unwrap().intervals().len(), 5);
    written.0.take()
}

fn read_all(reader: &mut Reader<impl BufRead>) -> Result<Vec<Interval>, ReadError> {
    std::iter::from_fn(|| reader.next_interval().transpose()).collect()
}

#[test]
fn intervals_end_at_multiples_and_nothing_is_counted_twice() {
    let lines = sampled();
    let mut reader = Reader::new(Cursor::new(&lines));
    let intervals = read_all(&mut reader).unwrap();
    assert_eq!(reader.header(), Some(&header()));
    let told: Vec<_> = intervals
        .iter()
        .map(|i| (i.from_ps, i.to_ps, i.seen_ps, i.span_ps, i.counts.requests))
        .collect();
    let p = PERIOD_PS;
    let long = 4 * p;
    assert_eq!(
        told,
        [
            (0, p, p + 7, p + 7, 5),
            (p, 2 * p, long, 3 * p - 7, 20),
            (2 * p, 3 * p, long, 0, 0),
            (3 * p, 4 * p, long, 0, 0),
            (4 * p, 4 * p + 100, 4 * p + 100, 100, 1),
        ]
    );
    assert_eq!(intervals[0].counts.channels[0].ways_busy_ps, [0, 5]);
}

#[test]
fn equal_tables_give_equal_bytes() {
    assert_eq!(sampled(), sampled());
}

#[test]
fn an_end_at_a_multiple_adds_no_empty_interval() {
    let written = Written::default();
    let mut sampler = sampler(written);
    sampler.start(&header(), table(START_PS, 0));
    sampler.end(&table(START_PS + PERIOD_PS, 1));
    assert_eq!(sampler.history().intervals().len(), 1);
}

/// Takes the first line only.
struct Full(u32);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += 1;
        if self.0 > 1 {
            return Err(io::Error::other("no more room"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_at_the_end() {
    let mut sampler = sampler(Full(0));
    sampler.start(&header(), table(START_PS, 0));
    sampler.sample(&table(START_PS + 3 * PERIOD_PS, 1));
    assert_eq!(sampler.finish().unwrap_err().to_string(), "no more room");
}

/// A file that grows by so many bytes whenever its end was met.
struct Growing<'a> {
    rest: &'a [u8],
    step: usize,
    open: usize,
}

impl Read for Growing<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.open == 0 {
            self.open = self.step;
            return Ok(0);
        }
        let take = into.len().min(self.open).min(self.rest.len());
        into[..take].copy_from_slice(&self.rest[..take]);
        (self.rest, self.open) = (&self.rest[take..], self.open - take);
        Ok(take)
    }
}

#[test]
fn a_file_that_grows_is_read_line_by_line() {
    let lines = sampled();
    let whole = read_all(&mut Reader::new(Cursor::new(&lines))).unwrap();
    for step in [1, 100, 1000] {
        let growing = Growing { rest: &lines, step, open: 0 };
        let mut reader = Reader::new(io::BufReader::new(growing));
        let mut seen = Vec::new();
        for _ in 0..=lines.len() / step + 2 {
            seen.extend(read_all(&mut reader).unwrap());
        }
        assert_eq!(seen, whole, "in steps of {step}");
    }
}

#[test]
fn what_is_not_the_monitors_is_told_in_one_line() {
    let good = String::from_utf8(sampled()).unwrap();
    let second = good.lines().nth(1).unwrap();
    let first = good.lines().next().unwrap();
    for (text, told) in [
        ("hello\n".to_string(), "line 1: found no JSON, expected a line of run --monitor"),
        ("\n\n".to_string(), "line 1: found no JSON, expected"),
        (
            good.replace("\"version\":2", "\"version\":9"),
            "line 1: found version 9, expected version 2",
        ),
        (good.replace(KIND, "other"), "line 1: found kind \"other\""),
        (format!("{first}\n{second}\nx\n"), "line 3: found no JSON, expected"),
        (good.replace("\"ways\":2", "\"ways\":3"), "line 2: found another geometry"),
        ("a".repeat(2 << 20), "line 1: found more than 1 MiB"),
    ] {
        let error = read_all(&mut Reader::new(Cursor::new(&text))).unwrap_err().to_string();
        assert!(error.starts_with(told) && !error.contains('\n'), "{error}");
    }
}
