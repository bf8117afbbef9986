//! Jobs on several namespaces of one drive.

use super::*;

/// Writes, and reads back what was written, on a namespace.
fn verified(namespace: u32) -> String {
    format!("[n{namespace}]\nfilename=/dev/nvme0n{namespace}\nrw=randwrite\nbs=4k\nnumber_ios=200\nsize=2m\nverify=crc32c\n")
}

#[test]
fn jobs_write_side_by_side_and_each_finds_its_own_data() {
    let run = Run::new().set("namespace.count", "3");
    for payload in [PayloadForm::Stamps, PayloadForm::Bytes] {
        let run = Run { payload, ..run.clone() };
        let result = run.go(&(1..=3).map(verified).collect::<String>());
        for job in &result.jobs {
            assert_eq!(direction(job, Direction::Write).ios, 200, "{}", job.name);
            assert!(direction(job, Direction::Read).ios > 100, "{}", job.name);
        }
    }
}

#[test]
fn what_a_drive_was_filled_with_is_read_in_each_namespace() {
    for count in ["1", "2", "5", "16"] {
        let run = Run::new().set("namespace.count", count);
        let text = job(&format!("filename=/dev/nvme3n{count} rw=read bs=16k"));
        let result = run.go(&text);
        let capacity = Board::resolve("small", &run.set).unwrap().capacity().host_bytes;
        let (units, parts) = (capacity / 16_384, count.parse::<u64>().unwrap());
        // The last namespace has what does not come out even.
        let expected = 16_384 * (units - units / parts * (parts - 1));
        assert_eq!(direction(&result.jobs[0], Direction::Read).bytes, expected, "{count}");
    }
}

#[test]
fn a_job_without_a_device_is_on_the_first() {
    let run = Run::new().set("namespace.count", "4");
    let whole = direction(&run.go(&job("rw=read bs=64k")).jobs[0], Direction::Read).bytes;
    let first =
        direction(&run.go(&job("filename=/dev/nvme0n1 rw=read bs=64k")).jobs[0], Direction::Read)
            .bytes;
    assert_eq!(whole, first);
}

#[test]
fn a_namespace_or_a_drive_that_is_not_there_is_one_line() {
    for (count, text, expected) in [
        (2, "[a]\nfilename=/dev/nvme0n3\n", "job.fio:2: filename: found \"/dev/nvme0n3\", expected a namespace from n1 to n2, which the drive has"),
        (2, "[a]\nfilename=/dev/nvme0n0\n", "job.fio:2: filename: found \"/dev/nvme0n0\", expected a namespace from n1 to n2, which the drive has"),
        (2, "[a]\nfilename=/dev/nvme0n99999999999\n", "job.fio:2: filename: found \"/dev/nvme0n99999999999\", expected a namespace from n1 to n2, which the drive has"),
        (2, "[a]\nfilename=/dev/nvme0n1:/dev/nvme0n2\nsize=1m\n", "job.fio:2: filename: found \"/dev/nvme0n1:/dev/nvme0n2\", expected one namespace, and jobs of their own for others"),
        (2, "[a]\nfilename=/dev/nvme0n1\n[b]\nfilename=/dev/nvme1n2\n", "job.fio:4: filename: found \"/dev/nvme1n2\", expected one drive, and another job is on /dev/nvme0n1"),
        (1, "[a]\nfilename=/dev/nvme0n1\n[b]\nfilename=/dev/nvme0n2\n", "job.fio:4: filename: found \"/dev/nvme0n2\", expected one drive, and another job is on /dev/nvme0n1"),
    ] {
        let run = Run::new().set("namespace.count", &count.to_string());
        assert_eq!(run.attempt(text).unwrap_err().to_string(), expected);
    }
    // A drive with one namespace is meant by any name.
    Run::new().go("[a]\nfilename=/dev/nvme0n2\nrw=read\nbs=4k\nnumber_ios=4\n");
}

#[test]
fn a_namespace_beside_a_busy_one_waits_for_its_flash() {
    let run = Run::new().set("namespace.count", "2");
    let reads = "[reads]\nfilename=/dev/nvme0n1\nrw=randread\nbs=4k\nnumber_ios=300\n";
    let writes = "[writes]\nfilename=/dev/nvme0n2\nrw=write\nbs=64k\niodepth=16\nnumber_ios=600\n";
    let mean = |text: &str| {
        let result = run.go(text);
        direction(&result.jobs[0], Direction::Read).lat_ps.mean()
    };
    let (alone, beside) = (mean(reads), mean(&format!("{reads}{writes}")));
    assert!(beside > 1.2 * alone, "{beside} beside {alone}: they share channels and dies");
}
