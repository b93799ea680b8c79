//! What honest code can rely on: arguments by name, results as JSON, errors with their place, files.

mod data_frames;
mod errors;
mod values;

use serde_json::json;

use crate::trial::{attack, in_each_mode, javascript, python, script};

attack!(
    arguments_come_by_name,
    python("def f(b, a, c=3, *, d):\n    return [a, b, c, d]\n")
        .function("f", json!({ "a": 1, "b": "two", "d": { "x": [null, true, 1.5] } }))
        .returns(json!([1, "two", 3, { "x": [null, true, 1.5] }]))
);

attack!(
    compound_interest_is_1647_01,
    python("def f(principal, rate, times, years):\n    return round(principal * (1 + rate / times) ** (times * years), 2)\n")
        .function("f", json!({ "principal": 1000, "rate": 0.05, "times": 12, "years": 10 }))
        .returns(json!(1647.01))
);

attack!(
    unknown_arguments_are_refused,
    python("def f(a):\n    return a\n").function("f", json!({ "b": 1 })).fails("argument_error")
);

attack!(
    missing_arguments_are_refused,
    python("def f(a, b):\n    return a\n").function("f", json!({ "a": 1 })).fails("argument_error")
);

attack!(
    a_type_error_inside_is_no_argument_error,
    python("def f(a):\n    return len(a)\n").function("f", json!({ "a": 1 })).fails("code_error")
);

attack!(
    a_missing_function_is_named,
    python("def g():\n    return 1\n").function("f", json!({})).check(|answer| {
        assert_eq!(answer.failure()["code"], "missing_function", "{answer:?}");
        assert!(answer.failure()["message"].as_str().unwrap().contains('f'), "{answer:?}");
    })
);

attack!(
    parameters_of_a_whole_file_are_variables,
    python("a + b\n").parameters(json!({ "a": 2, "b": 3 })).returns(json!(5))
);

attack!(
    the_last_expression_of_a_whole_file_is_its_result,
    python("x = [1, 2]\nprint('printed')\nx.append(3)\nx\n").returns(json!([1, 2, 3])).prints("printed\n")
);

attack!(
    a_file_without_a_last_expression_gives_null,
    python("x = 1\nfor y in [1]:\n    x\n").returns(json!(null))
);

attack!(
    a_whole_file_gets_its_command_line,
    python("import sys\nif __name__ == '__main__':\n    result = sys.argv[1:]\nresult\n")
        .arguments(&["--x", "1"])
        .returns(json!(["--x", "1"]))
);

attack!(
    files_of_the_program_can_be_imported,
    python("from lib.helper import double\ndef f(a):\n    return double(a)\n")
        .file("lib/__init__.py", "")
        .file("lib/helper.py", "def double(a):\n    return a * 2\n")
        .function("f", json!({ "a": 4 }))
        .returns(json!(8))
);

attack!(
    modules_of_the_work_folder_are_found_where_they_may_be,
    python("import double\nimport json\n[double.of(4), json.dumps(1)]\n")
        .input("double.py", "def of(a):\n    return a * 2\n")
        .input("json.py", "raise SystemExit('not the json that was meant')\n")
        .folder_modules()
        .returns(json!([8, "1"]))
        .check(|answer| assert_eq!(answer.0["files"], json!([]), "{answer:?}"))
);

attack!(
    modules_of_the_work_folder_are_not_found_otherwise,
    python("import double\n").input("double.py", "").fails("missing_module")
);

attack!(
    files_of_the_program_can_be_read,
    python("def f():\n    return open('/program/data/table.csv').read()\n")
        .file("data/table.csv", "a,b\n1,2\n")
        .function("f", json!({}))
        .returns(json!("a,b\n1,2\n"))
);

attack!(
    the_work_folder_is_the_current_one,
    python(
        "import os\ndef f():\n    with open('out.txt', 'w') as file:\n        file.write(open('in/x.txt').read().upper())\n    return os.getcwd()\n"
    )
    .function("f", json!({}))
    .input("in/x.txt", "hello")
    .reading("out.txt")
    .returns(json!("/mnt/data"))
    .check(|answer| {
        assert_eq!(answer.files(), ["out.txt"], "only what it made: {answer:?}");
        assert_eq!(answer.0["read"]["out.txt"], json!({ "content": "HELLO" }));
    })
);

attack!(
    changed_inputs_are_among_the_files,
    python("def f():\n    open('in.txt', 'a').write('!!')\n")
        .function("f", json!({}))
        .input("in.txt", "hello")
        .input("untouched.txt", "same")
        .reading("in.txt")
        .check(|answer| {
            assert_eq!(answer.files(), ["in.txt"], "{answer:?}");
            assert_eq!(answer.0["read"]["in.txt"], json!({ "content": "hello!!" }));
        })
);

attack!(
    output_is_kept_apart_from_the_result,
    python("import sys\ndef f():\n    print('{\"returned\": 1}')\n    print('err', file=sys.stderr)\n    return 2\n")
        .function("f", json!({}))
        .returns(json!(2))
        .prints("{\"returned\": 1}\n")
        .check(|answer| assert_eq!(answer.stderr(), "err\n"))
);

attack!(
    output_that_is_not_utf_8_is_kept,
    python("import os\nos.write(1, b'a\\xffb')\n").prints("a\u{fffd}b")
);

attack!(
    coroutines_are_awaited,
    python("import asyncio\nasync def f(a):\n    await asyncio.sleep(0)\n    return a + 1\n")
        .function("f", json!({ "a": 1 }))
        .returns(json!(2))
);

attack!(
    common_libraries_work,
    python(
        r#"
import concurrent.futures, decimal, hashlib, multiprocessing, sqlite3, subprocess, tempfile, threading, zoneinfo
def f():
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("x")
    base = sqlite3.connect("/mnt/data/base.sqlite")
    base.execute("create table t (a)")
    base.execute("insert into t values (1)")
    base.commit()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        doubled = list(pool.map(lambda x: x * 2, range(3)))
    lock = multiprocessing.Lock()
    with lock:
        said = subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout
    return [base.execute("select a from t").fetchone()[0], doubled, said, hashlib.sha256(b"").hexdigest()[:4]]
"#
    )
    .function("f", json!({}))
    .returns(json!([1, [0, 2, 4], "hi\n", "e3b0"]))
);

attack!(
    a_child_process_pool_works,
    python(
        "import multiprocessing\ndef double(x):\n    return x * 2\ndef f():\n    with multiprocessing.get_context('fork').Pool(2) as pool:\n        return pool.map(double, [1, 2, 3])\n"
    )
    .function("f", json!({}))
    .returns(json!([2, 4, 6]))
);

in_each_mode!(a_seed_repeats_random_numbers, |driver| {
    let draw = |seed: Option<u64>| {
        let code = "import random\ndef f():\n    return [random.random(), random.randint(0, 10**9), list({'a', 'b', 'c', 'd', 'e'})]\n";
        let trial = python(code).function("f", json!({}));
        let trial = match seed {
            Some(seed) => trial.seed(seed),
            None => trial,
        };
        driver.execute(&trial.order).returned().clone()
    };
    assert_eq!(draw(Some(7)), draw(Some(7)));
    assert_ne!(draw(Some(7))[0], draw(Some(8))[0]);
    assert_ne!(draw(None)[0], draw(None)[0]);
});

in_each_mode!(a_session_keeps_its_files, |driver| {
    let folder =
        driver.ask(json!({ "open_folder": { "bytes": 1 << 20, "files": 64 } }))["folder"].as_u64().unwrap();
    for number in 1..=3 {
        let count = python(
            "import os\ndef f():\n    with open('count.txt', 'a') as file:\n        file.write('x')\n    return os.path.getsize('count.txt')\n",
        )
        .function("f", json!({}))
        .folder(folder);
        assert_eq!(driver.execute(&count.order).returned(), &json!(number));
    }
    let read = driver.ask(json!({ "folder_read": { "folder": folder, "path": "count.txt", "most": 100 } }));
    assert_eq!(read["content"], "xxx", "{read}");
    driver.ask(
        json!({ "folder_write": { "folder": folder, "path": "up/load.txt", "content": "from outside" } }),
    );
    for reader in [
        python("open('up/load.txt').read()\n").folder(folder),
        script("#!/bin/sh\ncat up/load.txt count.txt\n").folder(folder),
    ] {
        let answer = driver.execute(&reader.order);
        let seen = format!("{}{}", answer.returned(), answer.stdout());
        assert!(seen.contains("from outside"), "{answer:?}");
    }
    driver.ask(json!({ "folder_remove": { "folder": folder, "path": "count.txt" } }));
    let list = driver.ask(json!({ "folder_list": folder }));
    assert_eq!(list["files"].as_array().unwrap().len(), 1, "{list}");
    driver.ask(json!({ "close_folder": folder }));
});

attack!(
    javascript_gets_arguments_by_name,
    javascript("export function f({ a, b }) { return a + b }")
        .function("f", json!({ "a": 2, "b": 3 }))
        .check(|answer| assert!(answer.0["ending"].is_object(), "{answer:?}"))
);

attack!(
    javascript_console_is_its_output,
    javascript("console.log('out', { a: 1 }); console.error('err')").check(|answer| {
        assert!(answer.stdout().starts_with("out "), "{answer:?}");
        assert_eq!(answer.stderr(), "err\n");
    })
);

attack!(
    javascript_imports_files_of_its_program,
    javascript("import { double } from './lib.js'\nexport function f(a) { return double(a) }")
        .file("lib.js", "export const double = a => a * 2\n")
        .function("f", json!({ "a": 4 }))
        .returns(json!(8))
);

attack!(
    javascript_awaits_promises,
    javascript("export async function f(a) { await null; return a + 1 }")
        .function("f", json!({ "a": 1 }))
        .returns(json!(2))
);

attack!(
    javascript_errors_keep_type_message_and_line,
    javascript("export function f() {\n    const nothing = null;\n    return nothing.x;\n}")
        .function("f", json!({}))
        .check(|answer| {
            assert_eq!(answer.failure()["code"], "code_error", "{answer:?}");
            assert_eq!(answer.failure()["kind"], "TypeError", "{answer:?}");
            assert_eq!(answer.failure()["line"], 3, "{answer:?}");
            assert_eq!(answer.failure()["file"], "main.js");
        })
);

attack!(
    javascript_syntax_errors_have_their_line,
    javascript("export function f() {\n    return (;\n}").function("f", json!({})).check(|answer| {
        assert_eq!(answer.failure()["code"], "syntax_error", "{answer:?}");
        assert_eq!(answer.failure()["line"], 2, "{answer:?}");
    })
);

attack!(
    scripts_get_parameters_as_variables,
    script("#!/bin/sh\nprintf '%s|%s|%s' \"$text\" \"$number\" \"$1\"\n")
        .variables(json!({ "text": "a b", "number": 5 }))
        .arguments(&["first"])
        .prints("a b|5|first")
);

attack!(scripts_without_an_interpreter_line_run_in_sh, script("echo plain; exit 0\n").prints("plain\n"));

attack!(
    scripts_fail_with_their_status,
    script("#!/bin/sh\necho partial\necho why >&2\nexit 3\n").prints("partial\n").check(|answer| {
        assert_eq!(answer.failure()["code"], "exit_status", "{answer:?}");
        assert!(answer.failure()["message"].as_str().unwrap().contains('3'), "{answer:?}");
        assert_eq!(answer.stderr(), "why\n");
    })
);

attack!(
    scripts_may_be_python,
    script("#!/usr/bin/env python3\nimport sys\nprint(sys.version_info[0], sys.argv[1])\n")
        .arguments(&["x"])
        .prints("3 x\n")
);

attack!(
    scripts_make_files,
    script("#!/bin/sh\necho made > made.txt\ncat in.txt\n")
        .input("in.txt", "given\n")
        .prints("given\n")
        .reading("made.txt")
        .check(|answer| {
            assert_eq!(answer.files(), ["made.txt"], "{answer:?}");
            assert_eq!(answer.0["read"]["made.txt"], json!({ "content": "made\n" }));
        })
);

attack!(
    functions_of_the_host_are_called_by_position_and_by_name,
    python("import host\ndef f():\n    return host.echo(1, 'two', three=[3])\n")
        .with_host()
        .function("f", json!({}))
        .returns(json!({ "arguments": [1, "two"], "named": { "three": [3] } }))
);

attack!(
    an_error_of_the_host_is_raised_in_the_code,
    python("import host\ndef f():\n    try:\n        host.fail('no')\n    except RuntimeError as error:\n        return str(error)\n")
        .with_host()
        .function("f", json!({}))
        .returns(json!("\"no\""))
);

attack!(
    functions_of_the_host_are_there_in_javascript_too,
    javascript("export function f() { try { host.fail(1); } catch (error) { return [host.echo([2], 'x').arguments, error.message]; } }")
        .with_host()
        .function("f", json!({}))
        .returns(json!([[[2], "x"], "1"]))
);

attack!(
    code_without_functions_of_the_host_has_no_way_to_it,
    python("import os\ndef f():\n    try:\n        return os.fstat(4).st_mode\n    except OSError as error:\n        return error.errno\n")
        .function("f", json!({}))
        .returns(json!(9))
);

attack!(
    calls_of_the_host_have_an_end,
    python("import host\ndef f():\n    n = 0\n    try:\n        while True:\n            host.echo()\n            n += 1\n    except (RuntimeError, OSError):\n        return n\n")
        .with_host()
        .function("f", json!({}))
        .returns(json!(1000))
);

attack!(
    floods_the_host_with_a_call_too_large,
    python("import host\ndef f():\n    try:\n        host.echo('x' * 1_000_000)\n    except (RuntimeError, OSError):\n        return 'refused'\n")
        .with_host()
        .function("f", json!({}))
        .returns(json!("refused"))
);
