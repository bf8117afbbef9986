//! Requests that wait until nothing in flight shares bytes with them (`serialize_overlap`).

use super::direction::Direction;
use super::extent::Extent;
use super::overlap::Overlap;
use super::request::RequestKind;
use super::spec::JobSpec;

/// What is in flight, and the request that waits.
#[derive(Clone, Debug)]
pub(super) struct Overlaps {
    in_flight: Vec<Extent>,
    held: Option<(RequestKind, Extent)>,
}

/// What has become of the request that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Released {
    /// There is none.
    Nothing,
    /// It waits on.
    Blocked,
    /// It can go.
    Request(RequestKind, Extent),
}

impl Overlaps {
    /// What `spec` needs. As in fio, a job that only reads or has one request in flight needs nothing.
    pub(super) fn of(spec: &JobSpec) -> Option<Self> {
        let changes = spec.mix.directions().iter().any(|&way| way != Direction::Read);
        let may_overlap = spec.overlap == Overlap::Serialized && changes && spec.iodepth > 1;
        let in_flight = || Vec::with_capacity(spec.iodepth as usize);
        may_overlap.then(|| Overlaps { in_flight: in_flight(), held: None })
    }

    /// Whether a request waits.
    pub(super) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// Whether a request can go; otherwise it is kept.
    pub(super) fn is_clear(&mut self, kind: RequestKind, extent: Extent) -> bool {
        let is_clear = !self.overlaps(extent);
        if !is_clear {
            self.held = Some((kind, extent));
        }
        is_clear
    }

    /// The request that waited, if it can go.
    pub(super) fn release(&mut self) -> Released {
        match self.held {
            None => Released::Nothing,
            Some((_, extent)) if self.overlaps(extent) => Released::Blocked,
            Some((kind, extent)) => {
                self.held = None;
                Released::Request(kind, extent)
            }
        }
    }

    /// Takes note of a request that goes.
    pub(super) fn issue(&mut self, extent: Extent) {
        self.in_flight.push(extent);
    }

    /// Takes note of one that has completed.
    pub(super) fn completed(&mut self, extent: Extent) {
        if let Some(nth) = self.in_flight.iter().position(|other| *other == extent) {
            self.in_flight.swap_remove(nth);
        }
    }

    fn overlaps(&self, extent: Extent) -> bool {
        let end = |extent: &Extent| extent.offset_bytes + extent.length_bytes;
        let shares =
            |other: &Extent| extent.offset_bytes < end(other) && other.offset_bytes < end(&extent);
        self.in_flight.iter().any(shares)
    }
}
