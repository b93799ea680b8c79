//! Gets the sandbox ready while the server already answers, and says which protections it has.

use std::time::Instant;

use app::Context;
use sandbox::{Execution, InputFile, Limits, Listener, Network, Program, ProgramFile, Runtime, Stop};
use serde_json::{Map, Value};

/// Starts the sandbox and, if wanted, executes something, so that the first run is quick.
pub(super) async fn sandbox(cx: Context, warm: bool) {
    match cx.runner.protections().await {
        Ok(protections) => {
            for one in &protections {
                metrics::gauge!("repertoire_sandbox_protection", "name" => one.name).set(if one.active {
                    1.0
                } else {
                    0.0
                });
                if !one.active && one.required {
                    tracing::warn!(
                        sandbox.protection = one.name,
                        detail = one.detail,
                        "code runs without this protection"
                    );
                }
            }
        }
        Err(error) => {
            tracing::warn!(error = %error, "skills are not run on this machine");
            return;
        }
    }
    if !warm || !cx.runner.profiles().iter().any(|name| name == sandbox::DEFAULT_PROFILE) {
        return;
    }
    let start = Instant::now();
    match cx.runner.execute(trial()).await {
        Ok(_) => {
            let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::info!(duration_ms, "the sandbox is ready");
        }
        Err(error) => tracing::warn!(error = %error, "skills in Python do not run"),
    }
}

/// One and one, in Python.
pub(crate) fn trial() -> Execution {
    let code = "def main():\n    return 1 + 1\n";
    Execution {
        program: Program {
            runtime: Runtime::Python { profile: None },
            files: vec![ProgramFile {
                path: "main.py".to_owned(),
                content: code.as_bytes().to_vec(),
                executable: false,
            }],
            main: "main.py".to_owned(),
            function: Some("main".to_owned()),
            parameters: Map::<String, Value>::new(),
            environment: Vec::new(),
            arguments: Vec::new(),
            folder_modules: false,
        },
        inputs: Vec::<InputFile>::new(),
        folder: None,
        limits: Limits::default(),
        network: Network::None,
        seed: None,
        host: None,
        listener: Listener::default(),
        stop: Stop::default(),
    }
}
