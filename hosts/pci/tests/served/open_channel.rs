//! An open-channel drive behind the socket: what a guest knows it by, and what its tools do with it.

use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, IdentifyStructure, LogPage};
use nvme::identify::Controller;
use nvme::open_channel::{
    AddressList, ChunkDescriptor, ChunkState, Geometry, VectorCommand, VectorKind,
};
use nvme::status::Status;
use pci::Pace;
use rustix::io::{pread, pwrite};

use crate::driver::{Driver, Holder, BASE, DATA};
use crate::house::{Habits, House};

/// Where in guest memory a list of addresses is, and one of data pages.
const LIST: u64 = 10 * 4096;
const PAGES: u64 = 11 * 4096;

/// A page of guest memory.
fn page(driver: &Driver) -> [u8; 4096] {
    let mut page = [0; 4096];
    assert_eq!(pread(&driver.memory, &mut page, DATA).unwrap(), 4096);
    page
}

/// Vendor, device and vendor of the subsystem in configuration space.
fn ids(driver: &mut Driver) -> [u16; 3] {
    [0, 2, 0x2c].map(|at| {
        let bytes = driver.client.region_read(7, at, 2).unwrap();
        u16::from_le_bytes([bytes[0], bytes[1]])
    })
}

fn vector(kind: VectorKind, address: u64) -> VectorCommand {
    let addresses = AddressList::Single(address);
    VectorCommand { kind, count: 1, addresses, destinations: AddressList::Single(0) }
}

#[test]
fn hosts_know_it_by_its_pci_identity_and_other_drives_have_another() {
    let house = House::of(Habits { board: "cosmos-plus-ocssd", ..Habits::default() });
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    assert_eq!(ids(&mut driver), [0x1d1d, 0x1f1f, 0x1d1d]);
    driver.admin(AdminCommand::Identify(IdentifyStructure::Controller), DATA);
    assert_eq!(Controller::parse(&page(&driver)).vendor, 0x1d1d);
    driver.admin_of_namespace(AdminCommand::Identify(IdentifyStructure::Namespace), DATA);
    assert_eq!(page(&driver)[384], 1, "the first vendor specific byte of the namespace");
    let house = House::open(Pace::Fast);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    let [vendor, device, _] = ids(&mut driver);
    assert!(vendor != 0x1d1d && device != 0x1f1f);
    driver.admin_of_namespace(AdminCommand::Identify(IdentifyStructure::Namespace), DATA);
    assert_eq!(page(&driver)[384], 0);
}

#[test]
fn a_guest_reads_the_geometry_writes_a_page_and_reads_it_by_its_address() {
    for holder in [Holder::Sealed, Holder::Client] {
        let house = House::of(Habits { board: "cosmos-plus-ocssd", ..Habits::default() });
        let mut driver = Driver::start(house.client(), holder);
        assert!(driver.admin_of_namespace(AdminCommand::Geometry, DATA).status.is_success());
        let geometry = Geometry::parse(&page(&driver));
        assert_eq!((geometry.groups, geometry.units, geometry.chunks), (8, 8, 8192));
        let log = |driver: &mut Driver| {
            let log = GetLogPage {
                page: LogPage::ChunkInformation,
                event: EventAfterRead::Retained,
                offset: 0,
                length: 4096,
            };
            let done = driver.admin_of_namespace(AdminCommand::GetLogPage(log), DATA);
            assert!(done.status.is_success());
            let page = page(driver);
            let (all, _) = page.as_chunks();
            all.iter().map(ChunkDescriptor::parse).collect::<Vec<_>>()
        };
        let free = log(&mut driver).into_iter().find(|chunk| chunk.state == ChunkState::Free as u8);
        let start = free.expect("most chunks are free").start;
        // A page of four blocks.
        for nth in 0..4 {
            pwrite(&driver.memory, &(start + nth).to_le_bytes(), LIST + 8 * nth).unwrap();
        }
        let single = driver.entry(|header| vector(VectorKind::Write, start).emit(header));
        assert!(single.status.is(Status::INVALID_FIELD), "a block is no page");
        for nth in 0..4 {
            pwrite(&driver.memory, &[0x50 + nth as u8; 4096], DATA + 4096 * nth).unwrap();
            let at = BASE + DATA + 4096 * nth;
            if let Some(behind) = nth.checked_sub(1) {
                pwrite(&driver.memory, &at.to_le_bytes(), PAGES + 8 * behind).unwrap();
            }
        }
        let write = VectorCommand {
            count: 4,
            addresses: AddressList::At(BASE + LIST),
            ..vector(VectorKind::Write, 0)
        };
        let written = driver.entry(|mut header| {
            header.data.prp2 = BASE + PAGES;
            write.emit(header)
        });
        assert!(written.status.is_success(), "{holder:?}: {}", written.status);
        for nth in [2, 0, 3, 1] {
            let read = driver.entry(|header| vector(VectorKind::Read, start + nth).emit(header));
            assert!(read.status.is_success());
            assert_eq!(page(&driver), [0x50 + nth as u8; 4096], "{holder:?}");
        }
        let own = log(&mut driver).into_iter().find(|chunk| chunk.start == start).unwrap();
        assert_eq!((own.state, own.written), (ChunkState::Open as u8, 4));
        let report = house.close();
        assert_eq!(report.drive.pages_programmed, 1);
    }
}
