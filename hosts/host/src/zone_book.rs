//! What the jobs of a run know of a drive's zones: how far each is written, and which are being written.
//!
//! As with `zonemode=zbd` of fio, a write goes to the write pointer of the zone that its offset lies in, or of one of the open zones where no
//! more may be opened. A zone that is full is reset before it is written anew. A read goes to what was written of its zone, or of the next
//! that holds something. Offsets of jobs count the bytes that can be written: zones follow each other without the gaps that addresses have.
//!
//! Commands of several queues may overtake each other. So a zone is written by one job at a time: another one waits until nothing of the
//! first is under way there. All requests of one job go through one queue, which the drive takes in order.

use crate::job::{Request, RequestKind, ZoneLayout, Zoned};

/// What is known of one of them.
#[derive(Clone, Debug)]
struct Zone {
    /// Bytes of it that are written once all is done that is under way.
    pointer: u64,
    /// Bytes of it from its start on that were acknowledged.
    written: u64,
    /// Requests under way, and the job that they are of.
    writes: u32,
    writer: u32,
    /// The job that has opened it.
    owner: Option<u32>,
    /// It is being reset, and the tickets of its blocks for the oracle.
    is_resetting: bool,
    tickets: Vec<u32>,
}

/// All zones.
#[derive(Debug)]
pub struct ZoneBook {
    layout: ZoneLayout,
    zones: Vec<Zone>,
    /// Zones that are open for writing.
    open: Vec<u32>,
    /// Resets so far.
    resets: u64,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It goes there.
    At(Request),
    /// A zone is to be reset first.
    AfterReset(Request),
    /// It has to wait for others.
    Wait,
    /// Nothing can be read.
    Nowhere,
}

impl ZoneBook {
    /// Of a drive all of whose zones are empty.
    pub fn new(layout: ZoneLayout) -> Self {
        let zone = Zone {
            pointer: 0,
            written: 0,
            writes: 0,
            writer: 0,
            owner: None,
            is_resetting: false,
            tickets: Vec::new(),
        };
        let open = Vec::with_capacity(layout.most_open as usize);
        ZoneBook { layout, zones: vec![zone; layout.zones as usize], open, resets: 0 }
    }

    /// Resets so far.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// The first byte of a zone, as the drive counts.
    fn start(&self, zone: u32) -> u64 {
        u64::from(zone) * self.layout.zone_bytes
    }

    /// The zone of a byte, as the drive counts.
    fn zone_of(&self, offset: u64) -> u32 {
        (offset / self.layout.zone_bytes) as u32
    }

    /// The first byte of the zone of a request.
    pub fn start_of(&self, request: &Request) -> u64 {
        self.start(self.zone_of(request.offset_bytes))
    }

    /// Bytes of a zone that can be written.
    pub fn capacity_bytes(&self) -> u64 {
        self.layout.capacity_bytes
    }

    /// Where a request of a job goes, whose offset counts bytes that can be written. What goes somewhere is under way from then on.
    pub fn place(&mut self, request: Request, job: u32, zoned: &Zoned) -> Placed {
        match request.kind {
            RequestKind::Read => self.place_read(request),
            RequestKind::Write => self.place_write(request, job, zoned),
            _ => Placed::At(request),
        }
    }

    fn place_write(&mut self, request: Request, job: u32, zoned: &Zoned) -> Placed {
        let wanted = (request.offset_bytes / self.layout.capacity_bytes) as u32;
        let Some(zone) = self.open_for(wanted, job, zoned) else { return Placed::Wait };
        let start = self.start(zone);
        let capacity = self.layout.capacity_bytes;
        let own = &mut self.zones[zone as usize];
        if own.is_resetting || own.writes > 0 && own.writer != job {
            return Placed::Wait;
        }
        if own.pointer == capacity {
            if own.writes > 0 {
                return Placed::Wait;
            }
            (own.is_resetting, own.writer) = (true, job);
            let kind = RequestKind::ZoneReset;
            let reset = Request { kind, offset_bytes: start, length_bytes: capacity };
            return Placed::AfterReset(reset);
        }
        // What the zone does not take any more is not written.
        let length_bytes = request.length_bytes.min(capacity - own.pointer);
        let placed = Request { offset_bytes: start + own.pointer, length_bytes, ..request };
        own.pointer += length_bytes;
        own.writes += 1;
        own.writer = job;
        if own.pointer == capacity {
            own.owner = None;
            self.open.retain(|&open| open != zone);
        }
        Placed::At(placed)
    }

    /// The zone that is written in place of the one that is wanted: it itself, if it is open or may be opened, or else an open one. None if all
    /// open zones are of other jobs.
    fn open_for(&mut self, wanted: u32, job: u32, zoned: &Zoned) -> Option<u32> {
        if self.open.contains(&wanted) {
            return Some(wanted);
        }
        let most = zoned.most_open.unwrap_or(self.layout.most_open) as usize;
        let is_own = |zone: &u32| self.zones[*zone as usize].owner == Some(job);
        let own = self.open.iter().filter(|zone| is_own(zone)).count();
        let may_open = zoned.most_own.is_none_or(|most| own < most as usize);
        if self.open.len() < most && may_open {
            self.open.push(wanted);
            self.zones[wanted as usize].owner = Some(job);
            return Some(wanted);
        }
        // By its place among all zones, so that requests spread over the open ones.
        let from = wanted as usize * self.open.len() / self.zones.len();
        let turns = (0..self.open.len()).map(|nth| self.open[(from + nth) % self.open.len()]);
        let is_free = |zone: &u32| {
            let own = &self.zones[*zone as usize];
            !own.is_resetting && (own.writes == 0 || own.writer == job)
        };
        turns.into_iter().find(|zone| is_free(zone))
    }

    fn place_read(&self, request: Request) -> Placed {
        let capacity = self.layout.capacity_bytes;
        let wanted = (request.offset_bytes / capacity) as u32;
        let within = request.offset_bytes % capacity;
        let count = self.zones.len() as u32;
        let holds = |zone: &u32| {
            let own = &self.zones[*zone as usize];
            own.written >= request.length_bytes && !own.is_resetting
        };
        let turns = (0..count).map(|nth| (wanted + nth) % count);
        let Some(zone) = turns.into_iter().find(holds) else {
            let is_waited = self.zones.iter().any(|own| own.writes > 0 || own.is_resetting);
            return if is_waited { Placed::Wait } else { Placed::Nowhere };
        };
        // Multiples of the request's length, as far as the zone is written.
        let places = self.zones[zone as usize].written / request.length_bytes;
        let nth = within / request.length_bytes % places;
        let offset_bytes = self.start(zone) + nth * request.length_bytes;
        Placed::At(Request { offset_bytes, ..request })
    }

    /// A write, or a reset, has ended.
    pub fn completed(&mut self, request: &Request) {
        let zone = self.zone_of(request.offset_bytes);
        let (start, capacity) = (self.start(zone), self.layout.capacity_bytes);
        let own = &mut self.zones[zone as usize];
        match request.kind {
            RequestKind::Write => {
                own.writes -= 1;
                if own.writes == 0 {
                    own.written = own.pointer;
                }
                debug_assert!(request.offset_bytes + request.length_bytes <= start + capacity);
            }
            RequestKind::ZoneReset => {
                (own.pointer, own.written, own.is_resetting) = (0, 0, false);
                self.resets += 1;
            }
            _ => {}
        }
    }

    /// Tickets for each block of a zone that is reset, of so many.
    pub fn tickets(&mut self, request: &Request, blocks: u64) -> &mut [u32] {
        let zone = self.zone_of(request.offset_bytes);
        let tickets = &mut self.zones[zone as usize].tickets;
        tickets.resize(blocks as usize, 0);
        tickets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: ZoneLayout =
        ZoneLayout { zone_bytes: 128, capacity_bytes: 96, zones: 8, most_open: 2 };
    const ZONED: Zoned = Zoned { most_open: None, most_own: None, appends: false };

    fn write(offset_bytes: u64, length_bytes: u64) -> Request {
        Request { kind: RequestKind::Write, offset_bytes, length_bytes }
    }

    fn read(offset_bytes: u64, length_bytes: u64) -> Request {
        Request { kind: RequestKind::Read, offset_bytes, length_bytes }
    }

    #[test]
    fn writes_go_to_write_pointers_of_zones_that_may_be_open() {
        let mut book = ZoneBook::new(LAYOUT);
        let mut place = |offset, length| match book.place(write(offset, length), 0, &ZONED) {
            Placed::At(request) => (request.offset_bytes, request.length_bytes),
            other => panic!("{other:?}"),
        };
        assert_eq!(place(96 + 50, 16), (128, 16));
        assert_eq!(place(96 + 7, 16), (144, 16));
        assert_eq!(place(96 * 3, 16), (384, 16));
        assert_eq!(place(96 * 7, 16), (400, 16), "no third zone is opened");
        assert_eq!(place(0, 16), (160, 16));
        // The last write of a zone takes what is left, and another zone may be opened.
        assert_eq!(place(96, 64), (176, 48));
        assert_eq!(place(96 * 7, 16), (896, 16));
    }

    #[test]
    fn a_full_zone_is_reset_before_it_is_written_anew() {
        let mut book = ZoneBook::new(LAYOUT);
        let Placed::At(first) = book.place(write(0, 96), 0, &ZONED) else { panic!("it fits") };
        assert_eq!(book.place(write(0, 16), 0, &ZONED), Placed::Wait);
        book.completed(&first);
        let Placed::AfterReset(reset) = book.place(write(0, 16), 0, &ZONED) else {
            panic!("it is full")
        };
        assert_eq!((reset.kind, reset.offset_bytes), (RequestKind::ZoneReset, 0));
        assert_eq!(book.place(write(0, 16), 0, &ZONED), Placed::Wait);
        assert_eq!(book.place(read(0, 16), 0, &ZONED), Placed::Wait);
        book.completed(&reset);
        assert_eq!(book.place(write(0, 16), 0, &ZONED), Placed::At(write(0, 16)));
        assert_eq!(book.resets(), 1);
    }

    #[test]
    fn a_zone_is_written_by_one_job_at_a_time() {
        let mut book = ZoneBook::new(LAYOUT);
        let own = Zoned { most_own: Some(1), ..ZONED };
        let Placed::At(first) = book.place(write(0, 16), 0, &own) else { panic!("it fits") };
        assert_eq!(book.place(write(0, 16), 1, &own), Placed::Wait);
        assert_eq!(book.place(write(96, 16), 0, &own), Placed::At(write(16, 16)), "its only zone");
        assert_eq!(book.place(write(96, 16), 1, &own), Placed::At(write(128, 16)));
        book.completed(&first);
        assert_eq!(book.place(write(0, 16), 1, &own), Placed::Wait, "one more is under way");
        book.completed(&first);
        assert_eq!(book.place(write(0, 16), 1, &own), Placed::At(write(32, 16)));
    }

    #[test]
    fn reads_go_to_what_was_acknowledged() {
        let mut book = ZoneBook::new(LAYOUT);
        assert_eq!(book.place(read(0, 16), 0, &ZONED), Placed::Nowhere);
        let Placed::At(first) = book.place(write(96 * 2, 48), 0, &ZONED) else { panic!("it fits") };
        assert_eq!(book.place(read(0, 16), 0, &ZONED), Placed::Wait);
        book.completed(&first);
        for (offset, found) in [(0, 256), (16, 272), (96 * 2 + 33, 288), (96 * 2 + 64, 272)] {
            assert_eq!(book.place(read(offset, 16), 0, &ZONED), Placed::At(read(found, 16)));
        }
        assert_eq!(book.place(read(0, 64), 0, &ZONED), Placed::Nowhere);
    }
}
