//! Prints what the program memory of a board's FPGA starts with: `fpga-program firmament-ulx3s > program.hex`.

use board::Board;
use rtl_sim::drive::fpga::FpgaDrive;
use std::env;
use std::process::exit;

fn main() {
    let name = env::args().nth(1).unwrap_or_else(|| "firmament-ulx3s".to_owned());
    let board = Board::resolve(&name, &[]).map_err(|error| error.to_string());
    match board.and_then(|board| FpgaDrive::new(&board)?.program()) {
        Ok(text) => print!("{text}"),
        Err(line) => {
            eprintln!("fpga-program: {line}");
            exit(2)
        }
    }
}
