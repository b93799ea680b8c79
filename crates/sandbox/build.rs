//! Compiles `src/lockdown` a second time, as the shared library that the Python fork server loads.

#![allow(clippy::disallowed_methods)] // cargo speaks to build scripts through the environment

use std::env::var;
use std::error::Error;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/lockdown");
    let output = format!("{}/lockdown.so", var("OUT_DIR")?);
    let mut compiler = Command::new(var("RUSTC")?);
    compiler
        .args(["--crate-name", "lockdown", "--crate-type", "cdylib", "--edition", "2024"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "lto=fat", "-C", "strip=symbols"])
        .args(["--cap-lints", "allow", "--target", &var("TARGET")?, "-o", &output])
        .arg("src/lockdown/mod.rs");
    if let Ok(linker) = var("RUSTC_LINKER") {
        compiler.arg("-C").arg(format!("linker={linker}"));
    }
    if !compiler.status()?.success() {
        return Err("src/lockdown does not compile as a library".into());
    }
    Ok(())
}
