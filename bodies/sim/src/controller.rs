//! A board's channel controllers, as schedulers of whole operations are set up.

use board::{Board, Execution, Interface, CHANNEL_WINDOW};
use channel::{
    BusSettings, BusTiming, ChipTimes, Classes, DecoderTiming, Planes, Policy, Setup, StatusPolls,
    WayTimer,
};
use contract::packet::{Coding, Operation, RowFormat};
use contract::{Duration, FlashOperation};

/// Cycles of the controller in which a byte goes over an SDR bus: two of the pulse, two between pulses.
const SDR_CYCLES: u64 = 4;
/// Entries of the book of order that models other than out of order keep.
const ORDER_DEPTH: usize = 4096;
/// tRST of an idle chip or one that reads (ONFI 4.0).
pub const RESET: Duration = Duration::from_us(5);
/// tRST of one that programs.
pub const RESET_PROGRAM: Duration = Duration::from_us(10);
/// tRST of one that erases.
pub const RESET_ERASE: Duration = Duration::from_us(500);

/// What becomes of user data on their way.
pub fn coding(board: &Board) -> Coding {
    let scrambler = board.ecc.scrambler == board::Scrambler::On;
    Coding { ecc: true, scrambler, metadata: true }
}

/// Lowest bit of the plane in a row, which is the lowest of the block's number: pages of a block fill
/// the bits below.
pub fn plane_shift(board: &Board) -> u8 {
    RowFormat::dense(board.firmware.geometry.pages_per_block).block_shift
}

/// The controller of one channel.
pub fn setup(board: &Board, channel: u8) -> Setup {
    let geometry = board.firmware.geometry;
    let scheduling = board.channel.scheduling;
    let cycle_ps = match board.channel.timing.interface {
        Interface::Sdr => board.channel.bus.time_of(1).as_ps() / SDR_CYCLES,
        Interface::Ddr => board.channel.bus.time_of(2).as_ps(),
    };
    let period_ps = cycle_ps.max(1);
    let poll = board.channel.status_poll.as_ps().div_ceil(period_ps);
    Setup {
        channel,
        ways: geometry.ways as u8,
        luns: 1,
        shared_enable: None,
        // A way is a chip of one LUN.
        status_polls: (poll > 0).then_some(StatusPolls { cycles: poll as u32, enhanced: false }),
        queue_depth: scheduling.way_queue_depth as usize,
        order_depth: ORDER_DEPTH,
        window: CHANNEL_WINDOW as usize,
        period_ps,
        policy: policy(board, period_ps),
        bus: bus(board, period_ps),
        busy_shown_ps: board.channel.timing.t_wb.as_ps(),
        code: board.ecc.code_words(),
        // Cycles of rtl/ecc, as its comparison with this model has them.
        decoder: DecoderTiming { judge: 2, solve: 41, correct: 3, verdict: 1 },
        times: ChipTimes {
            read_cache: board.flash.t_cache_busy,
            program_cache: board.flash.t_cache_busy,
            cached_program_permille: board.flash.cached_program_permille,
            read_plane: board.flash.t_plane_busy,
            program_plane: board.flash.t_plane_busy,
            erase_plane: board.flash.t_plane_busy,
            feature: board.flash.t_feature,
            // ONFI 4.0: the longest tR of a parameter page.
            parameters: Duration::from_us(200),
            reset: RESET,
            reset_program: RESET_PROGRAM,
            reset_erase: RESET_ERASE,
        },
    }
}

fn policy(board: &Board, period_ps: u64) -> Policy {
    let scheduling = board.channel.scheduling;
    let planes = Planes {
        bits: board.flash.planes.trailing_zeros() as u8,
        shift: plane_shift(board),
        lun_shift: 31,
    };
    let execution = match scheduling.execution {
        Execution::Sequential => channel::Execution::Sequential,
        Execution::Decoupled => channel::Execution::Decoupled,
        Execution::InOrder => channel::Execution::InOrderIssue,
        Execution::OutOfOrder => channel::Execution::OutOfOrder,
    };
    Policy {
        execution,
        classes: Classes::Kept,
        merge_planes: scheduling.merging.planes,
        merge_cache_read: scheduling.merging.cache,
        merge_cache_program: scheduling.merging.cache,
        low_ways: scheduling.low_priority_ways.min(64) as u8,
        age: scheduling.priority_age as u8,
        busy_timeout: WayTimer::rounds(scheduling.busy_timeout, period_ps),
        ..Policy::new(planes)
    }
}

/// Waits become cycles, rounded up. What the state machines of the controller take comes on top.
fn bus(board: &Board, period_ps: u64) -> BusTiming {
    let timing = &board.channel.timing;
    let cycles = |wait: Duration| wait.as_ps().div_ceil(period_ps).min(255) as u8;
    let settings = BusSettings {
        ddr: timing.interface == Interface::Ddr,
        long_row: false,
        ce_setup: 1,
        ce_hold: 0,
        we_low: 1,
        we_high: 1,
        adl: cycles(timing.t_adl),
        ccs: cycles(timing.t_ccs),
        whr: cycles(timing.t_whr),
        rhw: cycles(timing.t_rhw),
        wb: cycles(timing.t_wb),
        rr: cycles(timing.t_rr),
        re_low: 1,
        re_high: 1,
        read_preamble: 2,
        read_postamble: 2,
        write_preamble: 2,
        write_postamble: 2,
        sample_delay: 0,
        data_timeout: 0,
    };
    // tDQSRE lies within a cycle.
    BusTiming::new(settings, 1)
}

/// The phase that a step of a whole operation is; none for a reset, and for READ MODE.
///
/// # Panics
/// If it is no step of a read, a program, an erase, a reset or a change of the read level.
pub fn phase(step: Operation) -> Option<FlashOperation> {
    use Operation::*;
    Some(match step {
        Reset | ReadMode => return None,
        ReadTrigger | ReadMultiPlane | ReadCacheSequential | ReadCacheRandom | ReadCacheLast => {
            FlashOperation::ReadTrigger
        }
        ReadTransfer | ChangeReadColumn | ChangeReadColumnOnfi | ChangeReadColumnJedec => {
            FlashOperation::ReadTransfer
        }
        ProgramPage | ProgramMultiPlane | ProgramCache => FlashOperation::Program,
        SetFeatures => FlashOperation::SetLevel,
        EraseBlock | EraseMultiPlaneOnfi | EraseMultiPlaneJedec => FlashOperation::Erase,
        ReadStatus | ReadStatusEnhanced => FlashOperation::StatusCheck,
        other => unreachable!("{other:?} is no step of a read, program, erase or reset"),
    })
}
