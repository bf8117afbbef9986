//! Numbers as hostile hosts choose them: mostly small, near a limit, or where something is.

use arbitrary::{Arbitrary, Result, Unstructured};
use machine::BusMaster;

use crate::memory::{BASE, PAGE, PAGES};

/// Acts of one input at most.
pub const MOST_ACTS: usize = 48;

/// An address: mostly one that the host gives, or nearly.
#[derive(Clone, Copy, Debug)]
pub struct Address(pub u64);

impl<'a> Arbitrary<'a> for Address {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let choice: u8 = u.arbitrary()?;
        let page = u64::from(u.arbitrary::<u8>()?);
        Ok(Address(match choice % 8 {
            0..=3 => BASE + page % PAGES * PAGE,
            4 => BASE + page % PAGES * PAGE + u64::from(u.arbitrary::<u16>()? % 4096),
            5 => (BASE - PAGE).wrapping_add(page * PAGE),
            6 => 0u64.wrapping_sub(if page < 8 { (page + 1) * PAGE } else { page * 4 }),
            _ => u.arbitrary()?,
        }))
    }
}

/// A number: mostly a small one.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub u32);

impl<'a> Arbitrary<'a> for Number {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let choice: u8 = u.arbitrary()?;
        Ok(Number(match choice {
            0..=159 => u32::from(choice % 20),
            160..=199 => u.arbitrary::<u8>()?.into(),
            200..=219 => u.arbitrary::<u16>()?.into(),
            220..=229 => u32::MAX - u32::from(choice - 220),
            _ => u.arbitrary()?,
        }))
    }
}

/// Bus Master Enable, as a bit of an input.
pub fn bus_master(bit: bool) -> BusMaster {
    match bit {
        true => BusMaster::Enabled,
        false => BusMaster::Disabled,
    }
}

/// All acts of an input, as many as it has bytes for.
pub fn acts<'a, A: Arbitrary<'a>>(bytes: &'a [u8]) -> Vec<A> {
    let mut input = Unstructured::new(bytes);
    let mut acts = Vec::new();
    while !input.is_empty() && acts.len() < MOST_ACTS {
        match A::arbitrary(&mut input) {
            Ok(act) => acts.push(act),
            Err(_) => break,
        }
    }
    acts
}
