//! Requests to run code that are refused, for the table of bad input.

use serde_json::{Value, json};

use crate::api::{get, post};
use crate::bad_input::Case;

/// Requests about a skill without code and four with: one that runs, one that wants to reach a host, one that is put
/// away, one that is off.
pub(crate) fn cases(plain: &str, code: &[String; 4]) -> Vec<Case> {
    let run = |skill: &str| post(&format!("/skills/{skill}/runs"));
    let [adder, caller, away, off] = code;
    let good = json!({"parameters": {"a": 1}});
    let with = |extra: Value| {
        let mut body = good.clone();
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        run(adder).json(body)
    };
    let network = json!({"code": "x", "network": ["https://example.org"]});
    vec![
        ("a skill without code", run(plain).json(json!({})), 422, "no_procedure"),
        ("a parameter that is missing", run(adder), 422, "invalid_parameters"),
        (
            "a parameter of another type",
            run(adder).json(json!({"parameters": {"a": "1"}})),
            422,
            "invalid_parameters",
        ),
        ("parameters as a list", run(adder).json(json!({"parameters": [1]})), 400, "invalid_request"),
        ("a host that is not granted", run(caller), 403, "network_not_allowed"),
        ("code that was put away", run(away).json(good.clone()), 409, "skill_not_active"),
        ("code that is off", run(off).json(good.clone()), 409, "skill_disabled"),
        ("an unknown field of a run", with(json!({"paramters": {}})), 400, "invalid_request"),
        ("a limit of nothing", with(json!({"limits": {"wall_ms": 0}})), 422, "invalid_settings"),
        ("limits as a list", with(json!({"limits": [1]})), 400, "invalid_request"),
        (
            "pruning with a list",
            post("/runs/prune").json(json!(["2020-01-01T00:00:00Z"])),
            400,
            "invalid_request",
        ),
        ("an unknown limit", with(json!({"limits": {"time": 1}})), 400, "invalid_request"),
        ("revision 0", with(json!({"revision": 0})), 400, "invalid_request"),
        ("a revision that is not there", with(json!({"revision": 9})), 404, "not_found"),
        ("a session that is not there", with(json!({"session_id": "nothing"})), 404, "not_found"),
        (
            "a file that is not base64",
            with(json!({"files": [{"path": "a", "content_base64": "?"}]})),
            400,
            "invalid_request",
        ),
        (
            "a file outside",
            with(json!({"files": [{"path": "../a", "content_base64": ""}]})),
            422,
            "invalid_path",
        ),
        (
            "a check of once",
            post(&format!("/skills/{adder}/runs/check")).json(json!({"times": 1, "parameters": {"a": 1}})),
            400,
            "invalid_request",
        ),
        ("a run that is not there", get("/runs/nothing"), 404, "not_found"),
        ("an unknown status", get("/runs?status=maybe"), 400, "invalid_request"),
        ("no moment", get("/runs?since=yesterday"), 400, "invalid_request"),
        (
            "a moment beyond the calendar",
            get("/runs?until=9999-12-31T23:59:59-01:00"),
            400,
            "invalid_request",
        ),
        ("a cursor of another list", get("/runs?cursor=eA"), 400, "invalid_cursor"),
        ("pruning without a moment", post("/runs/prune").json(json!({})), 400, "invalid_request"),
        (
            "an agent's limit of nothing",
            post("/agents").json(json!({"name": "n", "run_limits": {"processes": 0}})),
            422,
            "invalid_settings",
        ),
        (
            "more open files than can be counted",
            post("/agents").json(json!({"name": "n", "run_limits": {"open_files": 4_294_967_295_u32}})),
            422,
            "invalid_settings",
        ),
        (
            "a host that is none",
            post("/skills").json(json!({"name": "made", "description": "Made.", "procedure": network})),
            422,
            "sidecar_invalid",
        ),
    ]
}
