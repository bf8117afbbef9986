//! Loads that an experiment has in place of a job: checked, with what they cost in comparison with others.

use board::Board;

use crate::areas::Asked;
use crate::error::{Fault, StudyError};
use crate::flash_load::{Load, Sequence};
use crate::plan::Work;
use crate::published::Published;
use crate::setup::{Precondition, Setup};
use crate::Study;

/// Requests of a job that take as long as to write and read a page of real bytes.
const REQUESTS_A_PAGE: f64 = 20.0;

/// The flash load of a setup.
pub(crate) fn flash(setup: &Setup, board: &Board) -> Result<(Work, f64), Fault> {
    let options = setup.flash.iter().map(|(option, value)| (option.as_str(), value.as_str()));
    refuse_precondition(setup, "a flash load")?;
    let load = Load::read(options).map_err(|error| {
        Fault::new(format!("flash.{}", error.option), format!("{:?}", error.found), error.expected)
    })?;
    if board.flash.fold.planes() > 1 {
        let found = format!("{} planes that act together", board.flash.fold.planes());
        return Err(Fault::new("channel.merging of a flash load", found, "none".to_owned()));
    }
    if board.firmware.programming.flash_pages > 1 {
        let found = "whole word lines".to_owned();
        return Err(Fault::new("flash.program of a flash load", found, "page".to_owned()));
    }
    let page_bytes = board.firmware.geometry.page_bytes;
    if page_bytes > crate::flash_load::MOST_PAGE_BYTES {
        let expected = format!("at most {}", crate::flash_load::MOST_PAGE_BYTES);
        let key = "geometry.page_bytes of a flash load";
        return Err(Fault::new(key, page_bytes.to_string(), expected));
    }
    let dies = board.firmware.geometry.dies();
    if let Some(die) = load.sequence.as_ref().map(Sequence::last_die) {
        if die >= dies {
            let expected = format!("dies below {dies}");
            return Err(Fault::new("flash.sequence", die.to_string(), expected));
        }
    }
    let cost = load.requests as f64;
    Ok((Work::Flash(load), cost))
}

/// The load of cells of a setup.
pub(crate) fn cells(setup: &Setup, board: &Board) -> Result<(Work, f64), Fault> {
    let options = setup.cells.iter().map(|(option, value)| (option.as_str(), value.as_str()));
    refuse_precondition(setup, "a load of cells")?;
    let fault = |error: crate::cell_load::LoadError| {
        Fault::new(format!("cells.{}", error.option), format!("{:?}", error.found), error.expected)
    };
    let load = crate::cell_load::Load::read(options).map_err(fault)?;
    load.check(board).map_err(fault)?;
    let pages = load.blocks * board.firmware.geometry.pages_per_block;
    Ok((Work::Cells(load), f64::from(pages) * REQUESTS_A_PAGE))
}

/// The look-up tables that a setup asks for.
pub(crate) fn area(study: &Study, setup: &Setup, name: &str) -> Result<Work, StudyError> {
    let refuse = |fault: Fault| study.fault(fault.below(name));
    refuse_precondition(setup, "a synthesis").map_err(refuse)?;
    let asked = Asked::read(&setup.area).map_err(refuse)?;
    let table = Published::read(&study.files, &asked.file)?;
    let place = |fault: Fault| fault.in_file(&study.files.path(&asked.file));
    Ok(Work::Area(asked.luts(&table).map_err(place)?))
}

/// No load has a use for what a drive holds.
fn refuse_precondition(setup: &Setup, load: &str) -> Result<(), Fault> {
    if setup.precondition == Precondition::None {
        return Ok(());
    }
    let expected = format!("none, as {load} has no use for what a drive holds");
    Err(Fault::new("precondition", "another than none", expected))
}
