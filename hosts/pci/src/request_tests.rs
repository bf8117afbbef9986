use super::*;

/// Little-endian 4-byte words.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn commands_are_understood() {
    let span = Span { region: 7, offset: 0x10, count: 4 };
    let read = words(&[0x10, 0, 7, 4]);
    assert_eq!(Request::parse(command::REGION_READ, &read), Ok(Request::Read(span)));
    let write = words(&[0x10, 0, 7, 4, 0xaabb_ccdd]);
    let data = &write[16..];
    let expected = RegionWrite { span, data };
    assert_eq!(Request::parse(command::REGION_WRITE, &write), Ok(Request::Write(expected)));
    let multi = words(&[1, 0, 0x10, 0, 7, 4, 0xaabb_ccdd, 0]);
    let expected = Request::WriteMulti(vec![expected]);
    assert_eq!(Request::parse(command::REGION_WRITE_MULTI, &multi), Ok(expected));
    let map = words(&[32, 3, 0x1000, 0, 0, 1, 0x2000, 0]);
    let offer = Offer { address: 1 << 32, size: 0x2000, offset: 0x1000, access: Access::Both };
    assert_eq!(Request::parse(command::DMA_MAP, &map), Ok(Request::Map(offer)));
    let all = words(&[24, 2, 0, 0, 0, 0]);
    assert_eq!(Request::parse(command::DMA_UNMAP, &all), Ok(Request::UnmapAll));
    assert_eq!(Request::parse(command::RESET, &[]), Ok(Request::Reset));
}

#[test]
fn interrupts_are_set_in_the_ways_that_vfio_has() {
    let parse = |flags, start, count, marks: &[u8]| {
        let payload = [&words(&[20, flags, irq::MSIX, start, count])[..], marks].concat();
        Request::parse(command::SET_IRQS, &payload).map(|request| format!("{request:?}"))
    };
    for (flags, start, count, marks, action) in [
        (0x24, 3, 2, &[][..], "Connect"),
        (0x21, 0, 0, &[], "Disable"),
        (0x21, 1, 1, &[], "Raise(All)"),
        (0x22, 1, 2, &[1, 0], "Raise(Marked([1, 0]))"),
        (0x09, 0, 17, &[], "Mask(All)"),
        (0x12, 0, 1, &[1], "Unmask(Marked([1]))"),
    ] {
        let found = parse(flags, start, count, marks).unwrap();
        assert!(found.contains(&format!("action: {action}")), "{flags:#x}: {found}");
    }
    for (flags, start, count, marks) in [
        (0x20, 0, 1, &[][..]),
        (0x01, 0, 1, &[]),
        (0x39, 0, 1, &[]),
        (0x23, 0, 1, &[]),
        (0x61, 0, 1, &[]),
        (0x22, 0, 2, &[1]),
        (0x21, 0, 1, &[1]),
        (0x21, 1, 0, &[]),
        (0x24, 0, 0, &[]),
        (0x21, u32::MAX, 2, &[]),
    ] {
        assert_eq!(parse(flags, start, count, marks), Err(Errno::INVAL), "{flags:#x}");
    }
    assert_eq!(parse(0x0c, 0, 1, &[]), Err(Errno::NOTSUP));
}

#[test]
fn payloads_that_are_cut_or_too_long_are_refused() {
    let cases = [
        (command::DMA_MAP, words(&[32, 3, 0, 0, 0, 0, 0x1000, 0])),
        (command::DMA_UNMAP, words(&[24, 0, 0, 0, 0x1000, 0])),
        (command::GET_INFO, words(&[16, 0, 0, 0])),
        (command::GET_REGION_INFO, words(&[32, 0, 0, 0, 0, 0, 0, 0])),
        (command::GET_REGION_IO_FDS, words(&[16, 0, 0, 0])),
        (command::GET_IRQ_INFO, words(&[16, 0, 2, 0])),
        (command::SET_IRQS, words(&[20, 0x24, 2, 0, 1])),
        (command::REGION_READ, words(&[0, 0, 0, 8])),
        (command::REGION_WRITE, words(&[0, 0, 0, 8, 1, 2])),
        (command::REGION_WRITE_MULTI, words(&[1, 0, 0, 0, 0, 8, 1, 2])),
        (command::RESET, vec![]),
    ];
    for (number, payload) in cases {
        assert!(Request::parse(number, &payload).is_ok(), "{number}");
        for length in 0..payload.len() {
            let found = Request::parse(number, &payload[..length]);
            assert_eq!(found, Err(Errno::INVAL), "{number}, {length} bytes");
        }
        let longer = [&payload[..], &[0]].concat();
        assert_eq!(Request::parse(number, &longer), Err(Errno::INVAL), "{number}, a byte more");
    }
}

#[test]
fn fields_out_of_range_are_refused() {
    for (number, payload) in [
        (command::DMA_MAP, words(&[31, 3, 0, 0, 0, 0, 0x1000, 0])),
        (command::DMA_MAP, words(&[32, 0, 0, 0, 0, 0, 0x1000, 0])),
        (command::DMA_MAP, words(&[32, 7, 0, 0, 0, 0, 0x1000, 0])),
        (command::DMA_UNMAP, words(&[24, 1, 0, 0, 0x1000, 0])),
        (command::DMA_UNMAP, words(&[24, 2, 0, 0, 0x1000, 0])),
        (command::GET_INFO, words(&[15, 0, 0, 0])),
        (command::GET_REGION_INFO, words(&[32, 0, 9, 0, 0, 0, 0, 0])),
        (command::GET_IRQ_INFO, words(&[16, 0, 5, 0])),
        (command::REGION_READ, words(&[0, 0, 9, 4])),
        (command::REGION_READ, words(&[0, 0, 0, MOST_DATA as u32 + 1])),
        (command::REGION_READ, words(&[u32::MAX, u32::MAX, 0, 4])),
        (command::REGION_WRITE_MULTI, words(&[0, 0])),
        (command::REGION_WRITE_MULTI, words(&[2, 0, 0, 0, 0, 8, 1, 2])),
        (command::REGION_WRITE_MULTI, words(&[1, 1, 0, 0, 0, 8, 1, 2])),
        (command::REGION_WRITE_MULTI, words(&[1, 0, 0, 0, 0, 9, 1, 2])),
    ] {
        let found = Request::parse(number, &payload);
        assert_eq!(found, Err(Errno::INVAL), "{number} {payload:?}");
    }
    assert_eq!(Request::parse(command::FEATURE, &[]), Err(Errno::NOTSUP));
    for number in [0, command::DMA_READ, command::DMA_WRITE, 14, 19, u16::MAX] {
        assert_eq!(Request::parse(number, &[]), Err(Errno::NOSYS), "{number}");
    }
}
