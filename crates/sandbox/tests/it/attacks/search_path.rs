//! Files of a skill's caller that have the names of modules and start files: no interpreter that the skill starts in
//! the work folder may take them for code. The skill may reach hosts that its caller may not.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::trial::{Trial, attack, in_each_mode, python, script};

const HOSTS: [&str; 1] = ["example.org"];
const PYTHON_CODE: &str = "print('ESCAPED')\n";

/// Modules that Python and its tools import in passing, and start files of other interpreters.
fn with_planted_files(trial: Trial) -> Trial {
    let python = ["json", "random", "subprocess", "sitecustomize", "usercustomize", "runpy", "planted"];
    let trial = python
        .iter()
        .fold(trial, |trial, name| trial.input(&format!("{name}.py"), PYTHON_CODE))
        .hosts(&HOSTS);
    trial
        .input("json/__init__.py", PYTHON_CODE)
        .input("multiprocessing/__init__.py", PYTHON_CODE)
        .input("pyvenv.cfg", "home = /mnt/data\n")
        .input("node_modules/planted/index.js", "console.log('ESCAPED')\n")
        .input(
            "package.json",
            r##"{"name": "self", "exports": "./self.js", "imports": {"#planted": "./self.js"}}"##,
        )
        .input("self.js", "console.log('ESCAPED')\n")
        .input("Planted.pm", "print \"ESCAPED\\n\"; 1;\n")
        .input("planted.rb", "puts 'ESCAPED'\n")
        .input("planted.lua", "print('ESCAPED')\n")
        .input("planted.php", "<?php echo \"ESCAPED\\n\";\n")
        .input(".Rprofile", "cat('ESCAPED\\n')\n")
        .input(".bashrc", "echo ESCAPED\n")
        .input(".profile", "echo ESCAPED\n")
}

/// Says what ran in addition to the skill's own code, by the word that planted files print.
fn nothing_planted_ran(trial: Trial) -> Trial {
    trial.check(|answer| {
        assert!(!answer.0.to_string().contains("ESCAPED"), "{answer:?}");
        assert!(answer.stdout().contains("own"), "{answer:?}");
    })
}

attack!(
    python_finds_modules_of_the_caller_in_its_current_folder,
    nothing_planted_ran(with_planted_files(python(
        r#"
import subprocess, sys
code = "import json, random, subprocess\nprint('own', flush=True)"
for python in ("python3", sys.executable):
    subprocess.run([python, "-c", code], check=True)
    subprocess.run([python], input=code.encode(), check=True)
    subprocess.run([python, "-"], input=code.encode(), check=True)
    subprocess.run([python, "-m", "json.tool"], input=b"[]", check=True)
    assert subprocess.run([python, "-m", "planted"], capture_output=True).returncode != 0
"#
    )))
);

attack!(
    a_spawned_process_finds_modules_of_the_caller_in_its_current_folder,
    nothing_planted_ran(with_planted_files(
        python(
            r#"
import multiprocessing
import work
def run():
    process = multiprocessing.get_context("spawn").Process(target=work.act)
    process.start()
    process.join()
    return process.exitcode
"#
        )
        .function("run", json!({}))
        .file("work.py", "def act():\n    import json, random\n    print('own', flush=True)\n")
        .returns(json!(0))
    ))
);

attack!(
    a_script_finds_modules_of_the_caller_in_its_current_folder,
    nothing_planted_ran(with_planted_files(script(
        "#!/bin/bash\nset -e\npython3 -c 'import json'\necho 'import json' | python3\nbash -c 'echo own'\nsh -c 'echo own'\n"
    )))
);

attack!(
    a_python_script_finds_its_own_modules_and_none_of_the_caller,
    with_planted_files(
        script("#!/usr/bin/env python3\nimport json, helper, random\nprint(helper.WORD, json.dumps([1]))\n")
            .file("helper.py", "WORD = 'own'\n")
    )
    .prints("own [1]\n")
);

/// Runs one line with an interpreter that this machine may not have.
fn with_interpreter(program: &str, line: &str) -> Option<Trial> {
    let there = Path::new("/usr/bin").join(program).exists();
    there.then(|| {
        with_planted_files(script(&format!("#!/bin/sh\n{line}\necho own\nexit 0\n"))).limit("memory", 1 << 30)
    })
}

in_each_mode!(other_interpreters_find_modules_of_the_caller_in_their_current_folder, |driver| {
    let lines = [
        ("node", "node -e 'require(\"planted\")'"),
        ("node", "echo 'require(\"planted\")' | node"),
        ("node", "node --input-type=module -e 'import \"planted\"'"),
        ("node", "node -e 'require(\"self\")'"),
        ("node", "node -e 'import(\"#planted\")'"),
        ("perl", "perl -e 'require Planted'"),
        ("ruby", "ruby -e 'require \"planted\"'"),
        ("lua5.4", "lua5.4 -e 'require \"planted\"'"),
        ("lua5.1", "lua5.1 -e 'require \"planted\"'"),
        ("Rscript", "Rscript -e '1'"),
    ];
    for trial in lines.into_iter().filter_map(|(program, line)| with_interpreter(program, line)) {
        nothing_planted_ran(trial).run_on(driver);
    }
});

attack!(
    code_of_a_session_still_finds_modules_in_its_work_folder,
    python(
        r#"
import subprocess, mine
subprocess.run(["python3", "-c", "import mine; print(mine.WORD)"], check=True)
mine.WORD
"#
    )
    .input("mine.py", "WORD = 'mine'\n")
    .folder_modules()
    .prints("mine\n")
    .returns(json!("mine"))
);

/// The start file for Pythons before 3.11, which have no `PYTHONSAFEPATH`.
#[test]
fn every_supported_python_leaves_the_current_folder_out() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("json.py"), PYTHON_CODE).unwrap();
    let module = std::fs::read_to_string("src/search_path/sitecustomize.py").unwrap();
    let site = tempfile::tempdir().unwrap();
    let module = module.replace("/.sandbox/search_path", site.path().to_str().unwrap());
    std::fs::write(site.path().join("sitecustomize.py"), module).unwrap();
    for python in pythons() {
        for arguments in
            [["-c", "import json, sys; print('own')"].as_slice(), &["-m", "json.tool", "/dev/null"]]
        {
            let done = Command::new(&python)
                .args(arguments)
                .current_dir(folder.path())
                .env_clear()
                .env("PYTHONPATH", site.path())
                .env("PYTHONSAFEPATH", "1")
                .output()
                .unwrap();
            let (out, errors) =
                (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert!(!out.contains("ESCAPED"), "{} {arguments:?}: {out}{errors}", python.display());
            assert!(
                errors.contains("JSON") || errors.contains("Expecting") || out.contains("own"),
                "{out}{errors}"
            );
        }
    }
}

/// The Pythons of this machine: that of the system, and those of pyenv from 3.9 on.
fn pythons() -> Vec<std::path::PathBuf> {
    let mut found = vec![crate::driver::python()];
    let versions = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv/versions"));
    for entry in versions.into_iter().flat_map(std::fs::read_dir).flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let minor = name.strip_prefix("3.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
        if minor.is_some_and(|minor| minor >= 9) {
            found.push(entry.path().join("bin/python3"));
        }
    }
    found.retain(|python| Command::new(python).arg("-V").output().is_ok());
    found
}
