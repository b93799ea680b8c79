//! Errors keep their type, message, file and line, and show the program's own lines only.

use serde_json::json;

use crate::trial::{attack, python};

attack!(
    errors_keep_type_message_file_and_line,
    python("def f(a):\n    b = a\n    return 1 / b\n").function("f", json!({ "a": 0 })).check(|answer| {
        let failure = answer.failure();
        assert_eq!(failure["code"], "code_error", "{answer:?}");
        assert_eq!(failure["kind"], "ZeroDivisionError");
        assert_eq!(failure["message"], "division by zero");
        assert_eq!((&failure["file"], &failure["line"]), (&json!("main.py"), &json!(3)));
        let trace = failure["traceback"].as_str().unwrap();
        assert!(trace.contains("main.py") && trace.contains("return 1 / b"), "{trace}");
    })
);

attack!(
    a_traceback_shows_only_lines_of_the_program,
    python("import json\nfrom lib import g\ndef f():\n    return g()\n")
        .file("lib.py", "import json\ndef g():\n    return json.loads('{')\n")
        .function("f", json!({}))
        .check(|answer| {
            let failure = answer.failure();
            assert_eq!(failure["kind"], "JSONDecodeError", "{answer:?}");
            assert_eq!((&failure["file"], &failure["line"]), (&json!("lib.py"), &json!(3)));
            let trace = failure["traceback"].as_str().unwrap();
            assert!(trace.contains("main.py") && trace.contains("lib.py"), "{trace}");
            for foreign in ["json/decoder.py", "/usr/lib", "runpy", "bootstrap"] {
                assert!(!trace.contains(foreign), "{foreign}: {trace}");
            }
        })
);

attack!(
    own_errors_keep_their_name,
    python("class TooCold(ValueError):\n    pass\ndef f():\n    raise TooCold('below zero')\n")
        .function("f", json!({}))
        .check(|answer| {
            assert!(answer.failure()["kind"].as_str().unwrap().ends_with("TooCold"), "{answer:?}");
            assert_eq!(answer.failure()["message"], "below zero");
        })
);

attack!(
    syntax_errors_have_their_line,
    python("def f():\n    x = 1\n    return x +\n").function("f", json!({})).check(|answer| {
        assert_eq!(answer.failure()["code"], "syntax_error", "{answer:?}");
        assert_eq!(answer.failure()["kind"], "SyntaxError");
        assert_eq!((&answer.failure()["file"], &answer.failure()["line"]), (&json!("main.py"), &json!(3)));
    })
);

attack!(
    text_that_is_no_python_is_a_syntax_error,
    python("this is not valid python code {{{").function("f", json!({})).fails("syntax_error")
);

attack!(a_null_byte_is_a_syntax_error, python("x = 1\0\n").fails("syntax_error|code_error"));

attack!(
    a_missing_module_is_named,
    python("def f():\n    import surely_not_installed.part\n").function("f", json!({})).check(|answer| {
        assert_eq!(answer.failure()["code"], "missing_module", "{answer:?}");
        assert!(answer.failure()["message"].as_str().unwrap().contains("surely_not_installed"), "{answer:?}");
        assert_eq!(answer.failure()["line"], 2);
    })
);

attack!(
    output_before_an_error_is_kept,
    python("def f():\n    print('before')\n    raise ValueError\n")
        .function("f", json!({}))
        .prints("before\n")
        .fails("code_error")
);

attack!(
    files_made_before_an_error_are_kept,
    python("def f():\n    open('partial.txt', 'w').write('partial')\n    raise ValueError\n")
        .function("f", json!({}))
        .reading("partial.txt")
        .check(|answer| {
            assert_eq!(answer.files(), ["partial.txt"], "{answer:?}");
            assert_eq!(answer.0["read"]["partial.txt"], json!({ "content": "partial" }));
        })
);

attack!(
    output_before_a_limit_is_kept,
    python("import time\ndef f():\n    print('before', flush=True)\n    time.sleep(1000)\n")
        .function("f", json!({}))
        .wall(500)
        .prints("before\n")
        .ended_by("time_limit")
);
