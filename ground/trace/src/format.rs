//! The formats of traces.

use crate::event::Event;
use crate::layout::{self, Layout};
use crate::order::Within;
use crate::unit::TimeUnit;

/// How the text or the bytes of a trace tell requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// fio's, versions 2 and 3: "Trace file format v2" and "v3" in fio's documentation.
    Iolog,
    /// What `blkparse` prints where no other layout is asked for ("Default output" in its manual page).
    Blkparse(Event),
    /// What `blktrace` writes: `struct blk_io_trace` in the kernel's `blktrace_api.h`.
    Blktrace(Event),
    /// MSR Cambridge, as the README of these traces describes it (Narayanan, Donnelly and Rowstron: "Write
    /// Off-Loading", FAST '08).
    Msr,
    /// The traces of Lee and others: "Understanding storage traffic characteristics on enterprise virtual desktop
    /// infrastructure", SYSTOR '17, as their README describes them.
    Systor,
    /// Alibaba's block traces, as their README describes them (Li and others: "An In-Depth Analysis of Cloud Block
    /// Storage Workloads in Large-Scale Production", IISWC '20).
    Alibaba,
    /// Tencent's block storage, as the README of these traces describes it (Zhang and others: "OSCA", ATC '20).
    Tencent,
    /// What MQSim reads: section "Trace-based" of its README (Tavakkol and others, FAST '18).
    Mqsim,
    /// Lines with columns, as a [`Layout`] says. It lives as long as the program, so that formats can be copied.
    Layout(&'static Layout, Event),
}

impl Format {
    /// Those that have a parser of their own, with the event that is usual.
    const OWN: [Format; 8] = [
        Format::Iolog,
        Format::Blkparse(Event::Queue),
        Format::Blktrace(Event::Queue),
        Format::Msr,
        Format::Systor,
        Format::Alibaba,
        Format::Tencent,
        Format::Mqsim,
    ];

    /// All that have a name, with the event that is usual.
    pub fn all() -> impl Iterator<Item = Format> {
        let named = layout::named().iter().map(|layout| Format::Layout(layout, Event::Queue));
        Format::OWN.into_iter().chain(named)
    }

    /// Their names, for people.
    pub fn names() -> String {
        Format::all().map(Format::name).collect::<Vec<_>>().join(", ")
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Iolog => "iolog",
            Format::Blkparse(_) => "blkparse",
            Format::Blktrace(_) => "blktrace",
            Format::Msr => "msr",
            Format::Systor => "systor",
            Format::Alibaba => "alibaba",
            Format::Tencent => "tencent",
            Format::Mqsim => "mqsim",
            Format::Layout(layout, _) => layout.name(),
        }
    }

    /// The one of this name, or one whose layout is spelled out: `csv:time=1us,op=3,lba=4,bytes=5`.
    ///
    /// # Errors
    /// What is wrong with it: what was found, and what was expected.
    pub fn of_name(name: &str) -> Result<Self, (String, String)> {
        if let Some(format) = Format::all().find(|format| format.name() == name) {
            return Ok(format);
        }
        match Layout::of_text(name) {
            None => {
                let names = Format::names();
                let expected = format!("one of {names}, or a layout such as {}", layout::EXAMPLE);
                Err((format!("\"{name}\""), expected))
            }
            Some(Ok(layout)) => Ok(Format::Layout(Box::leak(Box::new(layout)), Event::Queue)),
            Some(Err(wrong)) => Err(wrong),
        }
    }

    /// The event that it is read by, where it has several.
    pub fn event(self) -> Option<Event> {
        match self {
            Format::Blkparse(event) | Format::Blktrace(event) => Some(event),
            Format::Layout(layout, event) if layout.has_events() => Some(event),
            _ => None,
        }
    }

    /// As it is, read by another event.
    pub(crate) fn by(self, event: Event) -> Self {
        match self {
            Format::Blkparse(_) => Format::Blkparse(event),
            Format::Blktrace(_) => Format::Blktrace(event),
            Format::Layout(layout, _) => Format::Layout(layout, event),
            other => other,
        }
    }

    /// What one unit of its times is, in nanoseconds.
    pub(crate) fn tick_ns(self) -> u64 {
        match self {
            Format::Msr => 100,
            Format::Iolog | Format::Alibaba => 1000,
            Format::Tencent => 1_000_000_000,
            Format::Blkparse(_) | Format::Blktrace(_) | Format::Systor | Format::Mqsim => 1,
            Format::Layout(..) => 1,
        }
    }

    /// The unit that its times are written in.
    pub(crate) fn time_unit(self) -> TimeUnit {
        TimeUnit::of_ps(match self {
            Format::Msr => 100_000,
            Format::Iolog | Format::Alibaba => 1_000_000,
            Format::Tencent | Format::Blkparse(_) | Format::Systor => 1_000_000_000_000,
            Format::Blktrace(_) | Format::Mqsim => 1000,
            Format::Layout(layout, _) => return layout.time_unit(),
        })
    }

    /// In which order its lines stand.
    pub(crate) fn within(self) -> Within {
        match self {
            Format::Layout(layout, _) => layout.within(),
            _ => Within::Arrival,
        }
    }

    /// How fine its times are, for people.
    pub fn resolution(self) -> &'static str {
        match self {
            Format::Msr => "100 ns",
            Format::Iolog | Format::Alibaba | Format::Systor => "1 us",
            Format::Tencent => "1 s",
            Format::Blkparse(_) | Format::Blktrace(_) | Format::Mqsim => "1 ns",
            Format::Layout(..) => "as many digits as it has, at most 1 ns",
        }
    }

    /// Whether its records stand in lines of text.
    pub(crate) fn is_text(self) -> bool {
        !matches!(self, Format::Blktrace(_))
    }
}
