//! The chips of a drive, which keep what they hold without power: in memory, or in an image.

use std::path::Path;
use std::sync::Arc;

use board::Board;
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{CommandSet, Lpn, Metadata};
use drive_image::{About, Access, Image, ImageError};
use firmware::ftl::fill::Fill;
use firmware::ftl::origin::Origin;
use firmware::ftl::precondition;
use firmware::operations::Page;
use nand::{image_shape, Array, Payload, Prior, Unsuitable};

use crate::options::Options;

/// What the chips hold before the run, as the firmware's fill says.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Filled {
    /// By pages.
    pub origin: Origin,
    /// Mapping units of a page.
    pub units: u32,
}

impl Prior for Filled {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        self.origin.logical(die, row).map(|Lpn(page)| Lpn(page * self.units))
    }
}

/// The chips of a drive, which keep what they hold without power.
pub struct Media(pub(crate) Array<Filled>);

/// Chips in an image.
pub struct Kept {
    /// The chips.
    pub media: Media,
    /// As they were asked for, but for the payload: an image has its own seed.
    pub options: Options,
    /// Number in the drive's serial number and UUID.
    pub serial: u32,
    /// Whether the image holds anything yet.
    pub state: KeptState,
}

/// Whether an image holds anything yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptState {
    /// It was just made: it counts as an image once the drive is as it is to be
    /// ([`crate::Drive::seal_image`]).
    New,
    /// A drive was powered on with it before.
    Used,
}

impl Media {
    /// New chips, in memory.
    ///
    /// # Errors
    /// When the board's flash cannot hold this payload.
    pub fn new(board: &Board, options: Options) -> Result<Self, Unsuitable> {
        Array::new(board, options.payload, options.seed).map(Media)
    }

    /// Chips in the image at a path, which is made if it is not there; `serial` is for the new drive.
    ///
    /// # Errors
    /// When the board keeps no log or has a capacitor, its flash cannot hold this payload, when the image is another
    /// drive's or damaged, or when the system refuses. Then an image that was there is as it was.
    pub fn in_image(
        path: &Path,
        (board, options): (&Board, Options),
        serial: u32,
    ) -> Result<Kept, Unsuitable> {
        let asked = match options.payload {
            Payload::Stamps { .. } => drive_image::Payload::Stamp,
            Payload::Bytes { .. } => drive_image::Payload::Full,
        };
        let geometry = board.firmware.geometry;
        let there = Image::about_file(path)?;
        // Of another board than that of an image which is there, this is what is to be told.
        if let Some(about) = &there {
            about.must_be(path, (board, asked))?;
        }
        check_kept(path, board)?;
        let shape = image_shape(board, options.payload, Fill::words_needed(&geometry))?;
        if there.is_none() {
            let about = About {
                board: board.clone(),
                seed: options.seed,
                serial,
                payload: asked,
                block_bytes: options.payload.block_bytes(),
                shape,
            };
            let image = Arc::new(Image::create(path, about)?);
            let array = Array::kept(board, (options.payload, options.seed), (image, None))?;
            let (media, state) = (Media(array), KeptState::New);
            return Ok(Kept { media, options, serial, state });
        }
        let image = Image::open(path, Access::Drive)?;
        let about = image.about();
        about.must_be(path, (board, asked))?;
        if about.shape != shape {
            let (found, expected) = (format!("{:?}", about.shape), format!("{shape:?}"));
            return Err(ImageError::new(path, "shape", (found, &expected)).into());
        }
        let (seed, serial) = (about.seed, about.serial);
        let payload = match options.payload {
            Payload::Bytes { block_bytes, .. } => Payload::Bytes { block_bytes, seed },
            stamps => stamps,
        };
        let prior = match image.fill()? {
            None => None,
            Some(words) => {
                let strange = || ImageError::new(path, "fill", ("another drive's", "this drive's"));
                let fill = Fill::of_words(&words, geometry).ok_or_else(strange)?;
                Some(Filled {
                    origin: Origin::Filled(fill),
                    units: board.firmware.units_per_page(),
                })
            }
        };
        let image = Arc::new(image);
        let array = Array::kept(board, (payload, seed), (image.clone(), prior))?;
        image.note_opened();
        let options = Options { payload, seed, ..options };
        Ok(Kept { media: Media(array), options, serial, state: KeptState::Used })
    }
}

/// A drive in a file has to find its data again when the program that ran it was killed.
fn check_kept(path: &Path, board: &Board) -> Result<(), ImageError> {
    let of_host = board.firmware.command_set != CommandSet::Block;
    if board.firmware.recovery.is_none() && !of_host {
        let found = board.value("recovery.log_entries").unwrap_or("0");
        let expected = "a number above 0: without a log a drive does not find its data again";
        return Err(ImageError::new(path, "recovery.log_entries", (found, expected)));
    }
    if board.firmware.reserve.is_some() {
        let key = "power_loss.capacitor_millijoules";
        let found = board.value(key).unwrap_or("a capacitor");
        let expected = "0: a program that is killed has no time to save the data buffer";
        return Err(ImageError::new(path, key, (found, expected)));
    }
    Ok(())
}

impl Media {
    /// The chips lie without power for so many hours more.
    pub fn rest(&mut self, hours: u64) {
        self.0.rest(hours);
    }
}

/// The chips while the drive is preconditioned.
pub(crate) struct Chips<'a>(pub &'a mut Array<Filled>);

impl precondition::Media for Chips<'_> {
    fn factory_bad(&self, die: u32, block: u32) -> bool {
        self.0.factory_bad(die, block)
    }

    fn takes_drawn(&self) -> bool {
        self.0.image().is_none()
    }

    fn start(&mut self, origin: &Origin) {
        if let (Some(image), Origin::Filled(fill)) = (self.0.image(), origin) {
            image.set_fill(&fill.words());
        }
        let units = self.0.units();
        self.0.set_prior(Filled { origin: origin.clone(), units });
    }

    fn worn(&mut self, die: u32, block: u32, erases: u32) {
        self.0.wear_to(die, block, erases);
    }

    fn program(&mut self, page: Page, lpns: &[Lpn]) {
        self.0.hold(page.die, page.row, lpns);
    }

    fn erase(&mut self, die: u32, block: u32) {
        self.0.wipe(die, block);
    }

    fn log(&mut self, page: Page, metadata: Metadata, bytes: &[u8]) {
        self.0.hold_log(page.die, page.row, metadata, bytes);
    }
}
