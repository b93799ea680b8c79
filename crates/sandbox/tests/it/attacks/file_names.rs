//! Files whose names or kinds are meant to hurt whoever lists and reads them.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    names_files_with_newlines_and_escapes,
    python_attack(
        r#"
def attack(host):
    for name in ["a\nb.txt", "\x1b[2J\x1b]0;title\x07.txt", "tab\t.txt", "quote\".txt", "-rf", "* ?", "\u202egpj.exe"]:
        write("/mnt/data/" + name, "content")
    return "done"
"#
    )
    .check(|answer| {
        let files = answer.files();
        assert_eq!(files.len(), 7, "{files:?}");
        assert!(files.contains(&"a\nb.txt"), "{files:?}");
    })
);

attack!(
    names_files_beyond_utf_8,
    python_attack(
        r#"
def attack(host):
    for name in [b"\xff\xfe", b"caf\xe9.txt", b"\xed\xa0\x80", b"\xc0\xaf.."]:
        with open(b"/mnt/data/" + name, "w") as file:
            file.write("x")
    write("/mnt/data/fine.txt", "fine")
    return "done"
"#
    )
    .check(|answer| assert_eq!(answer.files(), ["fine.txt"], "{answer:?}"))
);

attack!(
    names_files_like_ways_up,
    python_attack(
        r#"
def attack(host):
    for name in ["...", ".. ", "..\\..\\etc", "%2e%2e%2f", "C:\\x", "x" * 255, "\uff0e\uff0e", "~root"]:
        write("/mnt/data/" + name, "x")
    return {"slash": attempt(write, "/mnt/data/a/../../../etc/x"), "long": attempt(write, "/mnt/data/" + "x" * 256)}
"#
    )
    .check(|answer| {
        let tried = answer.returned();
        assert!(["ENOENT", "EROFS", "EACCES"].contains(&tried["slash"].as_str().unwrap()), "{answer:?}");
        assert_eq!(tried["long"], json!("ENAMETOOLONG"));
        assert_eq!(answer.files().len(), 8, "{answer:?}");
    })
);

attack!(
    leaves_pipes_sockets_and_links_as_results,
    python_attack(
        r#"
def attack(host):
    import socket
    os.mkfifo("/mnt/data/pipe.txt")
    socket.socket(socket.AF_UNIX).bind("/mnt/data/socket.txt")
    os.symlink("/dev/zero", "/mnt/data/zero.txt")
    os.symlink("loop.txt", "/mnt/data/loop.txt")
    os.symlink("/proc/self/fd/1", "/mnt/data/magic.txt")
    os.mkdir("/mnt/data/folder.txt")
    write("/mnt/data/fine.txt", "fine")
    return "done"
"#
    )
    .reading("pipe.txt")
    .reading("socket.txt")
    .reading("zero.txt")
    .reading("loop.txt")
    .reading("magic.txt")
    .reading("folder.txt")
    .reading("fine.txt")
    .check(|answer| {
        assert_eq!(answer.files(), ["fine.txt"], "{answer:?}");
        let read = answer.0["read"].as_object().unwrap();
        assert_eq!(read.values().filter(|it| it["error"].is_string()).count(), 6, "{read:?}");
        assert_eq!(read["fine.txt"], json!({ "content": "fine" }));
    })
);

attack!(
    leaves_ten_thousand_files,
    python_attack(
        r#"
def attack(host):
    for number in range(10000):
        open("/mnt/data/%05d" % number, "w").close()
    return "done"
"#
    )
    .limit("folder_files", 11_000)
    .check(|answer| {
        assert!(answer.limit() == Some("disk_limit") || answer.returned() == "done", "{answer:?}");
        let files = answer.files().len();
        assert!(files == 10_000 || (answer.0["files_truncated"] == true && files > 100), "{files}");
    })
);

attack!(
    closes_its_files_to_the_server,
    python_attack(
        r#"
def attack(host):
    os.mkdir("/mnt/data/closed")
    write("/mnt/data/closed/inside.txt")
    write("/mnt/data/unreadable.txt")
    write("/mnt/data/fine.txt", "fine")
    os.chmod("/mnt/data/closed", 0)
    os.chmod("/mnt/data/unreadable.txt", 0)
    os.chmod("/mnt/data", 0o500)
    return "done"
"#
    )
    .reading("fine.txt")
    .check(|answer| {
        assert_eq!(answer.returned(), &json!("done"));
        assert_eq!(answer.0["read"]["fine.txt"], json!({ "content": "fine" }), "{answer:?}");
    })
);

attack!(
    hides_files_in_deep_folders,
    python_attack(
        r#"
def attack(host):
    os.chdir("/mnt/data")
    for depth in range(200):
        os.mkdir("d")
        os.chdir("d")
    write("deep.txt", "deep")
    os.chdir("/mnt/data")
    os.makedirs("a/b/c")
    write("a/b/c/shallow.txt", "shallow")
    return "done"
"#
    )
    .reading("a/b/c/shallow.txt")
    .reading(&format!("{}deep.txt", "d/".repeat(200)))
    .check(|answer| {
        assert_eq!(answer.files(), ["a/b/c/shallow.txt"], "{answer:?}");
        assert_eq!(answer.0["read"]["a/b/c/shallow.txt"], json!({ "content": "shallow" }));
    })
);
