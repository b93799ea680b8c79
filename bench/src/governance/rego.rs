//! The lists of the active policies as Rego, compiled for the virtual machine of `regorus`.

use anyhow::Result;
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::vm::RegoVM;
use regorus::{Engine, Value};

use super::workload::{Call, Entry, Lists};

const ENTRY: &str = "data.governance.allow";

/// What is made once.
pub(super) struct Rego {
    machine: RegoVM,
}

impl Rego {
    pub(super) fn new(lists: &[Lists]) -> Result<Self> {
        let mut engine = Engine::new();
        engine.add_policy("governance.rego".to_owned(), source(lists))?;
        let compiled = engine.compile_with_entrypoint(&ENTRY.into())?;
        let program = Compiler::compile_from_policy(&compiled, &[ENTRY])
            .map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let mut machine = RegoVM::new();
        machine.load_program(program);
        Ok(Self { machine })
    }

    /// What a caller makes of each call.
    pub(super) fn input(call: &Call) -> Value {
        let mut input = Value::new_object();
        if let Ok(fields) = input.as_object_mut() {
            fields.insert("tool".into(), call.tool.as_str().into());
            if let Some(command) = call.command() {
                fields.insert("command".into(), command.into());
            }
        }
        input
    }

    pub(super) fn decide(&mut self, input: Value) -> Result<bool> {
        self.machine.set_input(input);
        self.machine.execute()?.as_bool().copied()
    }
}

fn source(lists: &[Lists]) -> String {
    let mut source = "package governance\nimport rego.v1\n\ndefault allow := false\n\n".to_owned();
    let mut admitted = Vec::new();
    for (number, list) in lists.iter().enumerate() {
        if let Some(allowed) = &list.allowed {
            let rule = format!("admitted_{number}");
            source += &rules(&rule, &format!("allowed_{number}"), allowed);
            admitted.push(rule);
        }
        source += &rules("denied", &format!("forbidden_{number}"), &list.forbidden);
    }
    source + &format!("allow if {{\n  not denied\n  {}\n}}\n", admitted.join("\n  "))
}

/// The rules that say whether a call is in a list.
fn rules(rule: &str, list: &str, entries: &[Entry]) -> String {
    let (mut names, mut bodies, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Entry::Name(name) => names.push(format!("{name:?}")),
            Entry::Begins(text) => bodies.push(format!("startswith(input.tool, {text:?})")),
            Entry::Ends(text) => bodies.push(format!("endswith(input.tool, {text:?})")),
            Entry::Has(text) => bodies.push(format!("contains(input.tool, {text:?})")),
            Entry::Command(words) => {
                for test in [
                    format!("input.command == {words:?}"),
                    format!("startswith(input.command, \"{words} \")"),
                ] {
                    commands.push(format!("command_{list} if {test}\n"));
                }
            }
        }
    }
    if !names.is_empty() {
        bodies.insert(0, format!("input.tool in {{{}}}", names.join(", ")));
    }
    if !commands.is_empty() {
        bodies.push(format!("input.tool == \"Bash\"; command_{list}"));
    }
    let rules = bodies.iter().map(|body| format!("{rule} if {{ {body} }}\n"));
    commands.into_iter().chain(rules).collect()
}
