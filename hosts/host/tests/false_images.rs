//! Drive images that were made by hand, most with right checksums: powering their drives on and running a job is an error of one
//! line or a result. It is no panic, does not go on for ever and takes no more memory than drives of the board do. One test a
//! process, since it counts all memory of it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use board::Board;
use contract::crc32;
use drive_image::{Access, BlockRecord, Image, PageRecord};
use host::job::parse_file;
use host::{panic_is_contained, run, ImageFile, PayloadForm, RunError, RunRequest};

mod by_hand;

use by_hand::{watch, Ends, Random};

/// Bytes of a part of a file that was written or not.
const PART: usize = 4096;

/// Images of each drive.
const EACH: u64 = 250;

/// What stands for user data, and keys of the drive.
type Drive = (PayloadForm, &'static [(&'static str, &'static str)]);

const LOGGED: (&str, &str) = ("recovery.log_entries", "6");
const DRIVES: [Drive; 4] = [
    (PayloadForm::Stamps, &[LOGGED, ("geometry.blocks_per_way", "48")]),
    (PayloadForm::Bytes, &[LOGGED, ("geometry.blocks_per_way", "48")]),
    (
        PayloadForm::Stamps,
        &[
            ("recovery.log_entries", "16"),
            ("geometry.blocks_per_way", "128"),
            ("ftl.map_cache_bytes", "294336"),
            ("ftl.mapping_unit_bytes", "4096"),
            ("flash.metadata_bytes", "36"),
        ],
    ),
    (
        PayloadForm::Stamps,
        &[
            LOGGED,
            ("geometry.blocks_per_way", "48"),
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("ftl.streams", "apart"),
        ],
    ),
];

const BEFORE: &str = "[write]\nrw=randwrite\nbs=4k\niodepth=16\nsize=4m\nnumber_ios=300\n\
    [free]\nstonewall\nrw=randtrim\nbs=16k\nsize=4m\nnumber_ios=40\n";
const AFTER: &str = "[write]\nrw=randrw\nbs=8k\niodepth=16\nsize=8m\nnumber_ios=100\n";

/// Runs jobs on the drive of an image.
fn tried(path: &Path, board: &Board, payload: PayloadForm, jobs: &str) -> Result<(), RunError> {
    let jobs = parse_file("job.fio", jobs).expect("jobs");
    let request = RunRequest {
        payload,
        image: Some(ImageFile { path, serial: 1 }),
        ..RunRequest::new(board, &jobs, "job.fio")
    };
    run(request, &mut |_| ()).map(drop)
}

/// A page that is programmed: its number, erases of its block, and its words.
type Page = (u64, u32, Vec<u32>);

fn pages(image: &Image) -> Vec<Page> {
    let mut pages = Vec::new();
    let take = |record: PageRecord<'_>| {
        pages.push((record.page, record.erases, record.words.to_vec()));
    };
    image.each_page(take).expect("a sound image");
    pages
}

/// Changes bytes, mostly as a number somewhere.
fn change(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    let words = [0, 1, u64::MAX, u64::MAX >> 1, 1 << 31, u64::from(u32::MAX), random.next() % 64];
    let word = words[random.below(words.len())].to_le_bytes();
    match random.below(3) {
        0 => bytes[at] ^= 1 << random.below(8),
        kind => {
            let at = at / 4 * 4;
            let count = [4, 8][kind - 1].min(bytes.len() - at);
            bytes[at..at + count].copy_from_slice(&word[..count]);
        }
    }
}

/// Changes a page of data, or a page of the drive's log and its checksum with it.
fn change_data(data: &mut [u8], random: &mut Random) {
    let word = |data: &[u8], at: usize| {
        u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"))
    };
    let is_sound = |data: &[u8], entry: usize| {
        let end = (word(data, 4) as usize).checked_mul(entry).and_then(|used| used.checked_add(32));
        end.filter(|&end| end <= data.len() && word(data, 8) == crc32(&data[12..end]))
    };
    let end =
        (data.len() > 64).then(|| [4, 16].into_iter().find_map(|entry| is_sound(data, entry)));
    match end.flatten() {
        None => change(data, random),
        Some(end) => {
            change(&mut data[12..end], random);
            let sum = crc32(&data[12..end]).to_le_bytes();
            data[8..12].copy_from_slice(&sum);
        }
    }
}

/// Changes an image as a hand might: its checksums are right.
fn falsify(path: &Path, random: &mut Random) {
    let image = Image::open(path, Access::Drive).expect("a sound image");
    let mut pages = pages(&image);
    for _ in 0..1 + random.below(4) {
        let nth = random.below(pages.len());
        let (page, erases, words) = &mut pages[nth];
        match random.below(8) {
            0 => {
                let block = (*page / u64::from(image.shape().pages_per_block)) as u32;
                let erases = [0, 1, u32::MAX, *erases, *erases + 1][random.below(5)];
                image.put_block(block, BlockRecord { erases, torn: random.below(2) == 1 });
            }
            1 => image.take_back(*page),
            2..=4 => {
                let word = random.below(words.len());
                let values =
                    [0, 1, u32::MAX, words[word] ^ 1 << random.below(32), random.next() as u32];
                words[word] = values[random.below(values.len())];
                // The first word of a page that is programmed is not 0.
                words[0] = words[0].max(1);
                image.put_page(PageRecord { page: *page, erases: *erases, words });
            }
            _ => {
                let at = (*page, *erases);
                let mut data =
                    image.with_data(at, |data| data.map(<[u8]>::to_vec)).unwrap_or_default();
                if data.is_empty() {
                    data = vec![0; 64];
                }
                change_data(&mut data, random);
                image.put_data(at, &data);
            }
        }
    }
}

/// An image without what it has not written: most of the file is no more than a length.
struct Sparse {
    bytes: u64,
    parts: Vec<(u64, Vec<u8>)>,
}

impl Sparse {
    fn of(path: &Path) -> Sparse {
        let file = fs::read(path).expect("a file");
        let parts = (0..).step_by(PART).zip(file.chunks(PART));
        let written = parts.filter(|(_, part)| part.iter().any(|&byte| byte != 0));
        let parts = written.map(|(at, part)| (at, part.to_vec())).collect();
        Sparse { bytes: file.len() as u64, parts }
    }

    /// Changes bytes that were written, or cuts the file off.
    fn damage(&mut self, random: &mut Random) {
        for _ in 0..1 + random.below(3) {
            let nth = random.below(self.parts.len());
            let (at, part) = &mut self.parts[nth];
            let byte = random.below(part.len());
            match random.below(8) {
                0 => self.bytes = self.bytes.min(*at + byte as u64),
                _ => part[byte] ^= 1 << random.below(8),
            }
        }
    }

    /// A file of it.
    fn put(&self, path: &Path) {
        drop(fs::remove_file(path));
        let file = File::create(path).expect("a file");
        for (at, part) in &self.parts {
            file.write_all_at(part, *at).expect("it is written");
        }
        file.set_len(self.bytes).expect("it is written");
    }
}

#[test]
fn an_image_that_was_made_by_hand_is_an_error_or_a_drive() {
    let seed =
        std::env::var("IMAGE_SEED").map_or(20_261_128, |seed| seed.parse().expect("a number"));
    println!("IMAGE_SEED={seed}");
    watch(seed);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !panic_is_contained(info) {
            hook(info);
        }
    }));
    let folder = tempfile::tempdir().expect("a folder");
    let (sound, path) = (folder.path().join("sound.img"), folder.path().join("drive.img"));
    let mut ends = Ends::new(seed, "drive.img: ");
    for (nth, (payload, set)) in DRIVES.into_iter().enumerate() {
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        let board = Board::resolve("small", &set).expect("the board");
        drop(fs::remove_file(&sound));
        tried(&sound, &board, payload, BEFORE).expect("a run");
        let image = Sparse::of(&sound);
        image.put(&path);
        tried(&path, &board, payload, AFTER).expect("an image that nobody has touched");
        for case in 0..EACH {
            let case = nth as u64 * EACH + case;
            let mut random = Random(seed ^ case << 32);
            if random.below(5) == 0 {
                let mut damaged = Sparse { bytes: image.bytes, parts: image.parts.clone() };
                damaged.damage(&mut random);
                damaged.put(&path);
            } else {
                image.put(&path);
                falsify(&path, &mut random);
            }
            ends.take(case, || tried(&path, &board, payload, AFTER));
        }
    }
    assert!(ends.of("refused") > 50 && ends.of("results") > 200);
}
