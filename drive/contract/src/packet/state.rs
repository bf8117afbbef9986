//! Codes of packets in a snapshot: their bits, as their types are made and have no derives of their own.

use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};

use super::{Operation, Outcome};

macro_rules! by_its_bits {
    ($($code:ty),*) => {$(
        impl BorshSerialize for $code {
            fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
                (*self as u8).serialize(writer)
            }
        }

        impl BorshDeserialize for $code {
            fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Self> {
                let bits = u8::deserialize_reader(reader)?;
                let strange = || Error::new(ErrorKind::InvalidData, stringify!($code));
                <$code>::from_bits(bits.into()).ok_or_else(strange)
            }
        }
    )*};
}

by_its_bits!(Operation, Outcome);
