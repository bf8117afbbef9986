//! What is counted and when: stages, groups, ramps, rates, times.

use super::*;

const US: u64 = 1_000_000;

#[test]
fn stages_follow_each_other_and_time_starts_at_the_first() {
    let text = "[global]\nsize=1m\n[a]\nrw=write\n[b]\nstonewall\nrw=read\nnumjobs=2\n\
                startdelay=100us\n[c]\nstonewall\nrw=randread\n";
    let result = Run::new().go(text);
    let [a, b0, b1, c] = &result.jobs[..] else { panic!("{} jobs", result.jobs.len()) };
    assert_eq!(a.start_ps, 0);
    assert_eq!((b0.start_ps, b1.start_ps), (a.end_ps + 100 * US, a.end_ps + 100 * US));
    assert_eq!(c.start_ps, b0.end_ps.max(b1.end_ps));
    assert_eq!([a.group, b0.group, b1.group, c.group], [0, 1, 1, 2]);
    assert_eq!(result.series.end_ps(), c.end_ps);
    assert!((result.speed.simulated_s - c.end_ps as f64 / 1e12).abs() < 1e-9);
    assert_eq!(result.speed.requests, 4 * 256);
}

#[test]
fn a_group_is_summed_up_where_the_job_asks_for_it() {
    let text = "[a]\nrw=randread\nsize=1m\nnumjobs=3\ngroup_reporting\n[b]\nstonewall\nrw=read\n\
                size=1m\n";
    let result = Run::new().go(text);
    assert_eq!(result.jobs.len(), 2);
    assert_eq!(result.jobs[0].jobs, 3);
    assert_eq!(direction(&result.jobs[0], Direction::Read).ios, 3 * 256);
}

#[test]
fn latencies_add_up_and_the_parts_fill_the_completion_latency() {
    let result = Run::new().go(&job("rw=randread bs=16k size=32m iodepth=4"));
    let job = &result.jobs[0];
    let read = direction(job, Direction::Read);
    let board = Board::resolve("small", &[]).unwrap();
    let submit_ps = board.host.submit_latency.as_ps();
    assert_eq!((read.slat_ps.min(), read.slat_ps.max()), (submit_ps, submit_ps));
    let clat = read.clat.moments_ps();
    assert_eq!(read.lat_ps.sum(), clat.sum() + u128::from(submit_ps) * u128::from(clat.count()));
    let parts: u128 = read.parts.iter().map(|part| part.moments_ps().sum()).sum();
    assert_eq!(parts, clat.sum());
    let causes: u128 = Cause::ALL.iter().map(|&cause| read.cause(cause).moments_ps().sum()).sum();
    assert_eq!(causes, clat.sum());
    // No read is quicker than the quickest array read and its page on the bus.
    let deviations = board.flash.read_deviation.as_ps() + board.flash.die_deviation.as_ps();
    let fastest = board.flash.t_read[0].as_ps() - deviations
        + board.channel.bus.time_of(u64::from(board.channel.page_bus_bytes)).as_ps();
    assert!(clat.min() > fastest, "{} is below {fastest}", clat.min());
    // Depth 4 is reached by all but the first requests.
    assert!(job.depths.percentages()[2] > 99.0, "{:?}", job.depths);
    let iops = read.iops() * clat.mean() / 1e12;
    assert!((3.5..4.1).contains(&iops), "Little's law: {iops} requests in flight");
}

#[test]
fn the_ramp_is_run_and_not_measured() {
    let text = job("rw=randread size=8m iodepth=8 time_based runtime=10ms ramp_time=5ms");
    let result = Run::new().go(&text);
    let read = direction(&result.jobs[0], Direction::Read);
    assert!((10_000 * US..12_000 * US).contains(&read.runtime_ps), "{}", read.runtime_ps);
    assert!(result.jobs[0].end_ps >= 15_000 * US);
    let measured = read.ios as f64 / result.speed.requests as f64;
    assert!((0.6..0.72).contains(&measured), "{measured} of all requests are measured");
}

#[test]
fn rates_and_pauses_hold_requests_back() {
    let result = Run::new().go(&job("rw=randread size=8m iodepth=8 rate_iops=1000 number_ios=50"));
    let job_result = &result.jobs[0];
    assert!((49_000 * US..50_000 * US).contains(&job_result.runtime_ps));
    let result = Run::new().go(&job("rw=randread size=8m thinktime=1000 number_ios=50"));
    assert!((49_000 * US..70_000 * US).contains(&result.jobs[0].runtime_ps));
}

#[test]
fn exitall_ends_the_others_of_the_group() {
    let text = "[short]\nrw=randread\nsize=1m\nexitall\n[long]\nrw=randread\nsize=32m\nbs=4k\n\
                [later]\nstonewall\nrw=read\nsize=1m\n";
    let result = Run::new().go(text);
    let [short, long, later] = &result.jobs[..] else { panic!("{} jobs", result.jobs.len()) };
    assert_eq!(direction(short, Direction::Read).ios, 256);
    assert!(direction(long, Direction::Read).ios < 1024);
    assert_eq!(direction(later, Direction::Read).ios, 256);
}

#[test]
fn the_drive_is_counted_over_the_measured_time_only() {
    let result = Run::new().go(&job("rw=randwrite bs=16k size=16m iodepth=16 fsync=1024"));
    let drive = &result.drive;
    assert_eq!((drive.host_bytes_read, drive.host_bytes_written), (0, 16 << 20));
    assert_eq!(drive.channel_busy.len(), 2);
    assert!(drive.way_busy.iter().flatten().all(|&busy| busy > 0.3), "{:?}", drive.way_busy);
    assert!(drive.pages_programmed >= 1024, "{}", drive.pages_programmed);
    assert!((0.0..=1.0).contains(&drive.processor_busy));
    let result = Run::new().go(&job("rw=read bs=128k size=16m iodepth=4"));
    assert_eq!(result.drive.pages_programmed, 0);
    assert_eq!(result.drive.write_amplification(), None);
}
