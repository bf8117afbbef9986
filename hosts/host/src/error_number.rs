//! Error numbers of Linux, with which fio ends jobs.

use nvme::status::Status;

/// Input/output error: also the error number with which fio ends a job that does not reach `rate_min`.
pub const EIO: u32 = 5;
/// The error number with which fio ends a job whose data are not what `verify` wants.
pub const EILSEQ: u32 = 84;
/// The error number with which fio ends a job of which a request took longer than `max_latency`.
pub const ETIMEDOUT: u32 = 110;

/// The Linux error number that the block layer makes of a status.
pub fn error_number(status: Status) -> u32 {
    const ENOSPC: u32 = 28;
    const ENODATA: u32 = 61;
    const EOPNOTSUPP: u32 = 95;
    const EREMOTEIO: u32 = 121;
    let rows = [
        (Status::CAPACITY_EXCEEDED, ENOSPC),
        (Status::LBA_OUT_OF_RANGE, EREMOTEIO),
        (Status::NAMESPACE_NOT_READY, EREMOTEIO),
        (Status::CONFLICTING_ATTRIBUTES, EOPNOTSUPP),
        (Status::INVALID_OPCODE, EOPNOTSUPP),
        (Status::INVALID_FIELD, EOPNOTSUPP),
        (Status::INVALID_NAMESPACE, EOPNOTSUPP),
        (Status::WRITE_FAULT, ENODATA),
        (Status::UNRECOVERED_READ, ENODATA),
        (Status::WRITE_TO_READ_ONLY, ENODATA),
        (Status::COMPARE_FAILURE, ENODATA),
    ];
    rows.iter().find(|(known, _)| status.is(*known)).map_or(EIO, |(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_become_the_numbers_that_linux_gives_them() {
        assert_eq!(error_number(Status::UNRECOVERED_READ.do_not_retry()), 61);
        assert_eq!(error_number(Status::LBA_OUT_OF_RANGE), 121);
        assert_eq!(error_number(Status::INTERNAL_ERROR), 5);
    }
}
