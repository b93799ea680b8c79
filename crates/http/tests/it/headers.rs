//! What every answer says about itself.

use serde_json::json;

use crate::api::{Answer, Api, get, id, post, put};

fn check(answer: &Answer, told: &str) {
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{told}");
    assert_eq!(answer.header("x-frame-options"), "DENY", "{told}");
    assert_eq!(answer.header("referrer-policy"), "no-referrer", "{told}");
    assert_ne!(answer.header("cache-control"), "", "{told}");
}

#[tokio::test]
async fn every_answer_is_safe_to_show() {
    let api = Api::new().await;
    for path in [
        "//",
        "//healthz",
        "//readyz",
        "//sign-in",
        "//docs/",
        "//nowhere",
        "/openapi.json",
        "/me",
        "/nowhere",
    ] {
        check(&api.send(get(path)).await, path);
    }
    let made = api.ok(201, post("/skills").json(json!({"name": "one", "description": "d"}))).await;
    check(&made, "created");
    assert_eq!(made.header("cache-control"), "no-store");
    check(&api.ok(200, get("/skills")).await, "list");
    check(&api.ok(200, get("/skills")).await, "kept list");
    check(&api.send(get("/me").header("host", "evil.example")).await, "foreign host");
    check(&api.ok(405, crate::api::delete("/skills")).await, "wrong method");
}

#[tokio::test]
async fn pages_run_no_scripts_and_hold_no_secrets() {
    let api = Api::new().await;
    for path in ["//", "//sign-in"] {
        let page = api.send(get(path)).await;
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
    }
}

#[tokio::test]
async fn a_file_is_a_download_that_no_browser_runs() {
    let api = Api::new().await;
    let skill = id(&api.skill("one").await);
    for name in ["page.html", "image.svg", "code.js", "plain.txt", "deep/er/page.htm"] {
        let path = format!("/skills/{skill}/files/{name}");
        api.ok(200, put(&path).bytes("text/html", "<script>alert(1)</script>")).await;
        let file = api.ok(200, get(&path)).await;
        assert_eq!(file.header("content-type"), "application/octet-stream", "{name}");
        assert_eq!(file.header("content-disposition"), "attachment", "{name}");
        assert!(file.header("content-security-policy").starts_with("sandbox"), "{name}");
        assert!(file.header("repertoire-digest").starts_with("sha256:"), "{name}");
        check(&file, name);
    }
    let bundle = api.ok(200, get(&format!("/skills/{skill}/bundle"))).await;
    assert_eq!(bundle.header("content-type"), "application/zip");
    assert_eq!(bundle.header("content-disposition"), "attachment; filename=\"one.zip\"");
}

#[tokio::test]
async fn a_method_that_is_not_taken_is_told_which_are() {
    let api = Api::new().await;
    for (path, wanted) in [("/skills", "GET,HEAD,POST"), ("/workspace", "GET,HEAD,PATCH")] {
        let answer = api.ok(405, crate::api::delete(path)).await;
        let mut allowed: Vec<_> =
            answer.header("allow").split(',').map(|word| word.trim().to_owned()).collect();
        allowed.sort();
        assert_eq!(allowed.join(","), wanted);
    }
}
