//! What is kept of a run.

use report::{Direction, DirectionResult, Latency, RunResult};
use timeline::Trace;

use crate::course::Course;
use crate::spread::MeanSpread;

const PS_PER_US: f64 = 1e6;
const NS_PER_US: f64 = 1e3;

/// What a run measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    /// Of the requests, if any completed.
    pub requests: Option<Requests>,
    /// Bytes programmed for each byte that the host wrote, if it wrote any.
    pub write_amplification: Option<f64>,
    /// Share of time in which the processor worked, 0 to 1.
    pub processor_busy: f64,
    /// Mean share of time in which a channel's bus was busy, 0 to 1.
    pub channel_busy: f64,
    /// Processor time of each module of the firmware with its part of idle polls, in picoseconds: a
    /// processor that polls is never idle to those who profile it, as the papers did.
    modules: Vec<(String, u64)>,
    /// How commands were spread over the flash, if somebody watched and there were any.
    pub spread: Option<MeanSpread>,
    /// Of a flash load.
    pub flash: Option<Box<FlashRequests>>,
    /// Of a load of cells.
    pub cells: Option<crate::cell_load::Outcome>,
    /// Look-up tables that a synthesis found.
    pub luts: Option<f64>,
    /// What the drive did over time, if somebody watched that.
    pub course: Option<Box<Course>>,
    /// What its channels and chips did when, if it is to be drawn.
    pub timeline: Option<Box<Trace>>,
}

/// What the requests of a flash load met: those of low priority by kind, then urgent reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FlashRequests {
    /// User data read and programmed, a second.
    pub bytes_per_second: f64,
    /// Mean time to the answer; none where nothing was answered.
    pub response_us: [Option<f64>; FLASH_CLASSES.len()],
    /// What 99 % did not exceed.
    pub response_p99_us: [Option<f64>; FLASH_CLASSES.len()],
}

/// Names of what a flash load's requests are told apart by.
pub(crate) const FLASH_CLASSES: [&str; 5] = ["erase", "program", "read", "low", "urgent"];

/// What the requests of a run met, whichever way they went.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requests {
    /// Mean time from the job's decision to its sight of the completion.
    pub latency_us: f64,
    /// What 99 % of the requests took at most from doorbell to completion.
    pub latency_p99_us: f64,
    /// Mean time in host interface, firmware, storage.
    pub parts_us: [f64; 3],
    /// Throughput of user data.
    pub bytes_per_second: f64,
    /// Requests a second.
    pub per_second: f64,
    /// Times from doorbell to completion.
    completion: Latency,
}

impl Measurement {
    /// What `run` measured, all of its jobs together.
    pub fn new(mut run: RunResult, spread: Option<MeanSpread>) -> Measurement {
        run.merge_all();
        let job = run.jobs.first();
        let active: Vec<&DirectionResult> = Direction::ALL
            .iter()
            .filter_map(|direction| job.and_then(|job| job.active(*direction)))
            .collect();
        let channels = &run.drive.channel_busy;
        Measurement {
            requests: (!active.is_empty()).then(|| Requests::new(&active)),
            write_amplification: run.drive.write_amplification(),
            processor_busy: run.drive.processor_busy,
            channel_busy: channels.iter().sum::<f64>() / channels.len().max(1) as f64,
            modules: run
                .drive
                .modules
                .into_iter()
                .map(|m| (m.name, m.time_ps + m.idle_polling_ps))
                .collect(),
            spread,
            flash: None,
            cells: None,
            luts: None,
            course: None,
            timeline: None,
        }
    }

    /// What a flash load measured: there was no host and no firmware.
    pub fn of_flash(outcome: &crate::flash_load::Outcome) -> Measurement {
        let mut low = Latency::new();
        outcome.low.iter().for_each(|answers| low.merge(&answers.response));
        let [erase, program, read] = outcome.low.each_ref().map(|answers| &answers.response);
        let classes = [erase, program, read, &low, &outcome.urgent.response];
        let some = |latency: &Latency, ns: f64| (latency.count() > 0).then_some(ns / NS_PER_US);
        let busy = &outcome.bus_busy;
        Measurement {
            channel_busy: busy.iter().sum::<f64>() / busy.len().max(1) as f64,
            flash: Some(Box::new(FlashRequests {
                bytes_per_second: outcome.bytes_per_second(),
                response_us: classes.map(|latency| some(latency, latency.mean_ns())),
                response_p99_us: classes
                    .map(|latency| some(latency, latency.percentile_ns(99.0) as f64)),
            })),
            ..Measurement::of_nothing()
        }
    }

    /// What a load of cells measured: there was nothing but chips.
    pub fn of_cells(outcome: crate::cell_load::Outcome) -> Measurement {
        Measurement { cells: Some(outcome), ..Measurement::of_nothing() }
    }

    /// What a synthesis found: nothing ran.
    pub fn of_area(luts: f64) -> Measurement {
        Measurement { luts: Some(luts), ..Measurement::of_nothing() }
    }

    fn of_nothing() -> Measurement {
        Measurement {
            requests: None,
            write_amplification: None,
            processor_busy: 0.0,
            channel_busy: 0.0,
            modules: Vec::new(),
            spread: None,
            flash: None,
            cells: None,
            luts: None,
            course: None,
            timeline: None,
        }
    }

    /// Share of the firmware's time that a module took, in percent; none without any time.
    pub fn module_share(&self, name: &str) -> Option<f64> {
        let all: u64 = self.modules.iter().map(|(_, time_ps)| time_ps).sum();
        let (_, time_ps) = self.modules.iter().find(|(module, _)| module == name)?;
        (all > 0).then(|| 100.0 * *time_ps as f64 / all as f64)
    }
}

impl Requests {
    /// What the requests in some directions met, at least one of them.
    fn new(active: &[&DirectionResult]) -> Requests {
        let ios: u64 = active.iter().map(|direction| direction.ios).sum();
        let mean_us = |sum_ps: u128| sum_ps as f64 / PS_PER_US / ios as f64;
        let mut completion = Latency::new();
        active.iter().for_each(|direction| completion.merge(&direction.clat));
        let part = |nth: usize| {
            mean_us(active.iter().map(|direction| direction.parts[nth].moments_ps().sum()).sum())
        };
        Requests {
            latency_us: mean_us(active.iter().map(|direction| direction.lat_ps.sum()).sum()),
            latency_p99_us: completion.percentile_ns(99.0) as f64 / NS_PER_US,
            parts_us: [part(0), part(1), part(2)],
            bytes_per_second: active.iter().map(|direction| direction.bandwidth()).sum(),
            per_second: active.iter().map(|direction| direction.iops()).sum(),
            completion,
        }
    }

    /// What so much percent of the requests took at most from doorbell to completion.
    pub fn percentile_us(&self, percentile: f64) -> f64 {
        self.completion.percentile_ns(percentile) as f64 / NS_PER_US
    }
}
