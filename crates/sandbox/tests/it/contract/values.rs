//! How Python values are said in JSON.

use serde_json::{Value, json};

use crate::trial::{Trial, attack, python};

fn value(code: &str, expected: Value) -> Trial {
    python(&format!("{code}\n")).returns(expected)
}

attack!(
    plain_values_stay,
    value("[None, True, 1, 1.5, 'text', {'a': [{}]}]", json!([null, true, 1, 1.5, "text", { "a": [{}] }]))
);
attack!(nan_is_null, value("[float('nan'), {'a': float('nan')}]", json!([null, { "a": null }])));
attack!(infinity_is_text, value("[float('inf'), -float('inf')]", json!(["Infinity", "-Infinity"])));
attack!(
    bytes_are_base64,
    value(
        "[b'abc\\xff', bytearray(b'x'), memoryview(b'y')]",
        json!([{ "base64": "YWJj/w==" }, { "base64": "eA==" }, { "base64": "eQ==" }])
    )
);
attack!(tuples_are_lists, value("(1, (2, 3))", json!([1, [2, 3]])));
attack!(
    sets_are_sorted_lists,
    value("[{3, 1, 2}, frozenset({'b', 'a'}), set()]", json!([[1, 2, 3], ["a", "b"], []]))
);
attack!(
    dates_are_iso_8601,
    value(
        "from datetime import *\n[datetime(2026, 1, 2, 3, 4, 5), date(2026, 1, 2), time(3, 4, 5), datetime(2026, 1, 2, tzinfo=timezone.utc), timedelta(minutes=1.5)]",
        json!(["2026-01-02T03:04:05", "2026-01-02", "03:04:05", "2026-01-02T00:00:00+00:00", 90.0])
    )
);
attack!(
    exact_numbers_are_text,
    value(
        "from decimal import Decimal\nfrom fractions import Fraction\n[Decimal('1.10'), Fraction(1, 3), 2**53, 2**63 - 1, 2**64, -2**70]",
        json!([
            "1.10",
            "1/3",
            9_007_199_254_740_992_i64,
            i64::MAX,
            "18446744073709551616",
            "-1180591620717411303424"
        ])
    )
);
attack!(
    ids_and_paths_are_text,
    value(
        "import pathlib, uuid\n[uuid.UUID(int=1), pathlib.Path('/a/b')]",
        json!(["00000000-0000-0000-0000-000000000001", "/a/b"])
    )
);
attack!(
    enums_are_their_values,
    value(
        "import enum\nclass Color(enum.Enum):\n    RED = 'red'\n[Color.RED, enum.IntEnum('N', 'A').A]",
        json!(["red", 1])
    )
);
attack!(
    dataclasses_are_objects,
    value(
        "import dataclasses, datetime\n@dataclasses.dataclass\nclass Point:\n    x: int\n    on: datetime.date\nPoint(1, datetime.date(2026, 1, 2))",
        json!({ "x": 1, "on": "2026-01-02" })
    )
);
attack!(
    named_tuples_are_objects_or_lists,
    python("import collections\ncollections.namedtuple('P', 'x y')(1, 2)\n").check(|answer| {
        assert!([json!({ "x": 1, "y": 2 }), json!([1, 2])].contains(answer.returned()), "{answer:?}");
    })
);
attack!(
    keys_become_text,
    value("{1: 'a', 2.5: 'b', True: 'c', None: 'd'}", json!({ "1": "c", "2.5": "b", "null": "d" }))
);
attack!(
    subclasses_are_what_they_are_above,
    value(
        "import collections\nclass Text(str): pass\n[collections.OrderedDict(a=1), collections.Counter('aab'), collections.defaultdict(list, x=[1]), Text('t'), collections.deque([1])]",
        json!([{ "a": 1 }, { "a": 2, "b": 1 }, { "x": [1] }, "t", [1]])
    )
);
attack!(
    what_has_no_json_is_refused,
    python("def f():\n    return {'a': [object()]}\n").function("f", json!({})).check(|answer| {
        assert_eq!(answer.failure()["code"], "result_not_json", "{answer:?}");
        assert!(answer.failure()["message"].as_str().unwrap().contains("object"), "{answer:?}");
    })
);
