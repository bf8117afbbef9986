//! The command `image`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use board::Board;
use drive_image::{About, Access, Image, ImageError};
use foreign::input;
use host::{Control, Disk, ImageFile, PayloadForm, PowerOn, Preconditioning, RunError};
use machine::Polling;
use recipe::{number_of, Failure};

use crate::arguments::{ImageAction, NewArguments, PayloadKind, PreconditionKind};
use crate::output::print;

const RAW: &str = "a raw disk image";

/// Does what was asked with a drive in a file.
///
/// # Errors
/// When a file cannot be used, or the drive fails.
pub fn image(action: &ImageAction) -> Result<(), Failure> {
    match action {
        ImageAction::Info { file } => info(file),
        ImageAction::Check { file } => check(file),
        ImageAction::New(new) => {
            let state = new.precondition.map_or(Preconditioning::None, Into::into);
            make(new, state)?.close().map_err(failure)
        }
        ImageAction::Convert { from, to } => match is_image(from)? {
            true => check_raw(to).and_then(|()| export(from, &to.file)),
            false => check_full(to).and_then(|()| import(from, to)),
        },
    }
}

/// A raw disk image is bytes, and no drive that could be another one.
fn check_raw(to: &NewArguments) -> Result<(), Failure> {
    let NewArguments { file: _, board, overrides, seed, payload, precondition } = to;
    let said = [
        ("command line", board.is_some()),
        ("--set", !overrides.is_empty()),
        ("--seed", seed.is_some()),
        ("--payload", payload.is_some()),
        ("--precondition", precondition.is_some()),
    ];
    match said.into_iter().find(|(_, is_said)| *is_said) {
        None => Ok(()),
        Some((name, _)) => {
            let found = match (name, board) {
                ("command line", Some(board)) => format!("the board {board} for a raw disk image"),
                _ => "it for a raw disk image".to_owned(),
            };
            let expected = "no word of a drive; another drive is made of the raw image";
            Err(Failure::unexpected(name, found, expected))
        }
    }
}

/// The new drive takes the bytes of a raw disk image.
fn check_full(to: &NewArguments) -> Result<(), Failure> {
    let refused = |name, found: &str, expected| {
        Err(Failure::unexpected(name, format!("{found} for a raw disk image"), expected))
    };
    match (to.payload, to.precondition) {
        (Some(PayloadKind::Stamp), _) => refused("--payload", "stamp", "full: stamps are no bytes"),
        (_, Some(state)) if state != PreconditionKind::None => {
            refused("--precondition", "a state", "none: the drive holds the image")
        }
        _ => Ok(()),
    }
}

fn refused(error: ImageError) -> Failure {
    Failure::Input(error.to_string())
}

fn failure(error: RunError) -> Failure {
    Failure::from(error)
}

fn is_image(path: &Path) -> Result<bool, Failure> {
    let file = input::open(path).map_err(|error| Failure::file(path, &error, "an image"))?;
    Ok(drive_image::is_image(&file))
}

fn info(path: &Path) -> Result<(), Failure> {
    let about = Image::about_file(path).map_err(refused)?;
    let Some(about) = about else {
        return Err(Failure::unexpected(path.display(), "nothing yet", "a drive image"));
    };
    let metadata =
        fs::metadata(path).map_err(|error| Failure::file(path, &error, "a drive image"))?;
    let taken = std::os::unix::fs::MetadataExt::blocks(&metadata) * 512;
    let About { board, seed, serial, payload, .. } = &about;
    let (values, bytes) = (board.sha256(), board.capacity().host_bytes);
    print(|out| {
        writeln!(out, "image: {}", path.display())?;
        writeln!(out, "board: {}, values sha256 {values}", board.name)?;
        writeln!(out, "capacity: {bytes} bytes for the host")?;
        writeln!(out, "payload: {}", payload.name())?;
        writeln!(out, "seed: {seed}")?;
        writeln!(out, "serial: {serial}")?;
        writeln!(out, "file: {} bytes, {taken} of them on the disk", metadata.len())
    })
}

fn check(path: &Path) -> Result<(), Failure> {
    let image = Image::open(path, Access::Look).map_err(refused)?;
    let checked = drive_image::check(&image, nand::is_aside).map_err(refused)?;
    let (opened, path) = (image.opened(), path.display());
    print(|out| {
        writeln!(
            out,
            "{path}: sound: {} pages are programmed, {} of them with data; {} blocks were erased; \
             powered on {opened} times",
            checked.pages, checked.pages_with_data, checked.erased_blocks
        )
    })
}

/// A new drive in a file, that is up.
fn make(new: &NewArguments, state: Preconditioning) -> Result<Disk, Failure> {
    let NewArguments { file, board, overrides, seed, payload, .. } = new;
    if Image::about_file(file).map_err(refused)?.is_some() {
        let expected = "a path for a new drive image";
        return Err(Failure::unexpected(file.display(), "it there already", expected));
    }
    let name = board.as_deref().unwrap_or(recipe::DEFAULT_BOARD);
    let board = recipe::resolve(name, overrides)?;
    let serial = number_of(file, "a path for a drive image")?;
    let payload = payload.map_or(PayloadForm::Bytes, Into::into);
    open((file, &board), (seed.unwrap_or(1), serial), (payload, state))
}

fn open(
    (path, board): (&Path, &Board),
    (seed, serial): (u64, u32),
    (payload, precondition): (PayloadForm, Preconditioning),
) -> Result<Disk, Failure> {
    let image = Some(ImageFile { path, serial });
    let power = PowerOn {
        board,
        seed,
        payload,
        precondition,
        image,
        polling: Polling::Skip,
        victims: None,
    };
    Disk::open(&power, &mut Control::default()).map_err(failure)
}

/// Reads a drive into a raw image that has holes where the drive has zeroes.
fn export(from: &Path, to: &Path) -> Result<(), Failure> {
    let about = Image::about_file(from).map_err(refused)?;
    let About { board, seed, serial, payload, .. } = about.expect("an image that is there");
    if payload == drive_image::Payload::Stamp {
        let found = format!("{} of {}", payload.name(), from.display());
        return Err(Failure::unexpected("payload", found, "full: stamps are no bytes"));
    }
    let disk = open((from, &board), (seed, serial), (PayloadForm::Bytes, Preconditioning::None))?;
    let refused = |error: io::Error| Failure::file(to, &error, "a path for a raw disk image");
    let file = OpenOptions::new().write(true).create_new(true).open(to).map_err(refused)?;
    // Half of the data looks like a disk image, too.
    copy(disk, &file, to).inspect_err(|_| drop(fs::remove_file(to)))
}

/// Writes what of a drive is not zero to a file.
fn copy(mut disk: Disk, file: &File, to: &Path) -> Result<(), Failure> {
    let refused = |error: io::Error| Failure::file(to, &error, "a path for a raw disk image");
    let (end, mut buffer) = (disk.bytes(), vec![0; disk.most_bytes()]);
    let mut offset = 0;
    while offset < end {
        let length = (end - offset).min(buffer.len() as u64) as usize;
        let bytes = &mut buffer[..length];
        disk.read(offset, bytes).map_err(|error| at(offset, error))?;
        for (nth, piece) in (0..).zip(bytes.chunks(PIECE)) {
            if piece.iter().any(|&byte| byte != 0) {
                file.write_all_at(piece, offset + nth * PIECE as u64).map_err(refused)?;
            }
        }
        offset += length as u64;
    }
    file.set_len(end).and_then(|()| file.sync_data()).map_err(refused)?;
    disk.close().map_err(failure)
}

/// Writes what of a raw image is not zero to a new drive.
fn import(from: &Path, to: &NewArguments) -> Result<(), Failure> {
    let unread = |error: io::Error| Failure::file(from, &error, RAW);
    let file = input::open(from).map_err(unread)?;
    let metadata = file.metadata().map_err(unread)?;
    if !metadata.is_file() {
        return Err(Failure::unexpected(from.display(), "no regular file", RAW));
    }
    let length = metadata.len();
    let disk = make(to, Preconditioning::None)?;
    // A drive with half of the data is of no use.
    fill(disk, from, (&file, length)).inspect_err(|_| drop(fs::remove_file(&to.file)))
}

/// Writes what of a raw image is not zero.
fn fill(mut disk: Disk, from: &Path, (file, length): (&File, u64)) -> Result<(), Failure> {
    let unread = |error: io::Error| Failure::file(from, &error, RAW);
    if length > disk.bytes() {
        let expected = format!("at most {}, the drive's", disk.bytes());
        return Err(Failure::unexpected(from.display(), format!("{length} bytes"), &expected));
    }
    let mut buffer = vec![0; disk.most_bytes()];
    let mut offset = 0;
    while offset < length {
        let bytes = (length - offset).min(buffer.len() as u64) as usize;
        file.read_exact_at(&mut buffer[..bytes], offset).map_err(unread)?;
        // The drive takes whole blocks.
        let whole = bytes.next_multiple_of(disk.block_bytes() as usize);
        buffer[bytes..whole].fill(0);
        for (nth, piece) in (0..).zip(buffer[..whole].chunks(PIECE)) {
            if piece.iter().any(|&byte| byte != 0) {
                let offset = offset + nth * PIECE as u64;
                disk.write(offset, piece).map_err(|error| at(offset, error))?;
            }
        }
        offset += bytes as u64;
    }
    disk.close().map_err(failure)
}

/// Bytes that are left out together where they are zeroes.
const PIECE: usize = 64 << 10;

/// What went wrong, and where on the drive.
fn at(offset: u64, error: RunError) -> Failure {
    match failure(error) {
        Failure::Drive(line) => Failure::Drive(format!("{line}; at byte {offset} or behind it")),
        other => other,
    }
}
