//! Every operation of the API once, with what it takes to be allowed. A new operation must be added here.

use serde_json::{Value, json};
use testkit::app::skill_md;

use crate::api::{Api, Ask, ask, delete, id, post, zip};

/// Who may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// Every member.
    Member,
    /// Those with a further role.
    Privileged,
    /// Only whose it is; to everyone else it is not there.
    Owner,
}

/// One operation.
pub(crate) struct Operation {
    pub(crate) id: &'static str,
    pub(crate) ask: Ask,
    /// The token scope it needs first.
    pub(crate) scope: model::TokenScope,
    pub(crate) who: Who,
    /// Whether its path names something of the workspace.
    pub(crate) names: bool,
}

/// Operations that anyone may ask for.
pub(crate) const PUBLIC: &[&str] = &["sign_in"];
/// Operations that are for browsers, and so for cookies only.
pub(crate) const BROWSER: &[&str] = &["sign_out"];

/// What the operations are about: things of the operator in the workspace `default`.
pub(crate) struct World {
    pub(crate) skill: String,
    gone: String,
    agent: String,
    bob: String,
    token: String,
    /// A code session with the file `a.txt`.
    code: String,
    /// A skill with code, and a run of it.
    adder: String,
    run: String,
    /// A governed run, and the decision with which it began.
    governed: String,
    decision: String,
    /// A session.
    session: String,
}

/// Parameters for the skill with code.
fn numbers() -> Value {
    json!({"parameters": {"a": 1, "b": 2}})
}

impl World {
    pub(crate) async fn new(api: &Api) -> Self {
        api.ok(200, ask("PATCH", "/workspace").json(json!({"undelete_window_hours": 24}))).await;
        let skill = id(&api.skill("shared").await);
        let gone = id(&api.skill("gone").await);
        let files = json!({"files": [{"path": "notes.md", "content": "Notes."}]});
        api.ok(200, ask("PATCH", &format!("/skills/{skill}")).json(files)).await;
        api.ok(200, delete(&format!("/skills/{gone}"))).await;
        let agent = api.agent(json!({"name": "helper", "skills": [{"skill_id": skill}]})).await;
        let bob = api.ok(201, post("/users").json(json!({"handle": "bob"}))).await.json();
        let request = json!({"name": "of-bob", "user": "bob", "scopes": ["read"]});
        let token = api.ok(201, post("/tokens").json(request)).await.json();
        let upload = post("//files/upload?path=a.txt").bytes("text/plain", "a");
        let session = api.ok(200, upload).await.json();
        let code = session["session_id"].as_str().unwrap().to_owned();
        let adder = id(&api.adder(json!({"scope": "workspace"})).await);
        let run = id(&api.ok(201, post(&format!("/skills/{adder}/runs")).json(numbers())).await.json());
        let started = api.ok(201, post("/governance/runs").json(json!({"task": "x"}))).await.json();
        let decision = started["resolution"]["decision_id"].as_str().unwrap().to_owned();
        Self {
            skill,
            gone,
            agent: id(&agent),
            bob: id(&bob),
            token: id(&token),
            code,
            adder,
            run,
            governed: id(&started["run"]),
            decision,
            session: id(&api.ok(201, post("/sessions")).await.json()),
        }
    }

    /// Every operation but those in [`PUBLIC`] and [`BROWSER`].
    pub(crate) fn operations(&self) -> Vec<Operation> {
        use Who::{Member, Owner, Privileged};
        use model::TokenScope::{Admin, Read, Review, Write};
        let Self { skill, gone, agent, bob, token, code, adder, run, governed, decision, session } = self;
        let mut all = Vec::new();
        let mut add = |id, method, path: String, body: Value, scope, who| {
            let known = [skill, gone, agent, bob, token, code, adder, run, governed, decision, session];
            let names = known.iter().any(|id| path.contains(id.as_str()));
            let asked = ask(method, &path);
            let ask = if body.is_null() { asked } else { asked.json(body) };
            all.push(Operation { id, ask, scope, who, names });
        };
        let none = || Value::Null;
        add("whoami", "GET", "/me".into(), none(), Read, Member);
        add("list_workspaces", "GET", "/workspaces".into(), none(), Read, Member);
        add("create_workspace", "POST", "/workspaces".into(), json!({"name": "new"}), Admin, Privileged);
        add("read_workspace", "GET", "/workspace".into(), none(), Read, Member);
        add("change_workspace", "PATCH", "/workspace".into(), json!({"title": "T"}), Admin, Privileged);
        add("list_users", "GET", "/users".into(), none(), Read, Member);
        add("add_user", "POST", "/users".into(), json!({"handle": "carol"}), Admin, Privileged);
        add("read_user", "GET", format!("/users/{bob}"), none(), Read, Member);
        let name = json!({"display_name": "B"});
        add("change_user", "PATCH", format!("/users/{bob}"), name, Admin, Privileged);
        add("remove_user", "DELETE", format!("/users/{bob}"), none(), Admin, Privileged);
        add("create_sign_in_link", "POST", format!("/users/{bob}/sign-in-link"), none(), Admin, Privileged);
        add("list_tokens", "GET", "/tokens".into(), none(), Admin, Member);
        let request = json!({"name": "t", "scopes": ["read"]});
        add("create_token", "POST", "/tokens".into(), request, Admin, Member);
        add("revoke_token", "DELETE", format!("/tokens/{token}"), none(), Admin, Privileged);
        add("list_agents", "GET", "/agents".into(), none(), Read, Member);
        add("create_agent", "POST", "/agents".into(), json!({"name": "new"}), Admin, Privileged);
        add("read_agent", "GET", format!("/agents/{agent}"), none(), Read, Member);
        add("agent_context", "GET", format!("/agents/{agent}/context"), none(), Read, Member);
        add("update_agent", "PUT", format!("/agents/{agent}"), json!({"name": "new"}), Admin, Privileged);
        add("delete_agent", "DELETE", format!("/agents/{agent}"), none(), Admin, Privileged);
        add(
            "assign_skill",
            "PUT",
            format!("/agents/{agent}/skills/{skill}"),
            json!({"pin": 1}),
            Admin,
            Privileged,
        );
        add("unassign_skill", "DELETE", format!("/agents/{agent}/skills/{skill}"), none(), Admin, Privileged);
        add("list_skills", "GET", "/skills".into(), none(), Read, Member);
        add(
            "create_skill",
            "POST",
            "/skills".into(),
            json!({"name": "n", "description": "d"}),
            Write,
            Member,
        );
        let proposal = json!({"name": "p", "description": "d", "instructions": "i"});
        add("propose_skill", "POST", "/skills/propose".into(), proposal, Write, Member);
        let items = json!({"items": [{"name": "b", "description": "d"}]});
        add("bulk_upsert", "POST", "/skills/bulk".into(), items, Read, Member);
        add("resolve_skill", "GET", "/skills/resolve?name=shared".into(), none(), Read, Member);
        let query = json!({"query": "what is shared"});
        add("search_skills", "POST", "/skills/search".into(), query, Read, Member);
        add("discover_skills", "POST", "/skills/discover".into(), none(), Read, Member);
        add("group_skills", "GET", "/skills/groups".into(), none(), Read, Member);
        add("search_status", "GET", "/search/status".into(), none(), Read, Member);
        add("read_skill", "GET", format!("/skills/{skill}"), none(), Read, Member);
        let description = json!({"description": "Another."});
        add("edit_skill", "PATCH", format!("/skills/{skill}"), description, Write, Privileged);
        add("delete_skill", "DELETE", format!("/skills/{skill}"), none(), Write, Privileged);
        add("undelete_skill", "POST", format!("/skills/{gone}/undelete"), none(), Write, Privileged);
        add("export_skill", "GET", format!("/skills/{skill}/bundle"), none(), Read, Member);
        add("list_files", "GET", format!("/skills/{skill}/files"), none(), Read, Member);
        add("read_file", "GET", format!("/skills/{skill}/files/SKILL.md"), none(), Read, Member);
        add("put_file", "PUT", format!("/skills/{skill}/files/a.txt"), json!("x"), Write, Privileged);
        add("delete_file", "DELETE", format!("/skills/{skill}/files/notes.md"), none(), Write, Privileged);
        add("list_revisions", "GET", format!("/skills/{skill}/revisions"), none(), Read, Member);
        add("read_revision", "GET", format!("/skills/{skill}/revisions/1"), none(), Read, Member);
        let label = json!({"label": "1.0.0"});
        add("label_revision", "PUT", format!("/skills/{skill}/revisions/1/label"), label, Write, Privileged);
        add("diff_revisions", "GET", format!("/skills/{skill}/diff?from=1"), none(), Read, Member);
        let first = json!({"revision": "1"});
        add("restore_revision", "POST", format!("/skills/{skill}/restore"), first, Write, Privileged);
        for (id, step) in
            [("submit_skill", "submit"), ("archive_skill", "archive"), ("reopen_skill", "reopen")]
        {
            add(id, "POST", format!("/skills/{skill}/{step}"), none(), Write, Privileged);
        }
        for (id, step) in [("approve_skill", "approve"), ("reject_skill", "reject")] {
            add(id, "POST", format!("/skills/{skill}/{step}"), none(), Review, Privileged);
        }
        for (id, step) in [("enable_skill", "enable"), ("disable_skill", "disable")] {
            add(id, "POST", format!("/skills/{skill}/{step}"), none(), Write, Privileged);
        }
        add(
            "promote_skill",
            "POST",
            format!("/skills/{skill}/promote"),
            json!({"to": "workspace"}),
            Write,
            Privileged,
        );
        add("record_use", "POST", format!("/skills/{skill}/uses"), json!({"success": true}), Write, Member);
        add("list_feedback", "GET", format!("/skills/{skill}/feedback"), none(), Read, Member);
        add(
            "record_feedback",
            "POST",
            format!("/skills/{skill}/feedback"),
            json!({"helpful": true}),
            Write,
            Member,
        );
        add("read_analytics", "GET", "/analytics".into(), none(), Read, Member);
        add("list_tags", "GET", "/tags".into(), none(), Read, Member);
        let source = json!({"code": "1 + 1"});
        add("interpret", "POST", "/interpreter".into(), json!({"prompt": "1 + 1"}), Write, Member);
        add("execute_code", "POST", "//code/execute".into(), source, Write, Member);
        add("list_code_sessions", "GET", "//code/sessions".into(), none(), Read, Member);
        add("upload_files", "POST", "//files/upload?path=b.txt".into(), json!("b"), Write, Member);
        let list = format!("//files/list?session_id={code}");
        add("list_session_files", "GET", list, none(), Read, Owner);
        let download = format!("//files/download?session_id={code}&path=a.txt");
        add("download_file", "GET", download, none(), Read, Owner);
        let file = json!({"session_id": code, "path": "a.txt"});
        add("post_download_file", "POST", "//files/download".into(), file.clone(), Read, Owner);
        add("delete_session_files", "POST", "//files/delete".into(), file, Write, Owner);
        add("end_code_session", "DELETE", format!("//code/sessions/{code}"), none(), Write, Owner);
        add("run_skill", "POST", format!("/skills/{adder}/runs"), numbers(), Write, Member);
        let twice = json!({"times": 2, "parameters": {"a": 1, "b": 2}});
        add("check_determinism", "POST", format!("/skills/{adder}/runs/check"), twice, Write, Member);
        add("list_skill_runs", "GET", format!("/skills/{adder}/runs"), none(), Read, Member);
        add("skill_statistics", "GET", format!("/skills/{adder}/statistics"), none(), Read, Member);
        add("list_runs", "GET", "/runs".into(), none(), Read, Member);
        add("get_run", "GET", format!("/runs/{run}"), none(), Read, Owner);
        let before = json!({"before": "2020-01-01T00:00:00Z"});
        add("prune_runs", "POST", "/runs/prune".into(), before, Admin, Privileged);
        for (id, path) in [
            ("resolve_policies", "resolve"),
            ("plan_with_policies", "plan"),
            ("explain_policies", "explain"),
            ("start_governed_run", "runs"),
        ] {
            add(id, "POST", format!("/governance/{path}"), json!({"task": "x"}), Read, Member);
        }
        let call = || json!({"tool": "ls"});
        add("judge_call", "POST", "/governance/judge".into(), call(), Read, Member);
        add("list_policies", "GET", "/governance/policies".into(), none(), Read, Member);
        add("list_governed_runs", "GET", "/governance/runs".into(), none(), Read, Member);
        add("get_governed_run", "GET", format!("/governance/runs/{governed}"), none(), Read, Owner);
        add("judge_step", "POST", format!("/governance/runs/{governed}/judge"), call(), Read, Owner);
        add(
            "finish_governed_run",
            "POST",
            format!("/governance/runs/{governed}/finish"),
            none(),
            Read,
            Owner,
        );
        add("list_decisions", "GET", "/governance/decisions".into(), none(), Read, Member);
        add("get_decision", "GET", format!("/governance/decisions/{decision}"), none(), Read, Owner);
        let before = json!({"before": "2020-01-01T00:00:00Z"});
        add("prune_decisions", "POST", "/governance/decisions/prune".into(), before, Admin, Privileged);
        let ended = json!({"hook_event_name": "SessionEnd", "session_id": "s"});
        add("answer_hook", "POST", "/governance/hooks/claude".into(), ended, Read, Member);
        let files = || {
            let manifest = json!({"path": "SKILL.md", "content": skill_md("guard", "Guard.")});
            let sidecar =
                json!({"path": "repertoire.yaml", "content": "policy: {activation: {always: true}}\n"});
            json!({"files": [manifest, sidecar]})
        };
        add("test_policy", "POST", "/governance/test".into(), files(), Read, Member);
        add("analyse_policy", "POST", "/governance/analyse".into(), files(), Admin, Privileged);
        add("replay_decisions", "POST", "/governance/replay".into(), files(), Admin, Privileged);
        add("start_session", "POST", "/sessions".into(), none(), Read, Member);
        add("list_sessions", "GET", "/sessions".into(), none(), Read, Member);
        let of_session = |rest: &str| format!("/sessions/{session}{rest}");
        let entries = json!({"entries": [{"kind": "message", "role": "user", "text": "x"}]});
        add("get_session", "GET", of_session(""), none(), Read, Owner);
        add("change_session", "PATCH", of_session(""), json!({"title": "T"}), Read, Owner);
        add("list_session_entries", "GET", of_session("/entries"), none(), Read, Owner);
        add("add_session_entries", "POST", of_session("/entries"), entries, Read, Owner);
        add("get_todos", "GET", of_session("/todos"), none(), Read, Owner);
        add("write_todos", "PUT", of_session("/todos"), json!({"todos": []}), Read, Owner);
        let outcome = json!({"outcome": "failed"});
        add("complete_session", "POST", of_session("/complete"), outcome, Read, Owner);
        add("delete_session", "DELETE", of_session(""), none(), Write, Owner);
        add("get_sandbox", "GET", "/sandbox".into(), none(), Read, Member);
        add("watch_events", "GET", "/events".into(), none(), Read, Member);
        add("list_audit", "GET", "/audit".into(), none(), Admin, Privileged);
        add("export_audit", "GET", "/audit/export".into(), none(), Admin, Privileged);
        add("verify_audit", "GET", "/audit/verification".into(), none(), Admin, Privileged);
        add("take_backup", "GET", "/backup".into(), none(), Admin, Privileged);
        let archive = zip(&[("z/SKILL.md", skill_md("z", "Do."))]);
        for (id, method, path, scope, who) in [
            ("import_skills", "POST", "/skills/import".to_owned(), Read, Member),
            ("validate_skill", "POST", "/skills/validate".to_owned(), Read, Member),
            ("replace_bundle", "PUT", format!("/skills/{skill}/bundle"), Write, Privileged),
        ] {
            let names = path.contains(skill.as_str());
            all.push(Operation { id, ask: ask(method, &path).zip(archive.clone()), scope, who, names });
        }
        all
    }
}
