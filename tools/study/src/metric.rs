//! What can be asked of a run.

use contract::Module;

use crate::error::{one_of, Fault};
use crate::measurement::{Measurement, FLASH_CLASSES};

/// A figure that a run gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Metric {
    /// Mean time of a request, from the job's decision to its sight of the completion.
    Latency,
    /// What 99 % of the requests do not exceed.
    LatencyP99,
    /// Mean time of a request in the host interface.
    HostInterface,
    /// Mean time of a request in the firmware.
    Firmware,
    /// Mean time of a request in the storage.
    Storage,
    /// 10^6 bytes a second.
    Throughput,
    /// Requests a second.
    Iops,
    /// Bytes programmed for each byte that the host wrote.
    WriteAmplification,
    /// Share of time in which the processor works.
    ProcessorBusy,
    /// Share of the firmware's time that one module takes: an index into [`Module::ALL`].
    ModuleTime(usize),
    /// Mean share of time in which a channel's bus is busy.
    ChannelUtilization,
    /// Mean over commands of the standard deviation of what a command has on each channel.
    ChannelDeviation,
    /// The same over ways.
    WayDeviation,
    /// What so many percent of the requests do not exceed, where a percentile is looked at.
    LatencyPercentile,
    /// The same of writes, from their fetch by the drive until their completion is posted.
    DriveWritePercentile,
    /// Mean of the commands in the drive.
    DriveCommands,
    /// Share of time with fewer of them than ways.
    Starved,
    /// Commands in the drive at the time that is looked at.
    CommandsAt,
    /// Channels at work at that time.
    ChannelsAt,
    /// Ways at work at that time, the mean over channels.
    WaysAt,
    /// Ways at work, the mean over time and channels.
    Ways,
    /// Wrong bits of a page that a load of cells reads, on average.
    WrongBits,
    /// Share of those pages that are beyond correction.
    Uncorrectable,
    /// Look-up tables of the decoders of all channels, with their solvers.
    DecoderLuts,
    /// Mean time to the answer of a flash load's requests: an index into [`FLASH_CLASSES`].
    Response(usize),
    /// What 99 % of them do not exceed.
    ResponseP99(usize),
}

/// What of a run is looked at, by axes that do not change it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Look {
    /// A percentile, 0 to 100.
    pub percentile: Option<f64>,
    /// A time from the start of the job that is measured, in microseconds.
    pub time_us: Option<f64>,
}

/// Metrics with a name behind a colon: what stands before it, and the names.
const MODULE_TIME: &str = "time_percent:";
const RESPONSE: &str = "response_us:";
const RESPONSE_P99: &str = "response_p99_us:";

const PLAIN: [(&str, Metric); 23] = [
    ("latency_us", Metric::Latency),
    ("latency_p99_us", Metric::LatencyP99),
    ("host_interface_us", Metric::HostInterface),
    ("firmware_us", Metric::Firmware),
    ("storage_us", Metric::Storage),
    ("throughput_mb_s", Metric::Throughput),
    ("iops", Metric::Iops),
    ("write_amplification", Metric::WriteAmplification),
    ("processor_busy_percent", Metric::ProcessorBusy),
    ("channel_utilization_percent", Metric::ChannelUtilization),
    ("channel_deviation_kib", Metric::ChannelDeviation),
    ("way_deviation_kib", Metric::WayDeviation),
    ("latency_percentile_us", Metric::LatencyPercentile),
    ("drive_write_percentile_us", Metric::DriveWritePercentile),
    ("drive_commands", Metric::DriveCommands),
    ("starved_percent", Metric::Starved),
    ("drive_commands_now", Metric::CommandsAt),
    ("active_channels_now", Metric::ChannelsAt),
    ("active_ways_now", Metric::WaysAt),
    ("active_ways", Metric::Ways),
    ("wrong_bits_per_page", Metric::WrongBits),
    ("uncorrectable_percent", Metric::Uncorrectable),
    ("decoder_luts", Metric::DecoderLuts),
];

impl Metric {
    /// The metric of this name.
    pub fn named(name: &str) -> Result<Metric, Fault> {
        if let Some(module) = name.strip_prefix(MODULE_TIME) {
            let found = Module::ALL.iter().position(|known| known.name() == module);
            return found.map(Metric::ModuleTime).ok_or_else(|| {
                let names = one_of(Module::ALL.iter().map(|module| module.name()));
                Fault::new("metric", format!("{name:?}"), format!("{MODULE_TIME} and {names}"))
            });
        }
        for (prefix, metric) in [
            (RESPONSE, Metric::Response as fn(usize) -> Metric),
            (RESPONSE_P99, Metric::ResponseP99),
        ] {
            let Some(class) = name.strip_prefix(prefix) else { continue };
            let found = FLASH_CLASSES.iter().position(|known| *known == class);
            return found.map(metric).ok_or_else(|| {
                let names = one_of(FLASH_CLASSES);
                Fault::new("metric", format!("{name:?}"), format!("{prefix} and {names}"))
            });
        }
        let found = PLAIN.iter().find(|(known, _)| *known == name);
        found.map(|(_, metric)| *metric).ok_or_else(|| {
            let more = ["time_percent:MODULE", "response_us:KIND", "response_p99_us:KIND"];
            let names = PLAIN.iter().map(|(name, _)| *name).chain(more);
            Fault::new("metric", format!("{name:?}"), one_of(names))
        })
    }

    /// What studies call the metric.
    pub fn name(self) -> String {
        match self {
            Metric::ModuleTime(module) => format!("{MODULE_TIME}{}", Module::ALL[module].name()),
            Metric::Response(class) => format!("{RESPONSE}{}", FLASH_CLASSES[class]),
            Metric::ResponseP99(class) => format!("{RESPONSE_P99}{}", FLASH_CLASSES[class]),
            plain => {
                let found = PLAIN.iter().find(|(_, metric)| *metric == plain);
                found.map_or("", |(name, _)| name).to_owned()
            }
        }
    }

    /// Whether it takes somebody who watches the flash.
    pub fn is_watched(self) -> bool {
        matches!(self, Metric::ChannelDeviation | Metric::WayDeviation)
    }

    /// Whether it takes somebody who watches what the drive does over time.
    pub fn takes_course(self) -> bool {
        use Metric::{
            ChannelsAt, CommandsAt, DriveCommands, DriveWritePercentile, Starved, Ways, WaysAt,
        };
        matches!(
            self,
            DriveWritePercentile
                | DriveCommands
                | Starved
                | CommandsAt
                | ChannelsAt
                | WaysAt
                | Ways
        )
    }

    /// Which axis has to be there for it, as `look` names it.
    pub fn looked_at(self) -> Option<&'static str> {
        match self {
            Metric::LatencyPercentile | Metric::DriveWritePercentile => Some("percentile"),
            Metric::CommandsAt | Metric::ChannelsAt | Metric::WaysAt => Some("time_us"),
            _ => None,
        }
    }

    /// Its value; none where the run did nothing of what it measures.
    pub fn of(self, run: &Measurement, look: Look) -> Option<f64> {
        let course = run.course.as_deref();
        let time_ps = look.time_us.map(|time_us| (time_us * 1e6) as u64);
        match self {
            Metric::LatencyPercentile => {
                Some(run.requests.as_ref()?.percentile_us(look.percentile?))
            }
            Metric::DriveWritePercentile => course?.write_percentile_us(look.percentile?),
            Metric::DriveCommands => course?.commands(),
            Metric::Starved => course?.starved_percent(),
            Metric::CommandsAt => course?.commands_at(time_ps?),
            Metric::ChannelsAt => course?.channels_at(time_ps?),
            Metric::WaysAt => course?.ways_at(time_ps?),
            Metric::Ways => course?.ways(),
            Metric::Latency => run.requests.as_ref().map(|requests| requests.latency_us),
            Metric::LatencyP99 => run.requests.as_ref().map(|requests| requests.latency_p99_us),
            Metric::HostInterface => run.requests.as_ref().map(|requests| requests.parts_us[0]),
            Metric::Firmware => run.requests.as_ref().map(|requests| requests.parts_us[1]),
            Metric::Storage => run.requests.as_ref().map(|requests| requests.parts_us[2]),
            Metric::Throughput => {
                let host = run.requests.as_ref().map(|requests| requests.bytes_per_second);
                let flash = run.flash.as_ref().map(|flash| flash.bytes_per_second);
                host.or(flash).map(|bytes| bytes / 1e6)
            }
            Metric::Iops => run.requests.as_ref().map(|requests| requests.per_second),
            Metric::WriteAmplification => run.write_amplification,
            Metric::ProcessorBusy => Some(100.0 * run.processor_busy),
            Metric::ModuleTime(module) => run.module_share(Module::ALL[module].name()),
            Metric::ChannelUtilization => Some(100.0 * run.channel_busy),
            Metric::ChannelDeviation => run.spread.map(|spread| spread.channel_bytes / 1024.0),
            Metric::WayDeviation => run.spread.map(|spread| spread.way_bytes / 1024.0),
            Metric::WrongBits => run.cells.and_then(|cells| cells.wrong_bits_per_page()),
            Metric::Uncorrectable => run.cells.and_then(|cells| cells.uncorrectable_percent()),
            Metric::DecoderLuts => run.luts,
            Metric::Response(class) => {
                run.flash.as_ref().and_then(|flash| flash.response_us[class])
            }
            Metric::ResponseP99(class) => {
                run.flash.as_ref().and_then(|flash| flash.response_p99_us[class])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_found_by_its_name() {
        let modules = (0..Module::ALL.len()).map(Metric::ModuleTime);
        let classes = (0..FLASH_CLASSES.len())
            .flat_map(|class| [Metric::Response(class), Metric::ResponseP99(class)]);
        for metric in PLAIN.map(|(_, metric)| metric).into_iter().chain(modules).chain(classes) {
            assert_eq!(Metric::named(&metric.name()), Ok(metric));
        }
        assert!(Metric::named("latency").unwrap_err().expected.contains("latency_us"));
        let fault = Metric::named("time_percent:isuer").unwrap_err();
        assert!(fault.expected.contains("issuer"), "{}", fault.expected);
    }
}
