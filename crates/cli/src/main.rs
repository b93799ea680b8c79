//! `repertoire`: the one binary.

mod client;
mod commands;
mod config;
mod data_folder;
mod disk;
mod exit;
mod hosts;
mod output;
mod python;
mod serve;
mod session;
mod stdio;
mod wiring;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The jail's first process must be single-threaded and alone: nothing else may come before this.
    if std::env::args_os().nth(1).is_some_and(|word| word == wiring::JAIL_COMMAND) {
        sandbox::jail_main();
    }
    commands::main()
}
