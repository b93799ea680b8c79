//! `repertoire mcp`: what lets it in at the server, what it leaves behind, and what a host reads when the library
//! cannot be had.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// A bridge, and the host at its other end.
struct Bridge {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    is_modern: bool,
}

impl Bridge {
    fn start(world: &World, is_modern: bool) -> Self {
        let mut command = world.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut bridge = Self { child, input, output, last: 0, is_modern };
        if !is_modern {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
            });
            bridge.ask("initialize", hello);
            bridge.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        bridge
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut params = params;
        if self.is_modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            });
        }
        self.say(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        loop {
            let answer = self.next();
            if answer["id"] == json!(self.last) {
                return answer;
            }
        }
    }

    fn lists_tools(&mut self) {
        let answer = self.ask("tools/list", json!({}));
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the bridge ended");
        serde_json::from_str(&line).unwrap()
    }

    /// The host closes standard input.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The tokens of bridges that still count.
fn tokens(world: &World) -> Vec<String> {
    let all = world.json(&["token", "list"]);
    let of_bridges = all["items"].as_array().unwrap().iter();
    let of_bridges = of_bridges.filter(|token| token["name"] == "mcp" && token["revoked_at"].is_null());
    of_bridges.map(|token| token["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_bridge_whose_token_ended_makes_another_one() {
    for is_modern in [false, true] {
        let world = World::new();
        let mut bridge = Bridge::start(&world, is_modern);
        bridge.lists_tools();
        let before = tokens(&world);
        assert_eq!(before.len(), 1);
        world.ok(&["token", "revoke", &before[0]]);
        bridge.lists_tools();
        bridge.lists_tools();
        let after = tokens(&world);
        assert_eq!(after.len(), 1);
        assert_ne!(after, before);
        bridge.end();
        assert!(tokens(&world).is_empty());
    }
}

#[test]
fn a_bridge_that_moves_takes_its_token_along() {
    let world = World::new();
    let mut first = Bridge::start(&world, true);
    first.lists_tools();
    let mut second = Bridge::start(&world, false);
    let mut third = Bridge::start(&world, true);
    second.lists_tools();
    third.lists_tools();
    first.end();
    second.lists_tools();
    third.lists_tools();
    assert_eq!(tokens(&world).len(), 2);
    second.end();
    third.lists_tools();
    third.end();
    assert!(tokens(&world).is_empty());
}

#[test]
fn what_is_no_message_is_answered_and_the_next_one_is_served() {
    let world = World::new();
    let mut bridge = Bridge::start(&world, true);
    for (line, code) in [
        ("not JSON", -32700),
        (r#"[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]"#, -32600),
        ("7", -32600),
    ] {
        writeln!(bridge.input.as_mut().unwrap(), "{line}").unwrap();
        let answer = bridge.next();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null), "{line}");
    }
    bridge.lists_tools();
    bridge.end();
}

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
