//! Skills as resources, as prompts and by the skills extension.

use serde_json::{Value, json};
use testkit::app::files_spec;

use crate::world::World;

const SKILL: &str = "---\nname: refunds\ndescription: Pays money back.\nmetadata:\n  strict: yes\n  count: 3\n---\nRead references/rules.md.\n";

async fn with_refunds() -> (World, crate::world::Host) {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let files = [("SKILL.md", SKILL), ("references/rules.md", "Rules.\n"), ("references/deep/a b.txt", "x")];
    world.app.put(&admin, files_spec(&files)).await;
    let host = world.host(&admin).await;
    (world, host)
}

#[tokio::test]
async fn a_skill_is_listed_with_what_its_author_wrote_and_every_file() {
    let (_world, host) = Box::pin(with_refunds()).await;
    let list = host.result("skills/list", json!({})).await;
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["cacheScope"], "private");
    let entry = &list["skills"][0];
    let frontmatter = json!({
        "name": "refunds", "description": "Pays money back.", "metadata": {"strict": "yes", "count": 3},
    });
    assert_eq!(entry["frontmatter"], frontmatter);
    let uris: Vec<_> =
        entry["resources"].as_array().unwrap().iter().map(|file| file["uri"].clone()).collect();
    assert_eq!(
        uris,
        [
            "skill://refunds/SKILL.md",
            "skill://refunds/references/deep/a%20b.txt",
            "skill://refunds/references/rules.md"
        ]
    );
    for file in entry["resources"].as_array().unwrap() {
        let read = host.result("resources/read", json!({"uri": file["uri"]})).await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert_eq!(file["size"], json!(text.len()));
        assert_eq!(file["digest"], json!(model::Digest::of(text.as_bytes()).to_string()));
    }
    let got = host.result("skills/get", json!({"uri": "skill://refunds/SKILL.md"})).await;
    assert_eq!(got["skill"], *entry);
}

#[tokio::test]
async fn folders_are_read_one_level_at_a_time() {
    let (_world, host) = Box::pin(with_refunds()).await;
    let names = |list: Value| {
        let resources = list["resources"].as_array().unwrap().clone();
        resources.iter().map(|entry| (entry["name"].clone(), entry["mimeType"].clone())).collect::<Vec<_>>()
    };
    let read = async |uri: &str| names(host.result("resources/directory/read", json!({"uri": uri})).await);
    assert_eq!(
        read("skill://refunds").await,
        [(json!("SKILL.md"), json!("text/markdown")), (json!("references"), json!("inode/directory"))]
    );
    assert_eq!(
        read("skill://refunds/references").await,
        [(json!("deep"), json!("inode/directory")), (json!("rules.md"), json!("text/markdown"))]
    );
    for nothing in ["skill://refunds/SKILL.md", "skill://refunds/no", "skill://no", "file:///etc", ""] {
        let error = host.error("resources/directory/read", json!({"uri": nothing})).await;
        assert_eq!(error["code"], json!(-32602), "{nothing}");
    }
}

#[tokio::test]
async fn no_address_leads_out_of_a_skill() {
    let (_world, host) = Box::pin(with_refunds()).await;
    for uri in [
        "skill://refunds/../other/SKILL.md",
        "skill://refunds/%2e%2e/SKILL.md",
        "skill://refunds//SKILL.md",
        "skill://refunds/references",
        "skill:///etc/passwd",
        "file:///etc/passwd",
        "skill://refunds/%ff",
        "skill://refunds/SKILL.md%00",
    ] {
        let error = host.error("resources/read", json!({ "uri": uri })).await;
        assert_eq!(error["code"], json!(-32602), "{uri}: {error}");
        assert_eq!(error["data"]["uri"], json!(uri));
    }
}

#[tokio::test]
async fn a_skill_kept_under_another_name_has_its_own_name_in_its_address() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let mut request = files_spec(&[("SKILL.md", SKILL)]);
    request.name = Some(testkit::app::name("refunds-eu"));
    world.app.put(&admin, request).await;
    let host = world.host(&admin).await;
    let list = host.result("skills/list", json!({})).await;
    assert_eq!(list["skills"][0]["uri"], "skill://refunds-eu/refunds/SKILL.md");
    for uri in ["skill://refunds-eu/refunds/SKILL.md", "skill://refunds-eu/SKILL.md"] {
        let read = host.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["text"], SKILL);
    }
}

#[tokio::test]
async fn a_prompt_gives_the_instructions_and_the_request() {
    let (_world, host) = Box::pin(with_refunds()).await;
    let list = host.result("prompts/list", json!({})).await;
    assert_eq!(list["prompts"][0]["name"], "refunds");
    let asked = json!({"name": "refunds", "arguments": {"request": "pay Tom back"}});
    let prompt = host.result("prompts/get", asked).await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    for part in [
        "Pays money back.",
        "Read references/rules.md.",
        "skill://refunds/references/rules.md",
        "pay Tom back",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a_prompt_is_a_use_of_its_skill_and_a_resource_is_none() {
    let (world, host) = Box::pin(with_refunds()).await;
    let admin = world.app.admin().await;
    let uses = async || {
        let record = app::skills::by_name::find(&world.app.cx, &admin, "refunds").await.unwrap();
        record.statistics.use_count
    };
    host.result("resources/read", json!({"uri": "skill://refunds/SKILL.md"})).await;
    host.result("prompts/list", json!({})).await;
    assert_eq!(uses().await, 0);
    host.result("prompts/get", json!({"name": "refunds"})).await;
    assert_eq!(uses().await, 1);
}

#[tokio::test]
async fn a_prompt_names_only_tools_that_are_offered() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let sidecar = "procedure: {language: python, file: scripts/main.py, function: refund}\n";
    let code = "def refund():\n    return 1\n";
    let files = [("SKILL.md", SKILL), ("repertoire.yaml", sidecar), ("scripts/main.py", code)];
    world.app.put(&admin, files_spec(&files)).await;
    let host = world.host(&admin).await;
    for (query, named) in [
        ("", Some("`code_interpreter` with operation `use_skill`")),
        ("?toolsets=memory", Some("`load_functions`")),
        ("?toolsets=library", None),
    ] {
        let host = crate::world::Host { query, ..host.clone() };
        let prompt = host.result("prompts/get", json!({"name": "refunds"})).await;
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert_eq!(text.contains("It has code to run"), named.is_some(), "{query}: {text}");
        assert!(named.is_none_or(|named| text.contains(named)), "{query}: {text}");
    }
}

#[tokio::test]
async fn pages_lead_through_all_skills() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    for number in 0..120 {
        world.app.skill(&admin, &format!("skill-{number:03}")).await;
    }
    let host = world.host(&admin).await;
    let (mut names, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let page = host.result("skills/list", json!({ "cursor": cursor })).await;
        let skills = page["skills"].as_array().unwrap();
        names.extend(skills.iter().map(|skill| skill["frontmatter"]["name"].as_str().unwrap().to_owned()));
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!((names.len(), pages), (120, 3));
    assert!(names.is_sorted());
    assert_eq!(host.error("skills/list", json!({"cursor": "nonsense"})).await["code"], json!(-32602));
}
