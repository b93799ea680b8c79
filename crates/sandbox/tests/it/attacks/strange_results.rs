//! Results that are hard to write down, or that fight back when they are.

use serde_json::{Value, json};

use crate::trial::{attack, python, python_attack};

attack!(
    returns_too_much,
    python_attack(
        r#"
def attack(host):
    return "x" * (1 << 20)
"#
    )
    .ended_by("result_limit")
);

attack!(
    returns_without_end,
    python_attack(
        r#"
def attack(host):
    class Endless(list):
        def __iter__(self):
            while True:
                yield 1
        def __len__(self):
            return 1
    return Endless([1])
"#
    )
    .limit("cpu_ms", 3_000)
    .limit("memory", 128 << 20)
    .check(ended_somehow)
);

attack!(
    returns_something_too_deep,
    python_attack(
        r#"
def attack(host):
    deep = []
    for _ in range(100000):
        deep = [deep]
    return deep
"#
    )
    .fails("result_not_json|result_invalid")
);

attack!(
    returns_something_deep_enough_to_hurt_a_reader,
    python_attack(
        r#"
def attack(host):
    deep = {}
    for _ in range(500):
        deep = {"a": deep}
    return deep
"#
    )
    .fails("result_not_json|result_invalid")
);

attack!(
    returns_itself,
    python_attack(
        r#"
def attack(host):
    ring = []
    ring.append(ring)
    return ring
"#
    )
    .fails("result_not_json")
);

attack!(
    returns_a_mapping_that_lies,
    python_attack(
        r#"
def attack(host):
    class Lying(dict):
        def items(self):
            raise SystemExit("faked")
        def __iter__(self):
            raise KeyboardInterrupt
        def __len__(self):
            return -1
        def keys(self):
            return 5
    return Lying(a=1)
"#
    )
    .check(ended_somehow)
);

attack!(
    returns_text_and_numbers_that_lie,
    python_attack(
        r#"
def attack(host):
    class Text(str):
        def __str__(self):
            os._exit(0)
        def encode(self, *_):
            return b'"}'
        def __repr__(self):
            return '"}, "returned": "faked"'
    class Number(int):
        def __repr__(self):
            return '1, "faked": 2'
        __str__ = __repr__
    class Real(float):
        def __repr__(self):
            return '1, "faked": 2'
        __str__ = __repr__
    return {"text": Text("a"), "number": Number(7), "real": Real(0.5)}
"#
    )
    .check(|answer| {
        let honest = json!({ "text": "a", "number": 7, "real": 0.5 });
        let code = answer.failure()["code"].as_str().unwrap_or("");
        let refused = ["result_not_json", "result_invalid", "crashed", "code_error"].contains(&code);
        assert!(refused || answer.0["ending"]["returned"] == honest, "{answer:?}");
    })
);

attack!(
    returns_objects_that_fight_back,
    python_attack(
        r#"
def attack(host):
    class Hostile:
        @property
        def __class__(self):
            return dict
        def __getattr__(self, name):
            raise BaseException(name)
        def __str__(self):
            raise SystemExit(0)
        __repr__ = __iter__ = __len__ = __bool__ = __hash__ = __str__
        def __eq__(self, other):
            return True
    return [Hostile()]
"#
    )
    .check(ended_somehow)
);

attack!(
    returns_a_class_that_claims_to_be_a_table,
    python_attack(
        r#"
def attack(host):
    class DataFrame:
        def to_dict(self, *_, **__):
            os.execv("/bin/sh", ["sh", "-c", "exit 0"])
        to_json = reset_index = tolist = item = isoformat = to_dict
    DataFrame.__module__ = "pandas.core.frame"
    DataFrame.__qualname__ = "DataFrame"
    return DataFrame()
"#
    )
    .check(ended_somehow)
);

attack!(
    returns_numbers_that_json_has_not,
    python_attack(
        r#"
def attack(host):
    return [float("nan"), float("inf"), float("-inf"), -0.0, 1e308 * 10]
"#
    )
    .check(|answer| {
        let expected = json!([null, "Infinity", "-Infinity", -0.0, "Infinity"]);
        assert_eq!(answer.returned(), &expected, "{answer:?}");
    })
);

attack!(
    returns_lone_surrogates,
    python_attack(
        r#"
def attack(host):
    return {"text": "a\ud800b", "\udfff": 1, "bytes": os.fsdecode(b"\xff")}
"#
    )
    .check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        let refused = ["result_not_json", "result_invalid"].contains(&code);
        assert!(refused || answer.0["ending"]["returned"].is_object(), "{answer:?}");
    })
);

attack!(
    returns_a_huge_number,
    python_attack(
        r#"
def attack(host):
    return 10 ** 5000
"#
    )
    .check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        let text = answer.0["ending"]["returned"].as_str().is_some_and(|text| text.len() == 5001);
        assert!(text || code == "result_not_json", "{answer:?}");
    })
);

attack!(
    returns_functions_modules_and_files,
    python_attack(
        r#"
def attack(host):
    return {"function": attack, "module": sys, "file": sys.stdout, "class": object, "frame": sys._getframe()}
"#
    )
    .fails("result_not_json")
);

attack!(
    returns_a_generator_that_attacks,
    python_attack(
        r#"
def attack(host):
    def endless():
        while True:
            yield "x" * 1000
    return endless()
"#
    )
    .limit("memory", 128 << 20)
    .limit("cpu_ms", 3_000)
    .check(ended_somehow)
);

attack!(
    returns_keys_that_collide,
    python_attack(
        r#"
def attack(host):
    return {1: "number", "1": "text", None: "none", True: "true", (1, 2): "pair"}
"#
    )
    .check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        assert!(code == "result_not_json" || answer.0["ending"]["returned"].is_object(), "{answer:?}");
    })
);

attack!(
    hides_code_in_a_result_hook,
    python(
        r#"
import sys
class Module(type(sys)):
    def __getattr__(self, name):
        return lambda *_: "faked"
def attack(host):
    sys.modules["json"] = Module("json")
    sys.modules["datetime"] = Module("datetime")
    sys.modules["numpy"] = sys.modules["pandas"] = Module("pandas")
    return {"honest": [1, 2.5, None, True, "text"]}
"#
    )
    .function("attack", json!({ "host": {} }))
    .returns(json!({ "honest": [1, 2.5, null, true, "text"] }))
);

/// It did not return what it claims and did not hang: any failure, limit or honest value of its own will do.
fn ended_somehow(answer: &crate::trial::Answer) {
    let code = answer.failure()["code"].as_str().unwrap_or("");
    let failed =
        ["result_not_json", "result_invalid", "code_error", "crashed", "exit_status"].contains(&code);
    let limited = ["memory_limit", "cpu_limit", "result_limit"].contains(&answer.limit().unwrap_or(""));
    let own =
        [json!([1]), json!({ "a": 1 }), json!({}), Value::Null].contains(&answer.0["ending"]["returned"]);
    assert!(failed || limited || (own && answer.0["ending"].get("returned").is_some()), "{answer:?}");
}
