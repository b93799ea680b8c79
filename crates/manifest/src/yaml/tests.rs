//! The tree and the writer agree with each other and with YAML 1.2.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{parse, write};

fn json_of(text: &str) -> Json {
    parse(text).unwrap().root.unwrap().to_json()
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    let table = [
        ("1", json!(1)),
        ("-7", json!(-7)),
        ("+3", json!(3)),
        ("0x1f", json!(31)),
        ("0o17", json!(15)),
        ("1.5", json!(1.5)),
        ("1e3", json!(1000.0)),
        ("18446744073709551615", json!(u64::MAX)),
        ("1.2.3", json!("1.2.3")),
        ("yes", json!("yes")),
        ("off", json!("off")),
        ("true", json!(true)),
        ("~", json!(null)),
        ("2024-01-01", json!("2024-01-01")),
        (".inf", json!(".inf")),
        ("-", json!([null])),
        ("'1'", json!("1")),
        ("0x+1", json!("0x+1")),
    ];
    for (text, wanted) in table {
        assert_eq!(json_of(text), wanted, "{text}");
    }
}

#[test]
fn the_text_of_a_number_is_kept() {
    let document = parse("version: 1.10").unwrap().root.unwrap();
    let super::Value::Map(entries) = document.value else { panic!() };
    assert_eq!(entries[0].value.text(), Some("1.10"));
}

#[test]
fn attacks_are_refused_quickly() {
    let laughs = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b]\n";
    for attack in [
        laughs.to_owned(),
        "[".repeat(100_000),
        "{a: ".repeat(50_000),
        "- ".repeat(50_000),
        "a: !!python/object/apply:os.system [id]".to_owned(),
        "a: !include /etc/passwd".to_owned(),
        "%YAML 1.1\n---\na: b".to_owned(),
        "a: b\n---\nc: d".to_owned(),
        "? [a]\n: b".to_owned(),
        format!("a: {}", "x".repeat(300 * 1024)),
        "- x\n".repeat(20_000),
    ] {
        assert!(parse(&attack).is_err(), "{}", &attack[..attack.len().min(40)]);
    }
}

#[test]
fn errors_and_duplicates_have_lines() {
    assert_eq!(parse("a: 1\nb: x: y\n").unwrap_err().line, 2);
    let document = parse("a: 1\nb: 2\na: 3\n").unwrap();
    assert_eq!(document.duplicates, [("a".to_owned(), 3)]);
    assert_eq!(document.root.unwrap().to_json(), json!({"b": 2, "a": 3}));
}

#[test]
fn no_three_hyphens_are_ever_written() {
    let mut out = String::new();
    write::field(&mut out, 0, "a", "x --- y\n----");
    write::list(&mut out, 0, "b", &["---"]);
    assert!(!out.contains("---"), "{out}");
    assert_eq!(json_of(&out), json!({"a": "x --- y\n----", "b": ["---"]}));
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<String>().prop_map(Json::from),
        "[ -~\n]{0,40}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map("[ -~]{0,12}", inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn text_reads_back_as_written(text in any::<String>(), prose in "[a-z :#\n'\"-]{0,60}") {
        for text in [text, prose] {
            let mut out = String::new();
            write::field(&mut out, 0, "key", &text);
            write::list(&mut out, 0, "items", &[text.as_str(), "b"]);
            prop_assert!(!out.contains("---"));
            let read = json_of(&out);
            prop_assert_eq!(&read, &json!({"key": text, "items": [text, "b"]}), "{}", out);
        }
    }

    #[test]
    fn json_reads_back_as_written(value in any_json()) {
        let mut out = String::new();
        write::json(&mut out, 0, "key", &value);
        prop_assert_eq!(&json_of(&out), &json!({"key": value}), "{}", out);
    }

    #[test]
    fn a_parsed_value_reads_back_in_block_style(value in any_json()) {
        let flow = format!("key: {value}\nend: 1\n");
        let document = parse(&flow).unwrap().root.unwrap();
        let super::Value::Map(entries) = &document.value else { panic!() };
        let mut out = String::new();
        for entry in entries {
            write::node(&mut out, 0, &entry.key, &entry.value);
        }
        let again = parse(&out).unwrap().root.unwrap();
        prop_assert!(!again.fancy, "{}", out);
    }
}
