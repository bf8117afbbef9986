//! Keys of board files, section by section.

use board::{key_references, Board, KeyReference};

use recipe::Failure;

/// The board whose values are shown, from which the others inherit.
const SHOWN: &str = "cosmos-plus";

/// The table of a section, or of its keys from `KEY..` or up to `..KEY`.
///
/// # Errors
/// When there is no such section or key.
pub fn table(which: &str) -> Result<String, Failure> {
    let keys = key_references();
    let chosen = choose(&keys, which).filter(|chosen| !chosen.is_empty()).ok_or_else(|| {
        Failure::unexpected("board-keys", which, "a section of board files, KEY.. or ..KEY")
    })?;
    let board = Board::resolve(SHOWN, &[])
        .map_err(|error| Failure::unexpected(SHOWN, error, "a board that can be used"))?;
    let mut text = format!("| Key | Range | `{SHOWN}` | | Meaning |\n|---|---|---|---|---|\n");
    for key in chosen {
        let nature = if key.needs_source { "H" } else { "P" };
        text += &format!(
            "| `{}` | {} | {} | {nature} | {} |\n",
            key.name(),
            key.range,
            board.written(key.path).replace('"', ""),
            key.meaning
        );
    }
    Ok(text)
}

fn choose<'a>(keys: &'a [KeyReference], which: &str) -> Option<&'a [KeyReference]> {
    let place = |path: &str| keys.iter().position(|key| key.path == path);
    let section_of = |section: &str| {
        let first = keys.iter().position(|key| key.section() == section)?;
        let last = keys.iter().rposition(|key| key.section() == section)?;
        Some((first, last))
    };
    let (first, last) = match (which.strip_prefix(".."), which.strip_suffix("..")) {
        (Some(last), _) => {
            let last = place(last)?;
            (section_of(keys[last].section())?.0, last)
        }
        (_, Some(first)) => {
            let first = place(first)?;
            (first, section_of(keys[first].section())?.1)
        }
        _ => section_of(which)?,
    };
    keys.get(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_divided_at_a_key() {
        let keys = key_references();
        let names = |which: &str| -> Vec<&str> {
            choose(&keys, which).unwrap().iter().map(|key| key.name()).collect()
        };
        let whole = names("geometry");
        assert_eq!(whole, ["channels", "ways", "blocks_per_way", "page_bytes"]);
        assert_eq!(names("..geometry.ways"), whole[..2]);
        assert_eq!(names("geometry.blocks_per_way.."), whole[2..]);
        for nowhere in ["geometri", "geometry.ways", "..ways", "x..", ""] {
            assert!(choose(&keys, nowhere).is_none(), "{nowhere}");
        }
    }
}
