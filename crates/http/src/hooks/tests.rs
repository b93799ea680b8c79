//! What hosts send, as captured, and the exact answers.

use serde_json::{Value, json};

use super::*;

fn tool(host: Host, body: &Value) -> (String, Option<String>, Value) {
    let call = read(host, body).unwrap();
    let Event::Tool { tool, alias, arguments, .. } = call.event else { panic!("{:?}", call.event) };
    (tool, alias, arguments)
}

fn denied(host: Host, body: &Value, reason: &str) -> Option<Value> {
    write(host, &read(host, body).unwrap(), &Answer::Denied { reason: reason.to_owned() })
}

fn claude(event: &str, more: &Value) -> Value {
    let mut body = json!({
        "session_id": "0b6c", "transcript_path": "/home/a/.claude/projects/-p/0b6c.jsonl", "cwd": "/p/sub",
        "prompt_id": "p1", "permission_mode": "default", "hook_event_name": event,
        "repertoire": {"home": "/home/a", "project_dir": "/p", "cwd": "/elsewhere"},
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn gemini(event: &str, more: &Value) -> Value {
    let mut body = json!({
        "session_id": "g1", "transcript_path": "/t.json", "cwd": "/p", "hook_event_name": event,
        "timestamp": "2026-11-15T10:00:00Z",
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn cursor(event: &str, more: &Value) -> Value {
    let mut body = json!({
        "conversation_id": "c1", "generation_id": "g1", "model": "m", "hook_event_name": event,
        "cursor_version": "2.4.0", "workspace_roots": ["/p", "/q"], "user_email": "a@example.org",
        "transcript_path": null, "repertoire": {"home": "/home/a", "project_dir": "/home/a/.cursor", "cwd": "/home/a/.cursor"},
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn copilot(more: &Value) -> Value {
    let mut body = json!({"sessionId": "s1", "timestamp": 1_763_200_000_000_u64, "cwd": "/p"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn every_host_is_found_by_its_word_and_by_no_other() {
    for host in Host::ALL {
        assert_eq!(Host::parse(host.as_str()), Some(host));
    }
    assert_eq!(Host::parse("Claude"), None);
    assert_eq!(Host::parse(""), None);
}

#[test]
fn claude_codes_tool_call_is_taken_as_it_is() {
    let body = claude(
        "PreToolUse",
        &json!({
            "tool_name": "mcp__probe__search_skills", "tool_input": {"query": "git"}, "tool_use_id": "toolu_1",
            "mcp_server": {"name": "probe", "source": "user"},
        }),
    );
    let call = read(Host::Claude, &body).unwrap();
    assert_eq!((call.session.as_str(), call.raw_event.as_str()), ("0b6c", "PreToolUse"));
    assert_eq!(
        call.event,
        Event::Tool {
            tool: "mcp__probe__search_skills".into(),
            alias: None,
            arguments: json!({"query": "git"}),
            call: Some("toolu_1".into()),
        }
    );
    let known = json!({
        "host": "claude", "cwd": "/p/sub", "project_dir": "/p", "home": "/home/a", "permission_mode": "default",
        "host_tool": "mcp__probe__search_skills", "mcp_server": "probe",
    });
    assert_eq!(Value::Object(call.context), known);
}

#[test]
fn a_denial_is_said_in_the_form_that_each_host_honours() {
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t"});
    let claudes = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no rm",
    }});
    let body = claude("PreToolUse", &bash);
    assert_eq!(denied(Host::Claude, &body, "no rm"), Some(claudes.clone()));
    assert_eq!(denied(Host::Codex, &body, "no rm"), Some(claudes));
    let body =
        gemini("BeforeTool", &json!({"tool_name": "run_shell_command", "tool_input": {"command": "rm"}}));
    assert_eq!(denied(Host::Gemini, &body, "no rm"), Some(json!({"decision": "deny", "reason": "no rm"})));
    let body = cursor("preToolUse", &json!({"tool_name": "Shell", "tool_input": {"command": "rm"}}));
    let cursors = json!({"permission": "deny", "user_message": "no rm", "agent_message": "no rm"});
    assert_eq!(denied(Host::Cursor, &body, "no rm"), Some(cursors));
    let body =
        cursor("beforeReadFile", &json!({"file_path": "/p/.env", "content": "KEY=1", "attachments": []}));
    assert_eq!(denied(Host::Cursor, &body, "no"), Some(json!({"permission": "deny", "user_message": "no"})));
    let body = copilot(&json!({"toolName": "bash", "toolArgs": "{\"command\":\"rm\"}"}));
    let flat = json!({"permissionDecision": "deny", "permissionDecisionReason": "no rm"});
    assert_eq!(denied(Host::Copilot, &body, "no rm"), Some(flat));
    let body = claude("PreToolUse", &bash);
    let both = json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no rm",
        },
        "permissionDecision": "deny", "permissionDecisionReason": "no rm",
    });
    assert_eq!(denied(Host::Copilot, &body, "no rm"), Some(both));
}

#[test]
fn a_denial_always_has_a_reason() {
    let body = claude("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {}}));
    let answer = denied(Host::Codex, &body, " \n").unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], DENIED);
}

#[test]
fn nothing_is_said_when_a_call_is_allowed() {
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    let calls = [
        (Host::Claude, claude("PreToolUse", &bash)),
        (Host::Codex, claude("PreToolUse", &bash)),
        (Host::Gemini, gemini("BeforeTool", &bash)),
        (Host::Cursor, cursor("preToolUse", &bash)),
        (Host::Copilot, copilot(&json!({"toolName": "bash", "toolArgs": {"command": "ls"}}))),
    ];
    for (host, body) in calls {
        let call = read(host, &body).unwrap();
        for answer in [Answer::Allowed, Answer::Nothing, Answer::Started { planning: Some("x".into()) }] {
            assert_eq!(write(host, &call, &answer), None, "{host:?} {answer:?}");
        }
    }
}

#[test]
fn planning_text_reaches_the_model_where_the_host_has_a_way() {
    let prompt = json!({"prompt": "ship it"});
    let context = |event: &str| {
        Some(json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "plan"}}))
    };
    let table = [
        (Host::Claude, claude("UserPromptSubmit", &prompt), context("UserPromptSubmit")),
        (Host::Codex, claude("UserPromptSubmit", &prompt), context("UserPromptSubmit")),
        (Host::Gemini, gemini("BeforeAgent", &prompt), context("BeforeAgent")),
        (Host::Cursor, cursor("beforeSubmitPrompt", &prompt), None),
        (Host::Copilot, copilot(&prompt), None),
        (Host::Copilot, claude("UserPromptSubmit", &prompt), context("UserPromptSubmit")),
    ];
    for (host, body, expected) in table {
        let call = read(host, &body).unwrap();
        assert_eq!(call.event, Event::Prompt { task: "ship it".into() }, "{host:?}");
        let said = write(host, &call, &Answer::Started { planning: Some("plan".into()) });
        assert_eq!(said, expected, "{host:?}");
        assert_eq!(write(host, &call, &Answer::Started { planning: None }), None);
        assert_eq!(write(host, &call, &Answer::Started { planning: Some(" ".into()) }), None);
    }
}

#[test]
fn a_prompt_is_refused_in_the_hosts_form() {
    let prompt = json!({"prompt": "ship it"});
    let table = [
        (
            Host::Claude,
            claude("UserPromptSubmit", &prompt),
            Some(json!({"decision": "block", "reason": "no"})),
        ),
        (
            Host::Codex,
            claude("UserPromptSubmit", &prompt),
            Some(json!({"decision": "block", "reason": "no"})),
        ),
        (Host::Gemini, gemini("BeforeAgent", &prompt), Some(json!({"decision": "deny", "reason": "no"}))),
        (
            Host::Cursor,
            cursor("beforeSubmitPrompt", &prompt),
            Some(json!({"continue": false, "user_message": "no"})),
        ),
        (Host::Copilot, copilot(&prompt), None),
        (
            Host::Copilot,
            claude("UserPromptSubmit", &prompt),
            Some(json!({"continue": false, "stopReason": "no"})),
        ),
    ];
    for (host, body, expected) in table {
        assert_eq!(denied(host, &body, "no"), expected, "{host:?}");
    }
}

#[test]
fn what_is_over_is_never_denied() {
    let none = json!({});
    let ends = [
        (Host::Claude, claude("SessionEnd", &json!({"reason": "other"}))),
        (Host::Codex, claude("SessionEnd", &none)),
        (Host::Gemini, gemini("SessionEnd", &none)),
        (Host::Cursor, cursor("sessionEnd", &none)),
        (Host::Copilot, copilot(&json!({"reason": "complete"}))),
        (Host::Copilot, claude("SessionEnd", &none)),
    ];
    for (host, body) in ends {
        assert_eq!(read(host, &body).unwrap().event, Event::End, "{host:?} {body}");
        assert_eq!(denied(host, &body, "no"), None, "{host:?} {body}");
    }
    let others = [
        (Host::Claude, claude("Stop", &json!({"stop_hook_active": false}))),
        (Host::Codex, claude("Stop", &none)),
        (Host::Gemini, gemini("AfterAgent", &none)),
        (Host::Cursor, cursor("stop", &json!({"status": "completed"}))),
        (Host::Copilot, copilot(&json!({"stopReason": "end_turn", "transcriptPath": "/t"}))),
        (Host::Copilot, claude("Stop", &none)),
        (Host::Claude, claude("PostToolUse", &json!({"tool_name": "Bash", "tool_input": {}}))),
        (Host::Claude, claude("SubagentStop", &none)),
        (Host::Codex, claude("SessionStart", &none)),
        (Host::Gemini, gemini("BeforeModel", &none)),
        (Host::Cursor, cursor("afterFileEdit", &json!({"file_path": "/p/a"}))),
        (Host::Copilot, copilot(&json!({"toolName": "bash", "toolArgs": {}, "toolResult": {}}))),
        (Host::Copilot, copilot(&json!({"source": "new"}))),
    ];
    for (host, body) in others {
        assert_eq!(read(host, &body).unwrap().event, Event::Other, "{host:?} {body}");
        assert_eq!(denied(host, &body, "no"), None, "{host:?} {body}");
    }
}

#[test]
fn what_cannot_be_understood_is_an_error() {
    for host in Host::ALL {
        for body in [json!(null), json!([]), json!("x"), json!(1)] {
            assert_eq!(read(host, &body), Err(HookError::NotAnObject), "{host:?}");
        }
        assert_eq!(read(host, &json!({"session_id": "s"})), Err(HookError::NoEvent), "{host:?}");
    }
    let nameless = [
        (Host::Claude, claude("PreToolUse", &json!({"tool_input": {}}))),
        (Host::Codex, claude("PreToolUse", &json!({"tool_name": "", "tool_input": {}}))),
        (Host::Gemini, gemini("BeforeTool", &json!({"tool_name": 7}))),
        (Host::Cursor, cursor("preToolUse", &json!({"tool_input": "{}"}))),
        (Host::Cursor, cursor("beforeMCPExecution", &json!({"tool_input": "{}"}))),
        (Host::Cursor, cursor("beforeShellExecution", &json!({"cwd": "/p"}))),
        (Host::Copilot, copilot(&json!({"toolArgs": {}}))),
    ];
    for (host, body) in nameless {
        let error = read(host, &body).unwrap_err();
        assert!(matches!(error, HookError::NoTool(_)), "{host:?} {error:?}");
    }
    let silent = claude("UserPromptSubmit", &json!({}));
    assert_eq!(read(Host::Claude, &silent), Err(HookError::NoPrompt("UserPromptSubmit".into())));
}

#[test]
fn another_case_of_claude_codes_events_is_the_same_event() {
    let body = claude("preToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    assert_eq!(tool(Host::Claude, &body).0, "Bash");
}

#[test]
fn tools_have_their_common_names() {
    let table = [
        (Host::Gemini, "run_shell_command", "Bash"),
        (Host::Gemini, "write_file", "Write"),
        (Host::Gemini, "replace", "Edit"),
        (Host::Gemini, "search_file_content", "Grep"),
        (Host::Gemini, "google_web_search", "WebSearch"),
        (Host::Gemini, "mcp_github_create_issue", "mcp__github__create_issue"),
        (Host::Gemini, "mcp__github__create_issue", "mcp__github__create_issue"),
        (Host::Gemini, "save_memory", "save_memory"),
        (Host::Codex, "Bash", "Bash"),
        (Host::Codex, "apply_patch", "Edit"),
        (Host::Codex, "mcp__github__create_issue", "mcp__github__create_issue"),
        (Host::Cursor, "Shell", "Bash"),
        (Host::Cursor, "Read", "Read"),
        (Host::Cursor, "Delete", "Edit"),
        (Host::Cursor, "MCP:create_issue", "MCP:create_issue"),
        (Host::Claude, "Bash", "Bash"),
        (Host::Claude, "Task", "Agent"),
        (Host::Claude, "run_shell_command", "run_shell_command"),
    ];
    for (host, own, common) in table {
        let more = json!({"tool_name": own, "tool_input": {"file_path": "/a"}});
        let body = match host {
            Host::Gemini => gemini("BeforeTool", &more),
            Host::Cursor => cursor("preToolUse", &more),
            _ => claude("PreToolUse", &more),
        };
        let (tool, alias, _) = tool(host, &body);
        assert_eq!(tool, common, "{host:?} {own}");
        assert_eq!(alias, (own != common).then(|| own.to_owned()), "{host:?} {own}");
    }
    let view = json!({"toolName": "str_replace_editor", "toolArgs": {"command": "view", "path": "/p/.env"}});
    assert_eq!(tool(Host::Copilot, &copilot(&view)).0, "Read", "what it does decides");
    for (own, common) in [
        ("bash", "Bash"),
        ("view", "Read"),
        ("create", "Write"),
        ("str_replace_editor", "Edit"),
        ("powershell", "PowerShell"),
        ("write_bash", "Bash"),
        ("task", "Agent"),
        ("github-mcp-server-list_issues", "github-mcp-server-list_issues"),
    ] {
        let body = copilot(&json!({"toolName": own, "toolArgs": {"path": "/a"}}));
        assert_eq!(tool(Host::Copilot, &body).0, common, "{own}");
    }
}

#[test]
fn geminis_own_words_about_a_server_beat_the_name_of_the_tool() {
    let body = gemini(
        "BeforeTool",
        &json!({
            "tool_name": "mcp_my_server_do_it", "tool_input": {},
            "mcp_context": {"server_name": "my server", "tool_name": "do_it", "command": "x"},
        }),
    );
    let call = read(Host::Gemini, &body).unwrap();
    assert_eq!(call.context["mcp_server"], "my server");
    assert_eq!(tool(Host::Gemini, &body).0, "mcp__my_server__do_it");
}

#[test]
fn cursors_older_events_are_tool_calls_too() {
    let shell = cursor("beforeShellExecution", &json!({"command": "git push", "cwd": ""}));
    assert_eq!(
        tool(Host::Cursor, &shell),
        ("Bash".into(), Some("Shell".into()), json!({"command": "git push"}))
    );
    let call = read(Host::Cursor, &shell).unwrap();
    assert_eq!((call.session.as_str(), call.context["cwd"].as_str()), ("c1", Some("/p")));
    assert_eq!(call.context["project_dir"], "/p");
    let file = cursor("beforeReadFile", &json!({"file_path": "/p/.env", "content": "KEY=1"}));
    assert_eq!(tool(Host::Cursor, &file), ("Read".into(), None, json!({"file_path": "/p/.env"})));
    for name in ["create_issue", "MCP:create_issue"] {
        let more =
            json!({"tool_name": name, "tool_input": "{\"title\": \"x\"}", "url": "https://mcp.example"});
        let body = cursor("beforeMCPExecution", &more);
        assert_eq!(tool(Host::Cursor, &body), ("MCP:create_issue".into(), None, json!({"title": "x"})));
        assert_eq!(read(Host::Cursor, &body).unwrap().context["mcp_server"], "https://mcp.example");
    }
}

#[test]
fn arguments_in_a_text_are_read_and_others_stay() {
    let read = |arguments: Value| {
        tool(Host::Copilot, &copilot(&json!({"toolName": "bash", "toolArgs": arguments}))).2
    };
    assert_eq!(read(json!("{\"command\":\"ls\"}")), json!({"command": "ls"}));
    assert_eq!(read(json!({"command": "ls"})), json!({"command": "ls"}));
    assert_eq!(read(json!("not json")), json!("not json"));
    assert_eq!(read(json!("[1]")), json!("[1]"));
    assert_eq!(read(json!(null)), json!(null));
}

fn file_tool(host: Host, own: &str, arguments: &Value) -> Value {
    let body = match host {
        Host::Cursor => cursor("preToolUse", &json!({"tool_name": own, "tool_input": arguments})),
        Host::Gemini => gemini("BeforeTool", &json!({"tool_name": own, "tool_input": arguments})),
        Host::Copilot => copilot(&json!({"toolName": own, "toolArgs": arguments})),
        _ => claude("PreToolUse", &json!({"tool_name": own, "tool_input": arguments})),
    };
    tool(host, &body).2["paths"].clone()
}

#[test]
fn paths_are_found_under_whatever_name() {
    let table = [
        (Host::Claude, "Read", json!({"file_path": "/a"}), json!(null)),
        (Host::Gemini, "read_file", json!({"absolute_path": "/a"}), json!(null)),
        (Host::Gemini, "list_directory", json!({"dir_path": "/a"}), json!(null)),
        (Host::Cursor, "Read", json!({"path": "/a"}), json!(null)),
        (Host::Cursor, "Read", json!({"target_file": "/a"}), json!(["/a"])),
        (Host::Cursor, "Read", json!({"file_path": "/b", "target_file": "/a"}), json!(["/a"])),
        (Host::Cursor, "Read", json!({"paths": ["/b"], "target_file": "/a"}), json!(["/a", "/b"])),
        (Host::Cursor, "Glob", json!({"target_directory": "/a"}), json!(["/a"])),
        (Host::Cursor, "Grep", json!({"pattern": "x"}), json!(null)),
        (Host::Cursor, "Grep", json!({"target_directories": ["/a", 7]}), json!(["/a", 7])),
        (
            Host::Copilot,
            "multi_replace_string_in_file",
            json!({"replacements": [{"filePath": "/a"}, {"filePath": "/b"}]}),
            json!(["/a", "/b"]),
        ),
        // A file it is, and which one cannot be read.
        (Host::Claude, "Read", json!({}), json!([""])),
        (Host::Claude, "Write", json!({"file_path": null, "content": "x"}), json!([""])),
        (Host::Cursor, "StrReplace", json!({"where": "/a"}), json!([""])),
        (Host::Gemini, "read_many_files", json!({"include": ["src/**"], "paths": ["a"]}), json!(["", "a"])),
        // A tool that needs no path works where it is.
        (Host::Claude, "LS", json!({}), json!(null)),
        (Host::Claude, "Bash", json!({"target_file": "/a"}), json!(null)),
    ];
    for (host, own, arguments, expected) in table {
        assert_eq!(file_tool(host, own, &arguments), expected, "{host:?} {own} {arguments}");
    }
}

#[test]
fn arguments_have_the_names_that_patterns_know() {
    let of = |host: Host, body: &Value| tool(host, body).2;
    let glob = cursor("preToolUse", &json!({"tool_name": "Glob", "tool_input": {"glob_pattern": "*.rs"}}));
    assert_eq!(of(Host::Cursor, &glob)["pattern"], "*.rs");
    let more = json!({"tool_name": "activate_skill", "tool_input": {"name": "deploy"}});
    assert_eq!(of(Host::Gemini, &gemini("BeforeTool", &more))["skill"], "deploy");
    let two =
        claude("PreToolUse", &json!({"tool_name": "Skill", "tool_input": {"skill": "evil", "name": "good"}}));
    assert_eq!(of(Host::Claude, &two)["skill"], json!(["good", "evil"]), "neither hides the other");
}

#[test]
fn a_patch_says_which_files_it_touches() {
    let patch = "*** Begin Patch\n*** Add File: a/new.txt\n+*** Delete File: not-this\n+x\n*** Update File: b.txt\n\
                 *** Move to: /etc/c.txt\n@@\n-old\n+new\n *** in the text\n*** Delete File: d\r\n*** End Patch\n";
    let wanted = json!(["a/new.txt", "b.txt", "/etc/c.txt", "d"]);
    assert_eq!(file_tool(Host::Codex, "apply_patch", &json!({"command": patch})), wanted);
    assert_eq!(file_tool(Host::Copilot, "apply_patch", &json!(patch)), wanted);
    assert_eq!(file_tool(Host::Copilot, "apply_patch", &json!({"input": patch})), wanted);
    let renamed = claude("PreToolUse", &json!({"tool_name": "Edit", "tool_input": patch}));
    assert_eq!(tool(Host::Copilot, &renamed).2["paths"], wanted);
    let unclear = [
        json!({}),
        json!({"command": ""}),
        json!({"command": "*** Begin Patch\n*** End Patch"}),
        json!({"command": "*** Begin Patch\n*** Add File:\n+x\n*** End Patch"}),
        json!({"command": "*** Begin Patch\n*** Add File: a\n+x\n*** Copy to: b\n*** End Patch"}),
        json!({"command": "*** Begin Patch\n*** Environment ID: far\n*** Add File: a\n+x\n*** End Patch"}),
        json!({"command": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}),
        json!({"command": 7, "file_path": "/harmless"}),
    ];
    for arguments in unclear {
        let found = file_tool(Host::Codex, "apply_patch", &arguments);
        assert_eq!(found, json!([""]), "{arguments}");
    }
}
