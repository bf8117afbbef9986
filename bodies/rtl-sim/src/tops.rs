//! The models that the build script made of the tops of `rtl/tops`, by their names in capitals.

use crate::model::{Direction, PortInfo, Top};
use std::ffi::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/tops.rs"));
