//! An image that is open.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;

use crate::about::About;
use crate::error::ImageError;
use crate::extents::{give_back, Extents};
use crate::layout::{Layout, Shape, HEAD_BYTES, UNIT};
use crate::records::{data_bytes, data_head, other_crc, parse_page, word, BlockRecord, PageRecord};

/// What the first bytes of an image say.
const MAGIC: &[u8; 16] = b"firmament drive\n";
/// What they say while it is being made.
const MAKING: &[u8; 16] = b"firmament makes\n";
/// The format that this crate reads and writes.
const VERSION: u32 = 2;
/// Bytes of records that are read at once.
const READ_BYTES: u64 = 1 << 20;
const AN_IMAGE: &str = "a drive image";

/// What an image is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To power its drive on: nobody else may have it open.
    Drive,
    /// To look at it: nobody may write to it meanwhile.
    Look,
}

/// An image that is open, and locked for as long.
#[derive(Debug)]
pub struct Image {
    file: File,
    path: PathBuf,
    pub(crate) layout: Layout,
    about: About,
    opened: AtomicU64,
    /// Why nothing more is written.
    fault: OnceLock<String>,
}

impl Image {
    /// Makes an image of a drive at a path where there is none, or one whose making was cut off. It is none
    /// before it is [sealed](Image::seal).
    ///
    /// # Errors
    /// When something else is there, or the system refuses.
    pub fn create(path: &Path, about: About) -> Result<Image, ImageError> {
        let refused = |error| ImageError::system(path, &error, "a path for a drive image");
        if !can_be_made(path)? {
            return Err(ImageError::new(
                path,
                "",
                ("it there already", "a path for a drive image"),
            ));
        }
        let options = OpenOptions::new().read(true).write(true).create(true).clone();
        let file = options.open(path).map_err(refused)?;
        lock(&file, path, Access::Drive)?;
        let shape = about.shape;
        let layout = Layout::new(shape)
            .ok_or_else(|| ImageError::new(path, "shape", ("it too large", "a smaller drive")))?;
        // What another process has made of it since is not touched.
        if !can_be_made(path)? {
            return Err(ImageError::new(
                path,
                "",
                ("it there already", "a path for a drive image"),
            ));
        }
        file.set_len(0).map_err(refused)?;
        file.write_all_at(MAKING, 0).map_err(refused)?;
        file.set_len(layout.end).map_err(refused)?;
        let (path, fault) = (path.to_owned(), OnceLock::new());
        Ok(Image { file, path, layout, about, opened: AtomicU64::new(0), fault })
    }

    /// The image is made: what it holds by now is its drive as it was new.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn seal(&self) -> Result<(), ImageError> {
        let text = self.about.to_text();
        assert!(text.len() as u64 <= HEAD_BYTES - UNIT, "the text of a head has its place");
        self.put(text.as_bytes(), UNIT);
        let mut head = [0; 32];
        head[..16].copy_from_slice(MAGIC);
        head[16..20].copy_from_slice(&VERSION.to_le_bytes());
        head[20..24].copy_from_slice(&(text.len() as u32).to_le_bytes());
        let check = head_crc(&head, text.as_bytes());
        head[24..28].copy_from_slice(&check.to_le_bytes());
        self.put(&head, 0);
        self.must_be_writable()
    }

    /// Opens an image. Nothing is written to it.
    ///
    /// # Errors
    /// When it is none, or not whole, or in use, or the system refuses.
    pub fn open(path: &Path, access: Access) -> Result<Image, ImageError> {
        must_be_file(path)?;
        let options = OpenOptions::new().read(true).write(access == Access::Drive).clone();
        let file =
            options.open(path).map_err(|error| ImageError::system(path, &error, AN_IMAGE))?;
        lock(&file, path, access)?;
        let about = read_head(&file, path)?;
        let strange =
            || ImageError::new(path, "shape", (format!("{:?}", about.shape), "a drive's"));
        let layout = Layout::new(about.shape).ok_or_else(strange)?;
        let found =
            file.metadata().map_err(|error| ImageError::system(path, &error, AN_IMAGE))?.len();
        if found != layout.end {
            let expected = format!("{} bytes", layout.end);
            return Err(ImageError::new(path, "length", (format!("{found} bytes"), &expected)));
        }
        let (path, fault) = (path.to_owned(), OnceLock::new());
        let image = Image { file, path, layout, about, opened: AtomicU64::new(0), fault };
        image.opened.store(image.read_opened()?, Ordering::Relaxed);
        Ok(image)
    }

    /// What the head of a file says, whoever has it open; `None` where no image is yet.
    ///
    /// # Errors
    /// When something else is there, or the system refuses.
    pub fn about_file(path: &Path) -> Result<Option<About>, ImageError> {
        if can_be_made(path)? {
            return Ok(None);
        }
        let file = File::open(path).map_err(|error| ImageError::system(path, &error, AN_IMAGE))?;
        read_head(&file, path).map(Some)
    }

    /// The drive.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How often the drive was powered on.
    pub fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Bytes that the file takes on the disk.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn disk_bytes(&self) -> Result<u64, ImageError> {
        use std::os::unix::fs::MetadataExt;
        Ok(self.file.metadata().map_err(|error| self.refused(&error))?.blocks() * 512)
    }

    /// The drive is powered on.
    pub fn note_opened(&self) {
        let opened = self.opened.fetch_add(1, Ordering::Relaxed) + 1;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&opened.to_le_bytes());
        let check = other_crc(&bytes[..8]);
        bytes[8..12].copy_from_slice(&check.to_le_bytes());
        self.put(&bytes, self.layout.opened);
    }

    /// States what untouched blocks hold.
    pub fn set_fill(&self, words: &[u32]) {
        assert!(words.len() <= self.layout.shape.fill_words as usize, "the fill has its place");
        let mut bytes = Vec::with_capacity(words.len() * 4 + 8);
        bytes.extend_from_slice(&(words.len() as u32).to_le_bytes());
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        let check = other_crc(&bytes);
        bytes.extend_from_slice(&check.to_le_bytes());
        self.put(&bytes, self.layout.fill);
    }

    /// What untouched blocks hold, if it was stated.
    ///
    /// # Errors
    /// When it is damaged, or the system refuses.
    pub fn fill(&self) -> Result<Option<Vec<u32>>, ImageError> {
        let mut head = [0; 4];
        self.get(&mut head, self.layout.fill)?;
        let count = word(&head, 0);
        if count == 0 {
            return Ok(None);
        }
        let damaged = || ImageError::damaged(&self.path, "fill");
        if count > self.layout.shape.fill_words {
            return Err(damaged());
        }
        let mut bytes = vec![0; count as usize * 4 + 8];
        self.get(&mut bytes, self.layout.fill)?;
        let end = bytes.len() - 4;
        if word(&bytes, end) != other_crc(&bytes[..end]) {
            return Err(damaged());
        }
        Ok(Some(bytes[4..end].chunks_exact(4).map(|bytes| word(bytes, 0)).collect()))
    }

    /// A page is programmed, whose data, if it has any, are there.
    #[inline]
    pub fn put_page(&self, record: PageRecord<'_>) {
        let mut bytes = [0; UNIT as usize];
        let bytes = &mut bytes[..self.layout.record as usize];
        record.emit(bytes);
        self.put(bytes, self.layout.page(record.page));
    }

    /// A page is not programmed after all.
    pub fn take_back(&self, page: u64) {
        let bytes = [0; UNIT as usize];
        self.put(&bytes[..self.layout.record as usize], self.layout.page(page));
    }

    /// Data of a page that is about to be programmed, and the erases of its block.
    #[inline]
    pub fn put_data(&self, at: (u64, u32), data: &[u8]) {
        assert!(data.len() <= self.layout.shape.page_bytes as usize, "data have their place");
        let slot = self.layout.data(at.0);
        self.put(data, slot + 16);
        self.put(&data_head(at, data), slot);
    }

    /// Reads the data of a page that was programmed after so many erases of its block; lets `take` have
    /// them, `None` if they are damaged.
    pub fn with_data<T>(&self, at: (u64, u32), take: impl FnOnce(Option<&[u8]>) -> T) -> T {
        let mut slot = vec![0; self.layout.slot as usize];
        match self.get(&mut slot, self.layout.data(at.0)) {
            Ok(()) => take(data_bytes(at, &slot)),
            Err(_) => take(None),
        }
    }

    /// A block is erased, or an erase of it cut off. Its pages are void.
    pub fn put_block(&self, block: u32, record: BlockRecord) {
        self.put(&record.emit(block), self.layout.block(block));
        if self.fault.get().is_none() {
            let first = u64::from(block) * u64::from(self.layout.shape.pages_per_block);
            give_back(&self.file, (self.layout.data(first), self.layout.stride));
        }
    }

    /// The records of all blocks.
    ///
    /// # Errors
    /// The first block whose record is damaged, or the system's reason.
    pub fn blocks(&self) -> Result<Vec<BlockRecord>, ImageError> {
        let count = self.layout.shape.blocks;
        let mut bytes = vec![0; count as usize * 16];
        self.get(&mut bytes, self.layout.blocks)?;
        let parse = |(block, bytes)| {
            BlockRecord::parse(block, bytes)
                .ok_or_else(|| ImageError::damaged(&self.path, &format!("block {block}")))
        };
        (0..count).zip(bytes.chunks_exact(16)).map(parse).collect()
    }

    /// Every page that was ever programmed, in their order: its block may have been erased since.
    ///
    /// # Errors
    /// The first page whose record is damaged, or the system's reason.
    pub fn each_page(&self, mut take: impl FnMut(PageRecord<'_>)) -> Result<(), ImageError> {
        let Layout { shape, record, pages, .. } = self.layout;
        let mut words = vec![0; shape.page_words as usize];
        let mut bytes = vec![0; READ_BYTES as usize];
        let end = pages + self.layout.all_pages() * record;
        for (start, extent_end) in Extents::new(&self.file, (pages, end)) {
            let (mut at, extent_end) = (start / record * record, extent_end.min(end));
            while at < extent_end {
                let length = (extent_end.next_multiple_of(record).min(end) - at).min(READ_BYTES);
                let read = &mut bytes[..length as usize];
                self.get(read, at)?;
                for (nth, bytes) in (0..).zip(read.chunks_exact(record as usize)) {
                    let page = (at - pages) / record + nth;
                    let erases = parse_page(page, bytes, &mut words)
                        .map_err(|()| ImageError::damaged(&self.path, &format!("page {page}")))?;
                    if let Some(erases) = erases {
                        take(PageRecord { page, erases, words: &words });
                    }
                }
                at += length;
            }
        }
        Ok(())
    }

    /// Hands all that was written to the disk.
    ///
    /// # Errors
    /// When the system refuses, or refused something before.
    pub fn sync(&self) -> Result<(), ImageError> {
        self.must_be_writable()?;
        self.file.sync_data().map_err(|error| self.refused(&error))
    }

    /// Why nothing more is written: the file is as it was before that.
    #[inline]
    pub fn fault(&self) -> Option<ImageError> {
        let found = self.fault.get()?;
        Some(ImageError::new(&self.path, "", (found, "room for what the drive writes")))
    }

    /// Whether there is such a reason.
    #[inline]
    pub fn has_fault(&self) -> bool {
        self.fault.get().is_some()
    }

    fn must_be_writable(&self) -> Result<(), ImageError> {
        self.fault().map_or(Ok(()), Err)
    }

    /// Writes, unless something could not be written before: what is there stays one moment of the chips.
    #[inline]
    fn put(&self, bytes: &[u8], at: u64) {
        if self.fault.get().is_none() {
            if let Err(error) = self.file.write_all_at(bytes, at) {
                let _ = self.fault.set(error.to_string());
            }
        }
    }

    fn get(&self, bytes: &mut [u8], at: u64) -> Result<(), ImageError> {
        self.file.read_exact_at(bytes, at).map_err(|error| self.refused(&error))
    }

    fn read_opened(&self) -> Result<u64, ImageError> {
        let mut bytes = [0; 16];
        self.get(&mut bytes, self.layout.opened)?;
        if bytes == [0; 16] {
            return Ok(0);
        }
        if word(&bytes, 8) != other_crc(&bytes[..8]) {
            return Err(ImageError::damaged(&self.path, "opened"));
        }
        Ok(u64::from(word(&bytes, 0)) | u64::from(word(&bytes, 4)) << 32)
    }

    fn refused(&self, error: &io::Error) -> ImageError {
        ImageError::system(&self.path, error, AN_IMAGE)
    }

    /// Numbers of blocks, pages and bytes.
    pub fn shape(&self) -> Shape {
        self.layout.shape
    }
}

/// Whether a file says that it is an image.
pub fn is_image(file: &File) -> bool {
    let mut magic = [0; 16];
    file.read_exact_at(&mut magic, 0).is_ok() && magic == *MAGIC
}

/// Whether a path is free for an image: nothing, an empty file, or one whose making was cut off.
fn can_be_made(path: &Path) -> Result<bool, ImageError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        _ => must_be_file(path)?,
    }
    let refused = |error| ImageError::system(path, &error, AN_IMAGE);
    let file = File::open(path).map_err(refused)?;
    if file.metadata().map_err(refused)?.len() == 0 {
        return Ok(true);
    }
    let mut magic = [0; 16];
    Ok(file.read_exact_at(&mut magic, 0).is_ok() && magic == *MAKING)
}

fn must_be_file(path: &Path) -> Result<(), ImageError> {
    let found = fs::metadata(path).map_err(|error| ImageError::system(path, &error, AN_IMAGE))?;
    if !found.is_file() {
        let found = if found.is_dir() { "a directory" } else { "no regular file" };
        return Err(ImageError::new(path, "", (found, AN_IMAGE)));
    }
    Ok(())
}

fn lock(file: &File, path: &Path, access: Access) -> Result<(), ImageError> {
    let operation = match access {
        Access::Drive => FlockOperation::NonBlockingLockExclusive,
        Access::Look => FlockOperation::NonBlockingLockShared,
    };
    flock(file, operation).map_err(|error| match error {
        Errno::WOULDBLOCK => {
            let expected = "a drive image that no other program has open";
            ImageError::new(path, "", ("it in use", expected))
        }
        error => ImageError::system(path, &error.into(), "a file that can be locked"),
    })
}

/// The head of a file that is there.
fn read_head(file: &File, path: &Path) -> Result<About, ImageError> {
    let mut head = [0; 32];
    let is_image = file.read_exact_at(&mut head, 0).is_ok() && head[..16] == *MAGIC;
    if !is_image {
        return Err(ImageError::new(path, "", ("something else", AN_IMAGE)));
    }
    let version = word(&head, 16);
    if version != VERSION {
        let expected = format!("{VERSION}, the one that this program reads and writes");
        return Err(ImageError::new(path, "version", (version, &expected)));
    }
    let damaged = || ImageError::damaged(path, "head");
    let length = u64::from(word(&head, 20));
    if length > HEAD_BYTES - UNIT {
        return Err(damaged());
    }
    let mut text = vec![0; length as usize];
    file.read_exact_at(&mut text, UNIT).map_err(|_| damaged())?;
    if word(&head, 24) != head_crc(&head, &text) {
        return Err(damaged());
    }
    let text = String::from_utf8(text).map_err(|_| damaged())?;
    About::of_text(path, &text)
}

fn head_crc(head: &[u8; 32], text: &[u8]) -> u32 {
    let mut bytes = head[..24].to_vec();
    bytes.extend_from_slice(text);
    other_crc(&bytes)
}
