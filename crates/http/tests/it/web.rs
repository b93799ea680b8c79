//! The web app: its files, its document, and what is there without it. The apps here are small ones of the tests' own.

use repertoire_http::{HttpConfig, WebApp};
use tempfile::TempDir;

use crate::api::{Answer, Api, Ask, ask, get, post};

const INDEX: &str = "<!doctype html><meta property=\"csp-nonce\" nonce=\"__CSP_NONCE__\">\
    <script type=\"module\" nonce=\"__CSP_NONCE__\" src=\"/assets/index-Ab12.js\"></script><div id=\"root\"></div>";

/// What a browser says when a person opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// A door with an app, and the folder the app is in.
async fn with_app() -> (Api, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    std::fs::create_dir_all(dist.join("assets/deep")).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "not of the app").unwrap();
    for (name, text) in [
        ("index.html", INDEX),
        ("index.html.gz", "packed document"),
        ("favicon.svg", "<svg/>"),
        ("app.webmanifest", "{}"),
        (".hidden", "hidden"),
        ("assets/index-Ab12.js", "plain script"),
        ("assets/index-Ab12.js.gz", "packed script"),
        ("assets/index-Cd34.css", "plain style"),
        ("assets/font-Ef56.woff2", "font"),
        ("assets/deep/code-Gh78.wasm", "code"),
        ("robots.txt", "plain robots"),
        ("robots.txt.gz", "packed robots"),
    ] {
        std::fs::write(dist.join(name), text).unwrap();
    }
    let web_app = WebApp::in_folder(&dist).unwrap();
    (Api::with(HttpConfig { web_app, ..HttpConfig::default() }).await, folder)
}

fn opened(path: &str) -> Ask {
    get(path).header("accept", BROWSER)
}

/// The nonce that the policy of an answer names, twice the same.
fn nonce(answer: &Answer) -> String {
    let policy = answer.header("content-security-policy");
    let nonces: Vec<_> =
        policy.split("'nonce-").skip(1).map(|rest| rest.split('\'').next().unwrap()).collect();
    assert!(nonces.len() == 2 && nonces[0] == nonces[1] && nonces[0].len() >= 22, "{policy}");
    nonces[0].to_owned()
}

#[tokio::test]
async fn each_file_has_its_media_type() {
    let (api, _folder) = with_app().await;
    for (path, kind) in [
        ("//assets/index-Ab12.js", "text/javascript; charset=utf-8"),
        ("//assets/index-Cd34.css", "text/css; charset=utf-8"),
        ("//assets/font-Ef56.woff2", "font/woff2"),
        ("//assets/deep/code-Gh78.wasm", "application/wasm"),
        ("//favicon.svg", "image/svg+xml"),
        ("//app.webmanifest", "application/manifest+json"),
        ("//robots.txt", "text/plain; charset=utf-8"),
    ] {
        let file = api.send(get(path)).await;
        assert_eq!((file.status, file.header("content-type").as_str()), (200, kind), "{path}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{path}");
    }
}

#[tokio::test]
async fn files_with_hashed_names_are_kept_for_ever_and_others_are_asked_for_again() {
    let (api, folder) = with_app().await;
    let asset = api.send(get("//assets/index-Cd34.css")).await;
    assert_eq!(asset.header("cache-control"), "public, max-age=31536000, immutable");
    let icon = api.send(get("//favicon.svg")).await;
    assert_eq!((icon.header("cache-control").as_str(), icon.text().as_str()), ("no-cache", "<svg/>"));
    let again = get("//favicon.svg").header("if-none-match", &icon.header("etag"));
    let same = api.send(again.clone()).await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(
        (same.header("etag"), same.header("cache-control")),
        (icon.header("etag"), "no-cache".to_owned())
    );
    std::fs::write(folder.path().join("dist/favicon.svg"), "<svg id=\"new\"/>").unwrap();
    let changed = api.send(again).await;
    assert_eq!((changed.status, changed.text().as_str()), (200, "<svg id=\"new\"/>"));
}

#[tokio::test]
async fn who_takes_gzip_gets_the_packed_file() {
    let (api, _folder) = with_app().await;
    for (path, plain, packed) in [
        ("//assets/index-Ab12.js", "plain script", "packed script"),
        ("//robots.txt", "plain robots", "packed robots"),
    ] {
        let whole = api.send(get(path)).await;
        assert_eq!((whole.text().as_str(), whole.header("content-encoding").as_str()), (plain, ""));
        let small = api.send(get(path).header("accept-encoding", "gzip, deflate, br, zstd")).await;
        assert_eq!((small.text().as_str(), small.header("content-encoding").as_str()), (packed, "gzip"));
        for header in ["vary", "content-type", "cache-control"] {
            assert_eq!(small.header(header), whole.header(header), "{path} {header}");
        }
        assert_eq!(small.header("vary"), "accept-encoding");
    }
    let tags = [get("//robots.txt"), get("//robots.txt").header("accept-encoding", "gzip")];
    let [plain, packed] = tags;
    assert_ne!(api.send(plain).await.header("etag"), api.send(packed).await.header("etag"));
    let unpacked = api.send(get("//assets/index-Cd34.css").header("accept-encoding", "gzip")).await;
    assert_eq!((unpacked.text().as_str(), unpacked.header("content-encoding").as_str()), ("plain style", ""));
}

#[tokio::test]
async fn the_document_has_a_nonce_of_its_own_each_time() {
    let (api, _folder) = with_app().await;
    let mut seen = Vec::new();
    for path in ["//", "//", "//index.html", "//skills/one", "//sign-in"] {
        let page = api.send(opened(path).header("accept-encoding", "gzip")).await;
        assert_eq!(page.status, 200, "{path}");
        let nonce = nonce(&page);
        assert_eq!(page.text(), INDEX.replace("__CSP_NONCE__", &nonce), "{path}");
        assert!(!seen.contains(&nonce), "{path}");
        seen.push(nonce);
    }
}

#[tokio::test]
async fn the_document_may_do_what_the_app_needs_and_no_more() {
    let (api, _folder) = with_app().await;
    let page = api.send(opened("//")).await;
    let policy = page.header("content-security-policy").replace(&nonce(&page), "N");
    assert_eq!(
        policy,
        "default-src 'none'; script-src 'self' 'nonce-N'; style-src 'self' 'nonce-N'; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    for (header, wanted) in [
        ("cache-control", "no-store"),
        ("content-type", "text/html; charset=utf-8"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("etag", ""),
    ] {
        assert_eq!(page.header(header), wanted, "{header}");
    }
}

#[tokio::test]
async fn a_deep_link_opens_the_app() {
    let (api, _folder) = with_app().await;
    for path in ["//review", "//skills/one/files/a.md", "//agents/", "//apiary", "//skills/%C3%A4?tab=x"] {
        let page = api.send(opened(path)).await;
        assert_eq!((page.status, page.text().contains("id=\"root\"")), (200, true), "{path}");
        let head = api.send(ask("HEAD", path).header("accept", BROWSER)).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        assert_eq!(head.header("content-type"), page.header("content-type"), "{path}");
        assert_eq!(head.header("content-length"), page.body.len().to_string(), "{path}");
    }
}

#[tokio::test]
async fn programs_are_told_that_there_is_nothing() {
    let (api, _folder) = with_app().await;
    for path in [
        "//api",
        "//api/",
        "//api/v1/nowhere",
        "//api/v2/skills",
        "//code/nowhere",
        "//files/nowhere",
        "//instances/a/nowhere",
        "//mcp/nowhere",
        "//metrics",
        "//healthz/nowhere",
        "//.well-known/nowhere",
        "//assets/index-Old0.js",
        "//assets/deep",
    ] {
        api.refused(opened(path), 404, "not_found").await;
    }
    api.refused(get("//review"), 404, "not_found").await;
    api.refused(get("//review").header("accept", "application/json, */*"), 404, "not_found").await;
    api.refused(post("//review").header("accept", BROWSER), 404, "not_found").await;
    api.refused(post("//favicon.svg"), 404, "not_found").await;
}

#[tokio::test]
async fn no_path_leads_out_of_the_app() {
    let (api, _folder) = with_app().await;
    for path in [
        "//../secret.txt",
        "//assets/../../secret.txt",
        "//assets/..%2f..%2fsecret.txt",
        "//%2e%2e/secret.txt",
        "//..%5csecret.txt",
        "///etc/passwd",
        "//%2fetc/passwd",
        "//.hidden",
        "//assets/index-Ab12.js%00",
    ] {
        let answer = api.send(get(path)).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{path}: {}", answer.text());
        let page = api.send(opened(path)).await.text();
        assert!(page.contains("id=\"root\"") || page.contains("not_found"), "{path}: {page}");
    }
}

#[tokio::test]
async fn without_the_app_pages_say_how_to_get_it() {
    let api = Api::new().await;
    for ask in [get("//"), opened("//"), opened("//skills/one")] {
        let page = api.send(ask).await;
        assert_eq!(page.status, 200);
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
        for part in ["API works", "make ui", "--ui-dir", "href=\"/docs\"", "/api/v1/openapi.json"] {
            assert!(page.text().contains(part), "{part}: {}", page.text());
        }
    }
    assert!(api.send(opened("//sign-in")).await.text().contains("repertoire user link"));
    api.refused(opened("//api/v1/nowhere"), 404, "not_found").await;
    api.refused(opened("//assets/index-Ab12.js"), 404, "not_found").await;
    api.refused(get("//favicon.svg"), 404, "not_found").await;
}

#[tokio::test]
async fn a_link_that_does_not_work_leads_to_the_apps_own_page() {
    let (api, _folder) = with_app().await;
    let answer = api.send(opened("//sign-in?link=rpl_guess")).await;
    assert_eq!(
        (answer.status, answer.header("location").as_str()),
        (303, "/sign-in?problem=unauthenticated")
    );
    assert_eq!(answer.header("set-cookie"), "");
    let page = api.send(opened("//sign-in?problem=unauthenticated")).await;
    assert!(page.text().contains("id=\"root\""), "{}", page.text());
    api.refused(get("//sign-in?link=rpl_guess"), 401, "unauthenticated").await;
    let good = api.app.first_link.reveal().to_owned();
    let answer = api.send(opened(&format!("//sign-in?link={good}&next=/review"))).await;
    assert_eq!((answer.status, answer.header("location").as_str()), (303, "/review"));
    assert!(answer.header("set-cookie").starts_with("repertoire_session=rps_"));
}

#[tokio::test]
async fn too_many_links_are_told_on_the_apps_own_page() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), INDEX).unwrap();
    let web_app = WebApp::in_folder(folder.path()).unwrap();
    let api =
        Api::with(HttpConfig { web_app, sign_in_failures_per_minute: 1, ..HttpConfig::default() }).await;
    api.send(opened("//sign-in?link=rpl_guess")).await;
    let answer = api.send(opened("//sign-in?link=rpl_guess")).await;
    assert_eq!((answer.status, answer.header("location").as_str()), (303, "/sign-in?problem=rate_limited"));
}
