//! The fit: values first, then what is known of them.

use std::path::Path;

use host::{Preconditioning, Stop};
use runs::least_squares::{Ended, Place, Problem, Range};

use crate::analysis::{places, Analysis};
use crate::error::FitError;
use crate::measurement::Measurement;
use crate::outcome::{self, Outcome};
use crate::parameter::{usual, Parameter, Wanted};
use crate::simulated::{Counted, Halt, Setting, Simulated};

/// Most rounds of a fit, and of one that follows a change of a listed value.
const ROUNDS: u32 = 40;
const ROUNDS_BESIDE: u32 = 8;
/// Places that a fit begins at, the base among them, as long as figures are farther off than so many of their errors.
const STARTS: u32 = 4;
const NEAR: f64 = 2.0;
/// How often keys may be found to be unknown, and others fitted without them.
const LOOKS: usize = 3;
/// Share of the sum of squares that another listed value has to gain.
const GAIN: f64 = 0.02;
/// By how much the sum of squares may grow when keys go back to the base's values: what lies within an interval of 95 %.
const MAY_GROW: f64 = 3.84;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Name or path of the base board.
    pub base: &'a str,
    /// What replaces values of it.
    pub overrides: &'a [(String, String)],
    /// The keys that are fitted; the usual ones if there are none.
    pub wanted: &'a [Wanted],
    /// What drives hold before each job.
    pub precondition: Preconditioning,
    /// Seed of every random choice.
    pub seed: u64,
    /// Fewest requests of a job, unless the measurement has fewer.
    pub requests: u64,
    /// Most runs.
    pub runs: u64,
    /// How far a measured rate may be off by chance, as a share.
    pub error: f64,
    /// Runs that are done side by side.
    pub threads: usize,
    /// Ends it.
    pub stop: &'a Stop,
}

/// How far a fit has come.
pub type Progress<'a> = dyn FnMut(u64) + 'a;

/// Fits a board to measurements. `progress` is told how many runs are done.
///
/// # Errors
/// When board, keys and measurements do not go together, a run fails, or it was ended.
pub fn fit(
    asked: Asked<'_>,
    measurements: &[Measurement],
    progress: &mut Progress<'_>,
) -> Result<Outcome, FitError> {
    let Asked { base, overrides, precondition, seed, requests, threads, stop, .. } = asked;
    let setting = Setting { base, overrides, precondition, seed, requests, threads, stop };
    let board = setting.board(&[]).map_err(FitError::Input)?;
    let resolves = |more: &[(String, String)]| setting.board(more).map(drop);
    let usual = usual(&board);
    let wanted = if asked.wanted.is_empty() { &usual } else { asked.wanted };
    distinct(wanted)?;
    let parameters: Result<Vec<Parameter>, FitError> =
        wanted.iter().map(|own| Parameter::new(own, &board, &resolves)).collect();
    let simulated = Simulated::new(setting, parameters?, (measurements, asked.error), progress);
    let mut search = Search::new(simulated, asked.runs)?;
    let found = search.all().map_err(|halt| match halt {
        Halt::Error(error) => error,
        Halt::OutOfRuns => unreachable!("runs were kept back for what has to be done"),
    })?;
    Ok(outcome::of((&asked, &board), measurements, (&search.simulated, found)))
}

/// Refuses a key that is named twice.
fn distinct(wanted: &[Wanted]) -> Result<(), FitError> {
    let mut keys: Vec<&String> = wanted.iter().flat_map(|own| &own.keys).collect();
    keys.sort();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(FitError::unexpected(format!("--fit: {}", pair[0]), "it twice", "it once"))
        }
        None => Ok(()),
    }
}

/// What a search found.
pub(crate) struct Found {
    pub place: Place,
    pub analysis: Analysis,
    /// Which keys are as the base has them because nothing says otherwise.
    pub kept: Vec<bool>,
    /// Figures at the start and at the end, by target.
    pub figures: [Vec<f64>; 2],
    /// Whether the search ended by itself, and not because the runs were used up.
    pub converged: bool,
}

/// A search for the best place.
struct Search<'a> {
    simulated: Simulated<'a>,
    /// All runs that may be done.
    most: u64,
    /// Runs of a board.
    of_board: u64,
    /// Runs that a look at what is known takes.
    look: u64,
    converged: bool,
}

impl<'a> Search<'a> {
    fn new(simulated: Simulated<'a>, most: u64) -> Result<Self, FitError> {
        let of_board = simulated.runs_of_board();
        let look = of_board * places(simulated.parameters.len());
        // The start, a look at the keys, going back to the base's values, and another look.
        let least = of_board + 2 * (look + of_board);
        if most < least {
            let keys = counted(simulated.parameters.len() as u64, "key");
            let files = counted(of_board, "file");
            let expected = format!("at least {least}, for {keys} and {files}");
            return Err(FitError::unexpected("--runs", most, expected));
        }
        Ok(Search { simulated, most, of_board, look, converged: true })
    }

    /// What is known of the keys at a place. Whatever is done before leaves the runs for it.
    fn look(&mut self, here: &Place) -> Result<Analysis, Halt> {
        self.simulated.limit = self.most;
        Analysis::at(&mut self.simulated, here)
    }

    fn all(&mut self) -> Result<Found, Halt> {
        let start = self.simulated.start();
        self.simulated.limit = self.most - 2 * (self.look + self.of_board);
        let free = vec![true; start.len()];
        let mut here = self.from(&start, &free)?;
        for other in self.other_starts() {
            if self.is_near(&here)? {
                break;
            }
            match self.from(&other, &free) {
                Err(Halt::OutOfRuns) => break,
                found => {
                    let found = found?;
                    if self.cost(&found)? < self.cost(&here)? {
                        here = found;
                    }
                }
            }
        }
        here = self.listed(here, &free)?;
        let mut kept = vec![false; start.len()];
        let mut analysis = self.look(&here)?;
        for _ in 0..LOOKS {
            let now = analysis.kept();
            if now == kept
                || self.simulated.runs + self.look + self.of_board > self.most - self.look
            {
                break;
            }
            let Some((back, now)) = self.go_back(&here, (&kept, &now, &analysis))? else { break };
            let is_new = now != kept;
            (here, kept) = (back, now);
            if !is_new {
                break;
            }
            analysis = self.look(&here)?;
        }
        self.simulated.limit = self.most;
        let figures = self.simulated.figures(&[start, here.clone()])?;
        let figures = figures.into_iter().map(|own| own.expect("there is a board"));
        let [before, after] =
            <[Vec<f64>; 2]>::try_from(figures.collect::<Vec<_>>()).expect("there are two places");
        let converged = self.converged;
        Ok(Found { place: here, analysis, kept, figures: [before, after], converged })
    }

    /// The best place that is found from one: first by what changes evenly, then by all figures.
    fn from(&mut self, start: &Place, free: &[bool]) -> Result<Place, Halt> {
        self.simulated.counted = Counted::Means;
        let near = self.fit_around(start, free, ROUNDS);
        self.simulated.counted = Counted::All;
        self.fit_around(&near?, free, ROUNDS)
    }

    /// Whether figures are as near as their errors allow.
    fn is_near(&mut self, here: &Place) -> Result<bool, Halt> {
        let count = self.simulated.targets.len() as f64;
        Ok((self.cost(here)? / count).sqrt() <= NEAR)
    }

    /// Other places to begin at, spread over the ranges; listed values as the base has them.
    fn other_starts(&self) -> Vec<Place> {
        let ranges: Vec<Range> = self.simulated.parameters.iter().map(Parameter::range).collect();
        let others = runs::least_squares::spread(&ranges, STARTS).into_iter().skip(1);
        let place = |others: Vec<Range>| {
            let all = self.simulated.parameters.iter().zip(&ranges).zip(others);
            let own = all.map(|((parameter, base), other)| match parameter.is_listed() {
                true => base.start,
                // Half way: the outermost values are seldom those of a drive.
                false => base.start + (other.start - base.start) / 2,
            });
            own.collect::<Place>()
        };
        others.map(place).filter(|place| self.simulated.has_board(place)).collect()
    }

    /// Brings keys that are to be kept back to the base's values, all at once or else one by one, and tells which are; none if
    /// none can be.
    fn go_back(
        &mut self,
        here: &Place,
        (before, now, analysis): (&[bool], &[bool], &Analysis),
    ) -> Result<Option<(Place, Vec<bool>)>, Halt> {
        if let Some(back) = self.with_kept(here, now)? {
            return Ok(Some((back, now.to_vec())));
        }
        // Those that move least come first.
        let mut order = analysis.unsure();
        order.sort_by(|a, b| analysis.squares(*a).total_cmp(&analysis.squares(*b)));
        let mut kept: Vec<bool> =
            before.iter().zip(now).map(|(before, now)| *before && *now).collect();
        let mut found = None;
        for nth in order {
            let mut more = kept.clone();
            more[nth] = true;
            if more == kept || analysis.leaves_none(&more, nth) {
                continue;
            }
            if let Some(back) = self.with_kept(found.as_ref().unwrap_or(here), &more)? {
                (found, kept) = (Some(back), more);
            }
        }
        Ok(found.map(|place| (place, kept)))
    }

    /// The best place with these keys at the base's values; none if it is much worse, or there are no runs left to look.
    fn with_kept(&mut self, here: &Place, kept: &[bool]) -> Result<Option<Place>, Halt> {
        let start = self.simulated.start();
        let back = here.iter().zip(&start).zip(kept);
        let back: Place =
            back.map(|((here, start), kept)| if *kept { *start } else { *here }).collect();
        self.simulated.limit = self.most - self.look;
        if !self.simulated.has_board(&back) {
            return Ok(None);
        }
        let free: Vec<bool> = kept.iter().map(|kept| !kept).collect();
        let converged = self.converged;
        let best = match self.fit_around(&back, &free, ROUNDS) {
            Err(Halt::OutOfRuns) => {
                self.converged = converged;
                return Ok(None);
            }
            best => best?,
        };
        let (before, after) = (self.cost(here)?, self.cost(&best)?);
        let scale = (before / self.simulated.targets.len() as f64).max(1.0);
        Ok((after <= before + MAY_GROW * scale).then_some(best))
    }

    /// The sum of squares at a place.
    fn cost(&mut self, place: &Place) -> Result<f64, Halt> {
        let residuals = self.simulated.residuals(std::slice::from_ref(place))?;
        Ok(residuals[0].iter().map(|residual| residual * residual).sum())
    }

    /// Tries the neighbours of listed values, each with the other keys fitted anew, until none is better.
    fn listed(&mut self, mut here: Place, free: &[bool]) -> Result<Place, Halt> {
        loop {
            let mut best: Option<(f64, Place)> = None;
            for nth in 0..here.len() {
                let Range { low, high, .. } = self.simulated.parameters[nth].range();
                let is_listed = self.simulated.parameters[nth].is_listed();
                for by in if is_listed { vec![-1, 1] } else { vec![] } {
                    let mut beside = here.clone();
                    beside[nth] += by;
                    let inside = (low..=high).contains(&beside[nth]);
                    if !inside || !self.simulated.has_board(&beside) {
                        continue;
                    }
                    let found = match self.fit_around(&beside, free, ROUNDS_BESIDE) {
                        Err(Halt::OutOfRuns) => return Ok(here),
                        found => found?,
                    };
                    let cost = self.cost(&found)?;
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, found));
                    }
                }
            }
            let before = self.cost(&here)?;
            match best {
                Some((cost, found)) if cost < before * (1.0 - GAIN) => here = found,
                _ => return Ok(here),
            }
        }
    }

    /// The best place near one, along the free keys whose values are no list. If the runs are used up it is the best of them.
    fn fit_around(&mut self, place: &Place, free: &[bool], rounds: u32) -> Result<Place, Halt> {
        let moving: Vec<usize> = (0..place.len())
            .filter(|nth| free[*nth] && !self.simulated.parameters[*nth].is_listed())
            .collect();
        let ranges: Vec<Range> = moving
            .iter()
            .map(|nth| Range { start: place[*nth], ..self.simulated.parameters[*nth].range() })
            .collect();
        let mut part =
            Part { simulated: &mut self.simulated, whole: place.clone(), moving, best: None };
        match runs::least_squares::fit(&ranges, rounds, &mut part) {
            Ok(fitted) => {
                self.converged &= fitted.ended == Ended::Converged || rounds < ROUNDS;
                Ok(part.whole_at(&fitted.place))
            }
            Err(Halt::OutOfRuns) => {
                let best = part.best.take().map(|(_, place)| place);
                self.converged = false;
                best.ok_or(Halt::OutOfRuns)
            }
            Err(halt) => Err(halt),
        }
    }
}

/// So many of something.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Some of the parameters, while the others stay.
struct Part<'a, 'b> {
    simulated: &'b mut Simulated<'a>,
    /// Where all are.
    whole: Place,
    /// Those that move.
    moving: Vec<usize>,
    /// The best place so far, with its sum of squares.
    best: Option<(f64, Place)>,
}

impl Part<'_, '_> {
    fn whole_at(&self, place: &[i64]) -> Place {
        let mut whole = self.whole.clone();
        for (nth, place) in self.moving.iter().zip(place) {
            whole[*nth] = *place;
        }
        whole
    }
}

impl Problem for Part<'_, '_> {
    type Error = Halt;

    fn residuals(&mut self, places: &[Place]) -> Result<Vec<Vec<f64>>, Halt> {
        let wholes: Vec<Place> = places.iter().map(|place| self.whole_at(place)).collect();
        let residuals = self.simulated.residuals(&wholes)?;
        for (whole, residuals) in wholes.into_iter().zip(&residuals) {
            let cost: f64 = residuals.iter().map(|residual| residual * residual).sum();
            if self.best.as_ref().is_none_or(|(least, _)| cost < *least) {
                self.best = Some((cost, whole));
            }
        }
        Ok(residuals)
    }
}

/// The files that measurements come from, in their order.
pub(crate) fn files(measurements: &[Measurement]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for measurement in measurements {
        let name = Path::new(&measurement.file).file_name();
        let name = name.map_or(measurement.file.as_str().into(), |name| name.to_string_lossy());
        let name = name.escape_debug().to_string();
        if !files.contains(&name) {
            files.push(name);
        }
    }
    files
}
