//! fio's options that the workload does not act on, and why that is right.

/// What becomes of an option that is not one of the job's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It cannot change the result on a raw virtual drive.
    Ignore,
    /// It would change the result, except with the values listed.
    Refuse(&'static [&'static str]),
    /// fio has no such option, or it belongs to an I/O engine.
    Unknown,
}

/// The name under which an option is known here.
pub(super) fn canonical(key: &str) -> &str {
    match key {
        "readwrite" => "rw",
        "blocksize" => "bs",
        "blocksize_range" => "bsrange",
        "blocksize_unaligned" => "bs_unaligned",
        "blockalign" => "ba",
        "allrandrepeat" => "randrepeat",
        "fileoffset" => "offset",
        "io_limit" => "io_size",
        "timeout" => "runtime",
        "wait_for_previous" => "stonewall",
        "start_delay" => "startdelay",
        "iodepth_batch_submit" => "iodepth_batch",
        "iodepth_batch_complete" => "iodepth_batch_complete_min",
        "fill_fs" => "fill_device",
        "nr_files" => "nrfiles",
        "ratemin" => "rate_min",
        "ratecycle" => "rate_cycle",
        other => other,
    }
}

/// What becomes of an option, by its canonical name.
pub(super) fn treatment(key: &str) -> Treatment {
    if IGNORED.iter().any(|group| group.contains(&key)) {
        return Treatment::Ignore;
    }
    match REFUSED.iter().find(|(name, _)| *name == key) {
        Some((_, harmless)) => Treatment::Refuse(harmless),
        None => Treatment::Unknown,
    }
}

/// Options without effect on a raw virtual drive, by reason.
const IGNORED: &[&[&str]] = &[
    // Files and their handling: there is one drive and no file system.
    &[
        "filename_format",
        "unique_filename",
        "filetype",
        "directory",
        "lockfile",
        "openfiles",
        "file_service_type",
        "fallocate",
        "fadvise_hint",
        "file_append",
        "overwrite",
        "create_serialize",
        "create_fsync",
        "create_on_open",
        "allow_file_create",
        "allow_mounted_write",
        "unlink",
        "unlink_each_loop",
        "invalidate",
        "pre_read",
    ],
    // The host's processes, processors, memory, clocks and block layer are not modelled: host work
    // takes no virtual time.
    &[
        "thread",
        "comm",
        "nice",
        "prio",
        "prioclass",
        "priohint",
        "cpumask",
        "cpus_allowed",
        "cpus_allowed_policy",
        "numa_cpu_nodes",
        "numa_mem_policy",
        "uid",
        "gid",
        "cgroup",
        "cgroup_weight",
        "cgroup_nodelete",
        "mem",
        "iomem",
        "iomem_align",
        "mem_align",
        "lockmem",
        "hugepage-size",
        "clocksource",
        "gtod_reduce",
        "gtod_cpu",
        "job_start_clock_id",
        "ioscheduler",
        "hipri",
        "registerfiles",
        "fixedbufs",
        "sqthread_poll",
        "userspace_reap",
        "nowait",
        "io_submit_mode",
        "thinktime_spin",
    ],
    // The bytes written are the oracle's; no drive here compresses or deduplicates.
    &[
        "zero_buffers",
        "refill_buffers",
        "scramble_buffers",
        "buffer_pattern",
        "buffer_compress_percentage",
        "buffer_compress_chunk",
        "dedupe_percentage",
        "dedupe_global",
        "dedupe_mode",
        "dedupe_working_set_percentage",
    ],
    // How data is verified: the oracle checks every byte of every read.
    &[
        "verify_offset",
        "verify_interval",
        "verify_pattern",
        "verify_pattern_interval",
        "verify_fatal",
        "verify_dump",
        "verify_async",
        "verify_async_cpus",
        "verify_state_save",
        "verify_write_sequence",
        "verify_header_seed",
        "verifysort",
        "verifysort_nr",
        "experimental_verify",
    ],
    // Which generator: offsets come from one that covers every block (see `coverage`).
    &["random_generator", "softrandommap"],
    // How logs are kept in memory, and what is printed.
    &[
        "log_entries",
        "log_window_value",
        "log_issue_time",
        "log_compression",
        "log_compression_cpus",
        "log_store_compressed",
        "log_alternate_epoch",
        "log_alternate_epoch_clock_id",
        "block_error_percentiles",
        "bwavgtime",
        "iopsavgtime",
        "stats",
        "significant_figures",
        "disk_util",
        "disable_lat",
        "disable_clat",
        "disable_slat",
        "disable_bw",
        "disable_bw_measurement",
        "unit_base",
        "error_dump",
        "rate_cycle",
    ],
];

/// Options that would change the result, with the values at which they do not.
const REFUSED: &[(&str, &[&str])] = &[
    ("rw_sequencer", &["sequential"]),
    ("unified_rw_reporting", &["none", "0"]),
    ("opendir", &[]),
    ("nrfiles", &["1"]),
    ("filesize", &[]),
    ("fill_device", &["0"]),
    ("write_hint", &["none"]),
    ("sync_file_range", &[]),
    ("write_barrier", &["0"]),
    ("sync", &["0", "none"]),
    ("atomic", &["0"]),
    ("end_fsync", &["0"]),
    ("fsync_on_close", &["0"]),
    ("end_syncfs", &["0"]),
    ("random_sequence_stride", &["0"]),
    ("percentage_random", &["100"]),
    ("percentage_sequential", &["0"]),
    ("sprandom", &["0"]),
    ("spr_num_regions", &[]),
    ("spr_op", &[]),
    ("spr_cs", &[]),
    ("num_range", &["1"]),
    ("bs_unaligned", &["0"]),
    ("bs_is_seq_rand", &["0"]),
    ("iodepth_batch", &["1"]),
    ("iodepth_batch_complete_min", &["1", "0"]),
    ("iodepth_batch_complete_max", &["1", "0"]),
    ("iodepth_low", &[]),
    ("serialize_overlap", &["0"]),
    ("thinkcycles", &["0"]),
    ("thinktime_blocks_type", &["complete"]),
    ("thinktime_iotime", &["0"]),
    ("rate_min", &["0"]),
    ("rate_iops_min", &["0"]),
    ("rate_process", &["linear"]),
    ("rate_ignore_thinktime", &["0"]),
    ("rwmixcycle", &[]),
    ("latency_target", &["0"]),
    ("latency_window", &["0"]),
    ("latency_percentile", &[]),
    ("latency_run", &["0"]),
    ("max_latency", &["0"]),
    ("ramp_size", &["0"]),
    ("read_iolog", &[]),
    ("read_iolog_chunked", &["0"]),
    ("replay_no_stall", &["0"]),
    ("replay_redirect", &[]),
    ("replay_scale", &["1"]),
    ("replay_align", &["0"]),
    ("replay_time_scale", &["100"]),
    ("replay_skip", &[]),
    ("merge_blktrace_file", &[]),
    ("merge_blktrace_scalars", &[]),
    ("merge_blktrace_iters", &[]),
    ("exec_prerun", &[]),
    ("exec_postrun", &[]),
    ("wait_for", &[]),
    ("exit_what", &["group"]),
    ("exitall_on_error", &["0"]),
    ("create_only", &["0"]),
    ("verify_only", &["0"]),
    ("verify_backlog", &["0"]),
    ("verify_backlog_batch", &["0"]),
    ("verify_state_load", &["0"]),
    ("verify_policy", &["completed"]),
    ("trim_percentage", &["0"]),
    ("trim_verify_zero", &["0"]),
    ("trim_backlog", &["0"]),
    ("trim_backlog_batch", &["0"]),
    ("zonemode", &["none"]),
    ("zonesize", &["0"]),
    ("zonecapacity", &["0"]),
    ("zonerange", &["0"]),
    ("zoneskip", &["0"]),
    ("read_beyond_wp", &["0"]),
    ("max_open_zones", &["0"]),
    ("job_max_open_zones", &["0"]),
    ("ignore_zone_limits", &["0"]),
    ("zone_reset_threshold", &["0"]),
    ("zone_reset_frequency", &["0"]),
    ("recover_zbd_write_error", &["0"]),
    ("write_zone_remainder", &["0"]),
    ("fdp", &["0"]),
    ("dataplacement", &["none"]),
    ("plid_select", &[]),
    ("plids", &[]),
    ("dp_scheme", &[]),
    ("cmdprio", &["0"]),
    ("cmdprio_percentage", &["0"]),
    ("flow", &["0"]),
    ("flow_id", &["0"]),
    ("flow_watermark", &[]),
    ("flow_sleep", &["0"]),
    ("steadystate", &[]),
    ("steadystate_duration", &["0"]),
    ("steadystate_ramp_time", &["0"]),
    ("steadystate_check_interval", &[]),
    ("continue_on_error", &["none"]),
    ("ignore_error", &[]),
    ("profile", &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_has_two_treatments() {
        let mut names: Vec<&str> = IGNORED.iter().flat_map(|group| group.iter().copied()).collect();
        names.extend(REFUSED.iter().map(|(name, _)| *name));
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
        // A table entry under an alias would never be met.
        assert!(names.iter().all(|name| canonical(name) == *name));
    }
}
