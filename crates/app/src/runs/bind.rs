//! Binds what a caller gives to the parameters a procedure declares. Pure: nothing has run yet when it says no.

use model::{Parameter, ParameterType, Procedure};
use serde_json::{Map, Number, Value};

/// The values a procedure is called with, or everything that is wrong with what was given.
pub(super) fn bind(
    procedure: &Procedure,
    mut given: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<String>> {
    // Code that declares nothing judges what it gets itself.
    if procedure.parameters.is_empty() {
        return Ok(given);
    }
    let mut bound = Map::new();
    let mut problems = Vec::new();
    for parameter in &procedure.parameters {
        match bind_one(parameter, given.remove(&parameter.name)) {
            Ok(Some(value)) => {
                bound.insert(parameter.name.clone(), value);
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    let known: Vec<_> =
        procedure.parameters.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
    for name in given.keys() {
        let shown: String = name.chars().take(64).collect();
        problems.push(format!("`{shown}` is not a parameter (there are {})", known.join(", ")));
    }
    if problems.is_empty() { Ok(bound) } else { Err(problems) }
}

fn bind_one(parameter: &Parameter, given: Option<Value>) -> Result<Option<Value>, String> {
    let Some(value) = given else {
        return if parameter.required {
            Err(format!("`{}` is missing ({})", parameter.name, parameter.kind))
        } else {
            Ok(parameter.default.clone())
        };
    };
    let found = kind_of(&value);
    fitted(parameter.kind, value)
        .map(Some)
        .ok_or_else(|| format!("`{}` must be {}, not {found}", parameter.name, article(parameter.kind)))
}

/// The value as the code gets it, if it has the type.
fn fitted(kind: ParameterType, value: Value) -> Option<Value> {
    let fits = match kind {
        ParameterType::Integer => return whole(value),
        ParameterType::String => value.is_string(),
        ParameterType::Number => value.is_number(),
        ParameterType::Boolean => value.is_boolean(),
        ParameterType::Array => value.is_array(),
        ParameterType::Object => value.is_object(),
        ParameterType::Any => true,
    };
    fits.then_some(value)
}

/// A whole number, also where it is written with a point: JSON knows no difference, but code does.
#[allow(clippy::cast_possible_truncation)] // only what a float holds exactly is taken
fn whole(value: Value) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.is_i64() || value.is_u64() {
        return Some(value);
    }
    let number = value.as_f64()?;
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| Value::Number(Number::from(number as i64)))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn article(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::String => "a string",
        ParameterType::Integer => "an integer",
        ParameterType::Number => "a number",
        ParameterType::Boolean => "a boolean",
        ParameterType::Array => "an array",
        ParameterType::Object => "an object",
        ParameterType::Any => "a value",
    }
}

#[cfg(test)]
mod tests {
    use model::{BundlePath, Language, RunLimits};
    use serde_json::json;

    use super::*;

    fn parameter(name: &str, kind: ParameterType) -> Parameter {
        Parameter { name: name.to_owned(), kind, description: None, required: true, default: None }
    }

    fn procedure(parameters: Vec<Parameter>) -> Procedure {
        Procedure {
            language: Language::Python,
            file: BundlePath::parse("main.py").unwrap(),
            function: Some("main".to_owned()),
            parameters,
            profile: None,
            limits: RunLimits::default(),
            network: Vec::new(),
        }
    }

    fn bound(parameters: Vec<Parameter>, given: Value) -> Result<Value, String> {
        let Value::Object(given) = given else { panic!("not a map") };
        bind(&procedure(parameters), given).map(Value::Object).map_err(|problems| problems.join("; "))
    }

    #[test]
    fn each_type_takes_its_own_and_nothing_else() {
        let values = [
            ("string", json!("a")),
            ("integer", json!(3)),
            ("number", json!(1.5)),
            ("boolean", json!(true)),
            ("array", json!([1])),
            ("object", json!({"a": 1})),
            ("null", json!(null)),
        ];
        for &kind in ParameterType::ALL {
            for (word, value) in &values {
                let fits = *word == kind.as_str()
                    || kind == ParameterType::Any
                    || (kind == ParameterType::Number && *word == "integer");
                let outcome = bound(vec![parameter("x", kind)], json!({ "x": value }));
                assert_eq!(outcome.is_ok(), fits, "{kind} from {word}: {outcome:?}");
            }
        }
    }

    #[test]
    fn an_integer_may_be_written_with_a_point_and_arrives_without() {
        let integer = || vec![parameter("n", ParameterType::Integer)];
        assert_eq!(bound(integer(), json!({"n": 3.0})), Ok(json!({"n": 3})));
        assert_eq!(bound(integer(), json!({"n": -0.0})), Ok(json!({"n": 0})));
        assert_eq!(bound(integer(), json!({"n": u64::MAX})), Ok(json!({"n": u64::MAX})));
        for bad in [json!(3.5), json!(1e300), json!("3")] {
            assert!(bound(integer(), json!({ "n": bad })).is_err());
        }
    }

    #[test]
    fn defaults_stand_in_and_what_is_optional_may_be_left_out() {
        let optional = Parameter { required: false, ..parameter("a", ParameterType::String) };
        let with_default =
            Parameter { required: false, default: Some(json!(7)), ..parameter("b", ParameterType::Integer) };
        let parameters = || vec![optional.clone(), with_default.clone()];
        assert_eq!(bound(parameters(), json!({})), Ok(json!({"b": 7})));
        assert_eq!(bound(parameters(), json!({"b": 8, "a": "x"})), Ok(json!({"a": "x", "b": 8})));
    }

    #[test]
    fn every_problem_is_told_at_once() {
        let parameters =
            vec![parameter("rate", ParameterType::Number), parameter("years", ParameterType::Integer)];
        let problems = bound(parameters, json!({"rate": "5", "yaers": 3})).unwrap_err();
        assert_eq!(
            problems,
            "`rate` must be a number, not a string; `years` is missing (integer); \
             `yaers` is not a parameter (there are `rate`, `years`)"
        );
    }

    #[test]
    fn code_that_declares_nothing_gets_what_was_given() {
        assert_eq!(bound(vec![], json!({"x": [1], "y": null})), Ok(json!({"x": [1], "y": null})));
    }
}
