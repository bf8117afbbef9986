//! A Verilated model and its ports.

use crate::coverage::Coverage;
use crate::seed;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void, CString};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, io, process};

/// What the build script knows of a top. Its statics are in [`crate::tops`].
pub struct Top {
    pub(crate) name: &'static str,
    pub(crate) new: unsafe extern "C" fn(c_int) -> *mut c_void,
    pub(crate) eval: unsafe extern "C" fn(*mut c_void),
    pub(crate) addresses: unsafe extern "C" fn(*mut c_void, *mut *mut c_void),
    pub(crate) kept: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    pub(crate) places: unsafe extern "C" fn() -> *const u32,
    pub(crate) coverage: unsafe extern "C" fn(*mut c_void, *const c_char),
    pub(crate) trace: unsafe extern "C" fn(*mut c_void, *const c_char) -> bool,
    pub(crate) dump: unsafe extern "C" fn(*mut c_void, u64),
    pub(crate) free: unsafe extern "C" fn(*mut c_void),
    pub(crate) ports: &'static [PortInfo],
    /// Paths of registers, and their bits, of those in scalars; of tops that tell when they are idle.
    pub(crate) registers: &'static [(&'static str, u32)],
}

/// A port as the top declares it.
pub(crate) struct PortInfo {
    pub name: &'static str,
    pub bits: u32,
    /// Bytes that Verilator keeps it in.
    pub bytes: u32,
    pub direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Input,
    Output,
}

#[cfg(target_endian = "big")]
compile_error!("the ports of a model are read as little-endian bytes");

/// A model under test. If `RTL_COVERAGE` names a directory, it leaves its counters there when it is
/// dropped. If `RTL_TRACE` names a file, its waveform goes there; those of further models of the run go beside
/// it, numbered.
pub struct Model {
    top: &'static Top,
    raw: NonNull<c_void>,
    /// Where each port's value is, in the order of `top.ports`.
    addresses: Box<[NonNull<u8>]>,
    /// Half cycles in the waveform so far, if there is one.
    wave: Option<u64>,
}

/// A port that the bench drives, or some bits of one.
#[derive(Clone, Copy, Debug)]
pub struct Input(Field);

/// A port that the model drives, or some bits of one.
#[derive(Clone, Copy, Debug)]
pub struct Output(Field);

#[derive(Clone, Copy, Debug)]
struct Field {
    port: usize,
    low: u32,
    bits: u32,
}

extern "C" {
    fn rtl_take_stop(text: *mut c_char, room: usize) -> usize;
}

impl Top {
    /// The top of that name, if its model was made.
    pub fn named(name: &str) -> Option<&'static Top> {
        crate::tops::ALL.iter().find(|top| top.name == name).copied()
    }
}

impl Model {
    /// Makes a model with all inputs zero. What has no reset starts with values of the test's seed.
    pub fn new(top: &'static Top) -> Self {
        // Verilator takes 31 bits that are not zero.
        let seed = (seed::current() % 0x7fff_ffff) as c_int + 1;
        // SAFETY: the function belongs to the top and takes a number above zero.
        let raw =
            NonNull::new(unsafe { (top.new)(seed) }).expect("`new` in C++ throws or succeeds");
        let mut addresses = vec![NonNull::dangling(); top.ports.len()].into_boxed_slice();
        // SAFETY: `raw` is a model of this top, and the build script wrote the function together
        // with `ports`, so it fills as many entries.
        unsafe { (top.addresses)(raw.as_ptr(), addresses.as_mut_ptr().cast()) };
        let mut model = Self { top, raw, addresses, wave: None };
        for (port, info) in top.ports.iter().enumerate() {
            if info.direction == Direction::Input {
                // SAFETY: as in `set`.
                unsafe { model.storage(port).as_mut() }.fill(0);
            }
        }
        if let Some(path) = env::var_os("RTL_TRACE") {
            model.begin_wave(Path::new(&path));
        }
        model
    }

    /// The input of that name.
    ///
    /// # Panics
    /// If the top has none.
    pub fn input(&self, name: &str) -> Input {
        Input(self.find(name, Direction::Input))
    }

    /// The output of that name.
    ///
    /// # Panics
    /// If the top has none.
    pub fn output(&self, name: &str) -> Output {
        Output(self.find(name, Direction::Output))
    }

    /// Whether it has an input of that name.
    pub fn has_input(&self, name: &str) -> bool {
        let mut ports = self.top.ports.iter();
        ports.any(|port| port.name == name && port.direction == Direction::Input)
    }

    /// Drives an input of up to 64 bits.
    ///
    /// # Panics
    /// If the value has more bits than the input.
    pub fn set(&mut self, Input(field): Input, value: u64) {
        let name = self.top.ports[field.port].name;
        let mask = field.mask();
        assert!(value & !mask == 0, "{name}: {value:#x} has more than {} bits", field.bits);
        // SAFETY: the address is that of this port in the model, which `self` owns and nobody
        // else uses meanwhile. The port is kept in `bytes` bytes.
        let storage = unsafe { self.storage(field.port).as_mut() };
        if let Some(all) = scalar(storage) {
            let changed = all & !(mask << field.low) | value << field.low;
            let length = storage.len();
            storage.copy_from_slice(&changed.to_le_bytes()[..length]);
            return;
        }
        let (window, shift) = field.window();
        let mut bytes = [0; size_of::<u128>()];
        bytes[..window.len()].copy_from_slice(&storage[window.clone()]);
        let kept = u128::from_le_bytes(bytes) & !(u128::from(mask) << shift);
        let bytes = (kept | u128::from(value) << shift).to_le_bytes();
        storage[window.clone()].copy_from_slice(&bytes[..window.len()]);
    }

    /// An output of up to 64 bits.
    pub fn get(&self, Output(field): Output) -> u64 {
        // SAFETY: as in `set`; only `eval` and `set` change ports, and they borrow `self` alone.
        let storage = unsafe { self.storage(field.port).as_ref() };
        if let Some(all) = scalar(storage) {
            return all >> field.low & field.mask();
        }
        let (window, shift) = field.window();
        let mut bytes = [0; size_of::<u128>()];
        bytes[..window.len()].copy_from_slice(&storage[window]);
        (u128::from_le_bytes(bytes) >> shift) as u64 & field.mask()
    }

    /// Lets the model follow its inputs.
    ///
    /// # Panics
    /// If an assertion in the hardware fails. Its name is on standard output.
    pub fn eval(&mut self) {
        // SAFETY: `raw` is a model of this top.
        unsafe { (self.top.eval)(self.raw.as_ptr()) };
        let mut text = [0u8; 256];
        // SAFETY: the function writes at most as many bytes as the room it is given.
        let length = unsafe { rtl_take_stop(text.as_mut_ptr().cast(), text.len()) };
        assert!(length == 0, "assertion at {}", String::from_utf8_lossy(&text[..length]));
    }

    /// Opens a waveform.
    ///
    /// # Panics
    /// If the models were built without, or the file cannot be written.
    fn begin_wave(&mut self, path: &Path) {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        let path = match BEGUN.fetch_add(1, Ordering::Relaxed) {
            0 => path.to_owned(),
            before => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                path.with_file_name(format!("{stem}-{}.fst", before + 1))
            }
        };
        let text = CString::new(path.to_string_lossy().as_bytes()).expect("paths have no zero");
        // SAFETY: `raw` is a model of this top, the path ends with a zero.
        let opened = unsafe { (self.top.trace)(self.raw.as_ptr(), text.as_ptr()) };
        assert!(
            opened,
            "RTL_TRACE: found no way to write {}, expected --features trace and a folder that exists",
            path.display()
        );
        self.wave = Some(0);
    }

    /// Adds half a cycle to the waveform, if there is one: all signals as they are.
    pub(crate) fn dump(&mut self) {
        if let Some(time) = &mut self.wave {
            // SAFETY: `raw` is a model of this top, and its waveform is open.
            unsafe { (self.top.dump)(self.raw.as_ptr(), *time) };
            *time += 1;
        }
    }

    /// The paths of its registers, and their bits. None are known of a top that does not tell when it is idle.
    pub(crate) fn registers(&self) -> &'static [(&'static str, u32)] {
        self.top.registers
    }

    /// Whether the path of one of its registers has this part.
    pub(crate) fn has_register(&self, part: &str) -> bool {
        self.registers().iter().any(|(path, _)| path.contains(part))
    }

    /// Where the bytes of its registers are, in what it keeps.
    pub(crate) fn places(&self) -> Vec<std::ops::Range<usize>> {
        // SAFETY: the build script wrote the table together with `registers`: two words for each.
        let words = unsafe {
            std::slice::from_raw_parts((self.top.places)(), 2 * self.top.registers.len())
        };
        let place = |pair: &[u32]| pair[0] as usize..(pair[0] + pair[1]) as usize;
        words.chunks_exact(2).map(place).collect()
    }

    /// Bytes that the model keeps, at a place of [`Model::places`], or of several that follow one another.
    pub(crate) fn kept(&self, place: std::ops::Range<usize>) -> &[u8] {
        // SAFETY: the place lies in what this model keeps, which `self` owns; only `eval`, `set` and `kept_mut` change it.
        unsafe {
            let start = (self.top.kept)(self.raw.as_ptr()).cast::<u8>().add(place.start);
            std::slice::from_raw_parts(start, place.len())
        }
    }

    /// The same, to be changed.
    pub(crate) fn kept_mut(&mut self, place: std::ops::Range<usize>) -> &mut [u8] {
        // SAFETY: as in `kept`, and nobody else looks meanwhile.
        unsafe {
            let start = (self.top.kept)(self.raw.as_ptr()).cast::<u8>().add(place.start);
            std::slice::from_raw_parts_mut(start, place.len())
        }
    }

    /// Whether it writes a waveform.
    pub(crate) fn has_wave(&self) -> bool {
        self.wave.is_some()
    }

    fn find(&self, name: &str, direction: Direction) -> Field {
        let wanted = |port: &PortInfo| port.name == name && port.direction == direction;
        let Some(port) = self.top.ports.iter().position(wanted) else {
            panic!("{}: found no {direction:?} {name}", self.top.name)
        };
        Field { port, low: 0, bits: self.top.ports[port].bits }
    }

    fn storage(&self, port: usize) -> NonNull<[u8]> {
        let bytes = self.top.ports[port].bytes as usize;
        NonNull::slice_from_raw_parts(self.addresses[port], bytes)
    }

    /// Adds the counters to those of the models before. The file that Verilator writes has every
    /// instance and is large, so it does not stay.
    fn leave_coverage(&self, directory: &Path) -> io::Result<()> {
        static LEFT: Mutex<BTreeMap<&str, Coverage>> = Mutex::new(BTreeMap::new());
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir_all(directory)?;
        let file = directory.join(format!("{}-{}", self.top.name, process::id()));
        let raw = file.with_extension("raw");
        let path = CString::new(raw.to_string_lossy().as_bytes())?;
        // SAFETY: `raw` is a model of this top, the path ends with a zero.
        unsafe { (self.top.coverage)(self.raw.as_ptr(), path.as_ptr()) };
        let coverage = left.entry(self.top.name).or_default();
        coverage.add(&String::from_utf8_lossy(&fs::read(&raw)?));
        fs::remove_file(&raw)?;
        fs::write(file.with_extension("dat"), coverage.to_string())
    }
}

/// A port that Verilator keeps in a number, as most are: that number.
#[inline]
fn scalar(storage: &[u8]) -> Option<u64> {
    Some(match *storage {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => return None,
    })
}

impl Input {
    /// The part of an array of `lanes` equal elements that belongs to one of them.
    pub fn lane(self, lane: u32, lanes: u32) -> Self {
        Self(self.0.lane(lane, lanes))
    }

    /// Its parts of up to 64 bits, the lowest first.
    pub fn words(self) -> impl Iterator<Item = Self> {
        self.0.words().map(Self)
    }
}

impl Output {
    /// Its bits, all elements together.
    pub fn bits(self) -> u32 {
        self.0.bits
    }

    /// The part of an array of `lanes` equal elements that belongs to one of them.
    pub fn lane(self, lane: u32, lanes: u32) -> Self {
        Self(self.0.lane(lane, lanes))
    }

    /// Its parts of up to 64 bits, the lowest first.
    pub fn words(self) -> impl Iterator<Item = Self> {
        self.0.words().map(Self)
    }
}

impl Field {
    fn lane(self, lane: u32, lanes: u32) -> Self {
        assert!(lane < lanes && self.bits % lanes == 0, "{} bits, {lanes} lanes", self.bits);
        let bits = self.bits / lanes;
        Self { low: self.low + lane * bits, bits, ..self }
    }

    fn words(self) -> impl Iterator<Item = Self> {
        (0..self.bits).step_by(u64::BITS as usize).map(move |low| Self {
            low: self.low + low,
            bits: (self.bits - low).min(u64::BITS),
            ..self
        })
    }

    fn mask(self) -> u64 {
        assert!(
            (1..=u64::BITS).contains(&self.bits),
            "field of {} bits, expected 1 to 64",
            self.bits
        );
        u64::MAX >> (u64::BITS - self.bits)
    }

    /// The bytes that hold the field, and how many bits of the first one lie below it.
    fn window(self) -> (std::ops::Range<usize>, u32) {
        let end = (self.low + self.bits).div_ceil(u8::BITS);
        ((self.low / u8::BITS) as usize..end as usize, self.low % u8::BITS)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(directory) = env::var_os("RTL_COVERAGE") {
            if let Err(error) = self.leave_coverage(Path::new(&directory)) {
                eprintln!("RTL_COVERAGE: found {error}, expected a directory to write to");
            }
        }
        // SAFETY: `raw` came from the top's `new` and is not used again.
        unsafe { (self.top.free)(self.raw.as_ptr()) };
    }
}
