//! fio's I/O engines: which of them mean block I/O on a drive, and what the others would do.

/// What an engine means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Block I/O with as many requests in flight as `iodepth` says.
    Queued,
    /// Block I/O by calls that wait: one request in flight, whatever `iodepth` says.
    Synchronous,
    /// Something else. The text completes "expected an engine for block devices such as libaio, as
    /// this one …".
    Other(&'static str),
    /// No engine of fio.
    Unknown,
}

/// What an `ioengine` is.
pub(super) fn engine(name: &str) -> Engine {
    if QUEUED.contains(&name) {
        return Engine::Queued;
    }
    if SYNCHRONOUS.contains(&name) {
        return Engine::Synchronous;
    }
    if name.starts_with("external:") {
        return Engine::Other("is loaded from a file");
    }
    let does = OTHERS.iter().find(|(_, names)| names.contains(&name));
    does.map_or(Engine::Unknown, |(what, _)| Engine::Other(what))
}

/// All engines of fio by name, and what becomes of each: nothing to say of block I/O, or what else it does.
pub(super) fn all() -> impl Iterator<Item = (&'static str, Engine)> {
    let queued = QUEUED.iter().filter(|name| !name.is_empty()).map(|&name| (name, Engine::Queued));
    let synchronous = SYNCHRONOUS.iter().map(|&name| (name, Engine::Synchronous));
    let others = OTHERS
        .iter()
        .flat_map(|&(does, names)| names.iter().map(move |&name| (name, Engine::Other(does))));
    queued.chain(synchronous).chain(others)
}

/// An empty name is the engine of a job that names none: this drive's own.
const QUEUED: &[&str] = &[
    "",
    "firmament",
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "solarisaio",
    "windowsaio",
    "sg",
    "xnvme",
];

const SYNCHRONOUS: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2"];

/// Engines that mean something else than requests to a drive, by what they do.
const OTHERS: &[(&str, &[&str])] = &[
    ("moves no data", &["null", "cpp_null", "cpuio"]),
    ("speaks to a network", &["net", "netsplice", "rdma", "http", "nbd", "nfs", "libiscsi"]),
    (
        "speaks to a network",
        &[
            "librpma_apm_client",
            "librpma_apm_server",
            "librpma_gpspm_client",
            "librpma_gpspm_server",
        ],
    ),
    (
        "speaks to a cluster",
        &["rbd", "rados", "gfapi", "gfapi_async", "libhdfs", "dfs", "ime_psync", "ime_psyncv"],
    ),
    ("speaks to a cluster", &["ime_aio"]),
    ("moves data through the page cache", &["mmap", "splice"]),
    ("writes to memory", &["libpmem", "pmemblk", "dev-dax"]),
    ("writes to bare flash", &["mtd"]),
    ("moves data to a graphics processor", &["libcufile"]),
    ("is for zoned drives", &["libzbc"]),
    ("needs libblkio and its drivers", &["libblkio"]),
    ("works on a file system", &["falloc", "e4defrag", "ftruncate"]),
    ("works on a file system", &["filecreate", "filestat", "filedelete"]),
    ("runs programs", &["exec"]),
    ("is a system call of old kernels", &["guasi", "syslet-rw"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_a_debian_fio_are_all_known() {
        // What `fio --enghelp` of fio 3.33 lists.
        let listed = "cpuio mmap sync psync vsync pvsync pvsync2 null net netsplice ftruncate \
                      filecreate filestat filedelete exec posixaio falloc e4defrag splice gfapi \
                      gfapi_async mtd sg io_uring io_uring_cmd nbd libaio rdma rados rbd pmemblk \
                      dev-dax libpmem";
        for name in listed.split_whitespace() {
            assert_ne!(engine(name), Engine::Unknown, "{name}");
        }
        assert_eq!(engine("libaoi"), Engine::Unknown);
        assert_eq!(engine("external:./mine.so"), Engine::Other("is loaded from a file"));
    }

    #[test]
    fn no_engine_is_listed_twice() {
        let others = OTHERS.iter().flat_map(|(_, names)| names.iter());
        let mut names: Vec<_> = QUEUED.iter().chain(SYNCHRONOUS).chain(others).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
