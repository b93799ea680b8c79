//! Disks: too many bytes, too many files, too deep.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    fills_the_work_folder,
    python_attack(
        r#"
def attack(host):
    with open("/mnt/data/big", "wb") as file:
        while True:
            file.write(bytes(1 << 20))
"#
    )
    .ended_by("disk_limit")
);

attack!(
    fills_the_work_folder_and_goes_on,
    python_attack(
        r#"
def attack(host):
    written = 0
    try:
        with open("/mnt/data/big", "wb", buffering=0) as file:
            for _ in range(100):
                written += file.write(bytes(1 << 20))
    except OSError as error:
        return {"held": written <= 8 << 20, "error": name_of(error.errno)}
"#
    )
    .check(|answer| {
        assert_eq!(answer.returned()["held"], json!(true), "{answer:?}");
        assert!(["ENOSPC", "EFBIG"].contains(&answer.returned()["error"].as_str().unwrap()), "{answer:?}");
    })
);

attack!(
    makes_files_without_end,
    python_attack(
        r#"
def attack(host):
    number = 0
    while True:
        open("/mnt/data/%d" % number, "w").close()
        number += 1
"#
    )
    .ended_by("disk_limit")
);

attack!(
    makes_folders_without_end,
    python_attack(
        r#"
def attack(host):
    made = 0
    for start in ("/mnt/data", "/tmp", "/dev/shm"):
        os.chdir(start)
        try:
            while made < 100000:
                os.mkdir("d")
                os.chdir("d")
                made += 1
        except OSError:
            pass
    return {"held": made < 20000}
"#
    )
    .check(|answer| {
        assert_eq!(answer.returned(), &json!({ "held": true }), "{answer:?}");
        assert!(answer.files().is_empty(), "{answer:?}");
    })
);

attack!(
    makes_links_without_end,
    python_attack(
        r#"
def attack(host):
    made = 0
    open("/mnt/data/first", "w").close()
    try:
        while made < 100000:
            os.link("/mnt/data/first", "/mnt/data/%d" % made)
            made += 1
    except OSError as error:
        return {"held": made < 10000}
"#
    )
    .returns(json!({ "held": true }))
);

attack!(
    makes_a_sparse_file_of_a_terabyte,
    python_attack(
        r#"
def attack(host):
    sizes = {}
    for size in (1 << 40, 1 << 50, (1 << 63) - 1):
        with open("/mnt/data/sparse", "wb") as file:
            sizes[str(size)] = attempt(os.ftruncate, file.fileno(), size)
        sizes["seek %d" % size] = attempt(lambda: os.pwrite(os.open("/mnt/data/sparse", os.O_WRONLY), b"x", size - 1))
    return sizes
"#
    )
    .refused(6, "EFBIG|ENOSPC|EINVAL")
);

attack!(
    gives_a_sparse_file_as_a_result,
    python_attack(
        r#"
def attack(host):
    with open("/mnt/data/sparse.bin", "wb") as file:
        attempt(os.ftruncate, file.fileno(), 1 << 40)
    return "done"
"#
    )
    .reading("sparse.bin")
    .check(|answer| {
        assert_eq!(answer.0["read"]["sparse.bin"]["content"].as_str().unwrap_or("").len(), 0, "{answer:?}");
    })
);

attack!(
    reserves_disk_space,
    python_attack(
        r#"
def attack(host):
    tries = {}
    for folder in ("/mnt/data", "/tmp", "/dev/shm"):
        file = os.open(folder + "/reserved", os.O_CREAT | os.O_RDWR)
        tries[folder] = attempt(os.posix_fallocate, file, 0, 1 << 34)
        os.close(file)
        os.remove(folder + "/reserved")
    return tries
"#
    )
    .refused(3, "EFBIG|ENOSPC|EPERM|ENOSYS|ENOTSUP|ENOMEM")
);

attack!(
    opens_files_without_end,
    python_attack(
        r#"
def attack(host):
    kept = []
    while True:
        kept.append(open("/dev/null"))
"#
    )
    .ended_by("open_files_limit")
);

attack!(
    keeps_removed_files_open,
    python_attack(
        r#"
def attack(host):
    kept, written = [], 0
    try:
        while True:
            file = open("/mnt/data/gone", "wb", buffering=0)
            os.remove("/mnt/data/gone")
            kept.append(file)
            written += file.write(bytes(1 << 20))
    except OSError as error:
        return {"held": written <= 8 << 20}
"#
    )
    .returns(json!({ "held": true }))
);
