//! Writes records in a layout.

use std::io::{self, Write};

use super::{Column, Layout, Width};
use super::{ACTION, LENGTH, OFFSET, OP, RESPONSE, TEXT, TIME, VOLUME};
use crate::event::Event;
use crate::order::Within;
use crate::record::{Kind, Record, UNKNOWN};

impl Layout {
    /// What stands in each column of a record, or of the heading, if there is none.
    fn columns_of(&self, of: impl Fn(usize) -> String) -> Vec<String> {
        let (Width::Exactly(width) | Width::AtLeast(width)) = self.width;
        let mut line = vec!["0".to_owned(); usize::from(width)];
        for (role, column) in self.columns.iter().enumerate() {
            match column {
                None => {}
                Some(Column::At(nth)) => line[usize::from(*nth)] = of(role),
                Some(Column::Named(_)) => line.push(of(role)),
            }
        }
        line
    }

    /// The heading; none if no column has a name.
    pub(crate) fn heading(&self) -> Option<String> {
        let name = |role: usize| match &self.columns[role] {
            Some(Column::Named(name)) => name.clone(),
            _ => "-".to_owned(),
        };
        let is_named = |column: &Option<Column>| matches!(column, Some(Column::Named(_)));
        self.columns.iter().any(is_named).then(|| self.joined(&self.columns_of(name)))
    }

    fn joined(&self, columns: &[String]) -> String {
        columns.join(&self.separator.text().to_string())
    }

    /// Writes a record. False if the layout has no such requests.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(crate) fn write(
        &self,
        event: Event,
        record: &Record,
        out: &mut impl Write,
    ) -> io::Result<bool> {
        let Some(op) = self.op(record.kind) else { return Ok(false) };
        let response_ns = if record.response_ns == UNKNOWN { 0 } else { record.response_ns };
        let time_ns = match self.within {
            Within::Arrival => record.time_ns,
            Within::Completion => record.time_ns.saturating_add(response_ns),
        };
        let value = |role: usize| match role {
            TIME => units(time_ns, self.time_unit.ps()),
            OP => op.to_owned(),
            OFFSET => (record.offset / self.offset_bytes).to_string(),
            LENGTH => record.length.div_ceil(self.length_bytes).to_string(),
            VOLUME => record.volume.to_string(),
            RESPONSE => units(response_ns, self.response_unit.ps()),
            ACTION => char::from(event.letter()).to_string(),
            TEXT => "firmament".to_owned(),
            _ => "0".to_owned(),
        };
        writeln!(out, "{}", self.joined(&self.columns_of(value)))?;
        Ok(true)
    }

    /// What stands for a kind; none if nothing does.
    fn op(&self, kind: Kind) -> Option<&str> {
        if self.values.iter().any(|values| !values.is_empty()) {
            return self.values[kind as usize].first().map(String::as_str);
        }
        match kind {
            Kind::Read => Some("R"),
            Kind::Write => Some("W"),
            Kind::Trim | Kind::Flush => None,
        }
    }
}

/// Nanoseconds in a unit of so many picoseconds: with a point if the unit is longer than a nanosecond.
fn units(ns: u64, unit_ps: u64) -> String {
    let ps = u128::from(ns) * 1000;
    let unit = u128::from(unit_ps);
    if unit_ps <= 1000 {
        return (ps / unit).to_string();
    }
    let fraction = ps % unit * 1_000_000_000_000 / unit;
    format!("{}.{:09}", ps / unit, fraction / 1000)
}
