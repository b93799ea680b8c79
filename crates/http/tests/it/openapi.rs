//! The document that describes the API.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::api::{Api, get};
use crate::operations::{BROWSER, PUBLIC, World};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn document() -> Value {
    serde_json::from_str(&repertoire_http::openapi_json()).unwrap()
}

/// Every operation: its method and path, and what the document says about it.
fn operations() -> BTreeMap<(String, String), Value> {
    let document = document();
    let paths = document["paths"].as_object().unwrap().clone();
    let each = |(path, item): (String, Value)| {
        let item = item.as_object().unwrap().clone();
        item.into_iter().map(move |(method, operation)| ((method.to_uppercase(), path.clone()), operation))
    };
    paths.into_iter().flat_map(each).collect()
}

#[test]
fn the_document_is_the_committed_one() {
    let now = repertoire_http::openapi_json() + "\n";
    let committed = std::fs::read_to_string(docs().join("openapi.json")).unwrap_or_default();
    if now != committed {
        std::fs::write(docs().join("openapi.json.new"), now).unwrap();
        panic!(
            "the OpenAPI document changed; look at docs/openapi.json.new and move it over docs/openapi.json"
        );
    }
}

#[tokio::test]
async fn the_server_serves_the_document() {
    let api = Api::new().await;
    let served = api.send(get("/openapi.json")).await;
    assert_eq!((served.status, served.json()), (200, document()));
}

#[test]
fn every_operation_is_described() {
    let tags: Vec<Value> =
        document()["tags"].as_array().unwrap().iter().map(|tag| tag["name"].clone()).collect();
    let mut ids = BTreeSet::new();
    for ((method, path), operation) in operations() {
        let told = format!("{method} {path}");
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        assert!(!id.is_empty() && ids.insert(id), "{told} has no id of its own");
        assert!(
            operation["tags"].as_array().is_some_and(|own| own.iter().all(|tag| tags.contains(tag))),
            "{told}"
        );
        assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{told}");
        for status in ["400", "401", "403", "404", "409", "412", "413", "415", "422", "503"] {
            let problem = &operation["responses"][status]["content"]["application/problem+json"]["schema"];
            assert_eq!(problem["$ref"], "#/components/schemas/Problem", "{told} {status}");
        }
        let good = operation["responses"].as_object().unwrap().keys().any(|status| status.starts_with('2'));
        assert!(good, "{told}");
    }
}

/// The operations in the table of the design document.
fn designed() -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(docs().join("api-design.md")).unwrap();
    let mut found = BTreeSet::new();
    for row in text
        .lines()
        .filter(|line| line.starts_with("| GET") || line.starts_with("| P") || line.starts_with("| D"))
    {
        let cell = row.split('|').nth(1).unwrap();
        let (methods, rest) = cell.split_once('`').unwrap();
        let mut base = String::new();
        for path in rest.split('`').step_by(2).filter(|text| text.starts_with('/')) {
            let path = path.split('?').next().unwrap();
            let whole = match base.rsplit_once('/') {
                Some((parent, _)) if !path.starts_with("/api") => format!("{parent}{path}"),
                _ => path.to_owned(),
            };
            for method in methods.split(',') {
                found.insert((method.trim().to_owned(), whole.clone()));
            }
            base = whole;
        }
    }
    found.retain(|(_, path)| ["/api/v1/", "/code/", "/files/"].iter().any(|base| path.starts_with(base)));
    found
}

#[test]
fn the_design_lists_exactly_the_operations_there_are() {
    let there: BTreeSet<_> = operations().into_keys().collect();
    let designed = designed();
    assert_eq!(
        there.difference(&designed).collect::<Vec<_>>(),
        Vec::<&(String, String)>::new(),
        "not in the design"
    );
    assert_eq!(designed.difference(&there).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "not there");
}

#[tokio::test]
async fn every_operation_has_an_unauthorised_case() {
    let api = Api::new().await;
    let listed = World::new(&api).await.operations();
    let mut listed: Vec<String> = listed.iter().map(|operation| operation.id.to_owned()).collect();
    listed.extend(PUBLIC.iter().chain(BROWSER).map(|id| (*id).to_owned()));
    listed.sort();
    let mut there: Vec<String> = operations()
        .into_values()
        .map(|operation| operation["operationId"].as_str().unwrap().to_owned())
        .collect();
    there.sort();
    assert_eq!(listed, there);
}
