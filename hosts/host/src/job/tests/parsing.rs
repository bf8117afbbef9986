//! Job files: structure, values, warnings and the exact text of errors.

use super::{resolve, spec};
use crate::job::{
    from_pairs, parse_file, Access, Batching, Direction, Distribution, DriveShape, EndFlush,
    Flushing, Grouping, Lengths, Mix, OnEnd, Passes, Rate, Verify,
};

#[test]
fn the_shipped_jobs_fit_the_paper_drive_without_warnings() {
    let jobs = [
        ("demo.fio", include_str!("../../../../../jobs/demo.fio"), 4),
        ("mixed.fio", include_str!("../../../../../jobs/mixed.fio"), 3),
        ("verify.fio", include_str!("../../../../../jobs/verify.fio"), 2),
    ];
    let drive = DriveShape {
        capacity_bytes: 1_000_000_000_000 / 4096 * 4096,
        block_bytes: 4096,
        placement_handles: 0,
        zones: None,
    };
    for (name, text, clones) in jobs {
        let file = parse_file(name, text).expect(name);
        assert_eq!(file.warnings, Vec::<String>::new(), "{name}");
        assert_eq!(file.resolve(drive).expect(name).len(), clones, "{name}");
    }
}

#[test]
fn the_demo_runs_its_four_corners_one_after_the_other() {
    let specs = resolve(include_str!("../../../../../jobs/demo.fio")).unwrap();
    let rows = [
        ("seq-read", Direction::Read, Access::Sequential, 131_072, 16),
        ("seq-write", Direction::Write, Access::Sequential, 131_072, 16),
        ("rand-read", Direction::Read, Access::Covering, 4096, 128),
        ("rand-write", Direction::Write, Access::Covering, 4096, 128),
    ];
    for (stage, (spec, (name, direction, access, bytes, depth))) in
        specs.iter().zip(rows).enumerate()
    {
        assert_eq!((spec.name.as_str(), spec.stage), (name, stage as u32));
        assert_eq!((spec.mix, &spec.access), (Mix::Only(direction), &access));
        assert_eq!((spec.lengths.of(direction), spec.iodepth), (&Lengths::Fixed(bytes), depth));
        assert_eq!(spec.stop.runtime_ps, Some(1_000_000_000_000));
        assert_eq!(spec.stop.total_bytes, None);
        assert_eq!(spec.range.len, 4 << 30);
    }
}

#[test]
fn globals_reach_the_jobs_below_them_and_give_way_to_their_own() {
    let text = "\
; a comment\n# another\n  [global]\nbs = 8k ; trailing\niodepth=4\n\n[a]\nbs=16k # mine\n[global]\n\
iodepth=2\nnumjobs=2\n[b]\n[c]\nstonewall\nnew_group\n[d]\nnew_group\n";
    let found: Vec<_> = resolve(text)
        .unwrap()
        .into_iter()
        .map(|s| (s.name, s.lengths.read, s.iodepth, s.index, s.clone, s.stage, s.group))
        .collect();
    let fixed = Lengths::Fixed;
    let row = |name: &str, bytes, depth, index, clone, stage, group| {
        (name.to_string(), fixed(bytes), depth, index, clone, stage, group)
    };
    assert_eq!(
        found,
        [
            row("a", 16384, 4, 0, 0, 0, 0),
            row("b", 8192, 2, 1, 0, 0, 0),
            row("b", 8192, 2, 2, 1, 0, 0),
            row("c", 8192, 2, 3, 0, 1, 1),
            row("c", 8192, 2, 4, 1, 1, 1),
            row("d", 8192, 2, 5, 0, 1, 2),
            row("d", 8192, 2, 6, 1, 1, 2),
        ]
    );
}

#[test]
fn patterns_and_their_parameters() {
    use Direction::{Read, Trim, Write};
    let rows = [
        ("rw=read", Mix::Only(Read), Access::Sequential),
        ("rw=write", Mix::Only(Write), Access::Sequential),
        ("rw=trim", Mix::Only(Trim), Access::Sequential),
        ("readwrite=randread", Mix::Only(Read), Access::Covering),
        ("rw=randwrite", Mix::Only(Write), Access::Covering),
        ("rw=randtrim", Mix::Only(Trim), Access::Covering),
        ("rw=rw", Mix::ReadWrite { read_percent: 50 }, Access::Sequential),
        ("rw=readwrite rwmixread=70", Mix::ReadWrite { read_percent: 70 }, Access::Sequential),
        ("rw=randrw rwmixwrite=10", Mix::ReadWrite { read_percent: 90 }, Access::Covering),
        ("rw=trimwrite", Mix::TrimThenWrite, Access::Sequential),
        ("rw=randtrimwrite", Mix::TrimThenWrite, Access::Covering),
        ("", Mix::Only(Read), Access::Sequential),
        ("rw=randread norandommap", Mix::Only(Read), Access::Drawn(Distribution::Uniform)),
        ("rw=randread bs=4k,8k", Mix::Only(Read), Access::Covering),
        (
            "rw=randrw bs=4k,8k",
            Mix::ReadWrite { read_percent: 50 },
            Access::Drawn(Distribution::Uniform),
        ),
        ("rw=randread bs=4k ba=8k", Mix::Only(Read), Access::Drawn(Distribution::Uniform)),
        (
            "rw=randread random_distribution=zipf:1.2:0.25",
            Mix::Only(Read),
            Access::Drawn(Distribution::Zipf { theta: 1.2, center: Some(0.25) }),
        ),
        (
            "rw=randread random_distribution=pareto:0.2",
            Mix::Only(Read),
            Access::Drawn(Distribution::Pareto { h: 0.2, center: None }),
        ),
        (
            "rw=randread random_distribution=normal:20",
            Mix::Only(Read),
            Access::Drawn(Distribution::Normal { deviation_percent: 20.0, center: None }),
        ),
    ];
    for (options, mix, access) in rows {
        let spec = spec(options);
        assert_eq!((spec.mix, spec.access), (mix, access), "{options}");
    }
}

#[test]
fn the_other_settings_arrive() {
    let s = spec(
        "rw=randrw rate=1m,500k thinktime=20 thinktime_blocks=3 startdelay=1:2s ramp_time=3s \
         fsync=32 fdatasync=0 verify=md5 randseed=9 randrepeat=0 exitall group_reporting \
         percentile_list=99.9:50 lat_percentiles=1 clat_percentiles=0 description=what",
    );
    assert_eq!(
        (s.pacing.rate.read, s.pacing.rate.write),
        (Rate::Bytes(1 << 20), Rate::Bytes(512_000))
    );
    let think = s.pacing.think.unwrap();
    assert_eq!((think.time_ps, think.blocks), (20_000_000, 3));
    let second = 1_000_000_000_000;
    assert_eq!((s.timing.delay_min_ps, s.timing.delay_max_ps), (second, 2 * second));
    assert_eq!(s.timing.ramp_ps, 3 * second);
    assert_eq!(s.flush, Flushing { fsync_writes: Some(32), ..Flushing::default() });
    assert_eq!(s.verify, Verify::ReadBack);
    assert_eq!((s.seeding.salt, s.seeding.passes), (9, Passes::Different));
    assert_eq!((s.on_end, s.report.grouping), (OnEnd::EndGroup, Grouping::Summed));
    assert_eq!(s.description, "what");
    assert_eq!(s.report.percentiles.list, [50.0, 99.9]);
    let has = |kind| s.report.percentiles.has(kind);
    use report::LatencyKind::{Completion, Submission, Total};
    assert_eq!([Submission, Completion, Total].map(has), [false, false, true]);

    assert_eq!(spec("rw=read verify=md5").verify, Verify::Off);
    assert_eq!(spec("rw=write verify=md5 do_verify=0").verify, Verify::Off);
    assert_eq!(spec("bs=1k kb_base=1000 bs=4kib").lengths.read, Lengths::Fixed(4096));
    // A rate in requests is one in bytes of the shortest request.
    let rate = |options| spec(options).pacing.rate.read;
    assert_eq!(rate("bs=8k rate_iops=10"), Rate::Bytes(81_920));
    assert_eq!(rate("bssplit=4k/50:8k/50 rate_iops=10"), Rate::Bytes(40_960));
}

/// fio 3.33 does not hold back a job with `rate=50%`.
#[test]
fn a_rate_in_percent_is_none_and_a_warning_says_so() {
    for options in ["rate=50%", "rate=0%", "rate=150%%", "rate_iops=50%", "rate_iops=5%,7"] {
        assert_eq!(spec(options).pacing.rate.read, Rate::Unlimited, "{options}");
        let file = parse_file("job.fio", &format!("[a]\n{options}\n")).unwrap();
        let key = options.split('=').next().unwrap();
        let line = "has no effect in percent: fio takes such a rate as none";
        assert_eq!(file.warnings, [format!("job.fio:2: {key}: {line}")]);
    }
    assert_eq!(spec("rate_iops=5%,7 bs=4k").pacing.rate.write, Rate::Bytes(28_672));
    assert!(parse_file("job.fio", "[a]\nrate=50\n").unwrap().warnings.is_empty());
    for wrong in ["rate=k%", "rate=%", "rate=5.5%", "rate_min=5%", "rate_iops_min=5%"] {
        parse_file("job.fio", &format!("[a]\n{wrong}\n")).expect_err(wrong);
    }
}

#[test]
fn errors_name_the_place_the_option_what_was_found_and_what_is_expected() {
    let rw = "read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, trimwrite \
              or randtrimwrite";
    let rw = format!("job.fio:2: rw: found \"reed\", expected {rw}");
    let engine = "expected an engine for block devices such as libaio or io_uring, as this one";
    let null = format!("job.fio:2: ioengine: found \"null\", {engine} moves no data");
    let rdma = format!("job.fio:1: ioengine: found \"rdma\", {engine} speaks to a network");
    let rows = [
        ("", "job.fio: found no job, expected at least one section such as [read]"),
        ("[global]\nbs=4k", "job.fio: found no job, expected at least one section such as [read]"),
        ("bs=4k", "job.fio:1: found \"bs=4k\", expected a section such as [name] before the first option"),
        ("[a", "job.fio:1: found \"[a\", expected a section such as [name]"),
        ("[]", "job.fio:1: found \"[]\", expected a section such as [name]"),
        ("[a]\n=4", "job.fio:2: found \"=4\", expected an option such as bs=4k"),
        ("[a]\ninclude b.fio", "job.fio:2: found \"include b.fio\", expected the options themselves: only a job file on its own can include others"),
        ("[a]\nsize=2*$ncpus", "job.fio:2: size: found \"2*$ncpus\", expected a number: memory and processors of the machine are known to job files and the command line only"),
        ("[a]\nrw=reed", &rw),
        ("[a]\nrw=randread:x", "job.fio:2: rw: found \"randread:x\", expected requests for each random offset behind the colon, from 1"),
        ("[a]\nrw=read:x", "job.fio:2: rw: found \"read:x\", expected a gap such as 8k or -8k behind the colon"),
        ("[a]\nioengine=null", &null),
        ("[global]\nioengine=rdma\nhostname=x\n[a]", &rdma.replace(":1:", ":2:")),
        ("[a]\nioengine=libaoi", "job.fio:2: ioengine: found \"libaoi\", expected one of fio's engines such as libaio"),
        ("[a]\nioengine=psync\nhipri", "job.fio:3: hipri: found \"psync\", expected ioengine=io_uring or io_uring_cmd or pvsync2 or sg or xnvme, whose option it is"),
        ("[a]\nfixedbufs", "job.fio:2: fixedbufs: found \"a job without ioengine\", expected ioengine=io_uring or io_uring_cmd, whose option it is"),
        ("[a]\niodepht=4", "job.fio:2: iodepht: found an option that fio does not know, expected iodepth"),
        ("[a]\nfrobnicate", "job.fio:2: frobnicate: found an option that fio does not know, expected an option of fio, as fio --cmdhelp lists them"),
        ("[a]\nfilesize=4k-8k", "job.fio:2: filesize: found \"4k-8k\", expected one size: that of the file is not drawn"),
        ("[a]\nss=iops", "job.fio:2: ss: found \"iops\", expected iops:LIMIT, iops_slope:LIMIT, bw:LIMIT or bw_slope:LIMIT, such as iops:2%"),
        ("[a]\nsteadystate=rate:1", "job.fio:2: steadystate: found \"rate:1\", expected iops:LIMIT, iops_slope:LIMIT, bw:LIMIT or bw_slope:LIMIT, such as iops:2%"),
        ("[a]\nss_dur=500ms", "job.fio:2: ss_dur: found \"500ms\", expected whole seconds: rates are those of seconds"),
        ("[a]\nioengine=libaio\ncmdprio_bssplit=4k/50/4/1", "job.fio:3: cmdprio_bssplit: found \"4k/50/4/1\", expected entries such as 4k/50 or 4k/50/1/2: length, percent, class, level"),
        ("[a]\nioengine=libaio\ncmdprio_bssplit=4k/50:4k/60", "job.fio:3: cmdprio_bssplit: found \"4k/50:4k/60\", expected percentages of at most 100 for each length"),
        ("[a]\nioengine=libaio\ncmdprio_bssplit=4k/50\ncmdprio_percentage=5", "job.fio:3: cmdprio_bssplit: found \"4k/50\", expected cmdprio_percentage or cmdprio_bssplit, not both"),
        ("[a]\ncmdprio_class=4", "job.fio:2: cmdprio_class: found \"a job without ioengine\", expected ioengine=libaio or io_uring or io_uring_cmd, whose option it is"),
        ("[a]\nsync=2", "job.fio:2: sync: found \"2\", expected none, 0, sync, 1 or dsync"),
        ("[a]\nrate_process=even", "job.fio:2: rate_process: found \"even\", expected linear or poisson"),
        ("[a]\nrw_sequencer=x", "job.fio:2: rw_sequencer: found \"x\", expected sequential or identical"),
        ("[a]\npercentage_random=101", "job.fio:2: percentage_random: found \"101\", expected a whole number from 0 to 100"),
        ("[a]\nblocksize=4x", "job.fio:2: blocksize: found \"4x\", expected a size such as 4096, 4k or 1m"),
        ("[a]\nbs=0", "job.fio:2: bs: found \"0\", expected a size above 0"),
        ("[a]\nbs", "job.fio:2: bs: found \"\", expected at least one value"),
        ("[a]\nsize=half", "job.fio:2: size: found \"half\", expected a size such as 4096, 4k or 1m, or 0% to 100%"),
        ("[a]\nsize=200%", "job.fio:2: size: found \"200%\", expected 0% to 100%"),
        ("[a]\niodepth=0", "job.fio:2: iodepth: found \"0\", expected a whole number from 1 to 65535"),
        ("[a]\nrwmixread=101", "job.fio:2: rwmixread: found \"101\", expected a whole number from 0 to 100"),
        ("[a]\nruntime=soon", "job.fio:2: runtime: found \"soon\", expected a time such as 10, 200ms, 5s or 1m"),
        ("[a]\ntime_based=maybe", "job.fio:2: time_based: found \"maybe\", expected 0 or 1"),
        ("[a]\nkb_base=7", "job.fio:2: kb_base: found \"7\", expected 1000 or 1024"),
        ("[a]\nverify=crc99", "job.fio:2: verify: found \"crc99\", expected none, crc32c, md5, pattern or another of fio's kinds"),
        ("[a]\nrandom_distribution=zipf:1", "job.fio:2: random_distribution: found \"zipf:1\", expected zipf:THETA with THETA above 0 and not 1"),
        ("[a]\nrandom_distribution=pareto:1.5", "job.fio:2: random_distribution: found \"pareto:1.5\", expected pareto:H with H between 0 and 1"),
        ("[a]\nrandom_distribution=zoned:60/10", "job.fio:2: random_distribution: found \"zoned:60/10\", expected shares of the requests that add up to 100, not 60"),
        ("[a]\nrandom_distribution=zoned:60/50:40/60", "job.fio:2: random_distribution: found \"zoned:60/50:40/60\", expected zones of at most 100 % of the range in all, not 110"),
        ("[a]\nrandom_distribution=zoned:60/50:/", "job.fio:2: random_distribution: found \"zoned:60/50:/\", expected zones such as 60/10:40/90, each a share of the requests and a size"),
        ("[a]\nrandom_distribution=zoned_abs:60/64k:40/", "job.fio:2: random_distribution: found \"zoned_abs:60/64k:40/\", expected zones such as 60/10:40/90, each a share of the requests and a size"),
        ("[a]\nlog_hist_coarseness=7", "job.fio:2: log_hist_coarseness: found \"7\", expected a whole number from 0 to 6"),
        ("[a]\nwrite_iolog", "job.fio:2: write_iolog: found \"\", expected a file"),
        ("[a]\npercentile_list=0", "job.fio:2: percentile_list: found \"0\", expected up to 20 numbers above 0 up to 100, such as 50:99:99.9"),
        ("[a]\nrate=1m\nrate_iops=5", "job.fio:3: rate_iops: found \"5\", expected rate or rate_iops, not both for one direction"),
        ("[a]\nmax_latency=8x", "job.fio:2: max_latency: found \"8x\", expected a time such as 10, 200ms, 5s or 1m"),
        ("[a]\ncontinue_on_error=some", "job.fio:2: continue_on_error: found \"some\", expected none, read, write, io, verify or all"),
        ("[a]\nthinktime_blocks_type=both", "job.fio:2: thinktime_blocks_type: found \"both\", expected complete or issue"),
        ("[a]\ncreate_only=1", "job.fio:2: create_only: found \"1\", which is not modelled and would change the result; expected 0 or no such option"),
        ("[a]\nmerge_blktrace_file=x", "job.fio:2: merge_blktrace_file: found \"x\", which is not modelled and would change the result; expected the option to be absent"),
    ];
    for (text, message) in rows {
        assert_eq!(resolve(text).unwrap_err(), message, "{text:?}");
    }
}

#[test]
fn warnings_name_what_is_not_acted_on() {
    let text = "[global]\nthreads=1\n[a]\nioengine=psync\niodepth=8\n[b]\ntime_based\nbuffered=1\n\
                filename=/dev/a\\:b\nthread\nss=bw:1%\n[c]\nioengine=libaio\ncmdprio_percentage=20\nss_dur=3\n";
    let file = parse_file("job.fio", text).unwrap();
    assert_eq!(
        file.warnings,
        [
            "job.fio:4: ioengine: psync has one request in flight, not 8",
            "job.fio:11: steadystate: has no effect without steadystate_duration",
            "job.fio:8: buffered: there is no page cache; I/O is direct",
            "job.fio:7: time_based: has no effect without runtime",
            "job.fio:14: cmdprio_percentage: no priority reaches an NVMe drive, which has none for a command",
            "job.fio:15: steadystate_duration: has no effect without steadystate",
        ]
    );
}

#[test]
fn what_forces_unit_access_flushes_at_the_end_or_batches_arrives() {
    use nvme::io::UnitAccess::{Forced, Normal};
    let rows = [
        ("rw=write", Normal, Normal),
        ("sync=0", Normal, Normal),
        ("sync=none", Normal, Normal),
        ("sync=1", Normal, Forced),
        ("sync=sync", Normal, Forced),
        ("sync=dsync", Normal, Forced),
        ("ioengine=sg writefua=1", Normal, Forced),
        ("ioengine=sg readfua=1 sync=1", Forced, Forced),
    ];
    for (options, read, write) in rows {
        let access = spec(options).unit_access;
        assert_eq!((access.read, access.write, access.trim), (read, write, Normal), "{options}");
    }
    for (options, at_end) in [
        ("fsync=3", EndFlush::No),
        ("end_fsync=1", EndFlush::Yes),
        ("fsync_on_close=1", EndFlush::Yes),
        ("end_fsync=1 fsync_on_close=0", EndFlush::Yes),
        ("end_fsync=0 fsync_on_close=0", EndFlush::No),
    ] {
        assert_eq!(spec(options).flush.at_end, at_end, "{options}");
    }
    let all = Batching::default();
    let one = |submit| Batching { submit, ..all };
    let reap = |complete_min, complete_max| Batching { complete_min, complete_max, ..all };
    let rows = [
        ("", all),
        ("iodepth_batch=1", one(1)),
        ("iodepth_batch_submit=4", one(4)),
        ("iodepth_batch=0", one(8)),
        ("iodepth_batch=99", one(8)),
        ("iodepth_batch_complete=4", reap(4, 4)),
        ("iodepth_batch_complete_min=0", reap(1, 1)),
        ("iodepth_batch_complete_min=2 iodepth_batch_complete_max=99", reap(2, 8)),
        ("iodepth_batch_complete_min=6 iodepth_batch_complete_max=2", reap(6, 6)),
        ("iodepth_batch_complete_max=3", reap(1, 3)),
        ("iodepth_low=2", Batching { low: 2, ..all }),
        ("iodepth_low=9", Batching { low: 8, ..all }),
    ];
    for (options, expected) in rows {
        assert_eq!(spec(&format!("{options} iodepth=8")).batching, expected, "{options}");
    }
    // A synchronous engine has one request in flight.
    assert_eq!(spec("ioengine=psync iodepth=8").iodepth, 1);
    assert_eq!(spec("ioengine=sync iodepth=8 iodepth_batch=4").batching, one(1));
    assert_eq!(spec("ioengine=libaio iodepth=8").iodepth, 8);
}

#[test]
fn what_settles_a_rate_is_read_with_its_limit() {
    use report::{SteadyCriterion as Rate, SteadyLimit as Limit};
    let rows = [
        ("iops:10%", Rate::Iops, Limit::PercentOfMean(10.0)),
        ("iops:2.5", Rate::Iops, Limit::Absolute(2.5)),
        ("iops_slope:0.1%", Rate::IopsSlope, Limit::PercentOfMean(0.1)),
        ("bw:10k", Rate::Bandwidth, Limit::Absolute(10_240.0)),
        ("bw_slope:512", Rate::BandwidthSlope, Limit::Absolute(512.0)),
    ];
    for (text, criterion, limit) in rows {
        let found = spec(&format!("ss={text} ss_dur=30s ss_ramp=10")).steadiness.unwrap();
        assert_eq!((found.criterion, found.limit), (criterion, limit), "{text}");
        let second = 1_000_000_000_000;
        assert_eq!((found.duration_ps, found.ramp_ps), (30 * second, 10 * second));
    }
    assert_eq!(spec("ss=iops:1").steadiness, None);
}

#[test]
fn options_of_the_command_line_are_a_job_of_their_own() {
    let pairs = |list: &[(&str, &str)]| {
        let list: Vec<_> = list.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        from_pairs(&list).and_then(|file| file.resolve(super::DRIVE)).map_err(|e| e.to_string())
    };
    let specs = pairs(&[("rw", "randread"), ("bs", "8k"), ("time_based", ""), ("runtime", "1")]);
    let specs = specs.unwrap();
    assert_eq!((specs.len(), specs[0].name.as_str()), (1, "job1"));
    assert_eq!(specs[0].lengths.read, Lengths::Fixed(8192));

    let specs =
        pairs(&[("name", "global"), ("bs", "8k"), ("name", "x"), ("name", "y"), ("bs", "4k")]);
    let lengths: Vec<_> = specs.unwrap().into_iter().map(|s| (s.name, s.lengths.read)).collect();
    let expected = [("x", 8192), ("y", 4096)].map(|(n, b)| (n.to_string(), Lengths::Fixed(b)));
    assert_eq!(lengths, expected);

    let message = "command line: bs: found \"4x\", expected a size such as 4096, 4k or 1m";
    assert_eq!(pairs(&[("bs", "4x")]).unwrap_err(), message);
    let message = "command line: found no job, expected at least one section such as [read]";
    assert_eq!(pairs(&[]).unwrap_err(), message);
}
