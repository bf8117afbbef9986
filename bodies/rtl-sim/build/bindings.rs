//! The thin C functions of a model, and the Rust table that names them.

use crate::verilator::Model;
use std::fmt::Write;

/// A port of a top.
pub struct Port {
    name: String,
    bits: u32,
    is_input: bool,
    bytes: u32,
}

/// What Verilator keeps ports in, by the suffix of the declaration: an input of 12 bits is declared
/// `VL_IN16(&name,11,0);`. Wide ones are arrays of 32-bit words.
const STORAGE_BYTES: [(&str, Option<u32>); 5] =
    [("8", Some(1)), ("16", Some(2)), ("64", Some(8)), ("W", None), ("", Some(4))];

/// Takes the ports out of the header that Verilator wrote.
pub fn ports(header: &str) -> Vec<Port> {
    header.lines().filter_map(|line| port(line.trim())).collect()
}

fn port(line: &str) -> Option<Port> {
    let (is_input, rest) = match line.strip_prefix("VL_IN") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("VL_OUT")?),
    };
    let (bytes, rest) = STORAGE_BYTES.iter().find_map(|(suffix, bytes)| {
        Some((*bytes, rest.strip_prefix(suffix)?.strip_prefix("(&")?))
    })?;
    let mut fields = rest.split([',', ')']);
    let name = fields.next()?.to_owned();
    let high: u32 = fields.next()?.parse().ok()?;
    let low: u32 = fields.next()?.parse().ok()?;
    let bits = high - low + 1;
    let bytes = bytes.unwrap_or(bits.div_ceil(u32::BITS) * 4);
    Some(Port { name, bits, is_input, bytes })
}

/// What Verilator writes before the names of variables of a class that are not ports.
const PRIVATE: &str = "__PVT__";

/// A register of a top that tells when it is idle: which instance of a class of the model keeps it, its name in
/// Verilator's C++, and its bits, of one in a scalar.
pub struct Register {
    instance: String,
    class: String,
    name: String,
    bits: u32,
}

/// The classes of a model and the name of an instance of each, out of the header of all that a model keeps. Modules that stand in
/// several places are classes of their own, and all others are parts of `TOP`.
pub fn instances(header: &str) -> Vec<(String, String)> {
    let state = header.split_once("// MODULE INSTANCE STATE").map_or("", |(_, after)| after);
    let pair = |line: &str| {
        let (class, instance) = line.trim().strip_suffix(';')?.split_once(' ')?;
        let instance = instance.trim();
        instance.starts_with("TOP").then(|| (class.to_owned(), instance.to_owned()))
    };
    state.lines().filter_map(pair).collect()
}

/// Takes the registers of an instance out of the header of its class, by what their names end with.
pub fn registers(header: &str, (class, instance): &(String, String)) -> Vec<Register> {
    let register = |(name, bits): (&str, u32)| Register {
        instance: instance.clone(),
        class: class.clone(),
        name: name.to_owned(),
        bits,
    };
    header.lines().filter_map(|line| variable(line.trim())).map(register).collect()
}

/// A register such as `CData/*3:0*/ count_q;`: its name, and its bits.
fn variable(line: &str) -> Option<(&str, u32)> {
    const KINDS: [&str; 6] = ["CData/*", "SData/*", "IData/*", "QData/*", "VlWide<", "VlUnpacked<"];
    KINDS.iter().find(|kind| line.starts_with(**kind))?;
    let (kind, name) = line.strip_suffix(';')?.rsplit_once(' ')?;
    let is_register = name.ends_with("_q") || name.ends_with("_o");
    let high = kind.split_once("/*")?.1.split_once(':')?.0.parse::<u32>().ok()?;
    let is_own = !name.strip_prefix(PRIVATE).unwrap_or(name).starts_with("__");
    (is_register && is_own).then_some((name, high + 1))
}

impl Register {
    /// Its path in the hardware.
    fn path(&self) -> String {
        let scope = self.instance.strip_prefix("TOP__").map(|scope| format!("{scope}__DOT__"));
        let name = self.name.strip_prefix(PRIVATE).unwrap_or(&self.name);
        format!("{}{name}", scope.unwrap_or_default()).replace("__DOT__", ".")
    }
}

/// Whether a top tells when it is idle. Only of these the registers are looked at.
pub fn tells_idle(ports: &[Port]) -> bool {
    ports.iter().any(|port| port.name == "idle_o")
}

/// The C++ file that gives a model C functions.
pub fn cpp(model: &Model) -> String {
    let name = &model.name;
    let mut places = String::new();
    for Register { instance, class, name: register, .. } in &model.registers {
        let _ = writeln!(
            places,
            "    {{offsetof(V{name}__Syms, {instance}) - offsetof(V{name}__Syms, TOP) \
             + offsetof({class}, {register}), sizeof({class}::{register})}},"
        );
    }
    let mut addresses = String::new();
    for (index, port) in model.ports.iter().enumerate() {
        let _ = writeln!(addresses, "    ports[{index}] = &model->top.{};", port.name);
    }
    format!(
        r#"#include <cstddef>
#include "V{name}.h"
#include "V{name}__Syms.h"
#include "verilated_cov.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
namespace {{
struct Model {{
    VerilatedContext context;
#if VM_TRACE
    // Goes after the model, which it follows.
    VerilatedFstC wave;
#endif
    V{name} top;
    // Registers without a reset start with some value or other, the same in every run of a seed.
    explicit Model(int seed)
        : top{{(context.randReset(2), context.randSeed(seed), &context), "{name}"}} {{}}
}};
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
const uint32_t places[][2] = {{
    {{0, 0}},
{places}}};
}}
extern "C" {{
void* rtl_{name}_new(int seed) {{ return new Model(seed); }}
void rtl_{name}_eval(void* model) {{ static_cast<Model*>(model)->top.eval(); }}
void rtl_{name}_ports(void* opaque, void** ports) {{
    Model* model = static_cast<Model*>(opaque);
{addresses}}}
// Where all that the model keeps is, and where in it each register is, with its bytes.
void* rtl_{name}_kept(void* model) {{ return static_cast<Model*>(model)->top.rootp; }}
const uint32_t* rtl_{name}_places() {{ return places[1]; }}
void rtl_{name}_coverage(void* model, const char* path) {{
#if VM_COVERAGE
    static_cast<Model*>(model)->context.coveragep()->write(path);
#endif
}}
// Whether the model can write waveforms.
bool rtl_{name}_trace(void* opaque, const char* path) {{
#if VM_TRACE
    Model* model = static_cast<Model*>(opaque);
    model->context.traceEverOn(true);
    model->top.trace(&model->wave, 99);
    model->wave.set_time_unit("1ns");
    model->wave.set_time_resolution("1ns");
    model->wave.open(path);
    return model->wave.isOpen();
#else
    return false;
#endif
}}
void rtl_{name}_dump(void* opaque, uint64_t time) {{
#if VM_TRACE
    static_cast<Model*>(opaque)->wave.dump(time);
#endif
}}
void rtl_{name}_free(void* opaque) {{
    Model* model = static_cast<Model*>(opaque);
    model->top.final();
#if VM_TRACE
    model->wave.close();
#endif
    delete model;
}}
}}
"#
    )
}

/// A failed assertion calls vl_stop, which would end the process. The place is kept for the bench.
pub const STOP: &str = r#"#include "verilated.h"
#include <string>
namespace {
thread_local std::string stopped;
}
void vl_stop(const char* file, int line, const char* scope) VL_MT_UNSAFE {
    if (stopped.empty()) {
        stopped = std::string(file) + ":" + std::to_string(line) + " in " + scope;
    }
}
extern "C" size_t rtl_take_stop(char* text, size_t room) {
    const size_t length = stopped.copy(text, room);
    stopped.clear();
    return length;
}
"#;

/// What models read before the rest. What an assertion says when it fails is put together away from the code that runs in each
/// cycle: there it would be a third of what is compiled.
pub const ASSERTS: &str = r#"#include "verilated.h"
namespace {
template <class... Arguments>
[[gnu::cold, gnu::noinline]] void rtl_write(const char* format, int count, Arguments... arguments) {
    VL_WRITEF_NX(format, count, arguments...);
}
}
#define VL_WRITEF_NX rtl_write
"#;

/// The Rust table of a model.
pub fn rust(model: &Model) -> String {
    let name = &model.name;
    let mut ports = String::new();
    for Port { name, bits, is_input, bytes } in &model.ports {
        let direction = if *is_input { "Input" } else { "Output" };
        let _ = writeln!(
            ports,
            "        PortInfo {{ name: {name:?}, bits: {bits}, bytes: {bytes}, \
             direction: Direction::{direction} }},"
        );
    }
    let mut registers = String::new();
    for register in &model.registers {
        let _ = writeln!(registers, "        ({:?}, {}),", register.path(), register.bits);
    }
    format!(
        r#"
extern "C" {{
    fn rtl_{name}_new(seed: c_int) -> *mut c_void;
    fn rtl_{name}_eval(model: *mut c_void);
    fn rtl_{name}_ports(model: *mut c_void, ports: *mut *mut c_void);
    fn rtl_{name}_kept(model: *mut c_void) -> *mut c_void;
    fn rtl_{name}_places() -> *const u32;
    fn rtl_{name}_coverage(model: *mut c_void, path: *const c_char);
    fn rtl_{name}_trace(model: *mut c_void, path: *const c_char) -> bool;
    fn rtl_{name}_dump(model: *mut c_void, time: u64);
    fn rtl_{name}_free(model: *mut c_void);
}}

/// `rtl/tops/{name}.sv`.
pub static {constant}: Top = Top {{
    name: {name:?},
    new: rtl_{name}_new,
    eval: rtl_{name}_eval,
    addresses: rtl_{name}_ports,
    kept: rtl_{name}_kept,
    places: rtl_{name}_places,
    coverage: rtl_{name}_coverage,
    trace: rtl_{name}_trace,
    dump: rtl_{name}_dump,
    free: rtl_{name}_free,
    ports: &[
{ports}    ],
    registers: &[
{registers}    ],
}};
"#,
        constant = name.to_uppercase()
    )
}

/// The Rust table of all models, for those that need not be there.
pub fn all(models: &[Model]) -> String {
    let tops: String =
        models.iter().map(|model| format!("&{}, ", model.name.to_uppercase())).collect();
    format!("\n/// All of them.\npub static ALL: &[&Top] = &[{tops}];\n")
}
