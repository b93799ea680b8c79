//! Compiles `src/lockdown` a second time, as the shared library that the Python fork server loads.

use std::env::var;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lockdown");
    let place = |name: &str| var(name).unwrap_or_else(|_| panic!("cargo must set {name}"));
    let output = format!("{}/lockdown.so", place("OUT_DIR"));
    let mut compiler = Command::new(place("RUSTC"));
    compiler
        .args(["--crate-name", "lockdown", "--crate-type", "cdylib", "--edition", "2024"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "lto=fat", "-C", "strip=symbols"])
        .args(["--cap-lints", "allow", "--target", &place("TARGET"), "-o", &output])
        .arg("src/lockdown/mod.rs");
    if let Ok(linker) = var("RUSTC_LINKER") {
        compiler.arg("-C").arg(format!("linker={linker}"));
    }
    let status = compiler.status().unwrap_or_else(|error| panic!("rustc does not start: {error}"));
    assert!(status.success(), "src/lockdown does not compile as a library");
}
