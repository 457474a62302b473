//! The program as a file of its own; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    plackett_cli::run(std::env::args_os()).into()
}
