//! The embedder against a server that is well, slow, busy, confused or hostile.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;

const KEY: &str = "sk-very-secret-0123456789";

/// What the server does with one request.
enum Reply {
    Say(u16, Value),
    With(u16, &'static str, String, Value),
    /// Bytes without end.
    Endless,
    /// Nothing, for long.
    Silence,
    /// Ends the connection.
    HangUp,
}

/// A request as it came in.
#[derive(Debug, Clone)]
struct Seen {
    head: String,
    body: Value,
}

struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers each request by its number and body.
    async fn start(reply: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (reply, log) = (Arc::new(reply), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (reply, log) = (Arc::clone(&reply), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut stream = stream;
                    let Some(request) = receive(&mut stream).await else { return };
                    let number = {
                        let mut log = log.lock().unwrap();
                        log.push(request.clone());
                        log.len() - 1
                    };
                    answer(&mut stream, reply(number, &request.body)).await;
                });
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn settings(&self) -> RemoteSettings {
        RemoteSettings { key: Some(KEY.to_owned()), ..RemoteSettings::new(&self.url, "small") }
    }

    fn embedder(&self) -> RemoteEmbedder {
        hasty(self.settings())
    }
}

/// One that waits next to nothing between attempts.
fn hasty(settings: RemoteSettings) -> RemoteEmbedder {
    let mut embedder = RemoteEmbedder::new(settings).unwrap();
    Arc::get_mut(&mut embedder.call).unwrap().first_wait = Duration::from_millis(2);
    embedder
}

async fn receive(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        if bytes.len() >= end + 4 + length.unwrap_or(0) {
            return Some(Seen { head, body: serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default() });
        }
    }
}

async fn answer(stream: &mut TcpStream, reply: Reply) {
    let (status, header, body) = match reply {
        Reply::Say(status, body) => (status, String::new(), body),
        Reply::With(status, name, value, body) => (status, format!("{name}: {value}\r\n"), body),
        Reply::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"data\": [").await;
            while stream.write_all(&[b' '; 1 << 12]).await.is_ok() {}
            return;
        }
        Reply::Silence => return tokio::time::sleep(Duration::from_mins(1)).await,
        Reply::HangUp => return,
    };
    let body = body.to_string();
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\n{header}content-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes()).await;
}

fn inputs(body: &Value) -> Vec<String> {
    body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// A vector that tells a text by its length.
fn numbers(text: &str) -> Vec<f32> {
    vec![1.0, f32::from(u8::try_from(text.len()).unwrap()), 0.0]
}

fn vector(text: &str) -> Vector {
    Vector::new(&numbers(text)).unwrap()
}

fn items(body: &Value) -> Vec<Value> {
    let item = |(index, text): (usize, &String)| json!({"index": index, "embedding": numbers(text)});
    inputs(body).iter().enumerate().map(item).collect()
}

fn fine(body: &Value) -> Reply {
    Reply::Say(200, json!({"object": "list", "data": items(body), "usage": {}}))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn why(error: EmbedError) -> String {
    match error {
        EmbedError::Unusable(why) => why,
        EmbedError::Unavailable(why) => panic!("not for good: {why}"),
    }
}

fn why_not_now(error: EmbedError) -> String {
    match error {
        EmbedError::Unavailable(why) => why,
        EmbedError::Unusable(why) => panic!("for good: {why}"),
    }
}

/// The error for one text when the server always says the same.
async fn error_for(reply: impl Fn() -> Reply + Send + Sync + 'static) -> (EmbedError, usize) {
    let server = Server::start(move |_, _| reply()).await;
    let error = server.embedder().embed(&texts(&["one"])).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
    (error, server.seen().len())
}

#[tokio::test]
async fn texts_become_vectors_in_their_order() {
    let server = Server::start(|_, body| fine(body)).await;
    let embedder = hasty(RemoteSettings { dimensions: Some(3), ..server.settings() });
    let vectors = embedder.embed(&texts(&["a", "bbb", "cc"])).await.unwrap();
    assert_eq!(vectors, [vector("a"), vector("bbb"), vector("cc")]);
    let seen = server.seen();
    assert!(seen[0].head.starts_with("POST /v1/embeddings HTTP/1.1"), "{}", seen[0].head);
    assert!(seen[0].head.contains(&format!("authorization: Bearer {KEY}")));
    let sent =
        json!({"model": "small", "input": ["a", "bbb", "cc"], "encoding_format": "float", "dimensions": 3});
    assert_eq!(seen[0].body, sent);
}

#[tokio::test]
async fn shuffled_answers_are_put_in_order() {
    let server = Server::start(|_, body| {
        let mut items = items(body);
        items.reverse();
        Reply::Say(200, json!({"data": items}))
    })
    .await;
    let vectors = server.embedder().embed(&texts(&["a", "bbb", "cc"])).await.unwrap();
    assert_eq!(vectors, [vector("a"), vector("bbb"), vector("cc")]);
}

#[tokio::test]
async fn many_texts_go_in_batches_and_none_asks_nobody() {
    let server = Server::start(|_, body| fine(body)).await;
    let embedder = hasty(RemoteSettings { batch: 2, ..server.settings() });
    assert_eq!(embedder.embed(&[]).await.unwrap(), []);
    let all = texts(&["a", "bb", "ccc", "dddd", "eeeee"]);
    let vectors = embedder.embed(&all).await.unwrap();
    assert_eq!(vectors, all.iter().map(|text| vector(text)).collect::<Vec<_>>());
    let counts: Vec<usize> = server.seen().iter().map(|seen| inputs(&seen.body).len()).collect();
    assert_eq!(counts, [2, 2, 1]);
}

#[test]
fn batches_hold_their_characters() {
    let (long, short) = ("ä".repeat(MOST_CHARACTERS), "b".repeat(MOST_CHARACTERS / 2));
    let all = [long.as_str(), &short, &short, "c", "d"];
    let counts: Vec<usize> = batches(&all, 64).iter().map(|batch| batch.len()).collect();
    assert_eq!(counts, [1, 2, 2]);
    let too_long = "x".repeat(MOST_CHARACTERS + 1);
    assert_eq!(batches(&[too_long.as_str(), "y"], 64).len(), 2);
}

#[tokio::test]
async fn a_text_without_content_is_sent_as_a_full_stop() {
    let server = Server::start(|_, body| fine(body)).await;
    server.embedder().embed(&texts(&["", " \n", "a"])).await.unwrap();
    assert_eq!(inputs(&server.seen()[0].body), [".", ".", "a"]);
}

#[tokio::test]
async fn a_server_that_asks_for_a_pause_gets_it() {
    let server = Server::start(|number, body| match number {
        0 => Reply::With(429, "retry-after", "1".into(), json!({"error": {"message": "slow down"}})),
        _ => fine(body),
    })
    .await;
    let before = Instant::now();
    assert_eq!(server.embedder().embed(&texts(&["a"])).await.unwrap(), [vector("a")]);
    assert!(before.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_pause_that_is_too_long_is_the_callers_to_make() {
    let reply = || Reply::With(429, "retry-after", "31".into(), json!({"error": "quota"}));
    let (error, requests) = error_for(reply).await;
    assert_eq!(
        why_not_now(error),
        "`127.0.0.1`: it is asked too often (429); it asks for more than 30 seconds of patience"
    );
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn trouble_that_passes_is_waited_for() {
    for status in [408, 409, 429, 500, 502, 503] {
        let server = Server::start(move |number, body| match number {
            0 | 1 => Reply::Say(status, json!({"error": {"message": "oops"}})),
            2 => Reply::HangUp,
            _ => fine(body),
        })
        .await;
        assert_eq!(server.embedder().embed(&texts(&["a"])).await.unwrap(), [vector("a")]);
        assert_eq!(server.seen().len(), 4);
    }
}

#[tokio::test]
async fn trouble_that_stays_ends_after_the_attempts() {
    let (error, requests) = error_for(|| Reply::Say(503, json!({"detail": "loading"}))).await;
    assert_eq!(why_not_now(error), "`127.0.0.1`: it has trouble (503); tried 4 times");
    assert_eq!(requests, 4);
}

#[tokio::test]
async fn a_refusal_is_not_repeated_and_says_what_to_check() {
    for (status, advice) in [(400, "check the model `small`"), (404, "base URL"), (403, "check the key")] {
        let (error, requests) =
            error_for(move || Reply::Say(status, json!({"error": {"message": "no such thing"}}))).await;
        let why = why(error);
        assert!(why.contains(&format!("({status})")) && why.contains(advice), "{why}");
        assert!(!why.contains("no such thing"), "{why}");
        assert_eq!(requests, 1);
    }
}

/// A server may repeat what it was sent: the key and the texts.
#[tokio::test]
async fn nothing_that_a_server_says_stands_in_an_error() {
    let text = "the private plan of alice";
    let said = format!("{text} {KEY} is wrong");
    let bodies = [
        json!({"detail": [{"loc": ["body", "input"], "msg": "bad", "input": said}]}),
        json!({"error": {"message": said}}),
        json!({"error": said}),
        json!({"message": said}),
        json!({"errors": [said]}),
        json!(said),
        json!({"error": {"message": format!("input is too long: {said}")}}),
        json!({"data": said}),
        json!({"data": [{"index": 0, "embedding": [said]}]}),
        json!({"data": [{"index": 0, "embedding": [], (said.clone()): 1}, {"index": 7, "embedding": []}]}),
    ];
    for status in [200, 302, 400, 401, 404, 409, 413, 418, 422, 429, 500, 503] {
        for body in &bodies {
            let (body, to) = (body.clone(), format!("http://elsewhere/{said}").replace(' ', "%20"));
            let server =
                Server::start(move |_, _| Reply::With(status, "location", to.clone(), body.clone())).await;
            let embedder = hasty(RemoteSettings { attempts: 1, ..server.settings() });
            let error = embedder.embed(&texts(&[text, "b"])).await.unwrap_err();
            let shown = format!("{error} {error:?}");
            for word in ["alice", "private", KEY, "elsewhere/", "wrong"] {
                assert!(!shown.contains(word), "{status}: {shown}");
            }
            assert!(status == 200 || shown.contains(&format!("({status})")), "{shown}");
        }
    }
}

#[tokio::test]
async fn dimensions_must_be_those_asked_for() {
    let server = Server::start(|_, body| fine(body)).await;
    let embedder = hasty(RemoteSettings { dimensions: Some(256), ..server.settings() });
    let why = why(embedder.embed(&texts(&["a"])).await.unwrap_err());
    assert!(why.contains("gives 3 dimensions where 256 were asked for; set `dimensions` to 3"), "{why}");
}

#[tokio::test]
async fn dimensions_must_stay_the_same() {
    let within = json!({"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2, 3]}]});
    let server = Server::start(move |number, body| match number {
        0 => Reply::Say(200, within.clone()),
        1 => fine(body),
        _ => Reply::Say(200, json!({"data": [{"index": 0, "embedding": [1, 2]}]})),
    })
    .await;
    let embedder = server.embedder();
    let error = why(embedder.embed(&texts(&["a", "b"])).await.unwrap_err());
    assert!(error.contains("gives 3 dimensions after it gave 2"), "{error}");
    embedder.embed(&texts(&["a"])).await.unwrap();
    let error = why(embedder.for_queries().embed(&texts(&["a"])).await.unwrap_err());
    assert!(error.contains("gives 2 dimensions after it gave 3"), "{error}");
}

#[tokio::test]
async fn an_answer_must_have_each_text_once() {
    let item = |index: i32| json!({"index": index, "embedding": [1, 2]});
    for (items, wanted) in [
        (vec![item(0)], "no vector for text 1"),
        (vec![item(0), item(0)], "answers twice for text 0"),
        (vec![item(0), item(1), item(2)], "answers for another text than the 2 that were sent"),
        (vec![json!({"embedding": [1, 2]})], "not a list of embeddings"),
    ] {
        let server = Server::start(move |_, _| Reply::Say(200, json!({"data": items}))).await;
        let why = why(server.embedder().embed(&texts(&["a", "b"])).await.unwrap_err());
        assert!(why.contains(wanted), "{why}");
    }
}

#[tokio::test]
async fn a_vector_must_have_a_direction() {
    for numbers in [json!([0, 0, 0]), json!([1e39, 1]), json!([]), json!([null, 1]), json!(["NaN"])] {
        let said = numbers.clone();
        let (error, _) =
            error_for(move || Reply::Say(200, json!({"data": [{"index": 0, "embedding": said}]}))).await;
        let why = why(error);
        assert!(why.contains("not a number") || why.contains("not a list of embeddings"), "{numbers}: {why}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_not_read_to_its_end() {
    let (error, requests) = error_for(|| Reply::Endless).await;
    assert!(why(error).contains("longer than 64 MB"));
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn silence_ends_with_the_attempts() {
    let server = Server::start(|_, _| Reply::Silence).await;
    let timeout = Duration::from_millis(50);
    let embedder = hasty(RemoteSettings { timeout, attempts: 2, ..server.settings() });
    let why = why_not_now(embedder.embed(&texts(&["a"])).await.unwrap_err());
    assert_eq!(why, "`127.0.0.1`: no answer in time; tried 2 times");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn silence_ends_with_the_deadline_of_a_query() {
    let server = Server::start(|_, _| Reply::Silence).await;
    let embedder = hasty(RemoteSettings { query_timeout: Duration::from_millis(100), ..server.settings() });
    let before = Instant::now();
    let why = why_not_now(embedder.for_queries().embed(&texts(&["a"])).await.unwrap_err());
    assert!(why.contains("no answer in time"), "{why}");
    assert!(before.elapsed() < Duration::from_secs(2));
    assert_eq!(embedder.for_queries().name(), embedder.name());
}

#[tokio::test]
async fn a_wait_that_passes_the_deadline_is_not_begun() {
    let server =
        Server::start(|_, _| Reply::With(503, "retry-after", "20".into(), json!({"message": "busy"}))).await;
    let embedder = hasty(RemoteSettings { deadline: Duration::from_secs(5), ..server.settings() });
    let before = Instant::now();
    let why = why_not_now(embedder.embed(&texts(&["a"])).await.unwrap_err());
    assert!(why.contains("no time for attempt 2"), "{why}");
    assert!(before.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn nobody_there_is_trouble_that_may_pass() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let why = why_not_now(hasty(RemoteSettings::new(url, "small")).embed(&texts(&["a"])).await.unwrap_err());
    assert!(why.contains("no connection: ") && why.contains("refused"), "{why}");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let other = Server::start(|_, body| fine(body)).await;
    let target = format!("{}embeddings?token=1", other.url);
    for status in [301, 302, 303, 307, 308] {
        let to = target.clone();
        let (error, _) = error_for(move || Reply::With(status, "location", to.clone(), json!(null))).await;
        let why = why(error);
        assert!(why.contains(&format!("redirects ({status})")) && !why.contains("token"), "{why}");
    }
    assert_eq!(other.seen().len(), 0);
}

#[tokio::test]
async fn a_redirect_within_the_host_is_followed() {
    let server = Server::start(|number, body| match number {
        0 => Reply::With(308, "location", "/v2/embeddings".into(), json!(null)),
        _ => fine(body),
    })
    .await;
    assert_eq!(server.embedder().embed(&texts(&["a"])).await.unwrap(), [vector("a")]);
    assert!(server.seen()[1].head.starts_with("POST /v2/embeddings"));
}

#[tokio::test]
async fn redirects_in_a_circle_end() {
    let (error, requests) =
        error_for(|| Reply::With(307, "location", "/v1/embeddings".into(), json!(null))).await;
    assert!(why(error).contains("redirects (307)"));
    assert_eq!(requests, 4);
}

#[tokio::test]
async fn only_the_text_that_is_too_long_is_cut() {
    let server = Server::start(|_, body| {
        let too_long = inputs(body).iter().any(|text| text.len() > 20);
        let message = "This model's maximum context length is 20 tokens, however you requested 30 tokens";
        if too_long { Reply::Say(400, json!({"error": {"message": message}})) } else { fine(body) }
    })
    .await;
    let long = "ü".repeat(15);
    let all = texts(&["a", "bb", &long, "dddd", "eeeee"]);
    let vectors = server.embedder().embed(&all).await.unwrap();
    let wanted = [vector("a"), vector("bb"), vector(&"ü".repeat(7)), vector("dddd"), vector("eeeee")];
    assert_eq!(vectors, wanted);
}

#[tokio::test]
async fn a_text_is_cut_until_it_fits() {
    let server = Server::start(|_, body| {
        let too_long = inputs(body).iter().any(|text| text.len() > 20);
        if too_long { Reply::Say(413, json!(null)) } else { fine(body) }
    })
    .await;
    let long = "x".repeat(20 << MOST_CUTS);
    assert_eq!(server.embedder().embed(&texts(&[&long])).await.unwrap(), [vector(&"x".repeat(20))]);
    assert_eq!(server.seen().len(), 9);
    let longer = "x".repeat(21 << MOST_CUTS);
    let why = why(server.embedder().embed(&texts(&[&longer])).await.unwrap_err());
    assert!(why.contains("too long for the model (413) even when it is cut to 21 characters"), "{why}");
    assert_eq!(server.seen().len(), 18);
}

#[tokio::test]
async fn what_cannot_be_cut_is_not_sent_again() {
    let complaint = || Reply::Say(422, json!({"error": "`inputs` must have less than 2 tokens. Given: 30"}));
    let (error, requests) = error_for(complaint).await;
    let why = why(error);
    assert!(why.contains("too long for the model (422) even when it is cut to 1 characters"), "{why}");
    assert_eq!(requests, 2);
}

#[test]
fn urls_are_checked() {
    let new = |url: &str, key: Option<&str>| {
        let key = key.map(str::to_owned);
        RemoteEmbedder::new(RemoteSettings { key, ..RemoteSettings::new(url, "small") })
    };
    for url in
        ["https://api.openai.com/v1", "http://localhost:1", "http://127.0.0.9/v1/", "http://[::1]:8/v1?a=b"]
    {
        assert!(new(url, Some(KEY)).is_ok(), "{url}");
    }
    assert!(new("http://ollama:11434/v1", None).is_ok());
    assert!(new("http://ollama:11434/v1", Some(" ")).is_ok());
    for (url, wanted) in [
        ("ftp://example.org", "not an http(s) URL"),
        ("api.openai.com/v1", "not an http(s) URL"),
        ("", "not an http(s) URL"),
        ("https://me:pw@example.org/v1", "user or password"),
        ("http://example.org/v1", "without encryption; use https"),
        ("http://127.0.0.1.example.org/v1", "without encryption"),
        ("http://localhost.example.org/v1", "without encryption"),
    ] {
        let why = why(new(url, Some(KEY)).unwrap_err());
        assert!(why.contains(wanted) && !why.contains("pw") && !why.contains(KEY), "{why}");
    }
    assert!(why(new("https://example.org", Some("a\nb")).unwrap_err()).contains("the key holds characters"));
}

#[test]
fn settings_that_ask_for_nothing_are_refused() {
    let fine = RemoteSettings::new("http://localhost", "small");
    for settings in [
        RemoteSettings { model: " ".to_owned(), ..fine.clone() },
        RemoteSettings { batch: 0, ..fine.clone() },
        RemoteSettings { attempts: 0, ..fine.clone() },
        RemoteSettings { dimensions: Some(0), ..fine.clone() },
        RemoteSettings { timeout: Duration::ZERO, ..fine.clone() },
    ] {
        assert!(RemoteEmbedder::new(settings.clone()).is_err(), "{settings:?}");
    }
}

#[test]
fn names_say_what_the_vectors_depend_on() {
    let settings = RemoteSettings {
        key: Some(KEY.to_owned()),
        ..RemoteSettings::new("https://user.example.org:8443/v1?secret=1", "text-embedding-3-small")
    };
    let embedder = RemoteEmbedder::new(settings.clone()).unwrap();
    assert_eq!(embedder.name(), "openai:https://user.example.org:8443/v1/text-embedding-3-small/default");
    let other = RemoteEmbedder::new(RemoteSettings { dimensions: Some(512), ..settings }).unwrap();
    assert_eq!(other.name(), "openai:https://user.example.org:8443/v1/text-embedding-3-small/512");
}

#[test]
fn no_two_places_have_one_name() {
    let name = |url: &str| RemoteEmbedder::new(RemoteSettings::new(url, "m")).unwrap().name().to_owned();
    let places = ["http://h:1/v1", "http://h:2/v1", "http://h/a/v1", "http://h/b/v1", "https://h/a/v1"];
    let mut names: Vec<String> = places.map(name).into();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), places.len(), "{names:?}");
    assert_eq!(name("http://h/v1/"), name("http://h/v1"));
}

#[test]
fn debug_hides_what_is_secret() {
    let settings = RemoteSettings {
        key: Some(KEY.to_owned()),
        ..RemoteSettings::new("https://me:hunter2@example.org/v1?token=abc", "small")
    };
    let text = format!("{settings:?}");
    assert!(!text.contains(KEY) && !text.contains("hunter2") && !text.contains("abc"), "{text}");
    assert!(text.contains("https://example.org/v1") && text.contains("(hidden)"));
    let embedder =
        RemoteEmbedder::new(RemoteSettings { base_url: "https://example.org".to_owned(), ..settings })
            .unwrap();
    assert!(!format!("{embedder:?} {:?}", embedder.name()).contains(KEY));
}

#[test]
fn complaints_of_length_are_told_from_others() {
    for complaint in [
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
        "input length exceeds maximum context length",
        "input is too large to process. increase the physical batch size",
        "Too many inputs in request, split into more batches.",
        "`inputs` must have less than 512 tokens. Given: 600",
        "total number of texts must be at most 96",
    ] {
        assert!(answer::complains_of_length(complaint), "{complaint}");
    }
    for other in
        ["model not found", "invalid input", "dimensions must be at most 1536 for this input", "no quota"]
    {
        assert!(!answer::complains_of_length(other), "{other}");
    }
}
