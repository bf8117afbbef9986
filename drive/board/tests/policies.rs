//! Policies of the firmware, and their own keys, as boards name them.

use std::fs;
use std::path::Path;

use board::Board;
use contract::{Settings, VictimPolicy, WearPolicy};

/// A file beside others that boards inherit, with this section `[ftl]`.
fn file(folder: &Path, (name, inherits): (&str, &str), ftl: &str) -> String {
    let path = folder.join(name);
    let text = format!("inherits = \"{inherits}\"\ndescription = \"one\"\n[ftl]\n{ftl}\n");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn set(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test]
fn a_policy_has_the_values_that_are_stated_and_defaults_for_the_others() {
    let overrides = [set("ftl.victim", "d-choices"), set("ftl.victim_seed", "77")];
    let board = Board::resolve("small", &overrides).unwrap();
    assert_eq!(board.firmware.policies.victim, VictimPolicy::DChoices.with([10, 77]));
    let board = Board::resolve("small", &[set("ftl.wear_levelling", "static")]).unwrap();
    assert_eq!(board.firmware.policies.wear, WearPolicy::Threshold.with([20]));
    assert_eq!(board.firmware.policies.victim.settings, Settings::of([]));
    // What nobody uses is not printed, so that what is printed can be read again.
    let printed = board.to_toml();
    assert!(printed.contains("wear_spread = 20") && !printed.contains("victim_seed"), "{printed}");
    let read = Board::parse("elsewhere.toml", &printed).unwrap();
    assert_eq!(read.firmware, board.firmware);
}

#[test]
fn a_key_of_a_policy_that_is_not_chosen_is_refused_where_it_is_stated() {
    let words = contract::ReplacementPolicy::WORDS;
    let refused = |overrides: &[(String, String)]| {
        let line = Board::resolve("small", overrides).unwrap_err().to_string();
        assert_eq!(line.lines().count(), 1, "{line}");
        line
    };
    assert_eq!(
        refused(&[set("ftl.victim_choices", "3")]),
        "--set: ftl.victim_choices: found 3, expected no such key, as ftl.victim is \"greedy\""
    );
    assert_eq!(
        refused(&[set("ftl.victim_choices", "3"), set("ftl.victim", "random")]),
        "--set: ftl.victim_choices: found 3, expected no such key, as ftl.victim is \"random\""
    );
    assert_eq!(
        refused(&[set("ftl.replacement", "clean-first"), set("ftl.replacement_window", "1025")]),
        "--set: ftl.replacement_window: found 1025, expected a whole number from 1 to 1024"
    );
    assert_eq!(
        refused(&[set("ftl.replacement_windows", "3")]),
        "--set: ftl.replacement_windows: found an unknown key, expected one such as ftl.replacement_window"
    );
    assert_eq!(
        refused(&[set("ftl.replacement", "mru")]),
        format!("--set: ftl.replacement: found \"mru\", expected one of {}", words.join(", "))
    );
}

#[test]
fn a_key_that_was_stated_for_a_policy_below_is_left_out() {
    let folder = std::env::temp_dir().join(format!("firmament-policies-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let below = "victim = \"d-choices\"\nvictim_choices = 5\nvictim_seed = 6";
    let below = file(&folder, ("below.toml", "small"), below);
    let above = file(&folder, ("above.toml", "below"), "victim = \"random\"");
    let victim = |board: &str, overrides: &[(String, String)]| {
        Board::resolve(board, overrides).map(|board| board.firmware.policies.victim)
    };
    assert_eq!(victim(&below, &[]), Ok(VictimPolicy::DChoices.with([5, 6])));
    // Both have a seed.
    assert_eq!(victim(&above, &[]), Ok(VictimPolicy::Random.with([6])));
    let greedy = [set("ftl.victim", "greedy")];
    assert_eq!(victim(&below, &greedy), Ok(VictimPolicy::Greedy.with([])));
    let plain = Board::resolve("small", &[]).unwrap();
    assert_eq!(Board::resolve(&below, &greedy).unwrap().sha256(), plain.sha256());
    let beside = file(&folder, ("beside.toml", "below"), "victim = \"random\"\nvictim_choices = 4");
    let line = victim(&beside, &[]).unwrap_err().to_string();
    assert!(line.ends_with("beside.toml: ftl.victim_choices: found 4, expected no such key, as ftl.victim is \"random\""), "{line}");
    fs::remove_dir_all(&folder).unwrap();
}
