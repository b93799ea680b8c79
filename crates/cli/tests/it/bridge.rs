//! `repertoire mcp`: what a host reads when the library cannot be had.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::world::World;

const NOWHERE: &str = "http://127.0.0.1:9";

/// What is said about each request of a host of the older protocol.
fn told(world: &World, args: &[&str]) -> Vec<String> {
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    let mut command = world.command(args);
    command.env("REPERTOIRE_TOKEN", "rpt_none").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut host = command.spawn().unwrap();
    let mut input = host.stdin.take().unwrap();
    for message in messages {
        writeln!(input, "{message}").unwrap();
    }
    drop(input);
    let output = host.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let answers = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.map(|answer| answer["error"]["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let world = World::new();
    let said = format!("the server at {NOWHERE} does not answer");
    assert_eq!(told(&world, &["--server", NOWHERE, "mcp"]), [said.clone(), said]);
}

#[test]
fn an_agent_that_is_not_there_is_named_each_time() {
    let world = World::new();
    let said = "the server answered 404 Not Found: there is no agent `nobody`".to_owned();
    assert_eq!(told(&world, &["--agent", "nobody", "mcp"]), [said.clone(), said]);
}
