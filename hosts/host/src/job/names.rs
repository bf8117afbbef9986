//! Names of fio's options: which there are, which mean the same, and which was meant by a slip.

use super::options::{IGNORED, REFUSED};

/// The name under which an option is known here.
pub(super) fn canonical(key: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, name)| name)
}

/// Whether fio has an option of this name, in a job file or in place of one.
pub fn is_option(name: &str) -> bool {
    all_names().any(|known| known == name)
}

/// The option of fio whose name is so near to `name` that it may be meant.
pub fn nearest_option(name: &str) -> Option<&'static str> {
    let near = |known: &&str| slips(name, known) <= if known.len() < 6 { 1 } else { 2 };
    all_names().filter(near).min_by_key(|known| slips(name, known))
}

/// Letters to change, to add, to leave out or to swap between two names.
fn slips(name: &str, known: &str) -> usize {
    strsim::osa_distance(known, &name.replace('-', "_"))
}

fn settings() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().flat_map(|(_, names)| names.iter().copied())
}

fn all_names() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    let ignored = IGNORED.iter().flat_map(|(_, group)| group.iter().copied());
    let refused = REFUSED.iter().map(|(name, _)| *name);
    settings().chain(aliases).chain(ignored).chain(refused)
}

/// The I/O engines that have an option, if it is not one of all engines.
pub(super) fn engines_of(key: &str) -> Option<&'static [&'static str]> {
    ENGINE_OPTIONS.iter().find(|(name, _)| *name == key).map(|(_, engines)| *engines)
}

/// Other names of options.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("blockalign", "ba"),
    ("allrandrepeat", "randrepeat"),
    ("fileoffset", "offset"),
    ("io_limit", "io_size"),
    ("timeout", "runtime"),
    ("wait_for_previous", "stonewall"),
    ("start_delay", "startdelay"),
    ("iodepth_batch_submit", "iodepth_batch"),
    ("iodepth_batch_complete", "iodepth_batch_complete_min"),
    ("fill_fs", "fill_device"),
    ("nr_files", "nrfiles"),
    ("fdp_pli", "plids"),
    ("fdp_pli_select", "plid_select"),
    ("ratemin", "rate_min"),
    ("ratecycle", "rate_cycle"),
    ("ss", "steadystate"),
    ("ss_dur", "steadystate_duration"),
    ("ss_ramp", "steadystate_ramp_time"),
];

/// Options that are settings of a job, by subject: `Settings::apply` acts on them.
pub(super) const SETTINGS: &[(&str, &[&str])] = &[
    ("Job", &["name", "description"]),
    (
        "Pattern",
        &[
            "rw",
            "rw_sequencer",
            "rwmixread",
            "rwmixwrite",
            "random_distribution",
            "percentage_random",
            "norandommap",
            "randseed",
            "randrepeat",
        ],
    ),
    (
        "Flushes and forced writes",
        &["fsync", "fdatasync", "end_fsync", "fsync_on_close", "sync", "readfua", "writefua"],
    ),
    (
        "Verification",
        &[
            "verify",
            "do_verify",
            "verify_backlog",
            "verify_backlog_batch",
            "trim_percentage",
            "trim_backlog",
            "trim_backlog_batch",
            "trim_verify_zero",
        ],
    ),
    (
        "Lengths and places",
        &[
            "bs",
            "bsrange",
            "bssplit",
            "ba",
            "size",
            "filesize",
            "io_size",
            "offset",
            "offset_increment",
            "offset_align",
            "fill_device",
        ],
    ),
    (
        "Rates",
        &[
            "rate",
            "rate_iops",
            "rate_process",
            "rate_ignore_thinktime",
            "rate_min",
            "rate_iops_min",
            "rate_cycle",
            "kb_base",
        ],
    ),
    (
        "Latencies to keep to",
        &["latency_target", "latency_window", "latency_percentile", "latency_run"],
    ),
    ("Shares of jobs that run together", &["flow", "flow_id", "flow_sleep"]),
    ("How long", &["runtime", "time_based", "loops", "number_ios", "ramp_time", "startdelay"]),
    ("Pauses", &["thinktime", "thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime"]),
    ("Failures", &["max_latency", "continue_on_error"]),
    ("Steady state", &["steadystate", "steadystate_duration", "steadystate_ramp_time"]),
    (
        "Logs",
        &[
            "write_bw_log",
            "write_lat_log",
            "write_iops_log",
            "write_hist_log",
            "write_iolog",
            "log_avg_msec",
            "log_hist_msec",
            "log_hist_coarseness",
            "log_max_value",
            "log_offset",
            "log_prio",
            "log_unix_epoch",
            "per_job_logs",
        ],
    ),
    (
        "Engine and files",
        &["ioengine", "filename", "directory", "nrfiles", "openfiles", "file_service_type"],
    ),
    (
        "Logs of requests that are played back",
        &[
            "read_iolog",
            "replay_no_stall",
            "replay_time_scale",
            "replay_scale",
            "replay_align",
            "replay_redirect",
        ],
    ),
    (
        "Requests in flight",
        &[
            "iodepth",
            "iodepth_batch",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "iodepth_low",
            "serialize_overlap",
        ],
    ),
    ("Placement", &["fdp", "dataplacement", "plids", "plid_select"]),
    ("Zones", &["zonemode", "zonesize", "max_open_zones", "job_max_open_zones", "zone_append"]),
    ("Priorities", &["cmdprio", "cmdprio_class", "cmdprio_percentage", "cmdprio_bssplit"]),
    (
        "Clones, groups and order",
        &["numjobs", "stonewall", "new_group", "exitall", "group_reporting"],
    ),
    (
        "Report",
        &[
            "percentile_list",
            "slat_percentiles",
            "clat_percentiles",
            "lat_percentiles",
            "unified_rw_reporting",
        ],
    ),
    ("Caches", &["direct", "buffered"]),
];

/// Options that only some engines have. Those of engines that do no block I/O are not listed: such an
/// engine is refused before its options are looked at.
pub(super) const ENGINE_OPTIONS: &[(&str, &[&str])] = &[
    ("cmdprio", &["libaio", "io_uring", "io_uring_cmd"]),
    ("cmdprio_class", &["libaio", "io_uring", "io_uring_cmd"]),
    ("cmdprio_percentage", &["libaio", "io_uring", "io_uring_cmd"]),
    ("cmdprio_bssplit", &["libaio", "io_uring", "io_uring_cmd"]),
    ("cmd_type", &["io_uring", "io_uring_cmd"]),
    ("fixedbufs", &["io_uring", "io_uring_cmd"]),
    ("force_async", &["io_uring", "io_uring_cmd"]),
    ("hipri", &["io_uring", "io_uring_cmd", "pvsync2", "sg", "xnvme"]),
    ("hipri_percentage", &["pvsync2"]),
    ("nonvectored", &["io_uring", "io_uring_cmd"]),
    ("nowait", &["libaio", "io_uring", "io_uring_cmd", "pvsync2"]),
    ("registerfiles", &["io_uring", "io_uring_cmd"]),
    ("sqthread_poll", &["io_uring", "io_uring_cmd", "xnvme"]),
    ("sqthread_poll_cpu", &["io_uring", "io_uring_cmd"]),
    ("uncached", &["io_uring", "io_uring_cmd", "pvsync2"]),
    ("userspace_reap", &["libaio"]),
    ("readfua", &["sg"]),
    ("writefua", &["sg"]),
    ("sg_write_mode", &["sg"]),
    ("stream_id", &["sg"]),
    ("xnvme_async", &["xnvme"]),
    ("xnvme_sync", &["xnvme"]),
    ("xnvme_admin", &["xnvme"]),
    ("xnvme_dev_nsid", &["xnvme"]),
    ("xnvme_iovec", &["xnvme"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The options of fio 3.33 and of its engines for block devices, by name.
    const FIO: &str = include_str!("tests/fio-3.33-options.txt");

    #[test]
    fn every_option_of_fio_is_known() {
        let unknown: Vec<_> = FIO.lines().filter(|name| !is_option(name)).collect();
        assert_eq!(unknown, Vec::<&str>::new());
        for name in ["help-fio", "seed", "iodepht", "rw ", ""] {
            assert!(!is_option(name), "{name}");
        }
    }

    #[test]
    fn no_name_stands_in_two_tables() {
        let mut names: Vec<&str> = all_names().collect();
        names.sort_unstable();
        let doubled: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(doubled.is_empty(), "{doubled:?}");
        // A table entry under an alias would never be met.
        let aliased = |name: &&str| canonical(name) != *name;
        let aliases: Vec<_> = ALIASES.iter().map(|(alias, _)| *alias).collect();
        assert!(all_names().filter(aliased).all(|name| aliases.contains(&name)));
        assert!(ALIASES.iter().all(|(_, name)| canonical(name) == *name && is_option(name)));
    }

    #[test]
    fn a_slip_finds_the_option_that_was_meant() {
        let rows = [
            ("iodepht", Some("iodepth")),
            ("numjob", Some("numjobs")),
            ("group-reporting", Some("group_reporting")),
            ("block_size", Some("blocksize")),
            ("rv", Some("rw")),
            ("frobnicate", None),
            ("x", None),
        ];
        for (typed, meant) in rows {
            assert_eq!(nearest_option(typed), meant, "{typed}");
        }
    }
}
