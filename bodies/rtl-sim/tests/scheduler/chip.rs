//! A chip at the level of steps: what it accepts, what it keeps where, how its operations ended.

use crate::scheduler::channel::Step;
use crate::scheduler::operation::*;
use std::collections::BTreeSet;

/// Where plane and LUN are in a row.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    pub plane_bits: u32,
    pub plane_shift: u32,
    pub lun_shift: u32,
}

impl Geometry {
    pub fn plane(self, row: u32) -> u32 {
        row >> self.plane_shift & ((1 << self.plane_bits) - 1)
    }

    pub fn lun(self, row: u32) -> u32 {
        row >> self.lun_shift
    }

    fn without_plane(self, row: u32) -> u32 {
        row & !(((1 << self.plane_bits) - 1) << self.plane_shift)
    }
}

/// A request on a plane.
#[derive(Clone, Copy, Debug)]
struct Page {
    row: u32,
    id: u32,
}

type Group = Vec<Page>;

/// How long the chip is busy after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    No,
    /// The short busy time between planes, or of a cache command.
    Short,
    Read,
    Program,
    Erase,
}

/// Data that wait in the cache register.
struct Cached {
    pages: Group,
    /// Where data begin; none if they do so nowhere in particular.
    column: Option<u32>,
}

/// The chip of a way.
pub struct Chip {
    geometry: Geometry,
    /// Commands of a multi-plane or one-shot operation that is not confirmed.
    pending: Vec<(u8, Page)>,
    /// Pages being read, or read and not in the cache register.
    reading: Option<Group>,
    read_column: u32,
    cached: Option<Cached>,
    cache_read: bool,
    /// A program that another must follow.
    cache_program: Option<Group>,
    /// The groups of the last program or erase, and of the one before in cache mode.
    last: Group,
    before: Option<Group>,
    /// Requests whose program or erase fails.
    pub failing: BTreeSet<u32>,
    /// The bits of its status that the bus carries: none where nobody drives it.
    pub shown: u32,
    /// Requests whose page was read out, programmed or erased.
    pub served: BTreeSet<u32>,
    /// Groups of more than one plane, and groups that followed in cache mode.
    pub multi_plane: u32,
    pub cache_mode: u32,
}

impl Chip {
    pub fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            pending: Vec::new(),
            reading: None,
            read_column: 0,
            cached: None,
            cache_read: false,
            cache_program: None,
            last: Vec::new(),
            before: None,
            failing: BTreeSet::new(),
            shown: u32::MAX,
            served: BTreeSet::new(),
            multi_plane: 0,
            cache_mode: 0,
        }
    }

    /// Whether no operation is half done.
    pub fn is_at_rest(&self) -> bool {
        self.pending.is_empty()
            && self.reading.is_none()
            && self.cached.is_none()
            && !self.cache_read
            && self.cache_program.is_none()
    }

    /// Forgets what was half done, as after a step that timed out.
    pub fn abandon(&mut self) {
        let fresh = Self::new(self.geometry);
        let (failing, served) = (self.failing.clone(), self.served.clone());
        *self = Self { failing, served, shown: self.shown, ..fresh };
    }

    /// Carries out a step. Returns how long the chip is busy, and the value of a status.
    ///
    /// # Panics
    /// If a chip would not understand it.
    pub fn step(&mut self, step: &Step) -> (Busy, u32) {
        let page = Page { row: step.row, id: step.id };
        let busy = match step.operation {
            READ_STATUS | READ_STATUS_ENHANCED => return (Busy::No, self.status(step)),
            READ_MULTI_PLANE => self.part(step, page),
            READ_TRIGGER => {
                let group = self.whole(step, page, READ_MULTI_PLANE);
                assert!(!self.cache_read, "30h within a cache sequence: {step:?}");
                self.reading = Some(group);
                self.read_column = step.column;
                Busy::Read
            }
            READ_CACHE_RANDOM => {
                let group = self.whole(step, page, READ_MULTI_PLANE);
                self.follows(&group, self.reading.as_ref().expect("31h after nothing"));
                self.move_to_cache(0);
                self.reading = Some(group);
                self.cache_read = true;
                self.cache_mode += 1;
                Busy::Read
            }
            READ_CACHE_LAST => {
                assert!(self.cache_read, "3Fh outside a cache sequence: {step:?}");
                self.move_to_cache(0);
                self.cache_read = false;
                Busy::Short
            }
            READ_TRANSFER
            | CHANGE_READ_COLUMN
            | CHANGE_READ_COLUMN_ONFI
            | CHANGE_READ_COLUMN_JEDEC => self.transfer(step),
            PROGRAM_MULTI_PLANE | PROGRAM_PART => self.part(step, page),
            PROGRAM_PAGE | PROGRAM_CACHE => self.program(step, page),
            ERASE_MULTI_PLANE_ONFI => self.part(step, page),
            ERASE_MULTI_PLANE_JEDEC => {
                self.part(step, page);
                Busy::No
            }
            ERASE_BLOCK => {
                let part = self.pending.first().map_or(0, |part| part.0);
                let group = self.whole(step, page, part);
                assert!([0, ERASE_MULTI_PLANE_ONFI, ERASE_MULTI_PLANE_JEDEC].contains(&part));
                self.finish(group, None);
                Busy::Erase
            }
            _ => self.other(step),
        };
        (busy, 0x5a00_0000 | step.id)
    }

    /// A step that is no part of reading, programming or erasing.
    fn other(&mut self, step: &Step) -> Busy {
        assert!(self.is_at_rest(), "{step:?} in the middle of an operation");
        match step.operation {
            PARAMETER_PAGE_TRIGGER | UNIQUE_ID_TRIGGER => {
                self.reading = Some(vec![Page { row: step.row, id: step.id }]);
                self.read_column = step.column;
                Busy::Read
            }
            FEATURES_TRANSFER | READ_ID => Busy::No,
            COPYBACK_READ => Busy::Read,
            _ => Busy::Short,
        }
    }

    /// A plane that others follow.
    fn part(&mut self, step: &Step, page: Page) -> Busy {
        if matches!(step.operation, READ_MULTI_PLANE) {
            self.cache_is_free();
        }
        self.joins(step, page, step.operation);
        self.pending.push((step.operation, page));
        Busy::Short
    }

    fn joins(&self, step: &Step, page: Page, part: u8) {
        for (operation, other) in &self.pending {
            assert_eq!(*operation, part, "{step:?} among others");
            if part == PROGRAM_PART {
                continue;
            }
            let (plane, rest) =
                (self.geometry.plane(page.row), self.geometry.without_plane(page.row));
            assert_ne!(plane, self.geometry.plane(other.row), "{step:?}: plane twice");
            assert_eq!(rest, self.geometry.without_plane(other.row), "{step:?}: another page");
        }
    }

    /// The last plane of a group: takes the others.
    fn whole(&mut self, step: &Step, page: Page, part: u8) -> Group {
        self.joins(step, page, part);
        let mut group: Group = self.pending.drain(..).map(|(_, page)| page).collect();
        group.push(page);
        if part == PROGRAM_PART {
            assert_eq!(group.len(), 3, "{step:?}: pages of a word line");
        } else {
            self.multi_plane += u32::from(group.len() > 1);
        }
        group
    }

    /// Cache mode goes on with the same planes of the same LUN.
    fn follows(&self, group: &Group, before: &Group) {
        let planes = |group: &Group| -> BTreeSet<u32> {
            group.iter().map(|page| self.geometry.plane(page.row)).collect()
        };
        assert_eq!(planes(group), planes(before), "planes in cache mode");
        let lun = |group: &Group| self.geometry.lun(group[0].row);
        assert_eq!(lun(group), lun(before), "LUN in cache mode");
    }

    fn cache_is_free(&self) {
        assert!(self.cached.is_none(), "data in the cache register are lost");
    }

    fn move_to_cache(&mut self, column: u32) {
        self.cache_is_free();
        let pages = self.reading.take().expect("a page was read");
        self.cached = Some(Cached { pages, column: Some(column) });
    }

    fn transfer(&mut self, step: &Step) -> Busy {
        assert!(self.pending.is_empty(), "{step:?} between planes");
        if self.cached.is_none() && !self.cache_read {
            let column = self.read_column;
            self.move_to_cache(column);
        }
        let cached = self.cached.as_mut().expect("data are in the cache register");
        let place = cached.pages.iter().position(|page| page.row == step.row);
        let place = place.unwrap_or_else(|| panic!("{step:?}: another page is there"));
        match step.operation {
            READ_TRANSFER => {
                assert_eq!(cached.pages.len(), 1, "{step:?}: no plane is chosen");
                assert_eq!(cached.column, Some(step.column), "{step:?}: column");
            }
            CHANGE_READ_COLUMN => assert_eq!(cached.pages.len(), 1, "{step:?}: no plane"),
            _ => {}
        }
        cached.column = None;
        let page = cached.pages.remove(place);
        if cached.pages.is_empty() {
            self.cached = None;
        }
        assert!(!step.whole || page.id == step.id, "{step:?}: data of another request");
        assert!(self.served.insert(step.id), "{step:?} twice");
        Busy::No
    }

    fn program(&mut self, step: &Step, page: Page) -> Busy {
        let part = self.pending.first().map_or(PROGRAM_MULTI_PLANE, |part| part.0);
        let group = self.whole(step, page, part);
        let before = self.cache_program.take();
        if let Some(before) = &before {
            self.follows(&group, before);
            self.cache_mode += 1;
        }
        self.finish(group.clone(), before);
        if step.operation == PROGRAM_CACHE {
            self.cache_program = Some(group);
            return Busy::Short;
        }
        Busy::Program
    }

    fn finish(&mut self, group: Group, before: Option<Group>) {
        assert!(self.reading.is_none() && self.cached.is_none(), "pages are still being read");
        for page in &group {
            assert!(self.served.insert(page.id), "request {} twice", page.id);
        }
        self.before = before;
        self.last = group;
    }

    /// FAIL and FAILC. A bit that means nothing now is set, so that nobody may look at it.
    fn status(&self, step: &Step) -> u32 {
        let failed = |group: &Group| {
            let enhanced = step.operation == READ_STATUS_ENHANCED;
            let of_plane = |page: &&Page| {
                let geometry = self.geometry;
                !enhanced || geometry.plane(page.row) == geometry.plane(step.row)
            };
            assert!(enhanced || group.len() <= 1 || self.one_shot(group), "70h for many planes");
            group.iter().filter(of_plane).any(|page| self.failing.contains(&page.id))
        };
        let last = self.cache_program.is_some() || failed(&self.last);
        let before = self.before.as_ref().is_none_or(failed);
        (0xe0 | u32::from(last) | u32::from(before) << 1) & self.shown
    }

    fn one_shot(&self, group: &Group) -> bool {
        group.windows(2).any(|pair| {
            self.geometry.without_plane(pair[0].row) != self.geometry.without_plane(pair[1].row)
        })
    }
}
