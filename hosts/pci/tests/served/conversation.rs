//! What a client may say, and what becomes of clients that say something else.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use pci::{Event, Lost, Pace};

use crate::client::{frame, words, Client, ERROR, NO_REPLY, REPLY};
use crate::driver::{memory_file, Driver, Holder};
use crate::house::{Habits, House, PATIENCE};

const EINVAL: u32 = 22;
const ENOENT: u32 = 2;
const EEXIST: u32 = 17;
const ENOSYS: u32 = 38;
const ENOTSUP: u32 = 95;

#[test]
fn a_device_tells_what_it_has() {
    let house = House::open(Pace::Fast);
    let mut client = house.client();
    assert_eq!(client.ask(4, &words(&[16, 0, 0, 0]), &[]), Ok(words(&[16, 3, 9, 5])));
    for region in 0..9u32 {
        let asked = words(&[32, 0, region, 0, 0, 0, 0, 0]);
        let (flags, size) = match region {
            0 => (3, 0x4000),
            7 => (3, 4096),
            _ => (0, 0),
        };
        let told = words(&[32, flags, region, 0, size, 0, 0, 0]);
        assert_eq!(client.ask(5, &asked, &[]), Ok(told), "region {region}");
    }
    for (kind, flags, count) in [(0, 0, 0), (1, 0, 0), (2, 3, 17), (3, 1, 1), (4, 0, 0)] {
        let asked = words(&[16, 0, kind, 0]);
        assert_eq!(client.ask(7, &asked, &[]), Ok(words(&[16, flags, kind, count])));
    }
    assert_eq!(client.ask(6, &words(&[16, 0, 0, 0]), &[]), Ok(words(&[16, 0, 0, 0])));
}

/// The server takes 256 messages in a turn. A client that said more and left makes room for the next, all the same.
#[test]
fn a_client_that_said_much_and_left_does_not_stand_in_the_way() {
    let house = House::open(Pace::Fast);
    for _ in 0..50 {
        let mut client = house.client();
        let write = frame((0, 10), NO_REPLY, &words(&[0x2000, 0, 0, 4, 7]));
        client.send_raw(&write.repeat(2_000), &[]).unwrap();
        drop(client);
        assert_eq!(house.client().read32(8), 0x0001_0400);
    }
}

#[test]
fn regions_are_read_and_written_within_their_bounds() {
    let house = House::open(Pace::Fast);
    let mut client = house.client();
    assert_eq!(client.read32(8), 0x0001_0400);
    // Cut out of CAP, whose low half says MQES 1023, CQR, TO 60.
    assert_eq!(client.region_read(0, 1, 3), Ok(vec![0x03, 0x01, 0x3c]));
    // MSI-X table and pending bits.
    client.region_write(0, 0x2004, &[1, 2, 3, 4]).unwrap();
    assert_eq!(client.region_read(0, 0x2000, 8), Ok(vec![0, 0, 0, 0, 1, 2, 3, 4]));
    client.ask(8, &words(&[20, 0x21, 2, 3, 1]), &[]).unwrap();
    assert_eq!(client.region_read(0, 0x3000, 8), Ok(vec![8, 0, 0, 0, 0, 0, 0, 0]));
    let fd = client.connect_irq(3);
    assert_eq!(client.region_read(0, 0x3000, 1), Ok(vec![8]), "it is no bus master yet");
    client.region_write(7, 0x04, &6u16.to_le_bytes()).unwrap();
    assert_eq!(rustix::io::read(&fd, &mut [0; 8]), Ok(8));
    assert_eq!(client.region_read(0, 0x3000, 1), Ok(vec![0]));
    for (region, offset, count) in
        [(0, 0x3ffe, 4), (0, 0x4000, 1), (7, 4095, 2), (1, 0, 1), (0, 0, 0), (8, 0, 4)]
    {
        assert_eq!(client.region_read(region, offset, count), Err(EINVAL), "{region} {offset:#x}");
        let data = vec![0; count as usize];
        assert_eq!(client.region_write(region, offset, &data), Err(EINVAL), "{region} {offset:#x}");
    }
    // Several writes in one message; odd ones are nobody's registers.
    let multi = words(&[2, 0, 0x24, 0, 0, 4, 0x001f_001f, 0, 0x25, 0, 0, 2, 0xffff, 0]);
    assert_eq!(client.ask(15, &multi, &[]), Ok(words(&[2, 0])));
    assert_eq!(client.read32(0x24), 0x001f_001f);
}

#[test]
fn refused_commands_end_in_an_error_and_the_client_goes_on() {
    let house = House::open(Pace::Fast);
    let mut client = house.client();
    let file = memory_file(Holder::Sealed);
    client.map(0x1000, 0x2000, Some(file.as_fd())).unwrap();
    assert_eq!(client.map(0x2000, 0x1000, None), Err(EEXIST));
    assert_eq!(client.map(0x8000, 0x1001, None), Err(EINVAL));
    assert_eq!(client.map(0x8000, 1 << 30, Some(file.as_fd())), Err(EINVAL), "file too short");
    assert_eq!(client.unmap(0x2000, 0x1000), Err(ENOENT));
    assert_eq!(client.ask(99, &[], &[]), Err(ENOSYS));
    assert_eq!(client.ask(16, &words(&[8, 0x1_0001]), &[]), Err(ENOTSUP));
    assert_eq!(client.ask(13, &[0], &[]), Err(EINVAL));
    assert_eq!(client.ask(13, &[], &[file.as_fd()]), Err(EINVAL), "a file that nobody wants");
    let connect = words(&[20, 0x24, 2, 0, 2]);
    let event = client.connect_irq(0);
    for fds in [&[event.as_fd()][..], &[event.as_fd(), file.as_fd()]] {
        assert_eq!(client.ask(8, &connect, fds), Err(EINVAL));
    }
    assert_eq!(client.ask(8, &words(&[20, 0x24, 2, 16, 2]), &[]), Err(EINVAL), "vectors");
    assert_eq!(client.ask(1, &words(&[0x0001_0000]), &[]), Err(EINVAL), "a second version");
    // Commands that want no answer get none, not even of failure.
    client.post(99, &[]);
    client.post(13, &[]);
    assert_eq!(client.ask(3, &words(&[24, 2, 0, 0, 0, 0]), &[]), Ok(words(&[24, 2, 0, 0, 0, 0])));
    assert_eq!(client.map(0x2000, 0x1000, None), Ok(()));
}

#[test]
fn a_client_that_cannot_be_understood_is_sent_away() {
    let house = House::open(Pace::Fast);
    let cases: [(&str, Vec<u8>, Lost); 5] = [
        ("another version", frame((1, 1), 0, &words(&[0x0001_0001])), Lost::BadHeader),
        ("no version", frame((1, 4), 0, &words(&[16, 0, 0, 0])), Lost::BadHeader),
        ("a short size", words(&[1 << 16, 8, 0, 0]), Lost::BadHeader),
        ("an answer", frame((1, 11), REPLY, &[]), Lost::BadReply),
        ("a refusal", frame((1, 11), REPLY | ERROR, &[]), Lost::BadReply),
    ];
    for (what, bytes, why) in cases {
        let mut client = Client::connect(&house.socket());
        assert_eq!(house.event(), Event::Connected, "{what}");
        client.send_raw(&bytes, &[]).unwrap();
        assert_eq!(house.event(), Event::Gone(why), "{what}");
        while client.receive().is_some() {}
    }
    house.client();
}

#[test]
fn a_client_that_falls_silent_is_sent_away() {
    let patience = Duration::from_millis(500);
    let house = House::of(Habits { patience, ..Habits::default() });
    for bytes in [&[][..], &frame((1, 1), 0, &words(&[0x0001_0000]))[..18]] {
        // The server's clock starts when it takes the client, which may be long before this thread
        // is told.
        let since = Instant::now();
        let mut client = Client::connect(&house.socket());
        assert_eq!(house.event(), Event::Connected);
        if !bytes.is_empty() {
            client.send_raw(bytes, &[]).unwrap();
        }
        assert_eq!(house.event(), Event::Gone(Lost::Silent));
        assert!(since.elapsed() >= patience);
    }
}

#[test]
fn a_client_that_has_nothing_to_say_is_not_silent() {
    // Long enough to agree upon the version on a busy machine.
    let patience = Duration::from_secs(2);
    let house = House::of(Habits { patience, ..Habits::default() });
    let mut client = house.client();
    std::thread::sleep(patience + Duration::from_millis(100));
    assert_eq!(client.read32(8), 0x0001_0400);
}

#[test]
fn a_second_client_is_sent_away_and_the_first_stays() {
    let house = House::open(Pace::Fast);
    let mut driver = Driver::start(house.client(), Holder::Sealed);
    assert_eq!(house.event(), Event::Connected);
    let mut second = Client::connect(&house.socket());
    assert_eq!(house.event(), Event::Refused);
    assert_eq!(second.receive(), None);
    assert!(driver.write(1, &[7; 4096]).is_success());
}

#[test]
fn two_servers_do_not_share_a_path_and_a_stale_socket_is_replaced() {
    use pci::Server;
    let house = House::open(Pace::Fast);
    let taken = Server::bind(&house.socket(), PATIENCE).unwrap_err().to_string();
    assert!(taken.ends_with("found a server that listens, expected a free path for a socket"));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, "kept").unwrap();
    let taken = Server::bind(&path, PATIENCE).unwrap_err().to_string();
    assert!(taken.contains("found something that is no socket"), "{taken}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
    let stale = directory.path().join("stale");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    drop(Server::bind(&stale, PATIENCE).unwrap());
    assert!(!stale.exists(), "a server takes its socket along");
    let nowhere = directory.path().join("no/where");
    let refused = Server::bind(&nowhere, PATIENCE).unwrap_err().to_string();
    assert!(refused.contains("expected a path at which a socket can be made"), "{refused}");
}
