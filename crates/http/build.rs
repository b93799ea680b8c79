//! Says when the web app that this crate carries has to be looked at again. It builds nothing: `make ui` does.

use std::path::Path;

fn main() {
    // While a folder that is watched is missing cargo would build anew every time; the one around it is there.
    let (built, around) = ("../../ui/dist", "../../ui");
    let watched = if Path::new(built).exists() { built } else { around };
    println!("cargo::rerun-if-changed={watched}");
}
