//! What stands beside an interpreter: its folder is readable, and what the server keeps there must not be.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::driver::{Driver, Mode, python};
use crate::trial::python_attack;

const TOKEN: &str = "a token of the administrator";

/// Makes a folder a virtual environment; its interpreter.
fn environment(folder: &Path) -> PathBuf {
    let real = if python().is_absolute() { python() } else { PathBuf::from("/usr/local/bin/python3") };
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    let home = real.parent().unwrap().display();
    std::fs::write(folder.join("pyvenv.cfg"), format!("home = {home}\n")).unwrap();
    symlink(&real, folder.join("bin/python")).unwrap();
    folder.join("bin/python")
}

fn profile(name: &str, python: &Path) -> Value {
    json!({ "name": name, "python": python, "preload": [] })
}

/// Runs an attack in a profile, with the place it is about.
fn run(driver: &Driver, name: &str, place: &Path) -> Value {
    let mut trial = python_attack(
        r#"
def attack(place, umount2):
    return {
        "prefix": sys.prefix,
        "data": attempt(lambda: sorted(os.listdir(place + "/data"))),
        "inner": attempt(lambda: sorted(os.listdir(place + "/data/python"))),
        "tries": {
            "token": attempt(read, place + "/data/local.token"),
            "database": attempt(read, place + "/data/inner/repertoire.db"),
            "configuration": attempt(read, place + "/config.toml"),
            "write": attempt(write, place + "/data/new"),
            "uncover": call(umount2, (place + "/data").encode(), 2),
        },
    }
"#,
    )
    .parameters(json!({ "place": place, "umount2": libc::SYS_umount2 }));
    trial.order["profile"] = json!(name);
    let answer = driver.execute(&trial.order);
    assert!(!answer.0.to_string().contains(TOKEN), "{answer:?}");
    let told = answer.returned().clone();
    for (name, outcome) in told["tries"].as_object().unwrap() {
        let outcome = outcome.as_str().unwrap();
        assert!(matches!(outcome, "ENOENT" | "EACCES" | "EPERM" | "EROFS"), "{name}: {outcome}");
    }
    told
}

#[test]
fn reads_the_data_folder_beside_its_interpreter() {
    for mode in Mode::ALL {
        // Not in `/tmp`, which code has one of its own of.
        let place = tempfile::Builder::new().prefix("sandbox-beside-").tempdir_in("/var/tmp").unwrap();
        let place = place.path();
        std::fs::set_permissions(place, PermissionsExt::from_mode(0o755)).unwrap();
        let beside = environment(place);
        std::fs::create_dir_all(place.join("data/inner")).unwrap();
        for file in ["data/local.token", "data/inner/repertoire.db", "config.toml"] {
            std::fs::write(place.join(file), TOKEN).unwrap();
        }
        let made = environment(&place.join("data/python/made"));
        let itself = environment(&place.join("itself"));
        let more = json!({
            "profiles": [profile("beside", &beside), profile("made", &made), profile("itself", &itself)],
            "hidden": [place.join("data"), place.join("config.toml"), place.join("itself"), place.join("none")],
        });
        let Some(driver) = Driver::start_with(mode, &more) else { continue };

        let told = run(&driver, "beside", place);
        assert_eq!(told["prefix"], json!(place), "the profile is the one beside the data");
        assert_eq!(
            told["data"], "ESCAPED ['python']",
            "a profile in the data folder is all that is seen of it"
        );
        let told = run(&driver, "made", place);
        assert_eq!(told["prefix"], json!(place.join("data/python/made")));
        assert_eq!(told["inner"], "ESCAPED ['made']");

        let mut refused = python_attack("def attack():\n    return 1\n");
        refused.order["profile"] = json!("itself");
        let answer = driver.ask(json!({ "execute": refused.order }));
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{mode:?}: {answer}"));
        assert!(error.contains("which is the server's own"), "{error}");
        assert!(driver.end());
    }
}
