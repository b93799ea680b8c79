//! `repertoire`: the one binary.

mod client;
mod commands;
mod config;
mod data_folder;
mod disk;
mod exit;
mod output;
mod serve;
mod session;
mod wiring;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::main()
}
