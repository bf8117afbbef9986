//! Small drives at random: sizes, times, policies, schedulers, and what fails in them.

use board::{Board, BoardError};
use firmware::policies::KINDS;

use crate::draw::Draw;
use crate::extras::retention;
use crate::faults::{Fault, Faults};
use crate::no_drive::TRIES;
use crate::placing::{handles, BY_HANDLE};
use crate::small::Small;

pub use crate::no_drive::NoDrive;

/// Keys of a board, each with its value.
pub type Values = Vec<(String, String)>;

/// The board that random drives are made of.
pub const PLAIN: &str = "small";

/// Flash pages of a drive at most.
const MOST_PAGES: u64 = 4_096;

/// Sizes of a drive that rounds fill, overwrite and collect in no time.
fn sizes(draw: &mut Draw) -> Vec<(&'static str, String)> {
    let blocks = draw.one_of(&[48u64, 64, 96, 160]);
    let (channels, ways) = (draw.one_of(&[1u64, 2, 2, 2, 3]), draw.one_of(&[1u64, 2, 2, 2, 4]));
    let most_pages = MOST_PAGES / (channels * ways * blocks);
    let pages = draw.one_of(&[16, 32, 32, 64]).min(most_pages.max(8));
    vec![
        ("geometry.channels", channels.to_string()),
        ("geometry.ways", ways.to_string()),
        ("geometry.blocks_per_way", blocks.to_string()),
        ("flash.pages_per_physical_block", pages.to_string()),
        ("ftl.spare_blocks_per_way", (blocks / draw.one_of(&[3, 4, 6])).to_string()),
        ("ftl.buffer_kib", draw.one_of(&[256, 512, 512, 1024]).to_string()),
        ("ftl.overprovision_percent", draw.one_of(&[4, 8, 12, 12, 28]).to_string()),
        ("recovery.log_entries", draw.one_of(&[4, 6, 6, 12]).to_string()),
        ("recovery.snapshots_per_journal_page", draw.one_of(&[1, 2, 4]).to_string()),
    ]
}

/// Policies that a board may have in place of those of [`PLAIN`].
fn policies(draw: &mut Draw) -> Vec<(&'static str, String)> {
    let mut values = Vec::new();
    let mut set = |key, value: &str| values.push((key, value.to_owned()));
    if draw.once_in(2) {
        set("channel.scheduler", "controller");
        let execution = ["sequential", "decoupled", "in-order", "out-of-order", "out-of-order"];
        set("channel.execution", draw.one_of(&execution));
        if draw.once_in(2) {
            set("channel.merging", draw.one_of(&["planes", "cache", "planes-and-cache"]));
            set("flash.planes", draw.one_of(&["1", "2", "2", "4"]));
        }
    }
    let choices: [(&str, u64, &[&str]); 11] = [
        ("ftl.cache", 4, &["write-through"]),
        ("ftl.placement", 3, &["way-first", "random"]),
        ("ftl.background_flush_percent", 3, &["0", "50"]),
        ("ftl.background_collection_pages", 3, &["0", "64"]),
        ("nvme.dma_requests", 6, &["1", "2", "7"]),
        ("nvme.command_slots", 6, &["8", "16"]),
        ("channel.request_depth", 6, &["1", "2"]),
        ("channel.read_unit_bytes", 4, &["4096", "8192"]),
        ("host.completer", 4, &["firmware"]),
        ("flash.cell_mode", 6, &["mlc"]),
        // A drive that forgets everything with the power, so that the power is not cut.
        ("recovery.log_entries", 10, &["0"]),
    ];
    values.extend(some_of(draw, &choices));
    values
}

/// How a drive collects.
fn collection(draw: &mut Draw) -> Vec<(&'static str, String)> {
    some_of(draw, &[("ftl.victim", 2, &["cost-benefit", "d-choices", "random"])])
}

/// How evenly blocks are worn, and where collection moves data.
fn wear(draw: &mut Draw) -> Vec<(&'static str, String)> {
    let levelling = ("ftl.wear_levelling", 3, &["dynamic", "static", "static"] as &[&str]);
    let streams = ("ftl.streams", 2, &["apart"] as &[&str]);
    some_of(draw, &[levelling, ("ftl.wear_spread", 2, &["1", "3"]), streams])
}

/// Policies of the firmware, each of a kind with the same chance, and values for their own keys. A new policy is drawn
/// by itself.
fn by_name(seed: u64) -> Vec<(String, String)> {
    // Numbers of its own, so that what else is drawn stays what it is.
    let mut draw = Draw(seed ^ 0x3c6e_f372_fe94_f82b);
    let mut values = Vec::new();
    for kind in KINDS {
        if !draw.once_in(4) {
            continue;
        }
        // Whether the host places its data, which takes room, is drawn by itself.
        let known = kind.words.iter().filter(|word| **word != BY_HANDLE).count();
        let number = draw.below(known as u64) as usize;
        values.push((kind.key.to_owned(), kind.words[number].to_owned()));
        for key in kind.keys[number] {
            let most = key.most.min(2 * key.default);
            let value = key.least + draw.below(most - key.least + 1);
            values.push((format!("{}{}", kind.prefix, key.name), value.to_string()));
        }
    }
    values
}

/// Leaves out keys of policies that were drawn for a drive which has another policy.
fn drop_strangers(values: &mut Values) {
    for kind in KINDS {
        let chosen = values.iter().rev().find(|(key, _)| key == kind.key).map(|(_, word)| word);
        let number = chosen.and_then(|word| kind.words.iter().position(|known| known == word));
        let own = number.map_or(&[][..], |number| kind.keys[number]);
        let is_strange = |key: &str| {
            let name = key.strip_prefix(kind.prefix);
            key != kind.key && name.is_some_and(|name| own.iter().all(|own| own.name != name))
        };
        values.retain(|(key, _)| !is_strange(key));
    }
}

/// Keys that a board has otherwise once in so many times, each with one of some values.
fn some_of(
    draw: &mut Draw,
    choices: &[(&'static str, u64, &[&str])],
) -> Vec<(&'static str, String)> {
    let mut values = Vec::new();
    for &(key, times, some) in choices {
        if draw.once_in(times) {
            values.push((key, draw.one_of(some).to_owned()));
        }
    }
    values
}

/// A drive of memory, whose commands run without firmware or with it, and which forgets everything with the power.
fn memory(draw: &mut Draw) -> Vec<(&'static str, String)> {
    if !draw.once_in(24) {
        return Vec::new();
    }
    let set = [
        ("storage.medium", "memory"),
        ("channel.scheduler", "firmware"),
        ("recovery.log_entries", "0"),
        ("memory.capacity_mib", draw.one_of(&["8", "64"])),
        ("memory.channels", draw.one_of(&["1", "4"])),
        ("automation.commands", draw.one_of(&["none", "reads-and-writes", "reads-and-writes"])),
    ];
    set.map(|(key, value)| (key, value.to_owned())).to_vec()
}

/// Capacitors, in millijoules: the first of them that is enough for a drive leaves it little to spare.
const CAPACITORS: [u64; 7] = [40, 60, 80, 120, 200, 400, 800];

/// What lets some drives save their buffer when the power goes away: hardly enough, or more than they need.
fn capacitor(draw: &mut Draw, board: &str, values: &Values) -> Option<(String, String)> {
    if !draw.once_in(4) {
        return None;
    }
    let more = draw.one_of(&[0, 0, 1, 3]);
    let key = "power_loss.capacitor_millijoules";
    let with = |amount: u64| (key.to_owned(), amount.to_string());
    let is_enough = |&amount: &u64| {
        Board::resolve(board, &[values.clone(), vec![with(amount)]].concat()).is_ok()
    };
    let least = CAPACITORS.into_iter().position(|amount| is_enough(&amount))?;
    Some(with(CAPACITORS[(least + more).min(CAPACITORS.len() - 1)]))
}

/// Chips of other times: slow ways with long queues beside fast ones.
fn times(draw: &mut Draw) -> Vec<(&'static str, String)> {
    if !draw.once_in(5) {
        return Vec::new();
    }
    let mut values = vec![("flash.die_deviation_us", "700".to_owned())];
    for key in ["flash.t_read_slc_us", "flash.t_program_slc_us", "flash.t_erase_us"] {
        values.push((key, draw.one_of(&["800", "900"]).to_owned()));
    }
    for key in ["flash.read_deviation_us", "flash.program_deviation_us", "flash.erase_deviation_us"]
    {
        values.push((key, "1".to_owned()));
    }
    values
}

/// What fails in the chips.
fn errors(draw: &mut Draw, faults: Faults) -> Vec<(&'static str, String)> {
    let mut values = Vec::new();
    if faults.has(Fault::Blocks) && draw.once_in(2) {
        let programs = draw.one_of(&["400000", "2000000", "3000000"]);
        values.push(("errors.program_failures_per_billion", programs.to_owned()));
        let erases = draw.one_of(&["4000000", "12000000"]);
        values.push(("errors.erase_failures_per_billion", erases.to_owned()));
        values.push(("errors.factory_bad_blocks_per_million", "20000".to_owned()));
    }
    if faults.has(Fault::Bits) && draw.once_in(4) {
        values.push((
            "errors.raw_bits_per_terabit",
            draw.one_of(&["1800000000", "1900000000"]).to_owned(),
        ));
        let retries = draw.one_of(&["0", "1", "8"]);
        values.push(("ftl.read_retries", retries.to_owned()));
        if retries == "1" {
            values.push(("flash.read_levels", "1".to_owned()));
        }
    }
    values
}

/// Chips that stay busy until they are reset.
fn hangs(draw: &mut Draw) -> Vec<(&'static str, String)> {
    if !draw.once_in(4) {
        return Vec::new();
    }
    let often = draw.one_of(&["2000000", "10000000"]);
    [("channel.busy_timeout_us", "20000"), ("errors.hangs_per_billion", often)]
        .map(|(key, value)| (key, value.to_owned()))
        .to_vec()
}

/// Reads that disturb their block so much that it is refreshed in the middle of a round.
fn aging(draw: &mut Draw) -> Vec<(&'static str, String)> {
    if !draw.once_in(6) {
        return Vec::new();
    }
    [
        ("errors.disturb_bits_per_terabit_per_kiloread", "3000000000"),
        ("ftl.refresh_bits", draw.one_of(&["4", "6"])),
        ("ftl.patrol_interval_us", draw.one_of(&["0", "300"])),
    ]
    .map(|(key, value)| (key, value.to_owned()))
    .to_vec()
}

/// How much room pages have for what they say of themselves, and how bad blocks are known.
fn pages_and_blocks(draw: &mut Draw) -> Vec<(&'static str, String)> {
    let metadata = ("flash.metadata_bytes", 6, &["26", "84", "254"] as &[&str]);
    some_of(draw, &[metadata, ("ftl.bad_blocks", 3, &["scan"])])
}

/// Mapping units smaller than a page.
fn units(draw: &mut Draw, values: &Values) -> Vec<(&'static str, String)> {
    let is_memory = values.iter().any(|(own, _)| own == "storage.medium");
    if is_memory || !draw.once_in(4) {
        return Vec::new();
    }
    let unit = draw.one_of(&["4096", "8192"]);
    [("ftl.mapping_unit_bytes", unit), ("flash.metadata_bytes", "84")]
        .map(|(key, value)| (key, value.to_owned()))
        .to_vec()
}

/// A map of which only some is in memory, on drives of small pages and many of them, so that it does not fit. A drive
/// with a capacitor keeps all of it.
fn part_of_map(draw: &mut Draw, values: &Values) -> Vec<(&'static str, String)> {
    let of = |key: &str| values.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value);
    let number = |key: &str| of(key).and_then(|value| value.parse::<u64>().ok()).unwrap_or(0);
    let log_entries = number("recovery.log_entries");
    let kept_whole =
        ["power_loss.capacitor_millijoules", "storage.medium", "ftl.mapping_unit_bytes"]
            .iter()
            .any(|key| of(key).is_some());
    if kept_whole || log_entries == 0 || !draw.once_in(6) {
        return Vec::new();
    }
    let blocks = number("geometry.blocks_per_way") * draw.one_of(&[4, 8]);
    let parts = log_entries + draw.one_of(&[2, 3, 4]);
    vec![
        ("geometry.page_bytes", "4096".to_owned()),
        ("flash.spare_bytes", "416".to_owned()),
        ("channel.read_unit_bytes", "0".to_owned()),
        ("geometry.blocks_per_way", blocks.to_string()),
        ("ftl.spare_blocks_per_way", (blocks / 4).to_string()),
        ("ftl.map_cache_bytes", (parts * (4096 - 32)).to_string()),
    ]
}

/// Cells of other numbers of bits than [`PLAIN`] has, on word lines few enough for a small drive.
fn cells(seed: u64, values: &Values) -> Vec<(&'static str, String)> {
    // Numbers of its own, so that what else is drawn stays what it is.
    let mut draw = Draw(seed ^ 0x1f83_d9ab_fb41_bd6b);
    let of = |key: &str| values.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value);
    if of("storage.medium").is_some() || !draw.once_in(4) {
        return Vec::new();
    }
    let (mode, bits) = draw.one_of(&[("mlc", 2), ("tlc", 3), ("tlc", 3), ("qlc", 4)]);
    let pages = of("flash.pages_per_physical_block").and_then(|pages| pages.parse().ok());
    // As many usable pages as with one bit of two, or a few more.
    let word_lines = (pages.unwrap_or(32) / 2u32).div_ceil(bits).max(4);
    let pairing = draw.one_of(&["adjacent", "shifted"]);
    let mut cells = vec![
        ("flash.cell_mode", mode.to_owned()),
        ("flash.cell_bits", bits.to_string()),
        ("flash.pages_per_physical_block", (word_lines * bits).to_string()),
        ("flash.pairing", pairing.to_owned()),
    ];
    let schedules = of("channel.scheduler").is_none_or(|scheduler| scheduler == "firmware");
    let program = draw.one_of(&["page", "one-shot", "two-pass"]);
    if schedules && pairing == "adjacent" && program != "page" {
        let buffer: u32 = of("ftl.buffer_kib").and_then(|kib| kib.parse().ok()).unwrap_or(512);
        cells.extend([
            ("flash.program", program.to_owned()),
            // Room for the units of a word line, and a buffer of a few.
            ("flash.metadata_bytes", "148".to_owned()),
            ("ftl.buffer_kib", (buffer * bits).to_string()),
        ]);
    }
    cells
}

/// Several namespaces, of which all but the last end where their last mapping unit does.
fn namespaces(seed: u64, values: &Values) -> Values {
    // Numbers of its own, so that what else is drawn stays what it is.
    let mut draw = Draw(seed ^ 0x1f83_d9ab_fb41_bd6b);
    let has_flash = values.iter().all(|(key, _)| key != "storage.medium");
    if !has_flash || !draw.once_in(4) {
        return Vec::new();
    }
    vec![("namespace.count".to_owned(), (2 + draw.below(4)).to_string())]
}

/// Chips whose planes act together, where the firmware schedules.
fn planes(seed: u64, values: &Values) -> Values {
    // Numbers of its own, so that what else is drawn stays what it is.
    let mut draw = Draw(seed ^ 0x9b05_688c_2b3e_6c1f);
    let of = |key: &str| values.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value);
    let schedules = of("channel.scheduler").is_none_or(|scheduler| scheduler == "firmware");
    if !schedules || of("storage.medium").is_some() || !draw.once_in(4) {
        return Vec::new();
    }
    let planes = draw.one_of(&[2, 2, 4]);
    let times = |key: &'static str| {
        let value = of(key).and_then(|value| value.parse::<u32>().ok()).unwrap_or(0);
        (key, (value * planes).to_string())
    };
    let own = [
        ("channel.merging", "planes".to_owned()),
        ("flash.planes", planes.to_string()),
        // Room for the units of all planes.
        ("flash.metadata_bytes", "216".to_owned()),
        times("geometry.blocks_per_way"),
        times("ftl.spare_blocks_per_way"),
        times("ftl.buffer_kib"),
    ]
    .map(|(key, value)| (key.to_owned(), value));
    // Some of the others do not go together with them.
    let all = [values.clone(), own.to_vec()].concat();
    if Board::resolve(PLAIN, &all).is_ok() {
        own.to_vec()
    } else {
        Vec::new()
    }
}

/// Chips that suspend a program or an erase for reads.
fn suspension(seed: u64, values: &Values) -> Vec<(&'static str, String)> {
    // Numbers of its own, so that what else is drawn stays what it is.
    let mut draw = Draw(seed ^ 0x5be0_cd19_137e_2179);
    let of = |key: &str| values.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value);
    let alone = ["storage.medium", "power_loss.capacitor_millijoules", "errors.hangs_per_billion"];
    let schedules = of("channel.scheduler").is_none_or(|scheduler| scheduler == "firmware");
    if !schedules || alone.iter().any(|key| of(key).is_some()) || !draw.once_in(3) {
        return Vec::new();
    }
    vec![
        ("flash.suspends", draw.one_of(&["1", "3", "255"]).to_owned()),
        ("flash.t_suspend_us", draw.one_of(&["0", "5", "100"]).to_owned()),
    ]
}

/// Divisions of the work that suit any number of channels.
const DIVISIONS: [&str; 4] =
    ["host; ftl; channels", "host, ftl; channels", "host, channels; ftl", "host; ftl, channels"];

/// How the work is divided on a board with several cores, whose channels are fewer in a small drive of it.
fn cores(seed: u64, board: &str) -> Result<Option<(String, String)>, BoardError> {
    if Board::resolve(board, &[])?.cores.count == 1 {
        return Ok(None);
    }
    // Numbers of its own, so that the other boards' drives stay what they are.
    let mut draw = Draw(seed ^ 0x2545_f491_4f6c_dd1d);
    let division = draw.one_of(&DIVISIONS);
    Ok(Some(("processor.cores".to_owned(), division.to_owned())))
}

/// Values that make a drive of a board: a small one of random sizes, times and policies where none is given, and
/// one of random sizes otherwise.
///
/// # Errors
/// When a board is given that is not there, or that no small drive can be made of.
pub fn values(seed: u64, board: Option<&str>, faults: Faults) -> Result<Values, NoDrive> {
    // Not the numbers that the plan draws.
    let mut draw = Draw(seed ^ 0x5bd1_e995_97f4_a7c5);
    draw.below(1);
    let cores = board.map_or(Ok(None), |board| cores(seed, board))?;
    let small = board.map(Small::of).transpose()?;
    let mut tries = 1..TRIES;
    loop {
        let mut all = sizes(&mut draw);
        if let Some(small) = &small {
            all = small.fit(all);
            all.extend(small.more(&mut draw));
        }
        if board.is_none() {
            all.extend(policies(&mut draw));
            all.extend(times(&mut draw));
        }
        if small.as_ref().is_none_or(Small::has_flash) {
            all.extend(errors(&mut draw, faults));
        }
        if let Some(small) = &small {
            small.leave_out(&mut all);
        }
        if board.is_none() {
            all.extend(collection(&mut draw));
            all.extend(memory(&mut draw));
            if faults.has(Fault::Hangs) {
                all.extend(hangs(&mut draw));
            }
            if faults.has(Fault::Bits) {
                all.extend(aging(&mut draw));
            }
            all.extend(wear(&mut draw));
        }
        let mut values: Values =
            all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if board.is_none() {
            values.extend(capacitor(&mut draw, PLAIN, &values));
            let named = |(key, value): (&str, String)| (key.to_owned(), value);
            values.extend(pages_and_blocks(&mut draw).into_iter().map(named));
            let units = units(&mut draw, &values);
            values.extend(units.into_iter().map(named));
            let of_map = part_of_map(&mut draw, &values);
            values.extend(of_map.into_iter().map(named));
            let cells = cells(seed, &values);
            values.extend(cells.into_iter().map(named));
            let suspension = suspension(seed, &values);
            values.extend(suspension.into_iter().map(named));
            let planes = planes(seed, &values);
            values.extend(planes);
            values.extend(by_name(seed));
            let namespaces = namespaces(seed, &values);
            values.extend(namespaces);
            let handles = handles(seed, PLAIN, &values);
            values.extend(handles);
            values.extend(retention(seed, faults, &values));
        }
        values.extend(cores.clone());
        drop_strangers(&mut values);
        let board = board.unwrap_or(PLAIN);
        match (Board::resolve(board, &values), tries.next()) {
            (Ok(_), _) => return Ok(values),
            // What was drawn does not go together.
            (Err(_), Some(_)) => {}
            (Err(last), None) => return Err(NoDrive::Draws { board: board.to_owned(), last }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_makes_a_drive_and_every_key_is_drawn() {
        let mut keys = std::collections::BTreeSet::new();
        for seed in 0..300 {
            let values = values(seed, None, Faults::all()).expect("a drive");
            keys.extend(values.into_iter().map(|(key, _)| key));
        }
        assert!(keys.len() > 25, "{keys:?}");
    }

    #[test]
    fn every_policy_is_drawn_and_every_key_of_one() {
        let mut drawn = std::collections::BTreeSet::new();
        for seed in 0..600 {
            drawn.extend(values(seed, None, Faults::all()).expect("a drive"));
        }
        for kind in KINDS {
            for (word, keys) in kind.words.iter().zip(kind.keys) {
                let pair = (kind.key.to_owned(), (*word).to_owned());
                assert!(drawn.contains(&pair), "{pair:?} is never drawn");
                for key in *keys {
                    let path = format!("{}{}", kind.prefix, key.name);
                    let values = drawn.iter().filter(|(key, _)| *key == path).count();
                    assert!(values > 1, "{path} is always the same");
                }
            }
        }
    }
}
