//! Both directions of `include/firmware.h`: functions of the FTL, and the functions that it calls.

use std::ffi::c_void;
use std::ptr::NonNull;

use contract::{FlashOperation, Work};
use firmware::nvme::backend::{Durability, IoCommand, IoKind, IoOutcome};

use crate::desk::{Bench, Desk, Shape, Wanted};
use crate::dies::Ended;

/// `FM_NO_COMMAND`.
const NO_COMMAND: u32 = u32::MAX;

/// `struct fm_command`.
#[repr(C)]
struct Command {
    start: u64,
    blocks: u32,
    tag: u32,
    kind: u32,
    durable: bool,
}

/// `struct fm_place`.
#[repr(C)]
pub struct Place {
    channel: u32,
    way: u32,
    block: u32,
    page: u32,
}

/// `struct fm_drive`: what the FTL hands back in its calls, as long as it is called itself.
pub struct Drive<'a> {
    pub desk: &'a mut Desk,
    pub bench: &'a mut dyn Bench,
}

impl Drive<'_> {
    fn handle(&mut self) -> *mut c_void {
        (self as *mut Self).cast()
    }
}

/// `enum fm_kind`, `enum fm_outcome`, `enum fm_operation` and `enum fm_work`, in their order.
const OUTCOMES: [IoOutcome; 5] = [
    IoOutcome::Success,
    IoOutcome::UnrecoveredRead,
    IoOutcome::WriteFault,
    IoOutcome::ReadOnly,
    IoOutcome::TransferError,
];
const OPERATIONS: [FlashOperation; 3] =
    [FlashOperation::ReadTrigger, FlashOperation::Program, FlashOperation::Erase];
const WORK: [Work; 5] = [Work::Slice, Work::Translate, Work::Place, Work::Collect, Work::Victim];

mod c {
    use super::*;

    extern "C" {
        pub fn ftl_power_on(drive: *mut c_void, shape: *const Shape) -> *mut c_void;
        pub fn ftl_power_off(ftl: *mut c_void);
        pub fn ftl_command(ftl: *mut c_void, drive: *mut c_void, command: *const Command);
        pub fn ftl_moved(ftl: *mut c_void, drive: *mut c_void, entry: u32, outcome: u32);
        pub fn ftl_flash_done(
            ftl: *mut c_void,
            drive: *mut c_void,
            entry: u32,
            operation: u32,
            well: bool,
            page: u32,
        );
        pub fn ftl_format(ftl: *mut c_void, block_bytes: u32);
    }
}

/// The FTL that is linked in, from power-on to power-off.
pub struct Ftl(NonNull<c_void>);

// SAFETY: an FTL is called from one thread at a time, the one that has the firmware, and the header tells it nothing of threads.
unsafe impl Send for Ftl {}

impl Ftl {
    pub fn power_on(drive: &mut Drive<'_>, shape: &Shape) -> Self {
        // SAFETY: `drive` and `shape` outlive the call, as the header says.
        let own = unsafe { c::ftl_power_on(drive.handle(), shape) };
        Ftl(NonNull::new(own).expect("ftl_power_on: found NULL, expected the FTL"))
    }

    pub fn command(&mut self, drive: &mut Drive<'_>, command: IoCommand) {
        let kind = match command.kind {
            IoKind::Read => 0,
            IoKind::Write => 1,
            // The NVMe manager refuses what the drive does not offer.
            _ => 2,
        };
        let told = Command {
            start: command.start,
            blocks: command.blocks,
            tag: command.tag.0.into(),
            kind,
            durable: command.durability == Durability::Durable,
        };
        // SAFETY: the pointer is that of `ftl_power_on`; `drive` and `told` outlive the call.
        unsafe { c::ftl_command(self.0.as_ptr(), drive.handle(), &told) }
    }

    pub fn moved(&mut self, drive: &mut Drive<'_>, entry: u32, outcome: IoOutcome) {
        let outcome = number(&OUTCOMES, outcome);
        // SAFETY: the pointer is that of `ftl_power_on`; `drive` outlives the call.
        unsafe { c::ftl_moved(self.0.as_ptr(), drive.handle(), entry, outcome) }
    }

    pub fn flash_done(&mut self, drive: &mut Drive<'_>, ended: Ended, page: u32) {
        let begun = match ended.operation {
            FlashOperation::ReadTransfer => FlashOperation::ReadTrigger,
            other => other,
        };
        let operation = number(&OPERATIONS, begun);
        // SAFETY: the pointer is that of `ftl_power_on`; `drive` outlives the call.
        unsafe {
            c::ftl_flash_done(
                self.0.as_ptr(),
                drive.handle(),
                ended.entry,
                operation,
                ended.is_well,
                page,
            )
        }
    }

    pub fn format(&mut self, block_bytes: u32) {
        // SAFETY: the pointer is that of `ftl_power_on`.
        unsafe { c::ftl_format(self.0.as_ptr(), block_bytes) }
    }
}

impl Drop for Ftl {
    fn drop(&mut self) {
        // SAFETY: the pointer is that of `ftl_power_on`, and nobody has it any more.
        unsafe { c::ftl_power_off(self.0.as_ptr()) }
    }
}

fn number<T: PartialEq>(all: &[T], one: T) -> u32 {
    all.iter().position(|other| *other == one).expect("the header has it") as u32
}

fn named<T: Copy>(all: &[T], name: &str, number: u32) -> Result<T, String> {
    let found = all.get(number as usize).copied();
    found.ok_or_else(|| format!("{name}: found {number}, expected a number below {}", all.len()))
}

/// Does what an FTL calls for, or refuses it by the name of the call.
///
/// # Safety
/// `drive` is what the FTL was called with, and it is called still.
unsafe fn answer<T: Default>(
    drive: *mut c_void,
    call: &str,
    act: impl FnOnce(&mut Drive<'_>) -> Result<T, String>,
) -> T {
    // SAFETY: as above; calls come from the thread that called the FTL, which has lent the drive and does nothing until the FTL returns.
    let drive = unsafe { &mut *drive.cast::<Drive<'_>>() };
    act(drive).unwrap_or_else(|line| {
        drive.desk.refuse(drive.bench, &format!("{call}: {line}"));
        T::default()
    })
}

#[no_mangle]
unsafe extern "C" fn fm_is_bad(drive: *mut c_void, channel: u32, way: u32, block: u32) -> bool {
    // SAFETY: the FTL hands back what it was called with.
    unsafe { answer(drive, "fm_is_bad", |own| own.desk.is_bad(own.bench, [channel, way, block])) }
}

#[no_mangle]
unsafe extern "C" fn fm_flash(
    drive: *mut c_void,
    entry: u32,
    tag: u32,
    operation: u32,
    place: Place,
) {
    let act = |own: &mut Drive<'_>| {
        let operation = named(&OPERATIONS, "operation", operation)?;
        let tag = (tag != NO_COMMAND).then_some(tag);
        let Place { channel, way, block, page } = place;
        own.desk.flash(Wanted { entry, tag, operation }, [channel, way, block, page])
    };
    // SAFETY: the FTL hands back what it was called with.
    unsafe { answer(drive, "fm_flash", act) }
}

#[no_mangle]
unsafe extern "C" fn fm_move(
    drive: *mut c_void,
    entry: u32,
    tag: u32,
    offset: u32,
    at: u32,
    bytes: u32,
) {
    // SAFETY: the FTL hands back what it was called with.
    unsafe {
        answer(drive, "fm_move", |own| own.desk.moves(own.bench, entry, tag, [offset, at, bytes]))
    }
}

#[no_mangle]
unsafe extern "C" fn fm_zero(drive: *mut c_void, entry: u32) {
    // SAFETY: the FTL hands back what it was called with.
    unsafe { answer(drive, "fm_zero", |own| own.desk.zero(own.bench, entry)) }
}

#[no_mangle]
unsafe extern "C" fn fm_label(drive: *mut c_void, entry: u32, page: u32, sequence: u64) {
    // SAFETY: the FTL hands back what it was called with.
    unsafe { answer(drive, "fm_label", |own| own.desk.label(own.bench, entry, page, sequence)) }
}

#[no_mangle]
unsafe extern "C" fn fm_complete(drive: *mut c_void, tag: u32, outcome: u32) {
    let act = |own: &mut Drive<'_>| own.desk.complete(tag, named(&OUTCOMES, "outcome", outcome)?);
    // SAFETY: the FTL hands back what it was called with.
    unsafe { answer(drive, "fm_complete", act) }
}

#[no_mangle]
unsafe extern "C" fn fm_work(drive: *mut c_void, work: u32) {
    let act = |own: &mut Drive<'_>| {
        own.bench.work(named(&WORK, "work", work)?);
        Ok(())
    };
    // SAFETY: the FTL hands back what it was called with.
    unsafe { answer(drive, "fm_work", act) }
}
