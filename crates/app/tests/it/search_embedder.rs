//! Vectors from an embedder elsewhere: made in the background, kept, and done without while it is away.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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
    /// It refuses texts with this word.
    refuses: Mutex<Option<&'static str>>,
    /// It does not answer to texts with this word.
    ignores: Mutex<Option<&'static str>>,
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
        let with = |word: &Mutex<Option<&str>>| {
            let word = *word.lock().unwrap();
            word.is_some_and(|word| texts.iter().any(|text| text.contains(word)))
        };
        if with(&self.refuses) {
            return Err(EmbedError::Unusable("that will not do".to_owned()));
        }
        if with(&self.ignores) {
            return Err(EmbedError::Unavailable("nobody listens".to_owned()));
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
    let member = app.user("alice", &[]).await;
    let told = status(&cx, &member).await.unwrap();
    assert_eq!((told.failure, told.refused), (None, None), "that is for those who see everything");
    let result = find(&cx, &admin, number()).await.unwrap();
    assert_eq!(result.skills.len(), 10);
    assert_eq!(result.notice.unwrap(), "the embedder does not answer; the built-in one was used");
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

#[tokio::test]
async fn a_text_that_is_refused_stops_no_other() {
    let (app, admin) = library().await;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    let bad = spec_with("bad", |draft| draft.description = "Says abracadabra.".to_owned());
    let bad = app.put(&admin, bad).await.record.skill;
    *embedder.refuses.lock().unwrap() = Some("abracadabra");
    while embed_missing(&cx).await.unwrap() > 0 {}
    let now = status(&cx, &admin).await.unwrap();
    assert_eq!((now.skills, now.waiting, now.refused, now.failure), (41, Some(0), Some(1), None));
    // It is not asked again, also not when something else of it was written.
    let calls = embedder.calls.load(Ordering::SeqCst);
    app::skills::set_enabled(&cx, &admin, bad.id, false, None).await.unwrap();
    for _ in 0..3 {
        assert_eq!(embed_missing(&cx).await.unwrap(), 0);
    }
    assert_eq!(embedder.calls.load(Ordering::SeqCst), calls);
    let query = SearchSkills { query: "abracadabra".to_owned(), nearest: Some(false), ..number() };
    let found = find(&cx, &admin, query).await.unwrap();
    assert_eq!(found.skills[0].record.skill.id, bad.id, "the built-in one stands in");
    assert_eq!(
        found.notice.unwrap(),
        "the embedder gave no vector for this request; the built-in one was used"
    );
    // Another text is another try.
    let changes = app::Changes { description: Some("Says please.".to_owned()), ..app::Changes::default() };
    let edit = app::skills::EditSkill::new(app::skills::Edit::Changes(Box::new(changes)));
    app::skills::edit(&cx, &admin, bad.id, edit).await.unwrap();
    assert_eq!(embed_missing(&cx).await.unwrap(), 0);
    assert_eq!(status(&cx, &admin).await.unwrap().refused, Some(0));
}

#[tokio::test]
async fn a_refused_request_does_not_rest_the_embedder() {
    let (app, admin) = library().await;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    embed_missing(&cx).await.unwrap();
    *embedder.refuses.lock().unwrap() = Some("abracadabra");
    let query = SearchSkills { query: "abracadabra".to_owned(), ..number() };
    assert!(find(&cx, &admin, query).await.unwrap().notice.is_some());
    assert_eq!(find(&cx, &admin, number()).await.unwrap().notice, None);
}

#[tokio::test]
async fn an_embedder_that_refuses_everything_sets_no_skill_aside() {
    let (app, admin) = library().await;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    embed_missing(&cx).await.unwrap();
    *embedder.refuses.lock().unwrap() = Some("");
    let before = embed_missing(&cx).await.unwrap();
    let now = status(&cx, &admin).await.unwrap();
    assert_eq!((now.waiting, now.refused), (Some(before as u64), Some(0)));
    assert!(now.failure.unwrap().contains("that will not do"));
    *embedder.refuses.lock().unwrap() = None;
    while embed_missing(&cx).await.unwrap() > 0 {}
    assert_eq!(status(&cx, &admin).await.unwrap().failure, None);
}

#[tokio::test]
async fn what_fails_in_one_workspace_is_told_there_and_stops_no_other() {
    let (app, admin) = library().await;
    let there = app.workspace("other").await;
    let secret = spec_with("secret", |draft| draft.description = "Says abracadabra.".to_owned());
    let secret = app.put(&there, secret).await.record.skill;
    let embedder = elsewhere("other");
    let cx = with(&app.cx, &embedder);
    *embedder.ignores.lock().unwrap() = Some("abracadabra");
    for _ in 0..3 {
        assert_eq!(
            embed_missing(&cx).await.unwrap() > 1,
            status(&cx, &admin).await.unwrap().waiting > Some(0)
        );
    }
    let here = status(&cx, &admin).await.unwrap();
    assert_eq!((here.waiting, here.failure), (Some(0), None));
    let told = status(&cx, &there).await.unwrap();
    assert_eq!(told.waiting, Some(1));
    assert!(told.failure.unwrap().contains("nobody listens"));
    assert!(cx.search.failure().is_some());
    // Nothing waits any more, so there is nothing to complain about.
    app::skills::delete(&cx, &there, secret.id, None, None).await.unwrap();
    assert_eq!(embed_missing(&cx).await.unwrap(), 0);
    assert_eq!(status(&cx, &there).await.unwrap().failure, None);
    assert_eq!(cx.search.failure(), None);
}

#[tokio::test]
async fn what_a_former_embedder_made_goes_when_all_is_made_anew() {
    let (app, admin) = library().await;
    let ids: Vec<_> =
        find(&app.cx, &admin, SearchSkills { limit: Some(100), ..number() }).await.unwrap().skills;
    let ids: Vec<_> = ids.into_iter().map(|found| found.record.skill.id).collect();
    let kept = async |name: &str| {
        app.cx.store.read().await.unwrap().vectors(admin.workspace, name, &ids).await.unwrap().len()
    };
    let cx = with(&app.cx, &elsewhere("one"));
    while embed_missing(&cx).await.unwrap() > 0 {}
    let all = kept("one").await;
    assert!(all > 40, "{all}");
    let cx = with(&app.cx, &elsewhere("two"));
    assert!(embed_missing(&cx).await.unwrap() > 0);
    assert_eq!(kept("one").await, all, "it may still be needed");
    while embed_missing(&cx).await.unwrap() > 0 {}
    assert_eq!((kept("one").await, kept("two").await), (0, all));
}
