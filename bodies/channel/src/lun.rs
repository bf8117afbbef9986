//! The registers of a LUN: what it was told, until when it is busy, how its operations ended.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{Operation, Request};
use contract::{Duration, Instant};

use crate::chips::{ChipTimes, Chips, Place, Work};
use crate::policy::Planes;

/// Bits of the status register (ONFI 4.0, "Status Field Definition").
const FAIL: u8 = 1 << 0;
const FAILC: u8 = 1 << 1;
const ARRAY_READY: u8 = 1 << 5;
const READY: u8 = 1 << 6;
const NOT_PROTECTED: u8 = 1 << 7;

/// Requests that may go together: planes of a group, or pages of a word line.
const GROUP: usize = 4;

/// What the array does behind the cache registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Ahead {
    Nothing,
    Read,
    Program,
}

/// What a reset would break off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Doing {
    Read,
    Program,
    Erase,
}

/// A logical unit.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Lun {
    /// Requests that wait for the last one of their group.
    waiting: [Request; GROUP],
    count: usize,
    /// How many were read together last, for the page behind theirs.
    together: usize,
    /// Whose data were loaded last.
    loaded: Request,
    ahead: Ahead,
    doing: Doing,
    /// Planes whose last program or erase failed, a bit each, and those of the one before in cache
    /// programs.
    fail: u8,
    failc: u8,
    ready: Instant,
    array_ready: Instant,
}

/// What a command is carried out with.
pub struct Scene<'a, C> {
    pub chips: &'a mut C,
    pub times: &'a ChipTimes,
    pub planes: Planes,
    pub way: u8,
    /// When the chip has the last cycle of the command.
    pub at: Instant,
}

impl Lun {
    pub fn new() -> Self {
        Self {
            waiting: [Request::new(Operation::ReadMode, 0, 0); GROUP],
            count: 0,
            together: 0,
            loaded: Request::new(Operation::ReadMode, 0, 0),
            ahead: Ahead::Nothing,
            doing: Doing::Read,
            fail: 0,
            failc: 0,
            ready: Instant::ZERO,
            array_ready: Instant::ZERO,
        }
    }

    /// Until when it is busy for the bus.
    pub fn ready_at(&self) -> Instant {
        self.ready
    }

    /// The status register; of one plane, or of all.
    pub fn status(&self, now: Instant, plane: Option<u8>) -> u8 {
        let planes = plane.map_or(u8::MAX, |plane| 1 << plane);
        let (ready, array_ready) = (now >= self.ready, now >= self.array_ready);
        let bit = |condition, bit| if condition { bit } else { 0 };
        NOT_PROTECTED
            | bit(array_ready && self.fail & planes != 0, FAIL)
            | bit(ready && self.failc & planes != 0, FAILC)
            | bit(ready && array_ready, ARRAY_READY)
            | bit(ready, READY)
    }

    /// Carries out a command that makes it busy, or may.
    pub fn confirm<C: Chips>(
        &mut self,
        operation: Operation,
        request: &Request,
        scene: &mut Scene<C>,
    ) {
        use Operation::*;
        let times = scene.times;
        match operation {
            ReadMultiPlane => self.part(request, times.read_plane, scene.at),
            ReadTrigger | CopybackRead => self.read(request, scene),
            ReadCacheSequential => {
                // The next page of what was read before.
                for waiting in &mut self.waiting[..self.together] {
                    waiting.row += 1;
                }
                self.read_ahead(self.together, scene);
            }
            ReadCacheRandom => {
                let count = self.join(request);
                self.read_ahead(count, scene);
            }
            ProgramLoad | ChangeRowAddress => self.loaded = *request,
            ProgramConfirm => {
                let loaded = self.loaded;
                self.program(operation, &loaded, scene);
            }
            ReadCacheLast => {
                let moved = later(self.array_free(scene.at), times.read_cache);
                self.ahead = Ahead::Nothing;
                self.busy_until(moved, moved);
            }
            ProgramMultiPlane | CopybackProgramMultiPlane | ProgramPart => {
                self.part(request, times.program_plane, scene.at);
            }
            ProgramPage | ProgramCache | CopybackProgram => {
                self.program(operation, request, scene);
            }
            EraseMultiPlaneOnfi => {
                self.wait(request);
                self.busy(times.erase_plane, scene.at);
            }
            EraseMultiPlaneJedec => self.wait(request),
            EraseBlock => self.erase(request, scene),
            ParameterPageTrigger | UniqueIdTrigger => self.busy(times.parameters, scene.at),
            SetFeatures => {
                scene.chips.set_feature(place(scene.way, scene.at, &[*request]));
                self.busy(times.feature, scene.at);
            }
            FeaturesTrigger | FeaturesLunTrigger | SetFeaturesLun | OdtConfigure => {
                self.busy(times.feature, scene.at);
            }
            Reset | SynchronousReset | ResetLun => self.reset(scene),
            _ => {}
        }
    }

    fn wait(&mut self, request: &Request) {
        let at = self.count.min(GROUP - 1);
        self.waiting[at] = *request;
        self.count = at + 1;
    }

    /// A request that others follow.
    fn part(&mut self, request: &Request, length: Duration, at: Instant) {
        self.wait(request);
        if at >= self.array_ready {
            self.doing = Doing::Read;
        }
        self.busy_until(later(at, length), self.array_ready);
    }

    /// The last one of a group: how many there are.
    fn join(&mut self, request: &Request) -> usize {
        self.wait(request);
        std::mem::take(&mut self.count)
    }

    fn read<C: Chips>(&mut self, request: &Request, scene: &mut Scene<C>) {
        let count = self.join(request);
        self.together = count;
        (self.fail, self.failc) = (0, 0);
        self.ahead = Ahead::Nothing;
        let length = scene.chips.read(place(scene.way, scene.at, &self.waiting[..count]));
        self.busy(length, scene.at);
    }

    fn read_ahead<C: Chips>(&mut self, count: usize, scene: &mut Scene<C>) {
        self.together = count;
        let moved = later(self.array_free(scene.at), scene.times.read_cache);
        (self.ahead, self.doing) = (Ahead::Read, Doing::Read);
        let length = scene.chips.read(place(scene.way, scene.at, &self.waiting[..count]));
        self.busy_until(moved, later(moved, length));
    }

    fn program<C: Chips>(&mut self, operation: Operation, request: &Request, scene: &mut Scene<C>) {
        let count = self.join(request);
        let start = self.array_free(scene.at);
        self.failc = if self.ahead == Ahead::Program { self.fail } else { 0 };
        let is_cached = operation == Operation::ProgramCache;
        let permille = if is_cached { scene.times.cached_program_permille } else { 1000 };
        let place = Place { permille, ..place(scene.way, scene.at, &self.waiting[..count]) };
        let work = scene.chips.program(place);
        self.fail = failed_planes(place.requests, work, scene.planes);
        self.doing = Doing::Program;
        if is_cached {
            let moved = later(start, scene.times.program_cache);
            self.ahead = Ahead::Program;
            self.busy_until(moved, later(moved, work.length));
        } else {
            self.ahead = Ahead::Nothing;
            let end = later(start, work.length);
            self.busy_until(end, end);
        }
    }

    fn erase<C: Chips>(&mut self, request: &Request, scene: &mut Scene<C>) {
        let count = self.join(request);
        let place = place(scene.way, scene.at, &self.waiting[..count]);
        let work = scene.chips.erase(place);
        (self.fail, self.failc) = (failed_planes(place.requests, work, scene.planes), 0);
        self.ahead = Ahead::Nothing;
        self.busy(work.length, scene.at);
        self.doing = Doing::Erase;
    }

    fn reset<C>(&mut self, scene: &Scene<C>) {
        let length = match self.doing {
            Doing::Program if scene.at < self.array_ready => scene.times.reset_program,
            Doing::Erase if scene.at < self.array_ready => scene.times.reset_erase,
            _ => scene.times.reset,
        };
        (self.fail, self.failc, self.count) = (0, 0, 0);
        self.ahead = Ahead::Nothing;
        self.doing = Doing::Read;
        // What the array did is broken off.
        self.ready = later(scene.at, length);
        self.array_ready = self.ready;
    }

    /// When the array can take something up.
    fn array_free(&self, now: Instant) -> Instant {
        self.array_ready.max(now)
    }

    fn busy(&mut self, length: Duration, at: Instant) {
        self.doing = Doing::Read;
        let end = later(at, length);
        self.busy_until(end, end);
    }

    fn busy_until(&mut self, ready: Instant, array_ready: Instant) {
        self.ready = ready;
        self.array_ready = array_ready.max(ready);
    }
}

fn place(way: u8, at: Instant, requests: &[Request]) -> Place<'_> {
    Place { way, at, requests, permille: 1000 }
}

fn later(at: Instant, length: Duration) -> Instant {
    Instant::from_ps(at.as_ps().saturating_add(length.as_ps()))
}

/// The planes of the requests that failed.
fn failed_planes(requests: &[Request], work: Work, planes: Planes) -> u8 {
    let failed = (0..).zip(requests).filter(|(at, _)| work.failed >> at & 1 == 1);
    failed.fold(0, |mask, (_, request)| mask | 1 << planes.plane(request.row))
}
