//! Features and their dwords (NVMe 1.4 section 5.21.1).

use crate::status::{Fault, Status};

/// Sensor number that means all implemented sensors when a threshold is set.
pub const ALL_SENSORS: u8 = 0xf;

/// Features that this crate knows: all that an I/O controller must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FeatureId {
    /// Weights of weighted round robin, and the arbitration burst (section 5.21.1.1).
    Arbitration = 0x01,
    /// Power state that the host asks for (section 5.21.1.2).
    PowerManagement = 0x02,
    /// Temperatures that a warning begins at (section 5.21.1.4).
    TemperatureThreshold = 0x04,
    /// Time limit of retries, and errors on deallocated blocks (section 5.21.1.5).
    ErrorRecovery = 0x05,
    /// Whether the volatile write cache is enabled (section 5.21.1.6).
    VolatileWriteCache = 0x06,
    /// How many I/O queues the host may create (section 5.21.1.7).
    NumberOfQueues = 0x07,
    /// When completions are announced together (section 5.21.1.8).
    InterruptCoalescing = 0x08,
    /// Whether a vector takes part in interrupt coalescing (section 5.21.1.9).
    InterruptVectorConfiguration = 0x09,
    /// Write Atomicity Normal.
    WriteAtomicity = 0x0a,
    /// Asynchronous Event Configuration.
    AsyncEventConfiguration = 0x0b,
}

impl FeatureId {
    /// Every feature, by identifier.
    pub const ALL: [FeatureId; 10] = [
        FeatureId::Arbitration,
        FeatureId::PowerManagement,
        FeatureId::TemperatureThreshold,
        FeatureId::ErrorRecovery,
        FeatureId::VolatileWriteCache,
        FeatureId::NumberOfQueues,
        FeatureId::InterruptCoalescing,
        FeatureId::InterruptVectorConfiguration,
        FeatureId::WriteAtomicity,
        FeatureId::AsyncEventConfiguration,
    ];

    /// The feature of an identifier.
    ///
    /// # Errors
    /// Invalid Field in Command, at dword 10.
    pub fn parse(identifier: u8) -> Result<Self, Fault> {
        let known = Self::ALL.into_iter().find(|feature| *feature as u8 == identifier);
        known.ok_or(Fault::at(Status::INVALID_FIELD, 10, 0))
    }
}

/// Which value Get Features asks for (SEL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Select {
    /// The value in effect.
    Current = 0,
    /// The value after a reset where nothing was saved.
    Default = 1,
    /// The value kept over resets and power cycles.
    Saved = 2,
    /// What can be done with the feature.
    Capabilities = 3,
}

impl Select {
    /// Reads bits 10:8 of dword 10 of Get Features.
    ///
    /// # Errors
    /// Invalid Field in Command for a reserved value.
    pub fn parse(dword: u32) -> Result<Self, Fault> {
        match bits(dword, 10, 8) {
            0 => Ok(Select::Current),
            1 => Ok(Select::Default),
            2 => Ok(Select::Saved),
            3 => Ok(Select::Capabilities),
            _ => Err(Fault::at(Status::INVALID_FIELD, 10, 8)),
        }
    }
}

/// Bits of dword 0 that answer [`Select::Capabilities`].
pub mod capability {
    /// Each namespace has a value of its own.
    pub const NAMESPACE_SPECIFIC: u32 = 1 << 1;
    /// The host may change it.
    pub const CHANGEABLE: u32 = 1 << 2;
}

/// Which side of a temperature threshold is watched (THSEL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ThresholdSide {
    /// Warn at the threshold and above.
    Over = 0,
    /// Warn at the threshold and below.
    Under = 1,
}

/// A sensor's threshold: the selector in bits 21:16 of its dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdSelect {
    /// 0 composite, 1 to 8 a sensor, [`ALL_SENSORS`].
    pub sensor: u8,
    /// Whether the warning begins above or below the threshold.
    pub side: ThresholdSide,
}

impl ThresholdSelect {
    /// Reads bits 21:16.
    ///
    /// # Errors
    /// Invalid Field in Command for a reserved sensor or side.
    pub fn parse(dword: u32) -> Result<Self, Fault> {
        let sensor = bits(dword, 19, 16) as u8;
        if (9..ALL_SENSORS).contains(&sensor) {
            return Err(Fault::at(Status::INVALID_FIELD, 11, 16));
        }
        let side = match bits(dword, 21, 20) {
            0 => ThresholdSide::Over,
            1 => ThresholdSide::Under,
            _ => return Err(Fault::at(Status::INVALID_FIELD, 11, 20)),
        };
        Ok(ThresholdSelect { sensor, side })
    }

    /// The selector in its place.
    pub fn dword(self) -> u32 {
        u32::from(self.sensor) << 16 | u32::from(self.side as u8) << 20
    }
}

/// Whether something is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Switch {
    /// Written as 0.
    Off = 0,
    /// Written as 1.
    On = 1,
}

/// A feature's value: dword 11 of Set Features, dword 0 of Get Features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Weights of arbitration (section 5.21.1.1); weights are the number of commands minus one.
    Arbitration {
        /// Burst, as a power of two; 7 is no limit.
        burst: u8,
        /// Low priority weight.
        low: u8,
        /// Medium priority weight.
        medium: u8,
        /// High priority weight.
        high: u8,
    },
    /// Power state (section 5.21.1.2).
    PowerManagement {
        /// State, 0 to 31.
        state: u8,
        /// Workload hint, 0 to 7.
        workload: u8,
    },
    /// Temperature threshold (section 5.21.1.4).
    TemperatureThreshold {
        /// Which threshold.
        select: ThresholdSelect,
        /// Threshold in kelvin.
        kelvin: u16,
    },
    /// Error recovery (section 5.21.1.5).
    ErrorRecovery {
        /// Time limit in units of 100 ms; 0 is none.
        time_limit: u16,
        /// Error on reading deallocated blocks (DULBE).
        deallocated_error: Switch,
    },
    /// Volatile write cache (section 5.21.1.6).
    VolatileWriteCache(Switch),
    /// Number of I/O queues (section 5.21.1.7), 1 to 65,535 each.
    NumberOfQueues {
        /// Submission queues.
        submission: u16,
        /// Completion queues.
        completion: u16,
    },
    /// Interrupt coalescing (section 5.21.1.8).
    InterruptCoalescing {
        /// Entries to gather, minus one.
        threshold: u8,
        /// Time in units of 100 us; 0 turns it off.
        time: u8,
    },
    /// Coalescing of one vector (section 5.21.1.9).
    InterruptVectorConfiguration {
        /// Number of the interrupt vector.
        vector: u16,
        /// Coalescing of it; the wire has the opposite, "coalescing disable".
        coalescing: Switch,
    },
    /// Disable Normal of write atomicity (section 5.21.1.10): when on, only the power fail unit is
    /// kept atomic.
    WriteAtomicity(Switch),
    /// Events to report (section 5.21.1.11).
    AsyncEventConfiguration {
        /// Critical warnings of the SMART log, bit by bit.
        health: u8,
        /// Notices: bits 31:8 of the dword, in place.
        notices: u32,
    },
}

impl Setting {
    /// Reads the dword of `feature`. Reserved bits are ignored.
    ///
    /// # Errors
    /// Invalid Field in Command where a field has a value that no controller could take.
    pub fn parse(feature: FeatureId, dword: u32) -> Result<Self, Fault> {
        let byte = |low: u32| bits(dword, low + 7, low) as u8;
        let switch = |bit: u32| if bits(dword, bit, bit) == 0 { Switch::Off } else { Switch::On };
        let count = |low: u32| match bits(dword, low + 15, low) as u16 {
            0xffff => Err(Fault::at(Status::INVALID_FIELD, 11, low as u8)),
            zero_based => Ok(zero_based + 1),
        };
        Ok(match feature {
            FeatureId::Arbitration => Setting::Arbitration {
                burst: bits(dword, 2, 0) as u8,
                low: byte(8),
                medium: byte(16),
                high: byte(24),
            },
            FeatureId::PowerManagement => Setting::PowerManagement {
                state: bits(dword, 4, 0) as u8,
                workload: bits(dword, 7, 5) as u8,
            },
            FeatureId::TemperatureThreshold => Setting::TemperatureThreshold {
                select: ThresholdSelect::parse(dword)?,
                kelvin: dword as u16,
            },
            FeatureId::ErrorRecovery => {
                Setting::ErrorRecovery { time_limit: dword as u16, deallocated_error: switch(16) }
            }
            FeatureId::VolatileWriteCache => Setting::VolatileWriteCache(switch(0)),
            FeatureId::NumberOfQueues => {
                Setting::NumberOfQueues { submission: count(0)?, completion: count(16)? }
            }
            FeatureId::InterruptCoalescing => {
                Setting::InterruptCoalescing { threshold: byte(0), time: byte(8) }
            }
            FeatureId::InterruptVectorConfiguration => Setting::InterruptVectorConfiguration {
                vector: dword as u16,
                coalescing: if bits(dword, 16, 16) == 0 { Switch::On } else { Switch::Off },
            },
            FeatureId::WriteAtomicity => Setting::WriteAtomicity(switch(0)),
            FeatureId::AsyncEventConfiguration => {
                Setting::AsyncEventConfiguration { health: byte(0), notices: dword & !0xff }
            }
        })
    }

    /// The feature that the value belongs to.
    pub fn feature(self) -> FeatureId {
        match self {
            Setting::Arbitration { .. } => FeatureId::Arbitration,
            Setting::PowerManagement { .. } => FeatureId::PowerManagement,
            Setting::TemperatureThreshold { .. } => FeatureId::TemperatureThreshold,
            Setting::ErrorRecovery { .. } => FeatureId::ErrorRecovery,
            Setting::VolatileWriteCache(_) => FeatureId::VolatileWriteCache,
            Setting::NumberOfQueues { .. } => FeatureId::NumberOfQueues,
            Setting::InterruptCoalescing { .. } => FeatureId::InterruptCoalescing,
            Setting::InterruptVectorConfiguration { .. } => FeatureId::InterruptVectorConfiguration,
            Setting::WriteAtomicity(_) => FeatureId::WriteAtomicity,
            Setting::AsyncEventConfiguration { .. } => FeatureId::AsyncEventConfiguration,
        }
    }

    /// The dword of the value.
    pub fn dword(self) -> u32 {
        match self {
            Setting::Arbitration { burst, low, medium, high } => {
                u32::from_le_bytes([burst, low, medium, high])
            }
            Setting::PowerManagement { state, workload } => {
                u32::from(workload) << 5 | u32::from(state)
            }
            Setting::TemperatureThreshold { select, kelvin } => select.dword() | u32::from(kelvin),
            Setting::ErrorRecovery { time_limit, deallocated_error } => {
                u32::from(deallocated_error as u8) << 16 | u32::from(time_limit)
            }
            Setting::VolatileWriteCache(switch) | Setting::WriteAtomicity(switch) => {
                u32::from(switch as u8)
            }
            Setting::NumberOfQueues { submission, completion } => {
                u32::from(completion - 1) << 16 | u32::from(submission - 1)
            }
            Setting::InterruptCoalescing { threshold, time } => {
                u32::from_le_bytes([threshold, time, 0, 0])
            }
            Setting::InterruptVectorConfiguration { vector, coalescing } => {
                let disabled = u32::from(coalescing == Switch::Off);
                disabled << 16 | u32::from(vector)
            }
            Setting::AsyncEventConfiguration { health, notices } => {
                notices & !0xff | u32::from(health)
            }
        }
    }
}

const fn bits(value: u32, high: u32, low: u32) -> u32 {
    value >> low & (u32::MAX >> (31 - (high - low)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dwords_are_laid_out_as_in_section_5_21_1() {
        let select = ThresholdSelect { sensor: 8, side: ThresholdSide::Under };
        for (setting, dword) in [
            (Setting::Arbitration { burst: 7, low: 1, medium: 2, high: 3 }, 0x0302_0107),
            (Setting::PowerManagement { state: 31, workload: 2 }, 0x5f),
            (Setting::TemperatureThreshold { select, kelvin: 343 }, 0x0018_0157),
            (Setting::ErrorRecovery { time_limit: 9, deallocated_error: Switch::On }, 0x0001_0009),
            (Setting::VolatileWriteCache(Switch::On), 1),
            (Setting::NumberOfQueues { submission: 65_535, completion: 1 }, 0x0000_fffe),
            (Setting::InterruptCoalescing { threshold: 4, time: 5 }, 0x0504),
            (
                Setting::InterruptVectorConfiguration { vector: 6, coalescing: Switch::Off },
                0x0001_0006,
            ),
            (Setting::WriteAtomicity(Switch::Off), 0),
            (Setting::AsyncEventConfiguration { health: 0x1f, notices: 0x100 }, 0x11f),
        ] {
            assert_eq!(setting.dword(), dword, "{setting:?}");
            assert_eq!(Setting::parse(setting.feature(), dword), Ok(setting));
        }
    }

    #[test]
    fn impossible_fields_are_refused_where_they_stand() {
        for (feature, dword, location) in [
            (FeatureId::NumberOfQueues, 0x0000_ffff, 44),
            (FeatureId::NumberOfQueues, 0xffff_0000, 46),
            (FeatureId::TemperatureThreshold, 0x0009_0000, 46),
            (FeatureId::TemperatureThreshold, 0x0020_0000, 4 << 8 | 46),
        ] {
            let fault = Setting::parse(feature, dword).unwrap_err();
            assert!(fault.status.is(Status::INVALID_FIELD));
            assert_eq!(fault.location.bits(), location);
        }
        assert!(FeatureId::parse(0x03).is_err() && FeatureId::parse(0x0c).is_err());
    }

    proptest! {
        #[test]
        fn what_parses_is_written_the_same(index in 0..FeatureId::ALL.len(), dword: u32) {
            if let Ok(setting) = Setting::parse(FeatureId::ALL[index], dword) {
                prop_assert_eq!(setting.feature(), FeatureId::ALL[index]);
                prop_assert_eq!(setting.dword() & !dword, 0);
                prop_assert_eq!(Setting::parse(setting.feature(), setting.dword()), Ok(setting));
            }
        }
    }
}
