//! One execution with what is expected of it.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

use crate::driver::{Driver, Mode};
use crate::leavings::{eventually_none, processes_with};

/// How an attack in Python says what happened: the name of the error that refused it, or ESCAPED.
const PYTHON: &str = r#"
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def name_of(number):
    return errno.errorcode.get(number, str(number))
def attempt(act, *arguments, **named):
    try:
        done = act(*arguments, **named)
    except OSError as error:
        return name_of(error.errno) if error.errno else type(error).__name__
    except BaseException as error:
        return type(error).__name__
    return "ESCAPED " + repr(done)[:100]
def call(number, *arguments):
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    ctypes.set_errno(0)
    done = libc.syscall(ctypes.c_long(number), *given)
    return name_of(ctypes.get_errno()) if done == -1 else "ESCAPED %d" % done
def write(path, text="x"):
    with open(path, "w") as file:
        file.write(text)
def read(path, most=4096):
    with open(path, "rb") as file:
        return file.read(most)
"#;

type Check = Box<dyn Fn(&Answer)>;

/// One execution, with what is expected of it.
pub(crate) struct Trial {
    pub(crate) order: Value,
    checks: Vec<Check>,
    needs_data_python: bool,
}

impl Trial {
    fn new(runtime: &str, main: &str, code: &str) -> Self {
        // Narrow enough to end soon, wide enough for a busy machine.
        let limits = json!({
            "wall_ms": 20_000, "cpu_ms": 10_000, "memory": 256 << 20, "processes": 16, "open_files": 64,
            "folder_bytes": 8 << 20, "folder_files": 256, "output": 64 << 10, "result": 64 << 10,
        });
        let order = json!({
            "runtime": runtime,
            "files": [{ "path": main, "content": code, "executable": true }],
            "main": main,
            "limits": limits,
        });
        Self { order, checks: Vec::new(), needs_data_python: false }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.order[name] = value.into();
        self
    }

    pub(crate) fn function(self, name: &str, parameters: Value) -> Self {
        self.with("function", name).with("parameters", parameters)
    }

    pub(crate) fn parameters(self, parameters: Value) -> Self {
        self.with("parameters", parameters)
    }

    /// Parameters that are environment variables too.
    pub(crate) fn variables(self, parameters: Value) -> Self {
        let names: Vec<_> = parameters.as_object().into_iter().flat_map(Map::keys).cloned().collect();
        self.with("environment", json!(names)).parameters(parameters)
    }

    pub(crate) fn arguments(self, arguments: &[&str]) -> Self {
        self.with("arguments", json!(arguments))
    }

    pub(crate) fn limit(mut self, name: &str, value: u64) -> Self {
        self.order["limits"][name] = json!(value);
        self
    }

    pub(crate) fn wall(self, milliseconds: u64) -> Self {
        self.limit("wall_ms", milliseconds)
    }

    pub(crate) fn input(mut self, path: &str, content: &str) -> Self {
        push(&mut self.order, "inputs", json!({ "path": path, "content": content }));
        self
    }

    pub(crate) fn file(mut self, path: &str, content: &str) -> Self {
        push(&mut self.order, "files", json!({ "path": path, "content": content }));
        self
    }

    /// Asks for the content of a file of the work folder.
    pub(crate) fn reading(mut self, path: &str) -> Self {
        push(&mut self.order, "read", json!(path));
        self
    }

    pub(crate) fn hosts(self, hosts: &[&str]) -> Self {
        self.with("hosts", json!(hosts))
    }

    /// Python finds modules in its work folder too.
    pub(crate) fn folder_modules(self) -> Self {
        self.with("folder_modules", true)
    }

    pub(crate) fn seed(self, seed: u64) -> Self {
        self.with("seed", seed)
    }

    /// It may call the functions of the module `host`.
    pub(crate) fn with_host(self) -> Self {
        self.with("host", true)
    }

    /// What it writes is heard while it runs.
    pub(crate) fn heard(self) -> Self {
        self.with("listen", true)
    }

    pub(crate) fn folder(self, folder: u64) -> Self {
        self.with("folder", folder)
    }

    /// Runs with numpy and pandas; where there is no Python that has them it is left out.
    pub(crate) fn with_data_packages(mut self) -> Self {
        self.needs_data_python = true;
        self.with("profile", "data")
    }

    pub(crate) fn check(mut self, check: impl Fn(&Answer) + 'static) -> Self {
        self.checks.push(Box::new(check));
        self
    }

    /// It tried exactly so many things, and each was refused with one of these errors.
    pub(crate) fn refused(self, count: usize, errors: &'static str) -> Self {
        self.check(move |answer| {
            let tried = answer.returned().as_object().unwrap_or_else(|| panic!("{answer:?}"));
            let fine =
                |outcome: &Value| outcome.as_str().is_some_and(|it| errors.split('|').any(|one| one == it));
            let wrong: Map<_, _> = tried
                .iter()
                .filter(|(_, it)| !fine(it))
                .map(|(name, it)| (name.clone(), it.clone()))
                .collect();
            assert!(wrong.is_empty(), "not refused as expected ({errors}): {}", Value::Object(wrong));
            assert_eq!(tried.len(), count, "not everything was tried: {tried:?}");
        })
    }

    /// It returned exactly this.
    pub(crate) fn returns(self, value: Value) -> Self {
        self.check(move |answer| assert_eq!(answer.returned(), &value, "{answer:?}"))
    }

    /// It was ended by one of these limits.
    pub(crate) fn ended_by(self, limits: &'static str) -> Self {
        self.check(move |answer| {
            let limit = answer.limit();
            assert!(
                limit.is_some_and(|it| limits.split('|').any(|one| one == it)),
                "not {limits}: {answer:?}"
            );
        })
    }

    /// It failed with one of these codes.
    pub(crate) fn fails(self, codes: &'static str) -> Self {
        self.check(move |answer| {
            let code = answer.failure()["code"].as_str();
            assert!(code.is_some_and(|it| codes.split('|').any(|one| one == it)), "not {codes}: {answer:?}");
        })
    }

    /// Its standard output was exactly this.
    pub(crate) fn prints(self, text: &'static str) -> Self {
        self.check(move |answer| assert_eq!(answer.stdout(), text, "{answer:?}"))
    }

    /// Runs it in this mode and checks everything, also that it left nothing and that other code still works.
    pub(crate) fn run(self, mode: Mode) {
        if let Some(driver) = mode.driver() {
            self.run_on(driver);
        }
    }

    pub(crate) fn run_on(mut self, driver: &Driver) -> Option<Answer> {
        if self.needs_data_python && !driver.has_data_python {
            return None;
        }
        let marker = self.mark();
        self.tell(driver);
        let answer = driver.execute(&self.order);
        self.judge(&answer, driver);
        let left = eventually_none(|| processes_with(&marker));
        assert!(left.is_empty(), "still running: {}", left.join(", "));
        works(driver, &self.order["runtime"]);
        Some(answer)
    }

    pub(crate) fn judge(&self, answer: &Answer, driver: &Driver) {
        for said in [answer.0["ending"]["returned"].to_string(), answer.stdout(), answer.stderr()] {
            assert!(!said.contains("ESCAPED"), "{said}");
        }
        assert!(!answer.0.to_string().contains(&driver.host.secret), "the secret came out: {answer:?}");
        for check in &self.checks {
            check(answer);
        }
    }

    /// Adds a file to the program by which its processes can be found from outside.
    pub(crate) fn mark(&mut self) -> String {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let marker = format!("marker-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        push(&mut self.order, "files", json!({ "path": marker, "content": "" }));
        marker
    }

    /// Tells a function `attack` where the server's things are.
    pub(crate) fn tell(&mut self, driver: &Driver) {
        if self.order["function"] == "attack" && self.order["parameters"].is_null() {
            self.order["parameters"] = json!({ "host": driver.host.told(driver.process()) });
        }
    }
}

fn push(order: &mut Value, list: &str, item: Value) {
    if order[list].is_null() {
        order[list] = json!([]);
    }
    order[list].as_array_mut().unwrap().push(item);
}

/// Normal code still works.
pub(crate) fn works(driver: &Driver, runtime: &Value) {
    let five = if runtime == "javascript" {
        javascript("export function f(a, b) { return a + b }")
    } else {
        python("def f(a, b):\n    return a + b\n")
    };
    let answer = driver.execute(&five.function("f", json!({ "a": 2, "b": 3 })).order);
    assert_eq!(answer.0["ending"], json!({ "returned": 5 }), "normal code works afterwards");
}

/// Python as it is.
pub(crate) fn python(code: &str) -> Trial {
    Trial::new("python", "main.py", code)
}

/// JavaScript as it is.
pub(crate) fn javascript(code: &str) -> Trial {
    Trial::new("javascript", "main.js", code)
}

/// A script that is executed.
pub(crate) fn script(code: &str) -> Trial {
    Trial::new("script", "main.sh", code)
}

/// An attack in Python: a function `attack(host)` with the words above at hand.
pub(crate) fn python_attack(code: &str) -> Trial {
    python(&format!("{PYTHON}{code}")).with("function", "attack")
}

/// An attack in JavaScript: an exported function `attack(host)`.
pub(crate) fn javascript_attack(code: &str) -> Trial {
    javascript(code).with("function", "attack")
}

/// What the driver answered.
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) Value);

impl Answer {
    pub(crate) fn returned(&self) -> &Value {
        self.0["ending"].get("returned").unwrap_or_else(|| panic!("it did not return: {:?}", self.0))
    }

    pub(crate) fn failure(&self) -> &Value {
        &self.0["ending"]["failed"]
    }

    pub(crate) fn limit(&self) -> Option<&str> {
        self.0["ending"]["limit"].as_str()
    }

    pub(crate) fn stdout(&self) -> String {
        self.0["stdout"]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        self.0["stderr"]["text"].as_str().unwrap().to_owned()
    }

    /// The paths of the files it made.
    pub(crate) fn files(&self) -> Vec<&str> {
        self.0["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect()
    }
}

/// Makes a trial a test in each mode.
macro_rules! attack {
    ($name:ident, $trial:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn root_with_cgroups() {
                $trial.run($crate::driver::Mode::RootWithCgroups);
            }

            #[test]
            fn root_without_cgroups() {
                $trial.run($crate::driver::Mode::RootWithoutCgroups);
            }

            #[test]
            fn ordinary_user() {
                $trial.run($crate::driver::Mode::OrdinaryUser);
            }
        }
    };
}

/// Makes a function of a driver a test in each mode.
macro_rules! in_each_mode {
    ($name:ident, $test:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn test(mode: $crate::driver::Mode) {
                if let Some(driver) = mode.driver() {
                    let test: fn(&$crate::driver::Driver) = $test;
                    test(driver);
                }
            }

            #[test]
            fn root_with_cgroups() {
                test($crate::driver::Mode::RootWithCgroups);
            }

            #[test]
            fn root_without_cgroups() {
                test($crate::driver::Mode::RootWithoutCgroups);
            }

            #[test]
            fn ordinary_user() {
                test($crate::driver::Mode::OrdinaryUser);
            }
        }
    };
}

pub(crate) use {attack, in_each_mode};
