//! The screen: what the drive did in an interval or in all of the file, and how throughput came there.

use monitor::{Header, Interval};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Bar, BarChart, BarGroup, Block, Paragraph, Sparkline};
use ratatui::Frame;

use super::course::Course;
use super::plain::{figures, percent, rate, IDLE_POLLING};
use super::player::{Motion, Player, View};
use foreign::one_line;

/// Width of a cell of the utilisation map.
const CELL: usize = 4;
/// What keys do.
const KEYS: &str = "q quits, space plays, arrows and pages move, t totals, + - speed";
/// Width of the names left of it.
const ROW_NAME: usize = 4;

/// Draws everything; before the first interval, that there is none.
pub fn draw(frame: &mut Frame, header: Option<&Header>, (course, player): (&Course, &Player)) {
    let intervals = course.intervals();
    let index = player.index(intervals);
    let shown = match player.view {
        View::Whole => course.whole(),
        View::Interval => intervals.get(index),
    };
    let (Some(header), Some(last)) = (header, shown) else {
        frame.render_widget(Paragraph::new("waiting for the drive; q quits"), frame.area());
        return;
    };
    let [title, above, below] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(17), Constraint::Min(3)])
            .areas(frame.area());
    let [numbers, rates] =
        Layout::horizontal([Constraint::Percentage(64), Constraint::Percentage(36)]).areas(above);
    let [map, modules] =
        Layout::horizontal([Constraint::Percentage(64), Constraint::Percentage(36)]).areas(below);
    let Header { board, job_file, seed, .. } = header;
    let state = state(player, (index, intervals.len()));
    let text = one_line(&format!("{board}: {job_file} (seed {seed})   {state}   {KEYS}"));
    frame.render_widget(Paragraph::new(text), title);
    draw_figures(frame, (header, last, player.view), numbers);
    draw_rates(frame, &intervals[..=index], rates);
    draw_map(frame, (header, last), map);
    draw_modules(frame, (header, last), modules);
}

/// Where a replay stands.
fn state(player: &Player, (index, count): (usize, usize)) -> String {
    let place = match player.view {
        View::Whole => format!("all {count} intervals"),
        View::Interval => format!("interval {} of {count}", index + 1),
    };
    match player.motion {
        Motion::Playing => format!("{place}, {} a second", player.speed()),
        Motion::Paused => format!("{place}, paused"),
    }
}

fn draw_figures(frame: &mut Frame, (header, last, view): (&Header, &Interval, View), area: Rect) {
    let title = match view {
        View::Whole => "whole file",
        View::Interval => "interval",
    };
    let line = |(name, value): (&str, String)| {
        let name = Span::styled(format!("{name:<20}"), Style::new().fg(Color::DarkGray));
        Line::from(vec![name, Span::raw(value)])
    };
    let lines: Vec<Line> = figures(header, last).into_iter().map(line).collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

/// Throughput up to the interval that is shown.
fn draw_rates(frame: &mut Frame, intervals: &[Interval], area: Rect) {
    let [bytes, requests] = Layout::vertical([Constraint::Fill(1); 2]).areas(area);
    let columns = usize::from(area.width.saturating_sub(2));
    let moved = |interval: &Interval| {
        let counts = &interval.counts;
        interval.per_second(counts.read.bytes.saturating_add(counts.write.bytes))
    };
    let done = |interval: &Interval| interval.per_second(interval.counts.requests);
    let recent = &intervals[intervals.len().saturating_sub(columns)..];
    let throughput: Vec<u64> = recent.iter().map(moved).collect();
    let iops: Vec<u64> = recent.iter().map(done).collect();
    let now = |values: &[u64]| values.last().copied().unwrap_or(0);
    let title = format!("throughput {}", rate(now(&throughput)));
    draw_spark(frame, (title, throughput, Color::Blue), bytes);
    let title = format!("IOPS {}", now(&iops));
    draw_spark(frame, (title, iops, Color::Green), requests);
}

fn draw_spark(frame: &mut Frame, (title, values, color): (String, Vec<u64>, Color), area: Rect) {
    let line = Sparkline::default()
        .block(Block::bordered().title(title))
        .style(Style::new().fg(color))
        .data(values);
    frame.render_widget(line, area);
}

/// A row a channel: its bus, then its ways, each cell the share of time busy.
fn draw_map(frame: &mut Frame, (header, last): (&Header, &Interval), area: Rect) {
    let mut heads = format!("{:ROW_NAME$}{:>CELL$} ", "", "bus");
    (0..header.ways).for_each(|way| heads += &format!("{:>CELL$}", format!("w{way}")));
    let mut lines = vec![Line::styled(heads, Style::new().fg(Color::DarkGray))];
    for (nth, channel) in last.counts.channels.iter().enumerate() {
        let mut cells = vec![Span::raw(format!("{:ROW_NAME$}", format!("c{nth}")))];
        cells.push(cell(last.share(channel.busy_ps)));
        cells.push(Span::raw(" "));
        cells.extend(channel.ways_busy_ps.iter().map(|busy| cell(last.share(*busy))));
        lines.push(Line::from(cells));
    }
    let block = Block::bordered().title("busy, % (channel x way)");
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn cell(share: f64) -> Span<'static> {
    let color = match share {
        share if share < 0.05 => Color::DarkGray,
        share if share < 0.35 => Color::Blue,
        share if share < 0.7 => Color::Yellow,
        _ => Color::Red,
    };
    Span::styled(format!("{:>CELL$.0}", 100.0 * share), Style::new().fg(color))
}

fn draw_modules(frame: &mut Frame, (header, last): (&Header, &Interval), area: Rect) {
    let bars: Vec<Bar> = header
        .modules
        .iter()
        .map(|name| one_line(name))
        .zip(last.counts.modules_ps.iter().copied())
        .chain([(IDLE_POLLING.into(), last.counts.idle_ps)])
        .map(|(name, time_ps)| {
            let share = last.share(time_ps);
            let text = format!("{name:<18} {}", percent(share));
            Bar::default().value((1000.0 * share) as u64).text_value(text)
        })
        .collect();
    let chart = BarChart::default()
        .block(Block::bordered().title("firmware time"))
        .direction(ratatui::layout::Direction::Horizontal)
        .data(BarGroup::default().bars(&bars))
        .bar_width(1)
        .bar_gap(0)
        .max(1000)
        .bar_style(Style::new().fg(Color::Cyan))
        .value_style(Style::new().fg(Color::Black).bg(Color::Cyan));
    frame.render_widget(chart, area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use monitor::{ChannelUse, Counts, Moved, Outstanding};
    use ratatui::backend::TestBackend;
    use ratatui::Terminal;

    fn header() -> Header {
        Header {
            kind: monitor::KIND.to_owned(),
            version: monitor::VERSION,
            board: "made-up".to_owned(),
            job_file: "a\u{1b}[31m.fio".to_owned(),
            seed: 5,
            interval_ps: 1_000_000_000,
            origin_ps: 0,
            channels: 2,
            ways: 2,
            blocks_per_way: 8,
            pages_per_block: 8,
            page_bytes: 16_384,
            buffer_entries: 64,
            command_slots: 16,
            modules: vec!["issuer".to_owned(), "status checker".to_owned()],
            causes: report::Cause::ALL.map(|cause| cause.name().to_owned()).to_vec(),
        }
    }

    fn interval() -> Interval {
        let span_ps = 1_000_000_000;
        let channel = |busy_ps, way_ps| ChannelUse {
            busy_ps,
            read_bytes: 16_384,
            programmed_bytes: 0,
            ways_busy_ps: vec![way_ps, span_ps],
        };
        Interval {
            to_ps: span_ps,
            seen_ps: span_ps,
            span_ps,
            counts: Counts {
                read: Moved { requests: 50, bytes: 204_800, ..Moved::default() },
                requests: 50,
                outstanding: Outstanding { host: 8, drive: 7 },
                channels: vec![channel(420_000_000, 0), channel(800_000_000, 130_000_000)],
                modules_ps: vec![250_000_000, 500_000_000],
                ..Counts::default()
            },
            ..Interval::default()
        }
    }

    fn screen((width, height): (u16, u16), header: Option<&Header>, course: &Course) -> String {
        let mut player = Player::following();
        player.go_to_end(course.intervals());
        screen_of((width, height), header, (course, &player))
    }

    fn screen_of(
        (width, height): (u16, u16),
        header: Option<&Header>,
        shown: (&Course, &Player),
    ) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, header, shown)).unwrap();
        let buffer = terminal.backend().buffer();
        let symbols: Vec<_> = buffer.content().iter().map(|cell| cell.symbol()).collect();
        symbols.chunks(usize::from(width)).map(|row| row.concat() + "\n").collect()
    }

    #[test]
    fn everything_is_on_the_screen() {
        let mut course = Course::new();
        for nth in 0..3 {
            let (from_ps, to_ps) = (nth * 1_000_000_000, (nth + 1) * 1_000_000_000);
            course.push(Interval { from_ps, to_ps, ..interval() });
        }
        let shown = screen((110, 30), Some(&header()), &course);
        for text in [
            "made-up: a\\u{1b}[31m.fio (seed 5)",
            "q quits",
            "throughput 204.8 MB/s",
            "IOPS 50000",
            "███",
            "8 (7 in the drive)",
            "0 of 64 entries dirty",
            "bus   w0  w1",
            "c0    42    0 100",
            "c1    80   13 100",
            "issuer             25.0%",
            "status checker     50.0%",
            "write amplification -",
        ] {
            assert!(shown.contains(text), "{text:?} is not in\n{shown}");
        }
    }

    #[test]
    fn all_of_a_file_is_shown_together() {
        let mut course = Course::new();
        for nth in 0..3 {
            let (from_ps, to_ps) = (nth * 1_000_000_000, (nth + 1) * 1_000_000_000);
            course.push(Interval { from_ps, to_ps, ..interval() });
        }
        let mut player = Player::ended();
        player.go_to_end(course.intervals());
        let shown = screen_of((130, 30), Some(&header()), (&course, &player));
        for text in ["all 3 intervals, paused", "whole file", "3.000 ms", "50000 IOPS"] {
            assert!(shown.contains(text), "{text:?} is not in\n{shown}");
        }
    }

    #[test]
    fn a_drive_that_has_not_started_is_waited_for() {
        let shown = screen((40, 4), None, &Course::new());
        assert!(shown.starts_with("waiting for the drive; q quits"), "{shown}");
    }

    #[test]
    fn no_terminal_is_too_small() {
        let mut course = Course::new();
        course.push(interval());
        for size in [(1, 1), (2, 3), (20, 5), (300, 2), (3, 100)] {
            screen(size, Some(&header()), &course);
        }
    }
}
