//! The models that the build script made, one a file of `rtl/tops`, named like it in capitals.

use crate::model::{Direction, PortInfo, Top};
use std::ffi::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/tops.rs"));
