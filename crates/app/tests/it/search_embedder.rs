//! Vectors from an embedder elsewhere: made in the background, kept, and done without while it is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use app::Context;
use app::search::{EmbedError, Embedder, Meaning, SearchSkills, Vector, embed_missing, find, status};
use async_trait::async_trait;
use model::Caller;
use testkit::TestApp;
use testkit::app::spec_with;

/// Makes the built-in vectors, as another embedder would, and counts what it is asked.
#[derive(Default)]
struct Elsewhere {
    name: String,
    texts: AtomicUsize,
    calls: AtomicUsize,
    away: AtomicBool,
}

#[async_trait]
impl Embedder for Elsewhere {
    fn name(&self) -> &str {
        &self.name
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if self.away.load(Ordering::SeqCst) {
            return Err(EmbedError::Unavailable("nobody is there".to_owned()));
        }
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        let vector = |text: &String| search::embed(text).or_else(|| search::embed("nothing")).unwrap();
        Ok(texts.iter().map(vector).collect())
    }
}

fn elsewhere(name: &str) -> Arc<Elsewhere> {
    Arc::new(Elsewhere { name: name.to_owned(), ..Elsewhere::default() })
}

fn with(cx: &Context, embedder: &Arc<Elsewhere>) -> Context {
    let (skills, requests) = (Arc::clone(embedder), Arc::clone(embedder));
    cx.clone().with_meaning(Meaning::Other { skills, requests })
}

async fn library() -> (TestApp, Caller) {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for number in 0..40 {
        let request = spec_with(&format!("skill-{number}"), |draft| {
            draft.description = format!("Explains the art of number {number}.");
            draft.example_prompts = vec![format!("what is {number}?"), "tell me a number".to_owned()];
        });
        app.put(&admin, request).await;
    }
    (app, admin)
}

fn number() -> SearchSkills {
    SearchSkills {
        query: "the art of numbers".to_owned(),
        min_similarity: Some(0.0),
        ..SearchSkills::default()
    }
}

#[tokio::test]
async fn skills_are_embedded_in_the_background_and_search_works_meanwhile() {
    let (app, admin) = library().await;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    let early = find(&cx, &admin, number()).await.unwrap();
    assert_eq!(early.skills.len(), 10);
    assert!(early.notice.unwrap().contains("built-in"));
    let now = status(&cx, &admin).await.unwrap();
    assert_eq!((now.embedder.as_str(), now.waiting), ("other", Some(40)));
    let after_one = embed_missing(&cx).await.unwrap();
    assert!((1..40).contains(&after_one), "{after_one}");
    assert_eq!(find(&cx, &admin, number()).await.unwrap().notice, None);
    while embed_missing(&cx).await.unwrap() > 0 {}
    assert_eq!(status(&cx, &admin).await.unwrap().waiting, Some(0));
    let texts = embedder.texts.load(Ordering::SeqCst);
    assert_eq!(embed_missing(&cx).await.unwrap(), 0);
    assert_eq!(embedder.texts.load(Ordering::SeqCst), texts, "there was nothing left to ask");

    // What was made is kept: another process asks only for what reads the scale.
    let again = elsewhere("other");
    let fresh = with(&app.cx, &again);
    while embed_missing(&fresh).await.unwrap() > 0 {}
    assert!(again.texts.load(Ordering::SeqCst) < texts - 40, "kept vectors are asked for again");
    // Another model makes its own.
    let model = elsewhere("other-2");
    let fresh = with(&app.cx, &model);
    while embed_missing(&fresh).await.unwrap() > 0 {}
    assert_eq!(model.texts.load(Ordering::SeqCst), texts - 1, "all but the one request");
}

#[tokio::test]
async fn an_edit_is_embedded_again() {
    let (app, admin) = library().await;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    while embed_missing(&cx).await.unwrap() > 0 {}
    let skill = app.skill(&admin, "late").await.skill;
    assert_eq!(status(&cx, &admin).await.unwrap().waiting, Some(1));
    assert_eq!(find(&cx, &admin, number()).await.unwrap().skills.len(), 10);
    let texts = embedder.texts.load(Ordering::SeqCst);
    assert_eq!(embed_missing(&cx).await.unwrap(), 0);
    assert_eq!(embedder.texts.load(Ordering::SeqCst), texts + 1);
    app::skills::set_enabled(&cx, &admin, skill.id, false, None).await.unwrap();
    assert_eq!(embed_missing(&cx).await.unwrap(), 0);
    assert_eq!(embedder.texts.load(Ordering::SeqCst), texts + 1, "the text is the same as before");
}

#[tokio::test]
async fn an_embedder_that_is_away_is_told_of_and_done_without() {
    let (app, admin) = library().await;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    embed_missing(&cx).await.unwrap();
    embedder.away.store(true, Ordering::SeqCst);
    let waiting = embed_missing(&cx).await.unwrap();
    assert!(waiting > 0);
    assert!(status(&cx, &admin).await.unwrap().failure.unwrap().contains("nobody is there"));
    let result = find(&cx, &admin, number()).await.unwrap();
    assert_eq!(result.skills.len(), 10);
    assert!(result.notice.unwrap().contains("nobody is there"));
    // It is left alone for a moment, so that not everybody waits for it.
    let calls = embedder.calls.load(Ordering::SeqCst);
    assert!(find(&cx, &admin, number()).await.unwrap().notice.unwrap().contains("built-in"));
    assert_eq!(embedder.calls.load(Ordering::SeqCst), calls);
    embedder.away.store(false, Ordering::SeqCst);
    app.clock.advance(time::Duration::seconds(11));
    assert_eq!(find(&cx, &admin, number()).await.unwrap().notice, None);
    while embed_missing(&cx).await.unwrap() > 0 {}
    assert_eq!(status(&cx, &admin).await.unwrap().failure, None);
}
