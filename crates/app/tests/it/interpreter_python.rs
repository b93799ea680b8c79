//! How Python is read: which function is called, and with what.

use app::Code;
use app::interpreter::{PythonCode, read_python};
use model::{Caller, Parameter};
use serde_json::{Value, json};
use testkit::TestApp;

use crate::interpreter::installation;

async fn reads(app: &TestApp, caller: &Caller, name: &str, source: &str) -> PythonCode {
    read_python(&app.cx, caller, source, name).await.unwrap()
}

/// A parameter as `[type, required, default]`; without a default the last is left out.
fn shown(parameter: &Parameter) -> Value {
    let mut told = vec![json!(parameter.kind.as_str()), json!(parameter.required)];
    told.extend(parameter.default.clone());
    Value::Array(told)
}

#[tokio::test]
async fn the_function_to_call_is_found_by_one_rule() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let table = [
        ("def f(): pass\ndef growth_rate(): pass\ndef main(): pass\n", Some("growth_rate")),
        ("def Growth_Rate(): pass\nprint(1)\n", Some("Growth_Rate")),
        ("def f(): pass\ndef main(): pass\nprint(1)\n", Some("main")),
        ("def only(): pass\n", Some("only")),
        ("async def only(): pass\n", Some("only")),
        ("X = 3\nimport math\ndef f(): pass\ndef g(): return f()\n", Some("g")),
        ("def g(): return f()\ndef f(): pass\n", Some("g")),
        ("def f(): pass\ndef g(): pass\n", Some("g")),
        ("def f(): return g()\ndef g(): return f()\n", Some("g")),
        ("def f(): pass\ndef _g(): pass\n", Some("f")),
        ("def f(): pass\nif __name__ == '__main__':\n    print(f())\n", Some("f")),
        ("try:\n    import numpy\nexcept ImportError:\n    numpy = None\ndef f(): pass\n", Some("f")),
        ("def f(x): return x\nprint(f(2))\n", None),
        ("def f(x): return x\nfor i in range(3):\n    f(i)\n", None),
        ("def _f(): pass\n", None),
        ("class growth_rate:\n    def main(self): pass\n", None),
        ("print('Hello World')\n", None),
        ("", None),
    ];
    for (source, function) in table {
        let read = reads(&app, &alice, "growth-rate", source).await;
        assert_eq!(read.function.as_deref(), function, "{source}");
    }
}

#[tokio::test]
async fn parameters_have_their_types_and_defaults() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let table = [
        ("x", json!(["any", true])),
        ("x: int", json!(["integer", true])),
        ("x: float", json!(["number", true])),
        ("x: str", json!(["string", true])),
        ("x: bool", json!(["boolean", true])),
        ("x: list", json!(["array", true])),
        ("x: List[int]", json!(["array", true])),
        ("x: typing.List[int]", json!(["array", true])),
        ("x: tuple[int, ...]", json!(["array", true])),
        ("x: collections.abc.Sequence[str]", json!(["array", true])),
        ("x: dict", json!(["object", true])),
        ("x: Dict[str, int]", json!(["object", true])),
        ("x: Mapping[str, int]", json!(["object", true])),
        ("x: Any", json!(["any", true])),
        ("x: pd.DataFrame", json!(["any", true])),
        ("x: 'int'", json!(["integer", true])),
        ("x: 'not an annotation ('", json!(["any", true])),
        ("x: int | float", json!(["number", true])),
        ("x: Union[int, str]", json!(["any", true])),
        ("x: Annotated[int, 'years']", json!(["integer", true])),
        ("x: Literal['a', 'b']", json!(["string", true])),
        ("x: Literal['a', 1]", json!(["any", true])),
        ("x: Optional[int]", json!(["any", true])),
        ("x: Optional[int] = None", json!(["integer", false])),
        ("x: int | None = 3", json!(["integer", false, 3])),
        ("x: Optional[int | float] = None", json!(["number", false])),
        ("x=None", json!(["any", false, null])),
        ("x=1", json!(["any", false, 1])),
        ("x: int = -3", json!(["integer", false, -3])),
        ("x: float = 1", json!(["number", false, 1])),
        ("x: float = 1.5", json!(["number", false, 1.5])),
        ("x: int = 1.5", json!(["integer", false])),
        ("x: int = True", json!(["integer", false])),
        ("x: bool = False", json!(["boolean", false, false])),
        ("x: str = 'a\\'b'", json!(["string", false, "a'b"])),
        ("x: list = [1, (2, 'a')]", json!(["array", false, [1, [2, "a"]]])),
        ("x: dict = {'a': {'b': None}}", json!(["object", false, {"a": {"b": null}}])),
        ("x: dict = {1: 2}", json!(["object", false])),
        ("x={1, 2}", json!(["any", false])),
        ("x=b'bytes'", json!(["any", false])),
        ("x=object()", json!(["any", false])),
        ("x=1e999", json!(["any", false])),
        ("x=99999999999999999999999", json!(["any", false])),
        ("*, x: int = 2", json!(["integer", false, 2])),
        ("*, x", json!(["any", true])),
    ];
    for (parameter, wanted) in table {
        let source = format!("def f({parameter}): pass\n");
        let read = reads(&app, &alice, "f", &source).await;
        assert_eq!(read.parameters.len(), 1, "{parameter}");
        assert_eq!(
            (read.parameters[0].name.as_str(), shown(&read.parameters[0])),
            ("x", wanted),
            "{parameter}"
        );
    }
}

#[tokio::test]
async fn a_docstring_describes_parameters_in_three_styles() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let google = "Args:\n        a (int): The first\n            of them.\n        b: The second: last.\n\n    Returns:\n        c: no";
    let sphinx =
        ":param int a: The first\n        of them.\n    :param b: The second: last.\n    :returns: c: no";
    let numpy = "Parameters\n    ----------\n    a : int, optional\n        The first\n        of them.\n    b\n        The second: last.\n\n    Returns\n    -------\n    c\n        no";
    for style in [google, sphinx, numpy] {
        let source = format!(
            "def f(a, b, c=1):\n    \"\"\"Adds up\n    all of it.\n\n    More.\n\n    {style}\n    \"\"\"\n"
        );
        let read = reads(&app, &alice, "f", &source).await;
        let told: Vec<_> = read.parameters.iter().map(|one| one.description.as_deref()).collect();
        assert_eq!(told, [Some("The first of them."), Some("The second: last."), None], "{style}");
        assert_eq!(read.summary.as_deref(), Some("Adds up all of it."));
    }
}

#[tokio::test]
async fn what_takes_no_name_is_refused_or_noted() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let read = reads(&app, &alice, "f", "def f(a, *rest, b=1, **more): pass\n").await;
    assert_eq!(read.parameters.len(), 2);
    assert_eq!(
        read.notes,
        [
            "`*rest` of `f` is always empty: values are given by name",
            "`**more` of `f` is always empty: values are given by name"
        ]
    );
    let by_place = read_python(&app.cx, &alice, "def f(a, /, b): pass\n", "f");
    let error = app.refuses(Code::InvalidCode, by_place).await;
    assert!(error.to_string().contains("remove the `/` (line 1)"), "{error}");
}

#[tokio::test]
async fn what_is_no_python_is_refused_with_its_line_and_never_runs() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let deep = format!("{}1", "-".repeat(200_000));
    let table = [
        ("this is not valid python code {{{", Some(1)),
        ("x = 1\ndef f(:\n  pass\n", Some(2)),
        ("x = 1\nreturn 3\n", Some(2)),
        ("\u{0}", None),
        (deep.as_str(), None),
    ];
    for (source, line) in table {
        let read = read_python(&app.cx, &alice, source, "x");
        let error = app.refuses(Code::InvalidCode, read).await;
        assert_eq!(error.findings()[0].line, line, "{error}");
    }
    let source = "open('/mnt/data/ran', 'w').write('x')\nraise SystemExit(3)\n";
    assert_eq!(reads(&app, &alice, "x", source).await.function, None);
    let long = "x = 1\n".repeat(200_000);
    app.refuses(Code::TooLarge, read_python(&app.cx, &alice, &long, "x")).await;
}

#[tokio::test]
async fn a_default_that_is_no_text_to_anyone_else_is_left_to_the_code() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    for default in [r#""\ud800""#, r#"["\ud800"]"#, r#"{"\ud800": 1}"#] {
        let read = reads(&app, &alice, "f", &format!("def f(x={default}): return x\n")).await;
        assert_eq!(shown(&read.parameters[0]), json!(["any", false]), "{default}");
    }
}

#[tokio::test]
async fn a_file_of_many_functions_is_read_at_once() {
    let app = installation().await;
    let alice = app.user("alice", &[]).await;
    let functions: Vec<_> = (1..4_000).map(|n| format!("def f{n}(): return f{}", n - 1)).collect();
    let functions = functions.join("\n") + "\n";
    assert_eq!(reads(&app, &alice, "many", &functions).await.function.as_deref(), Some("f3999"));
}
