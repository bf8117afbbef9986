//! Values of features: none can be saved, and a reset brings the defaults back.

use alloc::vec;
use alloc::vec::Vec;
use contract::{
    CachePolicy, Coalescing, Configuration, Hardware, InterruptCoalescing, QueueWeights,
};
use nvme::admin::GetFeatures;
use nvme::feature::{
    capability, FeatureId, Select, Setting, Switch, ThresholdSelect, ThresholdSide, ALL_SENSORS,
};
use nvme::log::notice;
use nvme::status::{Fault, Status};

use crate::nvme::backend::Storage;
use crate::nvme::identify::WARNING_KELVIN;
use crate::nvme::ports::Ports;

/// Values of all features, as dwords by identifier; those with a selector are kept apart.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Values {
    pub(in crate::nvme) dwords: [u32; 12],
    pub(in crate::nvme) over_kelvin: u16,
    pub(in crate::nvme) under_kelvin: u16,
}

/// The features of the controller.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Features {
    pub(in crate::nvme) defaults: Values,
    pub(in crate::nvme) current: Values,
    /// The dwords of Error Recovery by namespace, whose feature it is.
    pub(in crate::nvme) error_recovery: Vec<u32>,
    /// By vector; coalescing is allowed by default.
    pub(in crate::nvme) vectors: Vec<Coalescing>,
    /// Whether the data buffer is a volatile write cache, which a capacitor makes it not to be.
    pub(in crate::nvme) has_volatile_cache: bool,
}

impl Features {
    /// All at their defaults.
    pub fn new(config: &Configuration) -> Self {
        let cache = match config.cache {
            CachePolicy::WriteBack => Switch::On,
            CachePolicy::WriteThrough => Switch::Off,
        };
        let queues = config.io_queues.min(u32::from(u16::MAX)) as u16;
        let mut dwords = [0; 12];
        for setting in [
            Setting::VolatileWriteCache(cache),
            Setting::NumberOfQueues { submission: queues, completion: queues },
        ] {
            dwords[setting.feature() as usize] = setting.dword();
        }
        let defaults = Values { dwords, over_kelvin: WARNING_KELVIN, under_kelvin: 0 };
        let vectors = vec![Coalescing::Allowed; config.vectors as usize];
        let error_recovery =
            vec![dwords[FeatureId::ErrorRecovery as usize]; config.namespaces as usize];
        let has_volatile_cache = config.reserve.is_none();
        Features { defaults, current: defaults, error_recovery, vectors, has_volatile_cache }
    }

    /// Critical warnings that are reported as events.
    pub fn reported_warnings(&self) -> u8 {
        self.current.dwords[FeatureId::AsyncEventConfiguration as usize] as u8
    }

    /// Whether changes of a namespace's attributes are reported as events.
    pub fn reports_namespace_changes(&self) -> bool {
        self.reports(notice::NAMESPACE)
    }

    /// Whether changes of zones are reported.
    pub fn reports_zone_changes(&self) -> bool {
        self.reports(notice::ZONE)
    }

    fn reports(&self, notice: u32) -> bool {
        self.current.dwords[FeatureId::AsyncEventConfiguration as usize] & notice != 0
    }

    /// Whether a composite temperature is at or beyond a threshold.
    pub fn is_beyond_threshold(&self, kelvin: u16) -> bool {
        kelvin >= self.current.over_kelvin || kelvin <= self.current.under_kelvin
    }

    /// Goes back to the defaults and tells those who act on them.
    pub fn reset(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) {
        self.current = self.defaults;
        self.error_recovery.fill(self.defaults.dwords[FeatureId::ErrorRecovery as usize]);
        for feature in
            [FeatureId::Arbitration, FeatureId::InterruptCoalescing, FeatureId::VolatileWriteCache]
        {
            let dword = self.current.dwords[feature as usize];
            if let Ok(setting) = Setting::parse(feature, dword) {
                announce(ports, setting);
            }
        }
        for (vector, coalescing) in (0..).zip(&mut self.vectors) {
            if *coalescing == Coalescing::Forbidden {
                *coalescing = Coalescing::Allowed;
                ports.hw.set_vector_coalescing(vector, Coalescing::Allowed);
            }
        }
    }

    /// Checks a value against what this controller has, and notices against those that are offered.
    pub(in crate::nvme) fn check(&self, setting: Setting, offered: u32) -> Result<(), Fault> {
        let wrong = |bit| Err(Fault::at(Status::INVALID_FIELD, 11, bit));
        match setting {
            Setting::PowerManagement { state, .. } if state > 0 => wrong(0),
            Setting::TemperatureThreshold { select, .. }
                if select.sensor != 0 && select.sensor != ALL_SENSORS =>
            {
                wrong(16)
            }
            Setting::VolatileWriteCache(_) if !self.has_volatile_cache => {
                Err(Fault::at(Status::INVALID_FIELD, 10, 0))
            }
            Setting::ErrorRecovery { deallocated_error: Switch::On, .. } => wrong(16),
            Setting::InterruptVectorConfiguration { vector, .. }
                if usize::from(vector) >= self.vectors.len() =>
            {
                wrong(0)
            }
            Setting::AsyncEventConfiguration { notices, .. } if notices & !offered != 0 => wrong(8),
            _ => Ok(()),
        }
    }

    /// Takes a checked value, of a namespace or of all of them.
    pub(in crate::nvme) fn keep(&mut self, setting: Setting, nsid: u32) {
        match setting {
            Setting::ErrorRecovery { .. } => {
                match self.error_recovery.get_mut(nsid.wrapping_sub(1) as usize) {
                    Some(of_one) => *of_one = setting.dword(),
                    None => self.error_recovery.fill(setting.dword()),
                }
            }
            Setting::TemperatureThreshold { select, kelvin } => match select.side {
                ThresholdSide::Over => self.current.over_kelvin = kelvin,
                ThresholdSide::Under => self.current.under_kelvin = kelvin,
            },
            Setting::InterruptVectorConfiguration { vector, coalescing } => {
                self.vectors[usize::from(vector)] = allowed(coalescing);
            }
            _ => self.current.dwords[setting.feature() as usize] = setting.dword(),
        }
    }

    /// The answer to Get Features for a namespace that was checked, if the feature is a namespace's.
    pub(in crate::nvme) fn get(&self, get: GetFeatures, nsid: u32) -> Result<u32, Fault> {
        let GetFeatures { feature, select, argument } = get;
        let values = match select {
            Select::Capabilities => return Ok(capabilities(feature)),
            Select::Current => &self.current,
            Select::Default | Select::Saved => &self.defaults,
        };
        match feature {
            FeatureId::ErrorRecovery if select == Select::Current => {
                Ok(self.error_recovery[nsid as usize - 1])
            }
            // Without such a cache the feature is none (section 5.21.1.6).
            FeatureId::VolatileWriteCache if !self.has_volatile_cache => {
                Err(Fault::at(Status::INVALID_FIELD, 10, 0))
            }
            FeatureId::TemperatureThreshold => {
                let selected = ThresholdSelect::parse(argument)?;
                if selected.sensor != 0 {
                    return Err(Fault::at(Status::INVALID_FIELD, 11, 16));
                }
                let kelvin = match selected.side {
                    ThresholdSide::Over => values.over_kelvin,
                    ThresholdSide::Under => values.under_kelvin,
                };
                Ok(Setting::TemperatureThreshold { select: selected, kelvin }.dword())
            }
            FeatureId::InterruptVectorConfiguration => {
                let vector = argument as u16;
                let Some(current) = self.vectors.get(usize::from(vector)) else {
                    return Err(Fault::at(Status::INVALID_FIELD, 11, 0));
                };
                let coalescing = match (select, current) {
                    (Select::Current, Coalescing::Forbidden) => Switch::Off,
                    _ => Switch::On,
                };
                Ok(Setting::InterruptVectorConfiguration { vector, coalescing }.dword())
            }
            _ => Ok(values.dwords[feature as usize]),
        }
    }
}

/// What can be done with a feature.
pub(in crate::nvme) fn capabilities(feature: FeatureId) -> u32 {
    match feature {
        FeatureId::ErrorRecovery => capability::CHANGEABLE | capability::NAMESPACE_SPECIFIC,
        _ => capability::CHANGEABLE,
    }
}

/// Tells hardware and storage of a value that they act on.
pub(in crate::nvme) fn announce(ports: &mut Ports<impl Hardware, impl Storage>, setting: Setting) {
    match setting {
        Setting::Arbitration { burst, low, medium, high } => {
            ports.hw.set_queue_weights(QueueWeights { burst, low, medium, high });
        }
        Setting::InterruptCoalescing { threshold, time } => {
            ports.hw.set_coalescing(InterruptCoalescing { threshold, time });
        }
        Setting::InterruptVectorConfiguration { vector, coalescing } => {
            ports.hw.set_vector_coalescing(vector, allowed(coalescing));
        }
        Setting::VolatileWriteCache(switch) => ports.storage.set_cache(match switch {
            Switch::On => CachePolicy::WriteBack,
            Switch::Off => CachePolicy::WriteThrough,
        }),
        _ => {}
    }
}

fn allowed(coalescing: Switch) -> Coalescing {
    match coalescing {
        Switch::On => Coalescing::Allowed,
        Switch::Off => Coalescing::Forbidden,
    }
}
