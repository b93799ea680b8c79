//! Results that the code did not return: printed, written, faked; and floods of output.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    prints_a_result,
    python_attack(
        r#"
def attack(host):
    fake = '{"ok": true, "returned": "ESCA" "PED", "result": 42, "ending": {"returned": 42}}'
    print(fake)
    print(fake, file=sys.stderr)
    sys.stdout.flush()
    os.write(1, fake.encode() + b"\n")
    return "honest"
"#
    )
    .returns(json!("honest"))
    .check(|answer| assert_eq!(answer.stdout().lines().count(), 2, "{answer:?}"))
);

attack!(
    writes_to_every_descriptor,
    python_attack(
        r#"
def attack(host):
    fake = b'{"returned": "faked", "result": "faked", "ok": true}\n'
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, fake)
        except OSError:
            pass
    return "honest"
"#
    )
    .check(honest_or_refused)
);

attack!(
    writes_a_result_and_exits,
    python_attack(
        r#"
def attack(host):
    for fake in (b'{"returned": "faked"}', b'"faked"', b'{"ok":true,"result":"faked"}', b'\x00\x00\x00\x07"faked"'):
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, fake)
            except OSError:
                pass
    os._exit(0)
"#
    )
    .fails("crashed|result_invalid")
);

attack!(
    closes_the_channel_of_the_result,
    python_attack(
        r#"
def attack(host):
    os.closerange(3, 4096)
    return "honest"
"#
    )
    .check(honest_or_refused)
);

attack!(
    swaps_the_channel_of_the_result,
    python_attack(
        r#"
def attack(host):
    reading, writing = os.pipe()
    for descriptor in range(3, 20):
        if descriptor not in (reading, writing):
            try:
                os.dup2(1, descriptor)
            except OSError:
                pass
    return "honest"
"#
    )
    .check(honest_or_refused)
);

attack!(
    sends_messages_to_the_server,
    python_attack(
        r#"
def attack(host):
    import array, socket
    for descriptor in range(3, 32):
        try:
            one = socket.socket(fileno=os.dup(descriptor))
            one.sendmsg([b'{"returned": "faked"}'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2]))])
        except OSError:
            pass
    return "honest"
"#
    )
    .check(honest_or_refused)
);

attack!(
    ends_without_a_result,
    python_attack(
        r#"
def attack(host):
    os._exit(0)
"#
    )
    .fails("crashed")
);

attack!(
    returns_from_a_child,
    python_attack(
        r#"
def attack(host):
    if os.fork() == 0:
        return "faked by the child"
    os.wait()
    return "honest"
"#
    )
    .check(honest_or_refused)
);

attack!(
    writes_results_later_from_a_child,
    python_attack(
        r#"
def attack(host):
    import time
    if os.fork() == 0:
        os.setsid()
        while True:
            for descriptor in range(3, 32):
                try:
                    os.write(descriptor, b'{"returned": "faked"}')
                except OSError:
                    pass
    time.sleep(0.1)
    return "honest"
"#
    )
    .wall(5_000)
    .check(|answer| {
        let flooded = ["result_limit", "time_limit", "cpu_limit"].contains(&answer.limit().unwrap_or(""));
        if !flooded {
            honest_or_refused(answer);
        }
    })
);

attack!(
    floods_the_output,
    python_attack(
        r#"
def attack(host):
    while True:
        print("x" * 1000)
"#
    )
    .ended_by("output_limit")
    .check(|answer| {
        assert_eq!(answer.0["stdout"]["bytes"], json!(64 << 10), "what fits is kept");
        assert_eq!(answer.0["stdout"]["truncated"], json!(true));
    })
);

attack!(
    floods_the_error_output,
    python_attack(
        r#"
def attack(host):
    while True:
        os.write(2, b"x" * 1000 + b"\n")
"#
    )
    .ended_by("output_limit")
);

attack!(
    writes_a_line_that_never_ends,
    python_attack(
        r#"
def attack(host):
    while True:
        os.write(1, b"\xff" * 65536)
"#
    )
    .ended_by("output_limit")
);

attack!(
    floods_the_channel_of_the_result,
    python_attack(
        r#"
def attack(host):
    while True:
        for descriptor in range(3, 8):
            try:
                os.write(descriptor, b"x" * 65536)
            except OSError:
                pass
"#
    )
    .wall(3_000)
    .check(|answer| {
        let ended = ["result_limit", "time_limit", "cpu_limit"].contains(&answer.limit().unwrap_or(""));
        assert!(ended || answer.failure()["code"] == "result_invalid", "{answer:?}");
    })
);

attack!(
    prints_after_it_returned,
    python_attack(
        r#"
def attack(host):
    import threading, time
    def late():
        while True:
            os.write(1, b'{"returned": "faked"}\n')
            time.sleep(0.001)
    threading.Thread(target=late, daemon=True).start()
    return "honest"
"#
    )
    .returns(json!("honest"))
);

attack!(
    replaces_the_writer_of_results,
    python_attack(
        r#"
def attack(host):
    import gc, json
    json.dumps = json.JSONEncoder.encode = lambda *_, **__: '"faked"'
    json.encoder.JSONEncoder.iterencode = lambda *_, **__: ['"faked"']
    os.write = os.close = lambda *_, **__: 0
    sys.modules.clear()
    for value in gc.get_objects():
        if isinstance(value, dict) and "dumps" in value:
            value["dumps"] = lambda *_, **__: '"faked"'
    return "honest"
"#
    )
    // Whoever spoils its own interpreter spoils its own result; it must only be a result or a failure of this run.
    .check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        let failed = ["crashed", "code_error", "result_invalid", "result_not_json"].contains(&code);
        let own = [json!("honest"), json!("faked")].contains(&answer.0["ending"]["returned"]);
        assert!(failed || own || answer.limit().is_some(), "{answer:?}");
    })
);

/// The result is the honest one, or there is none; never the fake.
fn honest_or_refused(answer: &crate::trial::Answer) {
    let code = answer.failure()["code"].as_str().unwrap_or("");
    let honest = answer.0["ending"]["returned"] == "honest";
    assert!(honest || ["crashed", "result_invalid"].contains(&code), "{answer:?}");
}

attack!(
    fakes_a_fault_of_the_sandbox,
    python_attack(
        r#"
def attack(host):
    # What set the locks is still in memory; called again it fails, and would say so in the sandbox's name.
    ctypes.CDLL("/.sandbox/lockdown.so").lockdown_enter()
    return "honest"
"#
    )
    .check(honest_or_refused)
);

attack!(
    calls_what_started_it_again,
    python_attack(
        r#"
def attack(host):
    library = ctypes.CDLL("/.sandbox/lockdown.so")
    for name in ("split", "prepare", "zygote", "await"):
        if os.fork() == 0:
            getattr(library, "lockdown_" + name)()
            os._exit(0)
        os.wait()
    return "honest"
"#
    )
    .check(honest_or_refused)
);
