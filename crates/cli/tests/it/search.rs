//! Finding skills by plain words, on this machine and through a server.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use testkit::postgres::Cluster;

use crate::world::{Server, World};

fn library(world: &World) {
    world.skill("compound-interest", "Calculates compound interest on a principal over years.");
    world.skill("release-notes", "Writes release notes from merged pull requests.");
    world.skill("sourdough", "Bakes sourdough bread in an oven.");
    world.ok(&["import", "compound-interest", "release-notes", "sourdough"]);
}

fn names(found: &Value) -> Vec<&str> {
    found["items"].as_array().unwrap().iter().map(|item| item["skill"]["name"].as_str().unwrap()).collect()
}

#[test]
fn the_right_skill_or_a_clear_word_that_there_is_none() {
    let world = World::new();
    library(&world);
    let found = world.ok(&["search", "interest", "calculation"]);
    let lines: Vec<_> = found.lines().collect();
    assert_eq!(lines.len(), 2, "{found}");
    assert!(lines[0].starts_with("SIMILARITY  NAME") && lines[1].contains("compound-interest"), "{found}");
    let similarity: f64 = lines[1].split(' ').next().unwrap().parse().unwrap();
    assert!((0.7..=1.0).contains(&similarity), "{found}");

    let none = world.run(&["search", "image processing"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""), "{none:?}");
    assert!(none.err.contains("No skill reaches a similarity of 0.7."), "{none:?}");
    assert!(none.err.contains("--min-similarity 0"), "{none:?}");
    let json = world.json(&["search", "image processing"]);
    assert_eq!((&json["items"], &json["min_similarity"]), (&json!([]), &json!(0.7)));

    let nearest = world.json(&["search", "image processing", "--min-similarity", "0", "--limit", "2"]);
    assert_eq!(names(&nearest).len(), 2);
    assert_eq!(nearest["items"][0].get("breakdown"), None);
    let explained = world.ok(&["search", "interest calculation", "--explain"]);
    for part in ["stand", "words: ", "words match ", "meaning "] {
        assert!(explained.contains(part), "no `{part}` in {explained}");
    }
}

#[test]
fn what_an_agent_s_prompt_gets_is_shown() {
    let world = World::new();
    library(&world);
    world.ok(&["agent", "create", "clerk", "--memory", "true"]);
    let text = world.ok(&["agent", "context", "clerk"]);
    assert!(text.starts_with("## Available Skills\n- compound-interest: Calculates"), "{text}");
    assert!(text.contains("\n\n## Procedural Memory\nSkills hold code"), "{text}");
    let counted = world.ok(&["agent", "context", "clerk", "--counts", "--learned", "separate"]);
    assert!(counted.contains("\n- compound-interest (uses: 0, successes: 0): Calculates"), "{counted}");
    let xml = world.ok(&["agent", "context", "clerk", "--format", "xml"]);
    assert!(xml.starts_with("<available_skills>\n<skill>\n<name>\ncompound-interest\n"), "{xml}");
    let document = world.ok(&["agent", "context", "clerk", "--format", "json"]);
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["skills"].as_array().unwrap().len(), 3);

    let asked =
        ["agent", "context", "clerk", "--query", "bake bread", "--budget", "40", "--discovery", "hybrid"];
    let tight = world.run(&asked);
    assert_eq!((tight.code, tight.out.lines().count()), (0, 2), "{tight:?}");
    assert!(tight.out.contains("- sourdough: "), "{tight:?}");
    assert!(tight.err.contains("procedural memory left out: the budget is too small"), "{tight:?}");
    assert!(tight.err.contains("there are more skills"), "{tight:?}");
    let told = world.json(&asked);
    assert!(told["tokens"].as_u64().unwrap() <= 40 && told["needs_search"] == true, "{told}");
    assert_eq!(world.run(&["agent", "context", "nobody"]).code, 3);
}

#[test]
fn filters_reach_the_library() {
    let world = World::new();
    library(&world);
    world.ok(&["skill", "edit", "sourdough", "--tag", "food"]);
    world.ok(&["disable", "release-notes"]);
    world.ok(&["agent", "create", "baker"]);
    let create = ["skill", "create", "rye", "--description", "Bakes rye bread.", "--scope", "agent_user"];
    world.ok(&[&["--agent", "baker"], &create[..]].concat());
    let found = |args: &[&str]| {
        let all: Vec<_> = ["search", "bread", "--min-similarity", "0"].iter().chain(args).copied().collect();
        let found = world.json(&all);
        let mut names: Vec<_> = names(&found).into_iter().map(str::to_owned).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(found(&[]), "compound-interest sourdough");
    assert_eq!(found(&["--tag", "food"]), "sourdough");
    assert_eq!(found(&["--tag", "food", "--tag", "drink"]), "");
    assert_eq!(found(&["--enabled", "false"]), "release-notes");
    assert_eq!(found(&["--all"]), "compound-interest release-notes rye sourdough");
    assert_eq!(found(&["--agent", "baker"]), "compound-interest rye sourdough");
    assert_eq!(found(&["--owner-agent", "baker"]), "rye");
    assert_eq!(
        found(&["--scope", "workspace", "--facet", "instructions"]),
        "compound-interest release-notes sourdough"
    );
    assert_eq!(found(&["--facet", "procedure"]), "");
    assert_eq!(found(&["--all", "--owner", "admin", "--collapse"]), "rye");
    assert_eq!(world.run(&["search", "x", "--status", "maybe"]).code, 2);
    assert_eq!(world.run(&["search", "x", "--min-similarity", "2"]).code, 2);
    assert_eq!(world.run(&["search"]).code, 2, "something must be looked for");
}

#[test]
fn words_that_are_also_commands_can_be_searched_for() {
    let world = World::new();
    library(&world);
    let found = world.ok(&["search", "--json", "--min-similarity", "0", "--", "eval"]);
    assert_eq!(names(&serde_json::from_str(&found).unwrap()).len(), 3);
    let found = world.json(&["search", "bread", "status", "help"]);
    assert!(found["items"].is_array());
    let status = world.ok(&["search", "status"]);
    assert!(status.contains("embedder  built-in\nskills    3\nwaiting   0\nmemory "), "{status}");
    assert_eq!(world.json(&["search", "status"])["skills"], 3);
}

#[test]
fn anyone_can_measure_on_their_own_questions() {
    let world = World::new();
    library(&world);
    let questions = [
        json!({"query": "how much compound interest do I get", "expect": ["Compound_Interest"]}),
        json!({"query": "write the release notes", "expect": "release-notes"}),
        json!({"query": "bake a sourdough loaf of bread", "expect": ["sourdough", "not-there"]}),
        json!({"query": "compound interest", "expect": ["sourdough"]}),
        json!({"query": "detect faces in photographs"}),
    ];
    world.write("set.jsonl", questions.map(|question| question.to_string()).join("\n"));
    let told = world.run(&["search", "eval", "--set", "set.jsonl", "--misses"]);
    assert_eq!(told.code, 0, "{told:?}");
    for part in
        ["4 with an answer, 1 without; gate 0.7", "nDCG@5", "recall@10", "MRR", "abstention         1.000"]
    {
        assert!(told.out.contains(part), "no `{part}` in {told:?}");
    }
    assert!(told.err.contains("`not-there`"), "{told:?}");
    assert!(
        told.out.contains("? compound interest\n  right  sourdough\n  found  compound-interest"),
        "{told:?}"
    );
    let json = world.json(&["search", "eval", "--set", "set.jsonl", "--misses", "--gate", "0.5"]);
    assert_eq!(json["questions"], json!({"answerable": 4, "unanswerable": 1}));
    assert_eq!((&json["recall_1"], &json["gate"]), (&json!(0.75), &json!(0.5)), "{json}");
    assert_eq!(
        (&json["unknown_names"], json["misses"].as_array().unwrap().len()),
        (&json!(["not-there"]), 1)
    );

    world.write("set.csv", "query,expect\n\"write notes, for a release\",release-notes\nfly a zeppelin,\n");
    let json = world.json(&["search", "eval", "--set", "set.csv"]);
    assert_eq!(
        (&json["mrr"], &json["abstention"], json.get("misses")),
        (&json!(1.0), &json!(1.0), None),
        "{json}"
    );
    world.write("none.tsv", "query\texpect\nfly a zeppelin\t\n");
    assert_eq!(world.json(&["search", "eval", "--set", "none.tsv"])["ndcg_5"], Value::Null);
    world.write("empty.jsonl", "\n");
    world.write("broken.jsonl", "{\"query\": \"x\"}\n{\"quarry\": 1}\n");
    assert_eq!(world.run(&["search", "eval", "--set", "empty.jsonl"]).code, 6);
    let broken = world.run(&["search", "eval", "--set", "broken.jsonl"]);
    assert!(broken.code == 6 && broken.err.contains("line 2"), "{broken:?}");
    assert_eq!(world.run(&["search", "eval", "--set", "nowhere"]).code, 3);
    assert_eq!(world.run(&["search", "eval", "--set", "set.csv", "--gate", "7"]).code, 2);
}

#[test]
fn settings_that_cannot_be_meant_are_refused_and_secrets_hidden() {
    let world = World::new();
    let file = ".config/repertoire/config.toml";
    for (text, word) in [
        ("[search]\nembedder = \"magic\"\n", "built-in, none or openai"),
        ("[search]\nembedder = \"openai\"\nmodel = \"m\"\n", "search.url"),
        ("[search]\nembedder = \"openai\"\nurl = \"https://e.example/v1\"\n", "search.model"),
        ("[search]\nembeder = \"none\"\n", "embeder"),
        (
            "[search]\nembedder = \"openai\"\nurl = \"http://e.example/v1\"\nmodel = \"m\"\nkey = \"sk-hush\"\n",
            "https",
        ),
    ] {
        world.write(file, text);
        let done = world.run(&["list"]);
        assert_eq!(done.code, 2, "{text}: {done:?}");
        assert!(done.err.contains(word) && !done.err.contains("sk-hush"), "{text}: {done:?}");
    }
    world.write(file, "[search]\nembedder = \"none\"\nkey = \"sk-hush\"\n");
    library(&world);
    let shown = world.ok(&["config", "show"]);
    assert!(shown.contains("search.embedder") && !shown.contains("sk-hush"), "{shown}");
    assert_eq!(world.json(&["search", "status"])["embedder"], "none");
    assert_eq!(names(&world.json(&["search", "release notes", "--min-similarity", "0"]))[0], "release-notes");
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("3 skills indexed, embedder none"), "{doctor}");
}

/// An embedder that answers as `OpenAI`'s does: words are counted in 64 places. It lives as long as the test process.
fn embedder(away: &Arc<AtomicBool>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let away = Arc::clone(away);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let away = Arc::clone(&away);
            std::thread::spawn(move || while answer(&stream, &away).is_some() {});
        }
    });
    url
}

fn answer(stream: &TcpStream, away: &AtomicBool) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Value = serde_json::from_slice(&body).ok()?;
    let vector = |text: &Value| {
        let mut vector = [0.01_f64; 64];
        for word in text.as_str().unwrap_or_default().to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            let mut hasher = DefaultHasher::new();
            word.get(..word.len().min(6)).unwrap_or(word).hash(&mut hasher);
            vector[usize::try_from(hasher.finish() % 64).unwrap()] += 1.0;
        }
        vector.to_vec()
    };
    let texts = request["input"].as_array()?;
    let data: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text)}))
        .collect();
    let (status, body) = if away.load(Ordering::SeqCst) {
        ("503 Service Unavailable", json!({"error": {"message": "overloaded"}}))
    } else {
        ("200 OK", json!({"object": "list", "data": data, "model": "m"}))
    };
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    stream.write_all((head + &body).as_bytes()).ok()
}

#[test]
fn a_server_gets_vectors_from_the_embedder_it_is_told_of() {
    let world = World::new();
    library(&world);
    let away = Arc::new(AtomicBool::new(false));
    let url = embedder(&away);
    let name = format!("openai:{}/m/default", url.trim_end_matches('/'));
    let text =
        format!("[search]\nembedder = \"openai\"\nurl = \"{url}\"\nmodel = \"m\"\nkey = \"sk-hush\"\n");
    world.write(".config/repertoire/config.toml", text);
    // Without a server nobody waits for it.
    let done = world.run(&["search", "release notes", "--min-similarity", "0"]);
    assert!(done.code == 0 && done.err.contains("the built-in one was used"), "{done:?}");
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains(&format!("{name} answers in")) && doctor.contains("64 dimensions"), "{doctor}");
    let mut server = Server::start(&world, &[]);
    server.until("all skills are embedded");
    let status = world.json(&["search", "status"]);
    assert_eq!((&status["waiting"], &status["failure"]), (&json!(0), &Value::Null), "{status}");
    assert_eq!(status["embedder"], name);
    let done = world.run(&["search", "release notes", "--min-similarity", "0", "--json"]);
    let found: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((names(&found)[0], &found["notice"]), ("release-notes", &Value::Null));
    away.store(true, Ordering::SeqCst);
    let found = world.json(&["search", "sourdough bread", "--min-similarity", "0"]);
    assert_eq!(names(&found)[0], "sourdough");
    assert!(found["notice"].as_str().unwrap().contains("built-in"), "{found}");
    server.stop();
}

#[test]
fn servers_on_one_database_find_at_once_what_another_wrote() {
    let cluster = Cluster::start();
    let url = cluster.create_database("library");
    let (one, two) = (World::new(), World::new());
    let place = ["--database", url.as_str()];
    let ok = |world: &World, args: &[&str]| world.ok(&[&place, args].concat());
    ok(&one, &["list"]);
    let mut servers = Vec::new();
    for world in [&one, &two] {
        let server = Server::start(world, &place);
        let token =
            ok(world, &["token", "create", "t", "--scope", "read", "--scope", "write"]).trim().to_owned();
        world.ok(&["login", "--server", &server.url, "--token", &token]);
        servers.push(server);
    }
    let at = |number: usize, args: &[&str]| {
        let world = if number == 0 { &one } else { &two };
        world.json(&[&["--server", servers[number].url.as_str()], args].concat())
    };
    for number in 0..10_usize {
        let name = format!("bread-{number}");
        let description = format!("Bakes bread of kind {number}.");
        at(number % 2, &["skill", "create", &name, "--description", &description]);
        let found = at((number + 1) % 2, &["search", "bread", "--min-similarity", "0", "--limit", "100"]);
        assert_eq!(names(&found).len(), number + 1, "{found}");
        assert!(names(&found).contains(&name.as_str()));
    }
    one.ok(&["--server", &servers[0].url, "disable", "bread-3"]);
    assert!(!names(&at(1, &["search", "bread", "--min-similarity", "0"])).contains(&"bread-3"));
    for server in servers {
        server.stop();
    }
}
