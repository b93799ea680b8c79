//! One session against another that runs at the same time, and against the server that reads its files.

use serde_json::{Value, json};

use crate::driver::{Driver, receive};
use crate::leavings::{eventually_none, processes_with};
use crate::trial::{in_each_mode, python, python_attack, works};

/// What the victim keeps to itself.
const PRIVATE: &str = "0f1e2d3c-the-other-session";

fn open_folder(driver: &Driver) -> u64 {
    let answer = driver.ask(json!({ "open_folder": { "bytes": 8 << 20, "files": 256 } }));
    answer["folder"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

fn write(driver: &Driver, folder: u64, path: &str, content: &str) -> Value {
    driver.ask(json!({ "folder_write": { "folder": folder, "path": path, "content": content } }))
}

fn read(driver: &Driver, folder: u64, path: &str) -> Value {
    driver.ask(json!({ "folder_read": { "folder": folder, "path": path, "most": 1 << 20 } }))
}

fn paths(driver: &Driver, folder: u64) -> Vec<String> {
    let list = driver.ask(json!({ "folder_list": folder }));
    let files = list["files"].as_array().unwrap_or_else(|| panic!("{list}"));
    files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

/// Runs an attack while another session runs, and gives what it returned; the other must end well.
fn beside_a_victim(driver: &Driver, attack: &str) -> Value {
    let folder = open_folder(driver);
    write(driver, folder, "private.txt", PRIVATE);
    let mut victim = python(
        r#"
import os, socket, time
def victim(private):
    os.environ["PRIVATE"] = private
    with open("/tmp/private.txt", "w") as file:
        file.write(private)
    with open("/dev/shm/private.txt", "w") as file:
        file.write(private)
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind("\0victim")
        listener.listen()
    except OSError:
        pass
    with open("/mnt/data/ready", "w") as file:
        file.write("ready")
    end = time.monotonic() + 20
    while not os.path.exists("/mnt/data/end") and time.monotonic() < end:
        time.sleep(0.005)
    return private
"#,
    )
    .function("victim", json!({ "private": PRIVATE }))
    .folder(folder)
    .wall(30_000);
    let marker = victim.mark();
    let (_, running) = driver.send(json!({ "execute": victim.order }));
    let waiting = eventually_none(|| match read(driver, folder, "ready")["content"].as_str() {
        Some("ready") => Vec::new(),
        _ => vec!["the victim".to_owned()],
    });
    assert!(waiting.is_empty(), "the victim did not start: {:?}", running.try_recv());
    let own = open_folder(driver);
    let answer = python_attack(attack).folder(own).run_on(driver).unwrap();
    assert!(!answer.0.to_string().contains(PRIVATE), "it read the other session: {answer:?}");
    write(driver, folder, "end", "end");
    let victim = receive(&running);
    assert_eq!(victim["ending"], json!({ "returned": PRIVATE }), "the victim was disturbed: {victim}");
    assert!(eventually_none(|| processes_with(&marker)).is_empty());
    driver.ask(json!({ "close_folder": own }));
    driver.ask(json!({ "close_folder": folder }));
    answer.returned().clone()
}

in_each_mode!(searches_the_whole_tree_for_another_session, |driver| {
    let found = beside_a_victim(
        driver,
        r#"
def attack(host):
    seen, found = 0, []
    for folder, folders, files in os.walk("/"):
        if folder.startswith(("/usr", "/lib", "/proc/")):
            folders[:] = []
            continue
        for name in files:
            seen += 1
            path = os.path.join(folder, name)
            try:
                if os.path.isfile(path) and b"the-other-session" in read(path):
                    found.append(path)
            except OSError:
                pass
    return [path for path in found if path != "/program/main.py"]
"#,
    );
    assert_eq!(found, json!([]));
});

in_each_mode!(lists_the_folder_that_holds_sessions, |driver| {
    let listed = beside_a_victim(
        driver,
        r#"
def attack(host):
    found = []
    for name in os.listdir("/"):
        if name != ".sandbox" and name.startswith(".") or "session" in name or "folder" in name:
            try:
                found += [name + "/" + inner for inner in os.listdir("/" + name)]
            except OSError:
                pass
    found += [name for name in os.listdir("/mnt") if name != "data"]
    return found
"#,
    );
    assert_eq!(listed, json!([]));
});

in_each_mode!(looks_at_processes_of_another_session, |driver| {
    let seen = beside_a_victim(
        driver,
        r#"
def attack(host):
    seen = []
    for process in [str(number) for number in range(1, 2000)]:
        for file in ("cmdline", "environ", "root/tmp/private.txt", "root/mnt/data/private.txt", "cwd/private.txt"):
            try:
                if b"the-other-session" in read("/proc/%s/%s" % (process, file)):
                    seen.append(process + "/" + file)
            except OSError:
                pass
    return seen
"#,
    );
    assert_eq!(seen, json!([]));
});

in_each_mode!(signals_processes_of_another_session, |driver| {
    let killed = beside_a_victim(
        driver,
        r#"
def attack(host):
    killed = []
    for process in [*range(2, 3000), host["server"]]:
        if process in (os.getpid(), os.getppid()):
            continue
        try:
            os.kill(process, 9)
            killed.append(process)
        except OSError:
            pass
    return killed
"#,
    );
    assert_eq!(killed, json!([]));
});

in_each_mode!(connects_to_a_listener_of_another_session, |driver| {
    let refused = beside_a_victim(
        driver,
        r#"
def attack(host):
    import socket
    def connect():
        socket.socket(socket.AF_UNIX).connect("\0victim")
    return attempt(connect)
"#,
    );
    assert!(["ECONNREFUSED", "EPERM", "EACCES"].contains(&refused.as_str().unwrap()), "{refused}");
});

in_each_mode!(shares_memory_with_another_session, |driver| {
    let found = beside_a_victim(
        driver,
        r#"
def attack(host):
    found = [name for name in os.listdir("/dev/shm")]
    try:
        from multiprocessing import shared_memory
        shared_memory.SharedMemory("private.txt")
        found.append("by name")
    except (OSError, ImportError):
        pass
    try:
        found += ["queue " + name for name in os.listdir("/dev/mqueue")]
    except OSError:
        pass
    return found
"#,
    );
    assert_eq!(found, json!([]));
});

in_each_mode!(waits_for_another_session_in_its_temporary_folder, |driver| {
    let found = beside_a_victim(
        driver,
        r#"
def attack(host):
    return sorted(os.listdir("/tmp")) + sorted(os.listdir("/mnt/data"))
"#,
    );
    assert_eq!(found, json!([]));
});

in_each_mode!(swaps_folders_for_links_while_the_server_reads, |driver| {
    let folder = open_folder(driver);
    let mut flipping = python_attack(
        r#"
def attack(host):
    import shutil, time
    os.chdir("/mnt/data")
    os.mkdir("real")
    write("real/secret.txt", "harmless")
    os.symlink(host["folder"], "link")
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        for source in ("link", "real"):
            try:
                os.rename(source, "x")
                os.rename("x", source)
            except OSError:
                # The server made the folder itself, for what it was told to write.
                shutil.rmtree("x", ignore_errors=True)
    return "done"
"#,
    )
    .folder(folder);
    flipping.tell(driver);
    let (_, running) = driver.send(json!({ "execute": flipping.order }));
    let mut harmless = 0;
    let outcome = loop {
        match running.try_recv() {
            Ok(outcome) => break outcome,
            Err(std::sync::mpsc::TryRecvError::Empty) => {}
            Err(error) => panic!("{error}"),
        }
        for answer in
            [read(driver, folder, "x/secret.txt"), write(driver, folder, "x/planted.txt", "planted")]
        {
            assert!(!answer.to_string().contains(&driver.host.secret), "it was led out");
            harmless += usize::from(answer["content"] == "harmless");
        }
        assert!(paths(driver, folder).iter().all(|path| !path.contains("temporary")));
    };
    assert_eq!(outcome["ending"], json!({ "returned": "done" }), "{outcome}");
    assert!(!driver.host.folder().join("planted.txt").exists(), "a file was planted outside");
    assert!(harmless > 0 || read(driver, folder, "real/secret.txt")["content"] == "harmless");
    driver.ask(json!({ "close_folder": folder }));
});

in_each_mode!(reads_a_session_that_has_ended, |driver| {
    let ended = open_folder(driver);
    write(driver, ended, "private.txt", PRIVATE);
    driver.ask(json!({ "close_folder": ended }));
    for _ in 0..3 {
        let folder = open_folder(driver);
        assert_eq!(paths(driver, folder), Vec::<String>::new(), "a new session starts empty");
        let answer = python("import os\ndef f():\n    return os.listdir('/mnt/data') + os.listdir('/tmp')\n")
            .function("f", json!({}))
            .folder(folder)
            .run_on(driver)
            .unwrap();
        assert_eq!(answer.returned(), &json!([]));
        driver.ask(json!({ "close_folder": folder }));
    }
});

in_each_mode!(keeps_a_process_in_a_session_for_its_next_execution, |driver| {
    let folder = open_folder(driver);
    let mut staying = python_attack(
        r#"
def attack(host):
    import time
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(0.01)
            write("/mnt/data/stolen.txt", str(os.listdir("/mnt/data")))
    return "done"
"#,
    )
    .folder(folder);
    let marker = staying.mark();
    staying.tell(driver);
    assert_eq!(driver.execute(&staying.order).returned(), &json!("done"));
    assert_eq!(eventually_none(|| processes_with(&marker)), Vec::<String>::new());
    driver.ask(json!({ "folder_remove": { "folder": folder, "path": "stolen.txt" } }));
    write(driver, folder, "later.txt", "later");
    works(driver, &json!("python"));
    assert_eq!(paths(driver, folder), ["later.txt"]);
    driver.ask(json!({ "close_folder": folder }));
});

in_each_mode!(fills_a_session_over_many_executions, |driver| {
    let folder = open_folder(driver);
    let mut limits = Vec::new();
    for number in 0..4 {
        let fill = python(
            "def f(number):\n    with open('/mnt/data/%d' % number, 'wb') as file:\n        file.write(bytes(3 << 20))\n",
        )
        .function("f", json!({ "number": number }))
        .folder(folder);
        let answer = driver.execute(&fill.order);
        limits.extend(answer.limit().map(str::to_owned));
    }
    assert!(!limits.is_empty() && limits.iter().all(|limit| limit == "disk_limit"), "{limits:?}");
    let answer = write(driver, folder, "more", &"x".repeat(6 << 20));
    assert!(answer["error"].as_str().unwrap_or("").contains("fit"), "{answer}");
    driver.ask(json!({ "close_folder": folder }));
});

in_each_mode!(leads_uploads_through_planted_links, |driver| {
    let folder = open_folder(driver);
    python_attack(
        r#"
def attack(host):
    os.symlink(host["folder"], "/mnt/data/uploads")
    os.symlink(host["folder"] + "/planted.txt", "/mnt/data/file.txt")
    os.mkfifo("/mnt/data/pipe.txt")
    return "done"
"#,
    )
    .folder(folder)
    .returns(json!("done"))
    .run_on(driver);
    let through = write(driver, folder, "uploads/planted.txt", "planted");
    assert!(through["error"].is_string(), "{through}");
    for path in ["file.txt", "pipe.txt"] {
        write(driver, folder, path, "replaced");
        assert_eq!(
            read(driver, folder, path)["content"],
            "replaced",
            "a link or pipe is replaced, not followed"
        );
    }
    for path in ["../up.txt", "/etc/x", "a/../../up.txt", "", ".", "a//b", "nul\0.txt"] {
        assert!(write(driver, folder, path, "x")["error"].is_string(), "{path:?}");
        assert!(read(driver, folder, path)["error"].is_string(), "{path:?}");
    }
    assert!(!driver.host.folder().join("planted.txt").exists());
    driver.ask(json!({ "close_folder": folder }));
});

in_each_mode!(closes_its_work_folder_for_the_next_execution, |driver| {
    let folder = open_folder(driver);
    let close =
        "import os\ndef f():\n    open('kept.txt', 'w').write('kept')\n    os.chmod('/mnt/data', 0)\n";
    driver.execute(&python(close).function("f", json!({})).folder(folder).order);
    let answer = python("def f():\n    return open('/mnt/data/kept.txt').read()\n")
        .function("f", json!({}))
        .folder(folder)
        .run_on(driver)
        .unwrap();
    assert_eq!(answer.returned(), &json!("kept"));
    assert_eq!(read(driver, folder, "kept.txt")["content"], "kept");
    driver.ask(json!({ "close_folder": folder }));
});

in_each_mode!(asks_for_a_work_folder_of_no_size, |driver| {
    let answer = driver.ask(json!({ "open_folder": { "bytes": 0, "files": 16 } }));
    let Some(folder) = answer["folder"].as_u64() else { return };
    let fill = python(
        "def f():\n    with open('/mnt/data/x', 'wb') as file:\n        file.write(bytes(32 << 20))\n",
    )
    .function("f", json!({}))
    .folder(folder);
    let answer = driver.execute(&fill.order);
    assert_eq!(answer.limit(), Some("disk_limit"), "{answer:?}");
    driver.ask(json!({ "close_folder": folder }));
});
