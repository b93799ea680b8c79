//! Precedence as a table, and what is refused.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use super::*;

struct Fake(BTreeMap<&'static str, String>);

impl Environment for Fake {
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

fn environment(folder: &std::path::Path, more: &[(&'static str, &str)]) -> Fake {
    let mut variables = BTreeMap::from([("HOME", folder.display().to_string())]);
    variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    Fake(variables)
}

#[test]
fn defaults_yield_to_the_file_the_file_to_the_environment_the_environment_to_a_flag() {
    // file, environment, flag -> value, source
    let table = [
        (None, None, None, "127.0.0.1:7400", Source::Default),
        (Some("127.0.0.1:1"), None, None, "127.0.0.1:1", Source::File),
        (None, Some("127.0.0.1:2"), None, "127.0.0.1:2", Source::Environment),
        (None, None, Some("127.0.0.1:3"), "127.0.0.1:3", Source::Flag),
        (Some("127.0.0.1:1"), Some("127.0.0.1:2"), None, "127.0.0.1:2", Source::Environment),
        (Some("127.0.0.1:1"), None, Some("127.0.0.1:3"), "127.0.0.1:3", Source::Flag),
        (Some("127.0.0.1:1"), Some("127.0.0.1:2"), Some("127.0.0.1:3"), "127.0.0.1:3", Source::Flag),
    ];
    for (file, variable, flag, value, source) in table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        let text = file.map(|listen| format!("[serve]\nlisten = \"{listen}\"\n")).unwrap_or_default();
        std::fs::write(&path, text).unwrap();
        let mut given = environment(folder.path(), &[("REPERTOIRE_CONFIG", path.to_str().unwrap())]);
        given.0.extend(variable.map(|listen| ("REPERTOIRE_LISTEN", listen.to_owned())));
        let serve = ServeLayer { listen: flag.map(str::to_owned), ..ServeLayer::default() };
        let settings = Settings::gather(&given, Layer { serve, ..Layer::default() }).unwrap();
        assert_eq!(
            settings.serve.listen,
            Setting { value: value.to_owned(), source },
            "{file:?} {variable:?}"
        );
    }
}

#[test]
fn each_variable_reaches_its_setting() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [
        ("REPERTOIRE_DATA", "/d"),
        ("REPERTOIRE_DATABASE", "postgres://u:pw@h/d"),
        ("REPERTOIRE_SERVER", "https://s"),
        ("REPERTOIRE_TOKEN", "rpt_x"),
        ("REPERTOIRE_WORKSPACE", "w"),
        ("REPERTOIRE_AGENT", "a"),
        ("REPERTOIRE_USER", "u"),
        ("REPERTOIRE_METRICS_LISTEN", "off"),
        ("REPERTOIRE_ALLOW_HOSTS", "a.example, b.example"),
        ("REPERTOIRE_PUBLIC_URL", "https://p"),
        ("REPERTOIRE_LOG_FORMAT", "json"),
        ("REPERTOIRE_LOG_LEVEL", "debug"),
        ("REPERTOIRE_MAX_FILES", "7"),
        ("REPERTOIRE_MAX_BODY_BYTES", "4096"),
    ];
    let settings = Settings::gather(&environment(folder.path(), &variables), Layer::default()).unwrap();
    let library = &settings.library;
    assert_eq!(library.data.value.to_str(), Some("/d"));
    assert_eq!(library.database.value.as_ref().unwrap().reveal(), "postgres://u:pw@h/d");
    assert_eq!(library.server.value.as_deref(), Some("https://s"));
    assert_eq!(settings.token_for("https://other").unwrap().reveal(), "rpt_x");
    assert_eq!(library.workspace.value.as_deref(), Some("w"));
    assert_eq!(library.agent.value.as_deref(), Some("a"));
    assert_eq!(library.user.value, "u");
    assert_eq!(settings.serve.metrics_address().unwrap(), None);
    assert_eq!(settings.serve.allow_hosts.value, ["a.example", "b.example"]);
    assert_eq!(settings.serve.public_url.value.as_deref(), Some("https://p"));
    assert_eq!(settings.log.format.value, LogFormat::Json);
    assert_eq!(settings.log.level.value, "debug");
    assert_eq!((settings.limits.bundles.max_files, settings.limits.max_body_bytes), (7, 4096));
    assert_eq!(settings.limits.bundles.max_file_bytes, manifest::Limits::default().max_file_bytes);
    assert!(!format!("{settings:?}").contains("rpt_x") && !format!("{settings:?}").contains("pw"));
}

#[test]
fn a_folder_on_the_command_line_beats_a_server_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let given = environment(folder.path(), &[("REPERTOIRE_SERVER", "https://s")]);
    let flags = Layer { data: Some("/here".into()), ..Layer::default() };
    let settings = Settings::gather(&given, flags).unwrap();
    assert_eq!(settings.library.server.value, None);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bad = [
        ("REPERTOIRE_DATABASE", "mysql://x"),
        ("REPERTOIRE_SERVER", "ftp://x"),
        ("REPERTOIRE_WORKSPACE", "Not A Name"),
        ("REPERTOIRE_USER", "-"),
        ("REPERTOIRE_METRICS_LISTEN", "nowhere"),
        ("REPERTOIRE_PUBLIC_URL", "example.org"),
        ("REPERTOIRE_ALLOW_HOSTS", "https://x/"),
        ("REPERTOIRE_LOG_FORMAT", "xml"),
        ("REPERTOIRE_LOG_LEVEL", "info=="),
        ("REPERTOIRE_MAX_FILES", "many"),
        ("REPERTOIRE_MAX_EXPANSION", "0"),
    ];
    for (name, value) in bad {
        let given = environment(folder.path(), &[(name, value)]);
        assert!(Settings::gather(&given, Layer::default()).is_err(), "{name}={value}");
    }
    assert!(Layer::parse("lisen = 1", std::path::Path::new("c")).is_err(), "a misspelt key");
}

#[test]
fn a_stored_token_is_private_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let given = environment(folder.path(), &[]);
    let path = Places::find(&given).credentials;
    store_token(&path, "https://a", &Secret::new("rpt_\"1")).unwrap();
    store_token(&path, "https://b", &Secret::new("rpt_2")).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let settings = Settings::gather(&given, Layer::default()).unwrap();
    assert_eq!(settings.token_for("https://a/").unwrap().reveal(), "rpt_\"1");
    assert!(forget_token(&path, "https://a").unwrap());
    assert!(!forget_token(&path, "https://a").unwrap());
    let settings = Settings::gather(&given, Layer::default()).unwrap();
    assert_eq!(settings.token_for("https://a"), None);
    assert_eq!(settings.token_for("https://b").unwrap().reveal(), "rpt_2");
}
