//! The `firmament` object of the JSON report: what no real drive tells.

use crate::direction::Direction;
use crate::drive::{module_shares, CoreResult, Counted, DriveResult, MapUse, ModuleTime};
use crate::json_over_time::{
    blocks, channels, entry_waits, handles, latency_over_time, over_time, queues,
};
use crate::json_values::{moments, number, percentiles};
use crate::latency::Latency;
use crate::result::{seconds, DirectionResult, JobResult, RunResult};
use contract::{Cause, Part};
use serde_json::{json, Map, Value};

/// Keys of the object that differ between equal runs.
pub(crate) const SPEED_KEYS: [&str; 3] = ["wall_s", "cpu_s", "requests_per_cpu_second"];

/// Keys of the object that are null where the firmware tells nothing.
const FIRMWARE_KEYS: [&str; 18] = [
    "garbage_collections",
    "gc_pages_moved",
    "erases",
    "block_erases",
    "read_retries",
    "corrected_bits",
    "uncorrectable_reads",
    "bad_blocks",
    "chip_resets",
    "refreshes",
    "patrol_reads",
    "flash_log_pages_programmed",
    "dirty_bytes_before",
    "dirty_bytes_after",
    "buffer_hits",
    "buffer_misses",
    "marks_read",
    "recovery_reads",
];

/// The object. Only what [`SPEED_KEYS`] name, which stand last, differs between equal runs.
pub(crate) fn firmament(run: &RunResult) -> serde_json::Result<Value> {
    let jobs: Vec<_> = run.jobs.iter().map(|own| job(run, own)).collect();
    let drive = &run.drive;
    let mut own = json!({
        "provenance": run.provenance,
        "board": run.board,
        "job_file": run.job_file,
        "seed": run.seed,
        "cut": run.cut.map(|cut| json!({ "signal": cut.signal, "at_s": number(seconds(cut.at_ps)) })),
        "warnings": run.warnings,
        "jobs": jobs,
        "causes": causes(),
        "channel_utilization": numbers(&drive.channel_busy),
        "way_utilization": drive.way_busy.iter().map(|ways| numbers(ways)).collect::<Vec<_>>(),
        "write_amplification": drive.write_amplification().map(number),
        "garbage_collections": drive.garbage_collections,
        "gc_pages_moved": drive.gc_pages_moved,
        "erases": drive.erases,
        "block_erases": {
            "min": drive.block_erases.min,
            "max": drive.block_erases.max,
            "mean": number(drive.block_erases.mean),
            "stddev": number(drive.block_erases.stddev),
        },
        "read_retries": drive.read_retries,
        "corrected_bits": drive.corrected_bits,
        "uncorrectable_reads": drive.uncorrectable_reads,
        "bad_blocks": drive.bad_blocks,
        "chip_resets": drive.chip_resets,
        "refreshes": drive.refreshes,
        "patrol_reads": drive.patrol_reads,
        "host_bytes_read": drive.host_bytes_read,
        "host_bytes_written": drive.host_bytes_written,
        "flash_pages_read": drive.pages_read,
        "flash_pages_programmed": drive.pages_programmed,
        "flash_log_pages_programmed": drive.log_pages,
        "flash_bytes_programmed": drive.bytes_programmed,
        "dirty_bytes_before": drive.dirty_bytes[0],
        "dirty_bytes_after": drive.dirty_bytes[1],
        "map": drive.map.map(map),
        "buffer_hits": drive.buffer_hits,
        "buffer_misses": drive.buffer_misses,
        "buffer_hit_rate": drive.buffer_hit_rate().map(number),
        "interrupts": drive.interrupts,
        "ready_s": number(seconds(drive.ready_ps)),
        "marks_read": drive.marks_read,
        "recovery_reads": drive.recovery_reads,
        "processor": processor(drive),
        "drift_ns": run.pacing.as_ref().map(|pacing| drift(&pacing.late)),
        "simulated_s": number(run.speed.simulated_s),
        "requests": run.speed.requests,
    });
    if drive.counted == Counted::ByHardware {
        FIRMWARE_KEYS.iter().for_each(|&key| own[key] = Value::Null);
    }
    add_what_is_there(&mut own, run)?;
    own["data"] = serde_json::to_value(run)?;
    own["wall_s"] = number(run.speed.wall_s);
    own["cpu_s"] = number(run.speed.cpu_s);
    own["requests_per_cpu_second"] = number(run.speed.requests_per_cpu_second());
    Ok(own)
}

/// Adds what only some runs have.
fn add_what_is_there(own: &mut Value, run: &RunResult) -> serde_json::Result<()> {
    if let Some(over_time) = over_time(run) {
        own["over_time"] = over_time;
    }
    if let Some(latency) = latency_over_time(run) {
        own["latency_over_time"] = latency;
    }
    if let Some(map) = &run.blocks {
        own["blocks"] = blocks(map);
    }
    if !run.queues.is_empty() {
        own["queues"] = queues(&run.queues);
    }
    if !run.drive.entry_waits.is_nothing() {
        own["buffer_entry_waits"] = entry_waits(&run.drive.entry_waits);
    }
    if !run.drive.channels.is_empty() {
        own["channels"] = channels(&run.drive.channels);
    }
    if !run.drive.handles.is_empty() {
        own["placement_handles"] = handles(&run.drive.handles);
    }
    if let Some(ftl) = &run.host_ftl {
        own["host_ftl"] = ftl.json();
    }
    if let Some(model) = &run.guest_processor {
        own["guest_processor"] = model.json();
    }
    if let Some(waits) = &run.waits {
        own["waits"] = waits.json();
    }
    if !run.precision.is_empty() {
        own["precision"] = serde_json::to_value(&run.precision)?;
    }
    if let Some(over) = &run.over_seeds {
        own["over_seeds"] = serde_json::to_value(over)?;
    }
    Ok(())
}

/// Use of a map of which only some parts are in memory.
fn map(map: MapUse) -> Value {
    let MapUse { hits, misses, parts_read, parts_written } = map;
    let hit_rate = map.hit_rate().map(number);
    json!({
        "hits": hits,
        "misses": misses,
        "hit_rate": hit_rate,
        "parts_read": parts_read,
        "parts_written": parts_written,
    })
}

/// How much later than in virtual time interrupts were raised.
fn drift(late: &Latency) -> Value {
    let mut object = moments(late.moments_ps());
    object["percentile"] = percentiles(late);
    object
}

fn numbers(values: &[f64]) -> Vec<Value> {
    values.iter().copied().map(number).collect()
}

/// What the causes of [`split`] mean.
fn causes() -> Value {
    let named = Cause::ALL.map(|cause| {
        (cause.key().into(), json!({ "name": cause.name(), "definition": cause.definition() }))
    });
    Value::Object(named.into_iter().collect())
}

/// Where a job's latency went, by direction; directions without requests are left out, and all of them where nobody asked.
fn job(run: &RunResult, job: &JobResult) -> Value {
    let mut object = Map::new();
    object.insert("jobname".into(), json!(job.name));
    object.insert("groupid".into(), json!(job.group));
    let amplification = job.writes.and_then(|writes| writes.write_amplification(run.page_bytes));
    object.insert("write_amplification".into(), json!(amplification.map(number)));
    object.insert("ran_alone".into(), json!(run.ran_alone(job)));
    for direction in Direction::ALL {
        if let Some(result) = job.active(direction).filter(|result| result.has_causes()) {
            object.insert(direction.name().into(), split(result));
        }
    }
    Value::Object(object)
}

/// Parts and causes, each of which has the whole latency as its sum. A cause tells how its share is
/// spread over the parts.
fn split(result: &DirectionResult) -> Value {
    let (by_part, by_cause) = (result.part_shares(), result.cause_shares());
    let mut object: Map<_, _> = Part::ALL
        .map(|part| {
            let latency = &result.parts[part as usize];
            (format!("{}_ns", part.key()), shared(latency, by_part[part as usize]))
        })
        .into_iter()
        .collect();
    let total = result.split.total() as f64;
    let causes = Cause::ALL.map(|cause| {
        let mut object = shared(&result.cause(cause), by_cause[cause as usize]);
        let parts = Part::ALL.into_iter().filter_map(|part| {
            let time_ps = result.split.of(part, cause);
            (time_ps > 0).then(|| (part.key().into(), number(time_ps as f64 / total)))
        });
        object["share_by_part"] = Value::Object(parts.collect());
        (cause.key().into(), object)
    });
    object.insert("causes_ns".into(), Value::Object(causes.into_iter().collect()));
    Value::Object(object)
}

/// A distribution with its share of all time.
fn shared(latency: &Latency, share: f64) -> Value {
    let mut object = moments(latency.moments_ps());
    object["percentile"] = percentiles(latency);
    object["share"] = number(share);
    object
}

fn processor(drive: &DriveResult) -> Value {
    let mut all = time_of((drive.processor_busy, drive.idle_polling_ps), &drive.modules);
    if !drive.cores.is_empty() {
        let core = |core: &CoreResult| {
            let mut time = time_of((core.busy, core.idle_polling_ps), &core.modules);
            time["does"] = json!(core.does);
            time
        };
        all["cores"] = drive.cores.iter().map(core).collect();
    }
    all
}

/// Share of time that a processor, or a core of it, was busy, its time of idle polls, and the time of its modules.
fn time_of((busy, idle_polling_ps): (f64, u64), modules: &[ModuleTime]) -> Value {
    let modules = module_shares(modules).map(|(module, share)| {
        let time_s = number(seconds(module.time_ps));
        (module.name.clone(), json!({ "time_s": time_s, "share": number(share) }))
    });
    let idle_s = number(seconds(idle_polling_ps));
    json!({
        "busy": number(busy),
        "modules": modules.collect::<Map<_, _>>(),
        "idle_polling": { "time_s": idle_s },
    })
}
