//! Runs JavaScript in `QuickJS`, in the process that was forked for it: ES modules of the program, a console, and
//! nothing else.

use std::cell::Cell;
use std::io::Write;

use rquickjs::function::Func;
use rquickjs::loader::{Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::prelude::Rest;
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Exception, Function, Module, Object, Runtime, Value,
};

use super::native::{ErrorReport, Report, Task};
use crate::host::HostNames;

/// The name under which the module gives us the function to call.
const ENTRY: &str = "__entry";
/// Where `javascript.js` leaves what it offers.
const TOOLS: &str = "__tools";
const STACK: usize = 1 << 20;

/// A JavaScript engine that has run nothing yet.
pub(super) struct Engine {
    runtime: Runtime,
    context: Context,
}

impl Engine {
    /// Made in the fork server, so that each child finds it ready.
    pub(super) fn new() -> Option<Self> {
        let runtime = Runtime::new().ok()?;
        runtime.set_loader(ProgramFiles, ProgramFiles);
        runtime.set_max_stack_size(STACK);
        let context = Context::full(&runtime).ok()?;
        context.with(|ctx| set_up(&ctx)).ok()?;
        Some(Self { runtime, context })
    }

    /// Runs a module like any other, ahead of time.
    pub(super) fn warm_up(&self) {
        let _ = self.context.with(|ctx| -> rquickjs::Result<()> {
            // A name that no program can import.
            let (module, evaluated) = Module::declare(
                ctx.clone(),
                "\u{1}warm",
                "export function f(a, b) { return { sum: a + b }; }",
            )?
            .eval()?;
            evaluated.finish::<()>()?;
            let tools: Object<'_> = ctx.globals().get(TOOLS)?;
            let parameters: Value<'_> = ctx.json_parse(r#"{"a":1,"b":2}"#)?;
            let function: Value<'_> = module.get("f")?;
            let result: Value<'_> = tools.get::<_, Function<'_>>("invoke")?.call((function, parameters))?;
            tools.get::<_, Function<'_>>("render")?.call::<_, String>((result,))?;
            Ok(())
        });
    }

    /// Runs a program.
    pub(super) fn run(&self, task: &Task) -> Report {
        self.runtime.set_memory_limit(usize::try_from(task.memory).unwrap_or(usize::MAX));
        let source = match std::fs::read(std::path::Path::new("/program").join(&task.main)) {
            Ok(source) => source,
            Err(error) => {
                return Report::Error(ErrorReport {
                    code: "crashed".to_owned(),
                    message: format!("{}: {error}", task.main),
                    ..ErrorReport::default()
                });
            }
        };
        self.context.with(|ctx| match evaluate(&ctx, task, source).catch(&ctx) {
            Ok(text) if text.len() as u64 > task.result_limit => Report::Limit("result_limit".to_owned()),
            Ok(text) => match serde_json::from_str(&text) {
                Ok(value) => Report::Ok(value),
                Err(error) => Report::Error(ErrorReport {
                    code: "result_not_json".to_owned(),
                    kind: "TypeError".to_owned(),
                    message: format!("the result is not JSON: {error}"),
                    ..ErrorReport::default()
                }),
            },
            Err(error) => Report::Error(describe(&error, task)),
        })
    }
}

fn set_up(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    let globals = ctx.globals();
    let console = Object::new(ctx.clone())?;
    for name in ["log", "info", "debug"] {
        console.set(name, Func::from(|words: Rest<Value<'_>>| print(&mut std::io::stdout(), &words.0)))?;
    }
    for name in ["warn", "error"] {
        console.set(name, Func::from(|words: Rest<Value<'_>>| print(&mut std::io::stderr(), &words.0)))?;
    }
    globals.set("console", console)?;
    ctx.eval::<(), _>(include_str!("javascript.js"))
}

fn print(stream: &mut dyn Write, words: &[Value<'_>]) {
    let text = |word: &Value<'_>| {
        if let Some(text) = word.as_string().and_then(|text| text.to_string().ok()) {
            return text;
        }
        let json =
            word.ctx().json_stringify(word.clone()).ok().flatten().and_then(|text| text.to_string().ok());
        json.unwrap_or_else(|| word.type_name().to_owned())
    };
    let line = words.iter().map(text).collect::<Vec<_>>().join(" ") + "\n";
    // In one piece. Nobody listens any more when this fails.
    let _ = stream.write_all(line.as_bytes());
}

/// Evaluates the module, calls the function if one is named, and gives the result as JSON.
fn evaluate(ctx: &Ctx<'_>, task: &Task, mut source: Vec<u8>) -> rquickjs::Result<String> {
    let globals = ctx.globals();
    let tools: Object<'_> = globals.get(TOOLS)?;
    globals.remove(TOOLS)?;
    if let Some(seed) = task.seed {
        let math: Object<'_> = globals.get("Math")?;
        let state = Cell::new(seed);
        math.set("random", Func::from(move || next_random(&state)))?;
    }
    if let Some(host) = &task.host {
        add_host_module(ctx, host)?;
    }
    let parameters: Value<'_> = ctx.json_parse(serde_json::to_vec(&task.parameters).unwrap_or_default())?;
    match &task.function {
        Some(function) => source.extend(format!("\n;export {{ {function} as {ENTRY} }};").bytes()),
        None => {
            tools.get::<_, Function<'_>>("define")?.call::<_, ()>((parameters.clone(),))?;
        }
    }
    let (module, evaluated) = Module::declare(ctx.clone(), task.main.as_str(), source)?.eval()?;
    evaluated.finish::<()>()?;
    let result: Value<'_> = if task.function.is_some() {
        let function: Value<'_> = module.get(ENTRY)?;
        tools.get::<_, Function<'_>>("invoke")?.call((function, parameters))?
    } else {
        module.get("default").unwrap_or_else(|_| Value::new_undefined(ctx.clone()))
    };
    let result = match result.as_promise() {
        Some(promise) => promise.finish::<Value<'_>>()?,
        None => result,
    };
    tools.get::<_, Function<'_>>("render")?.call((result,))
}

/// A global object whose functions are those of the program around the sandbox.
fn add_host_module(ctx: &Ctx<'_>, host: &HostNames) -> rquickjs::Result<()> {
    let module = Object::new(ctx.clone())?;
    for name in &host.functions {
        module.set(name.as_str(), host_function(ctx, name.clone())?)?;
    }
    ctx.globals().set(host.name.as_str(), module)
}

fn host_function<'js>(ctx: &Ctx<'js>, name: String) -> rquickjs::Result<Function<'js>> {
    let call = move |ctx: Ctx<'js>, arguments: Rest<Value<'js>>| -> rquickjs::Result<Value<'js>> {
        let answer = ask_host(&name, &arguments.0);
        ctx.json_parse(answer.map_err(|error| Exception::throw_message(&ctx, &error))?)
    };
    Function::new(ctx.clone(), call)
}

/// Asks and waits for the answer, as JSON.
fn ask_host(function: &str, arguments: &[Value<'_>]) -> Result<String, String> {
    let said = |value: &Value<'_>| {
        let text = value.ctx().json_stringify(value.clone()).ok().flatten();
        text.and_then(|text| text.to_string().ok()).unwrap_or_else(|| "null".to_owned())
    };
    let arguments = arguments.iter().map(said).collect::<Vec<_>>().join(",");
    let name = serde_json::to_string(function).map_err(|error| error.to_string())?;
    let asked = format!(r#"{{"function":{name},"arguments":[{arguments}]}}"#);
    let answer = super::kernel::ask_host(asked.as_bytes())
        .map_err(|_| "the host does not answer any more".to_owned())?;
    let answer: Result<serde_json::Value, String> =
        serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    answer.map(|value| value.to_string())
}

/// The next of a series that starts anew with each seed (`SplitMix64`), from 0 to below 1.
#[allow(clippy::cast_precision_loss)] // 53 bits fit
fn next_random(state: &Cell<u64>) -> f64 {
    state.set(state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
    let mut word = state.get();
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((word ^ (word >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn describe(error: &CaughtError<'_>, task: &Task) -> ErrorReport {
    let mut report = ErrorReport { code: "code_error".to_owned(), ..ErrorReport::default() };
    match error {
        CaughtError::Exception(exception) => {
            report.kind = exception.get::<_, String>("name").unwrap_or_else(|_| "Error".to_owned());
            report.message = exception.message().unwrap_or_default();
            report.traceback = own_lines(&exception.stack().unwrap_or_default());
        }
        CaughtError::Value(value) => {
            value.type_name().clone_into(&mut report.kind);
            let json = value.ctx().json_stringify(value.clone()).ok().flatten();
            report.message = json.and_then(|text| text.to_string().ok()).unwrap_or_default();
        }
        CaughtError::Error(error) => {
            "Error".clone_into(&mut report.kind);
            report.message = error.to_string();
        }
    }
    let place = report.traceback.lines().find_map(place_of);
    (report.file, report.line) = place.map_or((None, None), |(file, line)| (Some(file), Some(line)));
    classify(&mut report, task);
    report
}

/// Finds the code that says more than that an error was raised.
fn classify(report: &mut ErrorReport, task: &Task) {
    let about = |name: &str| report.message.contains(&format!("'{name}'"));
    let unresolved = report.message.starts_with("Error resolving module");
    let (code, kind) = match report.kind.as_str() {
        _ if report.message == "out of memory" => {
            report.limit = Some("memory_limit".to_owned());
            return;
        }
        "SyntaxError" | "ReferenceError"
            if task.function.as_deref().is_some_and(about) && report.line.is_none() =>
        {
            let function = task.function.as_deref().unwrap_or_default();
            report.message = format!("there is no function `{function}` in {}", task.main);
            ("missing_function", "LookupError")
        }
        "ArgumentsError" => ("argument_error", "TypeError"),
        "ResultError" => ("result_not_json", "TypeError"),
        "SyntaxError" => ("syntax_error", "SyntaxError"),
        _ if unresolved || report.message.starts_with("Error loading module") => ("missing_module", "Error"),
        _ => return,
    };
    code.clone_into(&mut report.code);
    kind.clone_into(&mut report.kind);
    if !matches!(code, "syntax_error" | "missing_module") {
        report.traceback.clear();
    }
}

/// A stack without the lines of the engine and of our own set-up.
fn own_lines(stack: &str) -> String {
    let own = |line: &&str| place_of(line).is_some_and(|(file, _)| file != "eval_script");
    stack.lines().filter(own).flat_map(|line| [line, "\n"]).collect()
}

/// The file and the line that a line of a stack names.
fn place_of(line: &str) -> Option<(String, u32)> {
    let place = line.trim().trim_start_matches("at ").trim_end_matches(')');
    let place = place.rsplit(['(', ' ']).next()?;
    let mut parts = place.rsplitn(3, ':');
    let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
    match (first, middle) {
        (Some(file), Some(number)) => Some((file.to_owned(), number.parse().ok()?)),
        (None, Some(file)) => Some((file.to_owned(), last.parse().ok()?)),
        _ => None,
    }
}

/// Modules are the program's own files, by paths relative to each other.
struct ProgramFiles;

impl Resolver for ProgramFiles {
    fn resolve<'js>(
        &mut self,
        _ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<rquickjs::loader::ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        let mut parts: Vec<&str> = match name {
            name if name.starts_with("./") || name.starts_with("../") => {
                base.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect())
            }
            name => return Err(rquickjs::Error::new_resolving(base, name)),
        };
        for part in name.split('/') {
            match part {
                "." | "" => {}
                ".." => {
                    parts.pop().ok_or_else(|| rquickjs::Error::new_resolving(base, name))?;
                }
                part => parts.push(part),
            }
        }
        Ok(parts.join("/"))
    }
}

impl Loader for ProgramFiles {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<rquickjs::loader::ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        let source = std::fs::read(std::path::Path::new("/program").join(name))
            .map_err(|error| rquickjs::Error::new_loading_message(name, error.to_string()))?;
        Module::declare(ctx.clone(), name, source)
    }
}
