//! Features (NVMe 1.4 sections 5.13 and 5.21). None can be saved; a reset brings the defaults back.

use contract::{CommandSet, Hardware};
use nvme::admin::{GetFeatures, Retention, SetFeatures};
use nvme::feature::{capability, FeatureId, Select, Setting};
use nvme::log::feature_effect;
use nvme::placement;
use nvme::status::{Fault, Status};
use nvme::zones::PROFILE_FEATURE;
use nvme::ALL_NAMESPACES;

use super::backend::Storage;
use super::command::{Answer, Reply};
use super::kept::features::{announce, capabilities};
use super::manager::Manager;
use super::ports::Ports;

impl Manager {
    /// Set Features. `nsid` is the command's namespace.
    pub(super) fn set_feature(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        set: SetFeatures,
        nsid: u32,
    ) -> Answer {
        let mut setting = set.setting;
        self.check_namespace(setting.feature(), nsid)?;
        if set.retention == Retention::Saved {
            return Err(Fault::at(Status::FEATURE_NOT_SAVEABLE, 10, 31));
        }
        self.features.check(setting, self.identity.notices())?;
        let mut result = 0;
        if let Setting::NumberOfQueues { submission, completion } = setting {
            let (submission, completion) = self.queues.grant(submission, completion)?;
            setting = Setting::NumberOfQueues { submission, completion };
            result = setting.dword();
        }
        self.features.keep(setting, nsid);
        announce(ports, setting);
        self.check_health(ports);
        Ok(Reply::Now(result))
    }

    /// Get Features. `nsid` is the command's namespace.
    pub(super) fn get_feature(&self, get: GetFeatures, nsid: u32) -> Answer {
        if capabilities(get.feature) & capability::NAMESPACE_SPECIFIC != 0
            && get.select != Select::Capabilities
        {
            self.identity.namespaces.check(nsid)?;
        }
        self.features.get(get, nsid).map(Reply::Now)
    }

    /// What the log of features tells of one.
    pub(super) fn feature_effects(&self, identifier: u8) -> u32 {
        let scope = match FeatureId::parse(identifier) {
            Ok(FeatureId::VolatileWriteCache) if !self.features.has_volatile_cache => return 0,
            Ok(own) if capabilities(own) & capability::NAMESPACE_SPECIFIC != 0 => {
                feature_effect::OF_NAMESPACE
            }
            Ok(_) => feature_effect::OF_CONTROLLER,
            Err(_) => match identifier {
                placement::FEATURE if self.placement.is_offered() => {
                    feature_effect::OF_ENDURANCE_GROUP
                }
                placement::EVENTS_FEATURE if self.placement.is_offered() => {
                    feature_effect::OF_NAMESPACE
                }
                PROFILE_FEATURE if self.identity.command_set == CommandSet::Zoned => {
                    feature_effect::OF_CONTROLLER
                }
                _ => return 0,
            },
        };
        feature_effect::SUPPORTED | scope
    }

    /// Checks the namespace of Set Features (section 5.21).
    fn check_namespace(&self, feature: FeatureId, nsid: u32) -> Result<(), Fault> {
        let specific = capabilities(feature) & capability::NAMESPACE_SPECIFIC != 0;
        if nsid == 0 && !specific {
            return Ok(());
        }
        self.identity.namespaces.check_or_all(nsid)?;
        if !specific && nsid != ALL_NAMESPACES {
            return Err(Fault::at(Status::FEATURE_NOT_NAMESPACE_SPECIFIC, 1, 0));
        }
        Ok(())
    }
}
