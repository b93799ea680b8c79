//! Memory: more than is granted, by every way that counters forget.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    fills_memory_with_bytes,
    python_attack(
        r#"
def attack(host):
    kept = []
    while True:
        kept.append(bytearray(8 << 20))
"#
    )
    .limit("memory", 128 << 20)
    .ended_by("memory_limit")
);

attack!(
    fills_memory_with_one_object,
    python_attack(
        r#"
def attack(host):
    return len(bytearray(b"x") * (4 << 30))
"#
    )
    .limit("memory", 128 << 20)
    .ended_by("memory_limit")
);

attack!(
    fills_memory_and_ignores_the_refusal,
    python_attack(
        r#"
def attack(host):
    kept = []
    while True:
        try:
            block = bytearray(4 << 20)
            kept.append(block)
        except MemoryError:
            kept[:len(kept) // 4] = []
"#
    )
    .limit("memory", 128 << 20)
    .wall(3_000)
    .ended_by("memory_limit|time_limit|cpu_limit")
);

attack!(
    fills_shared_memory,
    python_attack(
        r#"
def attack(host):
    import mmap
    kept = []
    for number in range(1024):
        area = mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        for page in range(0, 1 << 20, 4096):
            area[page] = 1
        kept.append(area)
    return "ESCAPED"
"#
    )
    .limit("memory", 128 << 20)
    .ended_by("memory_limit")
);

attack!(
    fills_memory_files,
    python_attack(
        r#"
def attack(host):
    kept = []
    block = bytes(1 << 20)
    try:
        for number in range(1024):
            file = os.memfd_create("x")
            os.write(file, block)
            kept.append(file)
    except OSError as error:
        return {"held": len(kept) < 256, "error": name_of(error.errno)}
    return "ESCAPED"
"#
    )
    .limit("memory", 128 << 20)
    .check(|answer| {
        let refused = answer.0["ending"]["returned"]["held"] == true;
        assert!(refused || answer.limit() == Some("memory_limit"), "{answer:?}");
    })
);

attack!(
    fills_one_memory_file,
    python_attack(
        r#"
def attack(host):
    block = bytes(1 << 20)
    written = 0
    try:
        file = os.memfd_create("x")
        for number in range(1024):
            written += os.write(file, block)
    except OSError as error:
        return {"held": written < 200 << 20, "error": name_of(error.errno)}
    return "ESCAPED"
"#
    )
    .limit("memory", 128 << 20)
    .check(|answer| {
        let refused = answer.0["ending"]["returned"]["held"] == true;
        assert!(
            refused || ["memory_limit", "disk_limit"].contains(&answer.limit().unwrap_or("")),
            "{answer:?}"
        );
    })
);

attack!(
    fills_temporary_files,
    python_attack(
        r#"
def attack(host):
    block = bytes(1 << 20)
    written = 0
    for folder in ("/tmp", "/dev/shm", "/mnt/data"):
        for number in range(600):
            try:
                with open("%s/%d" % (folder, number), "wb") as file:
                    file.write(block)
                written += 1
            except OSError as error:
                break
    return {"held": written < 400}
"#
    )
    .limit("memory", 512 << 20)
    .check(|answer| {
        let refused = answer.0["ending"]["returned"] == json!({ "held": true });
        assert!(
            refused || ["memory_limit", "disk_limit"].contains(&answer.limit().unwrap_or("")),
            "{answer:?}"
        );
    })
);

attack!(
    spreads_memory_over_processes,
    python_attack(
        r#"
def attack(host):
    import time
    for number in range(10):
        if os.fork() == 0:
            kept = []
            for _ in range(8):
                kept.append(bytearray(os.urandom(4096) * 1536))
            time.sleep(100)
    time.sleep(100)
"#
    )
    .limit("memory", 128 << 20)
    .wall(15_000)
    .ended_by("memory_limit")
);

attack!(
    reserves_without_touching,
    python_attack(
        r#"
def attack(host):
    import mmap
    kept = []
    try:
        for number in range(4096):
            kept.append(mmap.mmap(-1, 1 << 30))
    except (OSError, MemoryError, ValueError) as error:
        return "held"
    # Nothing was touched, so nothing was used.
    return "held" if kept else "none"
"#
    )
    .returns(json!("held"))
);

attack!(
    fills_pipes_and_sockets,
    python_attack(
        r#"
def attack(host):
    import fcntl, socket
    kept, filled = [], 0
    try:
        while True:
            one, other = socket.socketpair()
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
            try:
                while True:
                    filled += one.send(bytes(65536))
            except BlockingIOError:
                pass
            kept.append((one, other))
    except OSError as error:
        return {"held": filled < 256 << 20, "error": name_of(error.errno)}
"#
    )
    .check(|answer| {
        let returned = answer.returned();
        assert_eq!(returned["held"], true, "{answer:?}");
        assert!(returned["error"] == "EMFILE" || returned["error"] == "EPERM", "{answer:?}");
    })
);

attack!(
    asks_for_a_number_without_end,
    python_attack(
        r#"
def attack(host):
    return (9 ** 9 ** 9) % 10
"#
    )
    .limit("cpu_ms", 1_000)
    .limit("memory", 128 << 20)
    .ended_by("memory_limit|cpu_limit")
);

/// Fills a shared area piece by piece and lets go of each: the pages stay, but no process has them in sight.
const OUT_OF_SIGHT: &str = r#"
def fill_out_of_sight(area, size):
    import mmap
    piece = 4 << 20
    for start in range(0, size, piece):
        for page in range(start, start + piece, 4096):
            area[page] = 1
        area.madvise(mmap.MADV_DONTNEED, start, piece)
def spread(make):
    import time
    size = 96 << 20
    reading, writing = os.pipe()
    for _ in range(8):
        if os.fork() == 0:
            area = make(size)
            fill_out_of_sight(area, size)
            os.write(writing, b"x")
            time.sleep(100)
            os._exit(0)
    os.close(writing)
    filled = 0
    while filled < 8:
        told = os.read(reading, 8)
        if not told:
            return "refused"
        filled += len(told)
    return "ESCAPED: %d MiB" % (filled * size >> 20)
"#;

attack!(
    hides_shared_memory_from_whoever_counts,
    python_attack(&format!(
        "{OUT_OF_SIGHT}{}",
        r#"
def attack(host):
    import mmap
    return spread(lambda size: mmap.mmap(-1, size, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
"#
    ))
    .limit("memory", 128 << 20)
    .wall(8_000)
    .check(held_in_memory)
);

attack!(
    hides_shared_zeros_from_whoever_counts,
    python_attack(&format!(
        "{OUT_OF_SIGHT}{}",
        r#"
def attack(host):
    import mmap
    zeros = os.open("/dev/zero", os.O_RDWR)
    return spread(lambda size: mmap.mmap(zeros, size, mmap.MAP_SHARED))
"#
    ))
    .limit("memory", 128 << 20)
    .wall(8_000)
    .check(held_in_memory)
);

/// It was ended, or such memory is not to be had at all.
fn held_in_memory(answer: &crate::trial::Answer) {
    let refused = answer.failure()["code"] == "code_error" || answer.0["ending"]["returned"] == "refused";
    assert!(refused || answer.limit() == Some("memory_limit"), "{answer:?}");
}
