//! The command `monitor`: a drive that runs, or ran, in the terminal.

mod course;
mod plain;
mod screen;

use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::time::Duration;

use monitor::Reader;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::DefaultTerminal;

use crate::arguments::MonitorArguments;
use crate::failure::Failure;
use crate::output::print;

use self::course::Course;

/// Real time between two looks at the file.
const LOOK: Duration = Duration::from_millis(200);

/// Shows the file on the terminal until the user quits; prints its last interval where standard
/// output is none.
///
/// # Errors
/// When the file is not one of the monitor's, or the terminal fails.
pub fn watch(arguments: &MonitorArguments) -> Result<(), Failure> {
    let path = &arguments.file;
    let expected = "a file of run --monitor";
    let file = File::open(path).map_err(|error| Failure::file(path, &error, expected))?;
    let mut reader = Reader::new(BufReader::new(file));
    let mut course = Course::default();
    course.read(&mut reader, path)?;
    if io::stdout().is_terminal() {
        if reader.header().is_none() && !arguments.follow {
            return Err(Failure::unexpected(path.display(), "no whole line", expected));
        }
        let mut terminal = ratatui::try_init().map_err(|error| terminal_failure(&error))?;
        let shown = show(&mut terminal, (&mut reader, &mut course), arguments);
        ratatui::restore();
        return shown;
    }
    let (Some(header), Some(last)) = (reader.header(), course.last()) else {
        return Err(Failure::unexpected(path.display(), "no whole interval", expected));
    };
    print(|out| plain::write(header, last, out))
}

fn show(
    terminal: &mut DefaultTerminal,
    (reader, course): (&mut Reader<BufReader<File>>, &mut Course),
    arguments: &MonitorArguments,
) -> Result<(), Failure> {
    loop {
        if arguments.follow {
            course.read(reader, &arguments.file)?;
        }
        terminal
            .draw(|frame| screen::draw(frame, reader.header(), course))
            .map_err(|error| terminal_failure(&error))?;
        let asked = event::poll(LOOK).and_then(|is_there| match is_there {
            true => event::read().map(|event| is_quit(&event)),
            false => Ok(false),
        });
        if asked.map_err(|error| terminal_failure(&error))? {
            return Ok(());
        }
    }
}

fn is_quit(event: &Event) -> bool {
    let Event::Key(KeyEvent { code, modifiers, .. }) = event else { return false };
    match code {
        KeyCode::Char('q') | KeyCode::Esc => true,
        KeyCode::Char('c') => modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

fn terminal_failure(error: &io::Error) -> Failure {
    Failure::unexpected("terminal", error, "one that can be drawn on")
}
