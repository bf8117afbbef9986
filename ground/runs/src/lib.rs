//! What many runs have in common, whatever they are of: [how well](confidence) figures are known, and which parameters the
//! [least sum of squares](least_squares) determines.

pub mod confidence;
pub mod least_squares;
