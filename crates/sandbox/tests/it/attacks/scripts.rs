//! Scripts that are executed: their interpreter lines, what they start, what they see.

use serde_json::json;

use crate::trial::{Trial, attack, in_each_mode, python, python_attack, script};

attack!(
    script_reads_the_first_process,
    script(
        r#"#!/bin/sh
for file in environ cmdline; do tr '\0' '\n' < /proc/1/$file 2>/dev/null | grep -c SECRET; done
cat /proc/1/root/etc/shadow /etc/shadow 2>/dev/null
ls /proc | grep -c '^[0-9]*$' | awk '{ print ($1 < 20) ? "few" : "ESCAPED" }'
exit 0
"#
    )
    .check(|answer| {
        let out = answer.stdout();
        assert!(!out.contains("root:") && out.ends_with("few\n"), "{answer:?}");
        assert!(out.lines().all(|line| ["0", "few"].contains(&line)), "{answer:?}");
    })
);

attack!(
    script_leaves_daemons_behind,
    script("#!/bin/sh\nnohup sleep 1000 >/dev/null 2>&1 &\n(setsid sleep 1000 &)\n(trap '' TERM HUP INT; sleep 1000) &\necho started\n")
        .prints("started\n")
        .check(|answer| assert!(answer.0["ending"].get("returned").is_some(), "{answer:?}"))
);

attack!(
    script_leaves_a_child_that_holds_its_output,
    script("#!/bin/sh\n(while :; do sleep 0.01; done) &\necho started\n")
        .wall(10_000)
        .prints("started\n")
        .check(|answer| assert!(answer.0["usage"]["wall_ms"].as_u64().unwrap() < 9_000, "{answer:?}"))
);

attack!(
    script_forks_without_end,
    script("#!/bin/sh\nbomb() { bomb | bomb & }\n(bomb) &\nwhile :; do :; done\n")
        .wall(1_000)
        .ended_by("time_limit|process_limit|cpu_limit")
);

attack!(
    script_loops_forever,
    script("#!/bin/sh\ntrap '' TERM INT HUP XCPU\nwhile :; do :; done\n").wall(700).ended_by("time_limit")
);

attack!(
    script_spends_its_processor_time,
    script("#!/bin/sh\ntrap '' XCPU TERM\nwhile :; do :; done\n")
        .limit("cpu_ms", 1_000)
        .ended_by("cpu_limit")
);

attack!(
    script_fills_the_work_folder,
    script("#!/bin/sh\ncat /dev/zero > /mnt/data/big 2>/dev/null\nwc -c < /mnt/data/big\nexit 3\n").check(
        |answer| {
            let written: u64 = answer.stdout().trim().parse().unwrap_or(0);
            assert!(written <= 8 << 20, "{answer:?}");
            assert!(
                answer.limit() == Some("disk_limit") || answer.failure()["code"] == "exit_status",
                "{answer:?}"
            );
        }
    )
);

attack!(
    script_floods_the_output,
    script("#!/bin/sh\nwhile :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n")
        .ended_by("output_limit")
);

attack!(
    script_fakes_a_result,
    script("#!/bin/sh\nfor n in 3 4 5 6 7 8 9; do eval \"echo '{\\\"returned\\\": \\\"faked\\\"}' >&$n\" 2>/dev/null; done\nexit 0\n")
        .check(|answer| {
            assert!(!answer.0["ending"].to_string().contains("faked"), "{answer:?}");
        })
);

attack!(
    script_names_an_interpreter_that_is_not_there,
    script("#!/not/there\necho ESCAPED\n").fails("exit_status|missing_module|crashed|code_error")
);

attack!(
    script_names_an_interpreter_with_arguments,
    script("#!/usr/bin/env -S sh -c \"echo split; exit 7\"\necho not reached\n").prints("split\n").check(
        |answer| {
            assert_eq!(answer.failure()["code"], "exit_status", "{answer:?}");
        }
    )
);

attack!(
    script_names_itself_as_its_interpreter,
    script("#!/program/main.sh\necho ESCAPED\n").fails("exit_status|crashed|code_error|missing_module")
);

attack!(
    script_names_an_interpreter_of_the_host,
    script("#!/proc/1/root/bin/sh\ncat /etc/shadow 2>/dev/null\necho \"$SECRET_OF_THE_SERVER\"\nexit 0\n")
        .check(|answer| {
            let out = answer.stdout();
            assert!(out == "\n" || answer.failure().is_object(), "{answer:?}");
        })
);

attack!(
    script_has_an_endless_interpreter_line,
    script(&format!("#!{}\necho ESCAPED\n", "/bin/".repeat(2_000)))
        .fails("exit_status|crashed|code_error|missing_module")
);

attack!(
    script_is_no_text,
    script("\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0\0garbage").check(|answer| {
        assert!(answer.failure().is_object(), "{answer:?}");
    })
);

attack!(
    script_executes_what_it_wrote,
    script(
        "#!/bin/sh\nprintf '#!/bin/sh\\ncat /etc/shadow\\nid -u\\n' > /mnt/data/tool; chmod 6777 /mnt/data/tool\n/mnt/data/tool 2>/dev/null\nexit 0\n"
    )
    .check(|answer| {
        assert!(!answer.stdout().contains("root:") && !answer.stdout().starts_with("0\n"), "{answer:?}");
    })
);

attack!(
    script_gets_hostile_arguments,
    script("#!/bin/sh\nfor one in \"$@\"; do printf '<%s>' \"$one\"; done\n")
        .arguments(&["$(cat /etc/shadow)", "; id", "`id`", "-rf", "a b", "\n", "*", "--", ""])
        .prints("<$(cat /etc/shadow)><; id><`id`><-rf><a b><\n><*><--><>")
);

/// Where a script may reach hosts that its caller may not: the caller's own code must not run with it.
const HOSTS: [&str; 1] = ["example.org"];
/// Says where the parameters are: `BASH_ENV` and its kin not among the variables, all of them on standard input.
const TELLS_ITS_VARIABLES: &str = "env | cut -d= -f1 | sort | tr '\\n' ' '\ncat\n";
/// Code of the caller, for a shell and for Python.
const SHELL_CODE: &str = "echo ESCAPED\n";
const PYTHON_CODE: &str = "print('ESCAPED')\n";

attack!(
    script_gets_parameters_that_change_the_loader,
    script(&format!("#!/bin/sh\n{TELLS_ITS_VARIABLES}"))
        .hosts(&HOSTS)
        .parameters(json!({ "LD_PRELOAD": "/mnt/data/evil.so", "PATH": "/mnt/data", "IFS": "x" }))
        .check(|answer| {
            let out = answer.stdout();
            let (variables, input) = out.split_once('{').unwrap_or_else(|| panic!("{answer:?}"));
            assert!(!variables.contains("LD_PRELOAD") && !variables.contains("IFS"), "{answer:?}");
            assert!(variables.contains("PATH ") && input.contains("/mnt/data/evil.so"), "{answer:?}");
        })
);

attack!(
    script_gets_a_parameter_that_names_a_file_for_its_shell,
    script("#!/bin/bash\necho own\n")
        .hosts(&HOSTS)
        .parameters(json!({ "BASH_ENV": "/mnt/data/rc", "ENV": "/mnt/data/rc" }))
        .input("rc", SHELL_CODE)
        .prints("own\n")
);

attack!(
    script_gets_a_parameter_that_defines_a_function_of_its_shell,
    script("#!/bin/bash\necho own\n")
        .hosts(&HOSTS)
        .parameters(json!({ "BASH_FUNC_echo%%": "() { printf ESCAPED; }" }))
        .prints("own\n")
);

attack!(
    script_gets_a_parameter_that_leads_python_to_other_modules,
    script("#!/usr/bin/env python3\nimport json\nprint('own')\n")
        .hosts(&HOSTS)
        .parameters(json!({ "PYTHONPATH": "/mnt/data", "PYTHONUSERBASE": "/mnt/data" }))
        .input("sitecustomize.py", PYTHON_CODE)
        .input("json.py", PYTHON_CODE)
        .prints("own\n")
);

/// A folder of packages for each Python that there may be, each with a file that Python runs when it starts.
fn with_packages_of_the_user(trial: Trial) -> Trial {
    (8..=20).fold(trial, |trial, minor| {
        let folder = format!(".local/lib/python3.{minor}/site-packages");
        trial
            .input(&format!("{folder}/start.pth"), "import sys; print('ESCAPED')\n")
            .input(&format!("{folder}/usercustomize.py"), PYTHON_CODE)
    })
}

attack!(
    script_finds_packages_of_its_user_in_the_work_folder,
    with_packages_of_the_user(script("#!/usr/bin/env python3\nprint('own')\n")).hosts(&HOSTS).prints("own\n")
);

attack!(
    python_starts_another_python_beside_packages_in_the_work_folder,
    with_packages_of_the_user(python(
        "import subprocess\nsubprocess.run(['python3', '-c', 'print(\"own\")'], cwd='/program')\nNone\n"
    ))
    .hosts(&HOSTS)
    .prints("own\n")
);

attack!(
    code_of_a_session_has_its_home_in_the_work_folder,
    script("echo \"$HOME\"\n").folder_modules().prints("/mnt/data\n")
);

attack!(
    script_kills_everything,
    script("#!/bin/sh\nkill -9 -1\nkill -9 1\nkill -STOP 1\necho survived\n").check(|answer| {
        let fine = answer.stdout() == "survived\n" || answer.failure()["code"] == "crashed";
        assert!(fine || answer.failure()["code"] == "exit_status", "{answer:?}");
    })
);

attack!(
    script_stops_itself,
    script("#!/bin/sh\nkill -STOP $$\necho ESCAPED\n").wall(700).ended_by("time_limit")
);

in_each_mode!(script_asks_for_the_network, |driver| {
    let port = driver.host.tcp.local_addr().unwrap().port();
    python_attack(
        r#"
def attack(host):
    import subprocess
    tool = "exec 3<>/dev/tcp/127.0.0.1/%d && echo ESCAPED" % host["port"]
    done = subprocess.run(["bash", "-c", tool], capture_output=True, text=True)
    return {"out": done.stdout, "refused": done.returncode != 0}
"#,
    )
    .returns(json!({ "out": "", "refused": true }))
    .run_on(driver);
    let refused = driver.host.tcp.accept().map_err(|error| error.kind());
    assert!(matches!(refused, Err(std::io::ErrorKind::WouldBlock)), "somebody connected to {port}");
});

attack!(
    script_opens_the_memory_of_its_keeper,
    script("#!/usr/bin/env python3\nimport os\nfor name in ('mem', 'environ', 'maps', 'fd/3', 'auxv', 'root/etc/passwd'):\n    try:\n        os.open('/proc/1/' + name, os.O_RDWR if name == 'mem' else os.O_RDONLY)\n        print('ESCAPED', name)\n    except OSError as error:\n        print(error.strerror)\n")
        .check(|answer| {
            let out = answer.stdout();
            assert_eq!(out.lines().count(), 6, "{answer:?}");
            assert!(out.lines().all(|line| ["Permission denied", "Operation not permitted", "No such file or directory"].contains(&line)), "{answer:?}");
        })
);

attack!(
    script_leads_the_reader_of_its_result_away,
    script("#!/bin/sh\nrm -f \"$RESULT_FILE\"; ln -s /proc/1/environ \"${RESULT_FILE:-/tmp/result.json}\"\nexit 0\n").check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        assert!(code == "result_not_json" || answer.returned().is_null(), "{answer:?}");
    })
);

attack!(
    script_gives_a_pipe_as_its_result,
    script("#!/bin/sh\nrm -f \"$RESULT_FILE\"; mkfifo \"${RESULT_FILE:-/tmp/result.json}\"\nexit 0\n")
        .wall(1_500)
        .check(|answer| {
            let code = answer.failure()["code"].as_str().unwrap_or("");
            let ended = answer.limit() == Some("time_limit");
            assert!(
                ended || code == "result_not_json" || answer.0["ending"]["returned"].is_null(),
                "{answer:?}"
            );
        })
);

attack!(
    script_gives_an_endless_result,
    script(
        "#!/bin/sh\nrm -f \"$RESULT_FILE\"; ln -s /dev/zero \"${RESULT_FILE:-/tmp/result.json}\"\nexit 0\n"
    )
    .check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        assert!(code == "result_not_json" || answer.limit() == Some("result_limit"), "{answer:?}");
    })
);
