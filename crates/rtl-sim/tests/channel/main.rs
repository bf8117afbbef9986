//! The whole channel: requests, chips on the pins, a data buffer.

use contract::packet::{Coding, Model, Operation, Request};
use contract::Duration;
use nand::onfi::{Chip, Config, Interface, Timing};
use rtl_sim::channel::{Channel, Policy, Setup};
use rtl_sim::{BusSettings, Pace, Paces};

fn setup() -> Setup {
    let period = Duration::from_ps(6_006);
    let timing = Timing::nv_ddr2_mode_6();
    let config = Config::small(Interface::Ddr, timing.clone());
    Setup {
        period,
        chips: (0..8).map(|_| Chip::new(config.clone())).collect(),
        bus: BusSettings { data_timeout: 1000, ..BusSettings::of(&config, period) },
        policy: Policy {
            model: Model::OutOfOrder,
            merge_planes: false,
            merge_cache_read: false,
            merge_cache_program: false,
            jedec: false,
            plane_bits: 1,
            plane_shift: 5,
            lun_shift: 9,
            low_ways: 8,
            busy_timeout: 200,
        },
        buffer: (16, 4096),
        buffer_paces: Paces::ALWAYS,
        paces: (Pace::Always, Pace::Always),
    }
}

#[test]
fn erase_program_read() {
    let mut channel = Channel::new(setup());
    for way in 0..8u8 {
        for (index, byte) in channel.buffer.entry_mut(way.into()).iter_mut().enumerate() {
            *byte = (index * 7 + usize::from(way) * 31) as u8;
        }
        let base = |operation, tag| Request {
            stream: way,
            tag,
            length: 1024,
            coding: Coding { ecc: true, scrambler: true, metadata: true },
            spare: 0x1234_0000 + u32::from(way),
            buffer: way.into(),
            ..Request::new(operation, way, 0)
        };
        channel.submit(base(Operation::Erase, 1));
        channel.submit(base(Operation::Program, 2));
        channel.submit(Request { buffer: 8 + u16::from(way), ..base(Operation::Read, 3) });
    }
    let mut responses = Vec::new();
    for _ in 0..200_000 {
        responses.extend(channel.cycle());
        if responses.len() == 24 {
            break;
        }
    }
    for response in &responses {
        println!("{response:?}");
    }
    channel.chips.assert_clean();
    assert_eq!(responses.len(), 24);
    for way in 0..8u16 {
        assert_eq!(channel.buffer.entry(way)[..1024], channel.buffer.entry(8 + way)[..1024]);
    }
}
