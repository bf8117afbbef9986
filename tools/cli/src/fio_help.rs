//! What `--cmdhelp` and `--enghelp` tell: what becomes of fio's options and engines.

use std::io::{self, Write};

use host::job;
use recipe::Failure;

use crate::output::print;

/// Tells of one option, or of `all`.
///
/// # Errors
/// When fio has no such option.
pub fn tell(name: &str) -> Result<(), Failure> {
    let all = options();
    if name == "all" || name.is_empty() {
        return print(|out| all.iter().try_for_each(|option| option.write_line(out)));
    }
    let is_meant = |option: &&Known| {
        option.name == name || job::aliases_of(option.name).any(|alias| alias == name)
    };
    match all.iter().find(is_meant) {
        Some(option) => print(|out| option.write(out)),
        None => {
            let nearest = job::nearest_option(name);
            let expected = nearest.map_or_else(|| "an option of fio's".to_owned(), str::to_owned);
            Err(Failure::unexpected("--cmdhelp", format!("{name:?}"), &expected))
        }
    }
}

/// Tells of all I/O engines, of the options of one, or of an option: `libaio,cmdprio`.
///
/// # Errors
/// When fio has no such engine, or the engine no such option.
pub fn tell_engine(asked: &str) -> Result<(), Failure> {
    let engines = job::engines();
    if asked == "all" || asked.is_empty() {
        return print(|out| {
            engines
                .iter()
                .try_for_each(|known| writeln!(out, "{:<20} {}", known.name, known.becomes))
        });
    }
    let (name, option) = match asked.split_once(',') {
        Some((name, option)) => (name, Some(option)),
        None => (asked, None),
    };
    let Some(known) = engines.iter().find(|known| known.name == name) else {
        let expected = "an I/O engine of fio's; --enghelp lists them";
        return Err(Failure::unexpected("--enghelp", format!("{name:?}"), expected));
    };
    match option {
        Some(option) if known.options.contains(&option) => tell(option),
        Some(option) => {
            let expected = match known.options.as_slice() {
                [] => format!("no option, as {name} has none of its own"),
                options => options.join(", "),
            };
            Err(Failure::unexpected("--enghelp", format!("{option:?}"), &expected))
        }
        None => print(|out| {
            writeln!(out, "{name}: {}", known.becomes)?;
            let all = options();
            let own = all.iter().filter(|option| known.options.contains(&option.name));
            own.into_iter().try_for_each(|option| option.write_line(out))
        }),
    }
}

/// An option, and what becomes of it.
struct Known {
    name: &'static str,
    becomes: String,
}

impl Known {
    fn write_line(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{:<28} {}", self.name, self.becomes)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}: {}", self.name, self.becomes)?;
        let aliases: Vec<_> = job::aliases_of(self.name).collect();
        if !aliases.is_empty() {
            writeln!(out, "  also called {}", aliases.join(", "))?;
        }
        if let Some(engines) = job::only_engines(self.name) {
            writeln!(out, "  only with ioengine={}", engines.join(" or "))?;
        }
        Ok(())
    }
}

/// All options in the order of their names.
fn options() -> Vec<Known> {
    let each = |names: &'static [&'static str], becomes: String| {
        names.iter().map(move |name| Known { name, becomes: becomes.clone() })
    };
    let honoured = job::honoured()
        .flat_map(|group| each(group.names, format!("acted on ({})", group.about.to_lowercase())));
    let ignored = job::ignored()
        .flat_map(|group| each(group.names, format!("changes nothing: {}", group.about)));
    let refused = job::refused().map(|option| Known {
        name: option.name,
        becomes: match option.taken {
            [] => "refused: it would change the result and is not modelled".to_owned(),
            taken => format!(
                "refused, but for {}: it would change the result and is not modelled",
                taken.join(" and ")
            ),
        },
    });
    let mut all: Vec<Known> = honoured.chain(ignored).chain(refused).collect();
    all.sort_by_key(|option| option.name);
    all
}
