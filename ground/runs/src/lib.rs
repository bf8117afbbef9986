//! What many runs have in common, whatever they are of: they are done [side by side](pool), their figures are known
//! [more or less well](confidence), and the [least sum of squares](least_squares) determines parameters.

pub mod confidence;
pub mod least_squares;
pub mod pool;
