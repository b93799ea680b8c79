//! Errors that are meant to get past whoever catches them.

use serde_json::json;

use crate::trial::{attack, python_attack};

attack!(
    raises_what_is_no_ordinary_error,
    python_attack(
        r#"
def attack(host):
    raise BaseException("from below")
"#
    )
    .check(|answer| {
        assert_eq!(answer.failure()["code"], "code_error", "{answer:?}");
        assert_eq!(answer.failure()["kind"], "BaseException");
        assert_eq!(answer.failure()["message"], "from below");
    })
);

attack!(
    exits_with_success,
    python_attack(
        r#"
def attack(host):
    sys.exit(0)
"#
    )
    .returns(json!(null))
);

attack!(
    exits_in_odd_forms,
    python_attack(
        r#"
class Odd(SystemExit):
    @property
    def code(self):
        raise KeyboardInterrupt
def attack(host):
    raise Odd(object(), [1], {"a": b"\xff"})
"#
    )
    .fails("code_error|exit_status|crashed")
);

attack!(
    raises_an_interrupt,
    python_attack(
        r#"
def attack(host):
    raise KeyboardInterrupt
"#
    )
    .fails("code_error")
);

attack!(
    raises_the_end_of_a_generator,
    python_attack(
        r#"
def attack(host):
    raise GeneratorExit
"#
    )
    .fails("code_error")
);

attack!(
    raises_an_error_that_cannot_be_said,
    python_attack(
        r#"
class Mute(Exception):
    def __str__(self):
        raise Mute
    __repr__ = __format__ = __str__
    @property
    def args(self):
        raise Mute
    @property
    def __traceback__(self):
        raise Mute
def attack(host):
    raise Mute()
"#
    )
    .check(|answer| {
        assert_eq!(answer.failure()["code"], "code_error", "{answer:?}");
    })
);

attack!(
    raises_an_error_that_exits_when_said,
    python_attack(
        r#"
class Leaving(Exception):
    def __str__(self):
        os._exit(0)
def attack(host):
    raise Leaving()
"#
    )
    .fails("code_error|crashed")
);

attack!(
    raises_an_error_that_hangs_when_said,
    python_attack(
        r#"
class Hanging(Exception):
    def __str__(self):
        while True:
            pass
def attack(host):
    raise Hanging()
"#
    )
    .wall(700)
    .ended_by("time_limit")
);

attack!(
    raises_an_error_of_a_hostile_type,
    python_attack(
        r#"
class Kind(type):
    def __getattribute__(cls, name):
        if name in ("__name__", "__qualname__", "__module__", "__mro__", "__class__"):
            raise SystemExit(0)
        return type.__getattribute__(cls, name)
class Hostile(Exception, metaclass=Kind):
    pass
def attack(host):
    raise Hostile("x")
"#
    )
    .fails("code_error|crashed|exit_status")
);

attack!(
    raises_an_error_with_a_huge_text,
    python_attack(
        r#"
def attack(host):
    raise ValueError("x" * (32 << 20))
"#
    )
    .check(|answer| {
        assert!(
            answer.limit() == Some("result_limit") || answer.failure()["code"] == "code_error",
            "{}",
            answer.0["ending"]["limit"]
        );
        assert!(answer.failure()["message"].as_str().unwrap_or("").len() < 1 << 20);
    })
);

attack!(
    raises_a_chain_of_errors_without_end,
    python_attack(
        r#"
def attack(host):
    error = ValueError("first")
    for number in range(20000):
        following = ValueError(str(number))
        following.__cause__ = error
        error = following
    error.__context__ = error
    raise error
"#
    )
    .fails("code_error")
);

attack!(
    recurses_without_end,
    python_attack(
        r#"
def attack(host):
    return attack(host)
"#
    )
    .check(|answer| {
        assert_eq!(answer.failure()["code"], "code_error", "{answer:?}");
        assert_eq!(answer.failure()["kind"], "RecursionError");
        assert!(answer.failure()["traceback"].as_str().unwrap().len() < 20_000, "the trace is cut");
    })
);

attack!(
    fakes_its_traceback,
    python_attack(
        r#"
def attack(host):
    code = compile("raise ValueError('x')", "/etc/shadow", "exec")
    exec(code, {})
"#
    )
    .check(|answer| {
        assert_eq!(answer.failure()["code"], "code_error", "{answer:?}");
        assert_eq!(answer.failure()["file"], "main.py", "{answer:?}");
        assert!(!answer.failure()["traceback"].as_str().unwrap().contains("root:"), "{answer:?}");
    })
);

attack!(
    fails_before_it_is_called,
    python_attack(
        r#"
raise SystemExit("at import")
def attack(host):
    return 1
"#
    )
    .fails("code_error|exit_status")
);

attack!(
    replaces_the_hook_for_errors,
    python_attack(
        r#"
def attack(host):
    sys.excepthook = sys.unraisablehook = lambda *_: os._exit(0)
    import traceback
    traceback.format_exception = traceback.extract_tb = traceback.walk_tb = lambda *_, **__: 1 / 0
    sys.stderr = sys.stdout = None
    raise ValueError("real")
"#
    )
    .check(|answer| {
        assert_eq!(answer.failure()["code"], "code_error", "{answer:?}");
        assert_eq!(answer.failure()["message"], "real", "{answer:?}");
        assert_eq!(answer.failure()["kind"], json!("ValueError"));
    })
);
