//! What is no image of the drive, or not whole, is refused in a line and stays as it was.

use std::fs;
use std::path::Path;

use board::Board;
use drive_image::{About, Access, BlockRecord, Image, PageRecord, Payload, Shape};

const SHAPE: Shape =
    Shape { blocks: 16, pages_per_block: 8, page_words: 5, page_bytes: 4096, fill_words: 32 };

fn about() -> About {
    About {
        board: board(&[]),
        seed: 7,
        serial: 3,
        payload: Payload::Full,
        block_bytes: 4096,
        shape: SHAPE,
    }
}

fn board(overrides: &[(&str, &str)]) -> Board {
    let overrides: Vec<_> = overrides.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Board::resolve("small", &overrides).unwrap()
}

/// An image with a page in each of two blocks, and a fill.
fn made(path: &Path) {
    let image = Image::create(path, about()).unwrap();
    image.set_fill(&[1, 2, 3]);
    image.note_opened();
    image.seal().unwrap();
    for (page, erases) in [(9, 0), (40, 2)] {
        image.put_block(page / 8, BlockRecord { erases, torn: false });
        image.put_data((page.into(), erases), &[page as u8; 3000]);
        image.put_page(PageRecord { page: page.into(), erases, words: &[3, 0, 0, 0, 9] });
    }
}

/// Reads everything that an image has.
fn read_all(path: &Path) -> Result<(), String> {
    let image = Image::open(path, Access::Look).map_err(|error| error.to_string())?;
    let checked = drive_image::check(&image, |words| words[0] == 3);
    let checked = checked.map_err(|error| error.to_string())?;
    assert_eq!((checked.pages, checked.pages_with_data, checked.erased_blocks), (2, 2, 1));
    assert_eq!(image.fill().unwrap(), Some(vec![1, 2, 3]));
    assert_eq!((image.opened(), image.about()), (1, &about()));
    Ok(())
}

#[test]
fn any_wrong_byte_of_what_was_written_shows_and_nothing_is_mended() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drive.img");
    made(&path);
    assert_eq!(read_all(&path), Ok(()));
    let sound = fs::read(&path).unwrap();
    let mut found = 0;
    let written = |at: usize| sound[at] != 0;
    for at in (0..sound.len()).filter(|&at| written(at)).step_by(53) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        let line = read_all(&path).expect_err(&format!("byte {at}"));
        assert!(line.contains("found") && line.contains("expected"), "{line}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
        found += 1;
    }
    assert!(found > 200, "{found} bytes");
}

#[test]
fn what_is_no_image_is_refused_and_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drive.img");
    made(&path);
    let sound = fs::read(&path).unwrap();
    let mut other_version = sound.clone();
    other_version[16] = 9;
    let rows: [(&[u8], &str); 6] = [
        (b"some text\n", "drive.img: found something else, expected a drive image"),
        (&[0; 65536], "drive.img: found something else, expected a drive image"),
        (&sound[..sound.len() / 2], "length: found "),
        (&sound[..5000], "head: found a wrong checksum, expected an undamaged drive image"),
        (&sound[..31], "drive.img: found something else, expected a drive image"),
        (
            &other_version,
            "version: found 9, expected 2, the one that this program reads and writes",
        ),
    ];
    for (bytes, expected) in rows {
        fs::write(&path, bytes).unwrap();
        for result in [Image::open(&path, Access::Drive), Image::create(&path, about())] {
            let line = result.unwrap_err().to_string();
            assert!(line.contains(expected) || line.contains("found it there already"), "{line}");
        }
        let line = Image::open(&path, Access::Drive).unwrap_err().to_string();
        assert!(line.contains(expected), "{line}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let line = Image::open(directory.path(), Access::Look).unwrap_err().to_string();
    assert!(line.ends_with("found a directory, expected a drive image"), "{line}");
}

#[test]
fn another_board_is_named_by_its_first_key_that_differs() {
    let path = Path::new("drive.img");
    let about = about();
    assert_eq!(about.must_be(path, (&board(&[]), Payload::Full)), Ok(()));
    let other = board(&[("geometry.ways", "4"), ("flash.t_erase_us", "999")]);
    let line = about.must_be(path, (&other, Payload::Full)).unwrap_err().to_string();
    assert_eq!(line, "drive.img: geometry.ways: found 2, expected 4");
    let other = board(&[("flash.t_erase_us", "999")]);
    let line = about.must_be(path, (&other, Payload::Full)).unwrap_err().to_string();
    assert_eq!(line, "drive.img: flash.t_erase_us: found 5000, expected 999");
    let line = about.must_be(path, (&board(&[]), Payload::Stamp)).unwrap_err().to_string();
    assert_eq!(line, "drive.img: payload: found full, expected stamp");
}

#[test]
fn two_cannot_have_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drive.img");
    made(&path);
    let first = Image::open(&path, Access::Drive).unwrap();
    for access in [Access::Drive, Access::Look] {
        let line = Image::open(&path, access).unwrap_err().to_string();
        let expected = "found it in use, expected a drive image that no other program has open";
        assert!(line.ends_with(expected), "{line}");
    }
    assert_eq!(Image::about_file(&path).unwrap(), Some(about()));
    drop(first);
    let looks = [(); 2].map(|()| Image::open(&path, Access::Look).unwrap());
    assert!(Image::open(&path, Access::Drive).is_err());
    drop(looks);
    Image::open(&path, Access::Drive).unwrap();
}

#[test]
fn an_image_whose_making_was_cut_off_is_made_anew_and_so_is_an_empty_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drive.img");
    fs::write(&path, []).unwrap();
    let image = Image::create(&path, about()).unwrap();
    image.put_page(PageRecord { page: 1, erases: 0, words: &[9; 5] });
    assert!(Image::create(&path, about()).is_err(), "while it is being made");
    drop(image);
    assert_eq!(Image::about_file(&path).unwrap(), None);
    let image = Image::create(&path, about()).unwrap();
    image.seal().unwrap();
    let mut pages = 0;
    image.each_page(|_| pages += 1).unwrap();
    assert_eq!(pages, 0, "nothing is left of the first");
    drop(image);
    let line = Image::create(&path, about()).unwrap_err().to_string();
    assert!(line.ends_with("found it there already, expected a path for a drive image"), "{line}");
}

#[test]
fn what_was_never_written_takes_no_room() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drive.img");
    let shape = Shape { blocks: 1 << 19, pages_per_block: 128, page_bytes: 18_048, ..SHAPE };
    let image = Image::create(&path, About { shape, ..about() }).unwrap();
    image.seal().unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 1 << 40);
    let before = image.disk_bytes().unwrap();
    assert!(before < 1 << 20, "{before} bytes");
    for page in 0..128 {
        image.put_data((page, 0), &[7; 18_048]);
        image.put_page(PageRecord { page, erases: 0, words: &[3; 5] });
    }
    assert!(image.disk_bytes().unwrap() > before + (2 << 20));
    let mut pages = 0;
    image.each_page(|_| pages += 1).unwrap();
    assert_eq!(pages, 128);
    image.put_block(0, BlockRecord { erases: 1, torn: false });
    let after = image.disk_bytes().unwrap();
    assert!(after < before + (1 << 20), "{after} bytes after the block was erased");
}
