//! Serves a fresh library like `repertoire serve` does, for tests of the door alone.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use app::tokens::CreateToken;
use model::TokenScope;
use repertoire_http::{Http, HttpConfig};
use testkit::TestApp;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag).expect(flag);
        arguments[at + 1].clone()
    };
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let request = CreateToken {
        name: "local".to_owned(),
        user: None,
        agent: None,
        scopes: TokenScope::ALL.to_vec(),
        expires_at: None,
    };
    let (_, secret) = app::tokens::create(&app.cx, &admin, request).await.unwrap();
    std::fs::write(format!("{}/local.token", value("--data")), secret.reveal()).unwrap();
    let listener = tokio::net::TcpListener::bind(value("--listen")).await.unwrap();
    let address = listener.local_addr().unwrap();
    std::fs::write(value("--ready-file"), address.to_string()).unwrap();
    Http::new(app.cx.clone(), HttpConfig::default()).serve(listener, std::future::pending()).await.unwrap();
}
