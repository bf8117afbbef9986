//! The command `monitor`: a drive that runs, or ran, in the terminal.

mod course;
mod plain;
mod player;
mod screen;

use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::time::{Duration, Instant};

use foreign::input;
use monitor::Reader;
use ratatui::crossterm::event::{self, Event};
use ratatui::DefaultTerminal;

use crate::arguments::MonitorArguments;
use crate::output::print;
use recipe::Failure;

use self::course::Course;
use self::player::{Asked, Player};

/// Real time between two pictures, and between two looks at the file.
const PICTURE: Duration = Duration::from_millis(40);
const LOOK: Duration = Duration::from_millis(200);

/// Shows the file on the terminal until the user quits; prints all of it together and its last interval
/// where standard output is none.
///
/// # Errors
/// When the file is not one of the monitor's, or the terminal fails.
pub fn watch(arguments: &MonitorArguments) -> Result<(), Failure> {
    let path = &arguments.file;
    let expected = "a file of run --monitor";
    let file = input::open(path).map_err(|error| Failure::file(path, &error, expected))?;
    let mut reader = Reader::new(BufReader::new(file));
    let mut course = Course::new();
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
    let (Some(header), Some(whole), Some(last)) = (reader.header(), course.whole(), course.last())
    else {
        return Err(Failure::unexpected(path.display(), "no whole interval", expected));
    };
    print(|out| plain::write(header, (whole, last), out))
}

fn show(
    terminal: &mut DefaultTerminal,
    (reader, course): (&mut Reader<BufReader<File>>, &mut Course),
    arguments: &MonitorArguments,
) -> Result<(), Failure> {
    let mut player = match arguments.follow {
        true => Player::following(),
        false => Player::ended(),
    };
    if !arguments.follow {
        player.go_to_end(course.intervals());
    }
    let (mut before, mut looked) = (Instant::now(), Instant::now());
    loop {
        let now = Instant::now();
        if arguments.follow && now - looked >= LOOK {
            course.read(reader, &arguments.file)?;
            looked = now;
        }
        player.advance(now - before, course.intervals());
        before = now;
        terminal
            .draw(|frame| screen::draw(frame, reader.header(), (course, &player)))
            .map_err(|error| terminal_failure(&error))?;
        if pressed(&mut player, course).map_err(|error| terminal_failure(&error))? == Asked::Quit {
            return Ok(());
        }
    }
}

/// Waits for a key as long as a picture stands, and does what it stands for.
fn pressed(player: &mut Player, course: &Course) -> io::Result<Asked> {
    if !event::poll(PICTURE)? {
        return Ok(Asked::GoOn);
    }
    match event::read()? {
        Event::Key(key) if key.is_press() => Ok(player.press(&key, course.intervals())),
        _ => Ok(Asked::GoOn),
    }
}

fn terminal_failure(error: &io::Error) -> Failure {
    Failure::unexpected("terminal", error, "one that can be drawn on")
}
