//! What reports, studies, timelines and statistics of traces look like: one set of colours, one way to draw, one skeleton of a page.
//!
//! Drawn pictures are SVG: a [`Figure`] of curves, small [`panels`] beside each other, [`Parallel`] axes, [`bars`], or what a caller draws on a [`Sheet`] itself. A [`Plot`] is given to a
//! script in the page, which draws it so that a reader can zoom and choose. A [`Page`] is HTML that needs nothing beside itself. A
//! [`fragment`] is a part of another's page. Nothing here knows of drives.

mod axis;
pub mod bars;
pub mod canvas;
mod figure;
mod fragment;
mod legend;
mod marker;
pub mod number;
mod page;
pub mod palette;
mod panel;
mod parallel;
mod plot;

pub use axis::AxisScale;
pub use canvas::Sheet;
pub use figure::{Curve, Figure};
pub use fragment::{fragment, Picture};
pub use page::{drawn, drawn_over_time, Page, TimeSpan};
pub use palette::Ink;
pub use panel::{panels, Emphasis, Panel};
pub use parallel::{Dimension, Parallel};
pub use plot::{short, Axis, Band, Line, Mark, Plot, Scale, Stroke, Unit};
