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
        ("REPERTOIRE_UI_DIR", "/ui"),
        ("REPERTOIRE_LOG_FORMAT", "json"),
        ("REPERTOIRE_LOG_LEVEL", "debug"),
        ("REPERTOIRE_MAX_FILES", "7"),
        ("REPERTOIRE_MAX_BODY_BYTES", "4096"),
        ("REPERTOIRE_SANDBOX_ENABLED", "off"),
        ("REPERTOIRE_SANDBOX_PRELOAD", "numpy, scipy.stats"),
        ("REPERTOIRE_SANDBOX_ALLOW_WEAKER", "true"),
        ("REPERTOIRE_SANDBOX_CGROUPS", "off"),
        ("REPERTOIRE_SANDBOX_CONCURRENCY", "3"),
        ("REPERTOIRE_SANDBOX_WAITING", "0"),
        ("REPERTOIRE_SANDBOX_WAITING_PER_CALLER", "5"),
        ("REPERTOIRE_SANDBOX_ALLOWED_HOSTS", "a.example *.b.example"),
        ("REPERTOIRE_SANDBOX_SESSION_IDLE_MINUTES", "1"),
        ("REPERTOIRE_SANDBOX_SESSIONS_PER_CALLER", "2"),
        ("REPERTOIRE_SANDBOX_SESSIONS_TOTAL", "4"),
        ("REPERTOIRE_SANDBOX_RUN_HISTORY_DAYS", "0"),
        ("REPERTOIRE_SANDBOX_WARM", "no"),
        ("REPERTOIRE_SANDBOX_WALL_SECONDS", "0.5"),
        ("REPERTOIRE_SANDBOX_MEMORY_MB", "64"),
        ("REPERTOIRE_SANDBOX_OUTPUT_KB", "2"),
        ("REPERTOIRE_SEARCH_EMBEDDER", "openai"),
        ("REPERTOIRE_SEARCH_URL", "https://e.example/v1"),
        ("REPERTOIRE_SEARCH_MODEL", "m"),
        ("REPERTOIRE_SEARCH_DIMENSIONS", "64"),
        ("REPERTOIRE_SEARCH_KEY", "sk-hush"),
        ("REPERTOIRE_GOVERNANCE_RECORD", "digest"),
        ("REPERTOIRE_GOVERNANCE_REASONS", "off"),
        ("REPERTOIRE_GOVERNANCE_HISTORY_DAYS", "30"),
        ("REPERTOIRE_SESSIONS_RECORD", "off"),
        ("REPERTOIRE_SESSIONS_HISTORY_DAYS", "0"),
        ("REPERTOIRE_ANALYTICS_HISTORY_DAYS", "0"),
        ("REPERTOIRE_HOOKS_ON_FAILURE", "allow"),
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
    assert_eq!(settings.serve.ui_dir.value.as_deref(), Some(std::path::Path::new("/ui")));
    assert_eq!(settings.log.format.value, LogFormat::Json);
    assert_eq!(settings.log.level.value, "debug");
    assert_eq!((settings.limits.bundles.max_files, settings.limits.max_body_bytes), (7, 4096));
    assert_eq!(settings.limits.bundles.max_file_bytes, manifest::Limits::default().max_file_bytes);
    let sandbox = &settings.sandbox;
    assert!(!sandbox.enabled.value && sandbox.allow_weaker.value && !sandbox.warm.value);
    assert_eq!(sandbox.preload.value, ["numpy", "scipy.stats"]);
    assert_eq!(sandbox.cgroups.value, ::sandbox::Cgroups::Off);
    let queue = (sandbox.concurrency.value, sandbox.waiting.value, sandbox.waiting_per_caller.value);
    assert_eq!(queue, (3, 0, 5));
    assert_eq!(sandbox.allowed_hosts.value, ["a.example", "*.b.example"]);
    let sessions = (sandbox.session_idle_minutes.value, sandbox.sessions_per_caller.value);
    assert_eq!((sessions, sandbox.sessions_total.value), ((1, 2), 4));
    assert_eq!(sandbox.run_history_days.value, 0);
    let usual = ::sandbox::Limits::default();
    let wanted = ::sandbox::Limits {
        wall: std::time::Duration::from_millis(500),
        memory: 64 << 20,
        output: 2 << 10,
        ..usual
    };
    assert_eq!(sandbox.limits.each, wanted, "what is not named stays as it was");
    let search = &settings.search;
    assert_eq!(search.embedder, Setting { value: EmbedderKind::OpenAi, source: Source::Environment });
    let model = (search.url.value.as_deref(), search.model.value.as_deref(), search.dimensions.value);
    assert_eq!(model, (Some("https://e.example/v1"), Some("m"), Some(64)));
    assert_eq!(search.key.value.as_ref().unwrap().reveal(), "sk-hush");
    let governance = settings.governance.settings();
    assert!(!governance.keep_text && !governance.keep_reasons && governance.history_days == 30);
    let sessions = settings.sessions.settings();
    assert_eq!((sessions.record, sessions.history_days), (false, 0));
    assert_eq!(settings.analytics.settings().history_days, 0);
    assert_eq!(settings.hooks.on_failure.value, OnFailure::Allow);
    let shown = format!("{settings:?} {:?}", search.rows());
    assert!(["rpt_x", "pw", "sk-hush"].iter().all(|secret| !shown.contains(secret)), "{shown}");
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
        ("REPERTOIRE_SANDBOX_ENABLED", "perhaps"),
        ("REPERTOIRE_SANDBOX_PYTHON", "bin/python"),
        ("REPERTOIRE_SANDBOX_PRELOAD", "os;print"),
        ("REPERTOIRE_SANDBOX_CGROUPS", "v3"),
        ("REPERTOIRE_SANDBOX_CONCURRENCY", "0"),
        ("REPERTOIRE_SANDBOX_WAITING", "-1"),
        ("REPERTOIRE_SANDBOX_ALLOWED_HOSTS", "https://a.example/"),
        ("REPERTOIRE_SANDBOX_SESSION_IDLE_MINUTES", "1.5"),
        ("REPERTOIRE_SANDBOX_WALL_SECONDS", "0"),
        ("REPERTOIRE_SANDBOX_WALL_SECONDS", "nan"),
        ("REPERTOIRE_SANDBOX_MEMORY_MB", "64MB"),
        ("REPERTOIRE_SANDBOX_PROCESSES", "1.5"),
        ("REPERTOIRE_SEARCH_EMBEDDER", "magic"),
        ("REPERTOIRE_SEARCH_EMBEDDER", "openai"),
        ("REPERTOIRE_SEARCH_URL", "api.example"),
        ("REPERTOIRE_SEARCH_DIMENSIONS", "0"),
        ("REPERTOIRE_SEARCH_DIMENSIONS", "many"),
        ("REPERTOIRE_GOVERNANCE_RECORD", "none"),
        ("REPERTOIRE_GOVERNANCE_REASONS", "sometimes"),
        ("REPERTOIRE_GOVERNANCE_HISTORY_DAYS", "-1"),
        ("REPERTOIRE_SESSIONS_RECORD", "sometimes"),
        ("REPERTOIRE_SESSIONS_HISTORY_DAYS", "-1"),
        ("REPERTOIRE_HOOKS_ON_FAILURE", "ALLOW"),
    ];
    for (name, value) in bad {
        let given = environment(folder.path(), &[(name, value)]);
        assert!(Settings::gather(&given, Layer::default()).is_err(), "{name}={value}");
    }
    assert!(Layer::parse("lisen = 1", std::path::Path::new("c")).is_err(), "a misspelt key");
}

#[test]
fn the_sandbox_is_set_in_the_file_in_the_units_people_say() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "[sandbox]\nenabled = true\nconcurrency = 2\n[sandbox.limits]\nwall_seconds = 2.5\ndisk_mb = 1\n";
    let path = folder.path().join("c.toml");
    std::fs::write(&path, text).unwrap();
    let given = environment(folder.path(), &[("REPERTOIRE_CONFIG", path.to_str().unwrap())]);
    let flags = SandboxLayer { allow_weaker: Some(Switch::Bool(true)), ..SandboxLayer::default() };
    let settings = Settings::gather(&given, Layer { sandbox: flags, ..Layer::default() }).unwrap();
    let sandbox = settings.sandbox;
    assert_eq!(sandbox.concurrency, Setting { value: 2, source: Source::File });
    assert_eq!(sandbox.allow_weaker, Setting { value: true, source: Source::Flag });
    assert_eq!(sandbox.limits.each.wall, std::time::Duration::from_millis(2500));
    assert_eq!(sandbox.limits.each.folder_bytes, 1 << 20);
    let rows = sandbox.rows();
    let row = |name: &str| rows.iter().find(|(known, ..)| known == name).unwrap().clone();
    assert_eq!(row("sandbox.limits.wall_seconds").1, "2.5");
    assert_eq!(
        row("sandbox.limits.memory_mb"),
        ("sandbox.limits.memory_mb".into(), "512".into(), Source::Default)
    );
}

#[test]
fn decisions_are_kept_whole_and_for_ever_unless_the_file_says_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let usual = Settings::gather(&environment(folder.path(), &[]), Layer::default()).unwrap();
    assert_eq!(usual.governance.settings(), app::governance::GovernanceSettings::default());
    let path = folder.path().join("c.toml");
    std::fs::write(&path, "[governance]\nrecord = \"digest\"\nreasons = false\nhistory_days = 400\n")
        .unwrap();
    let given = environment(folder.path(), &[("REPERTOIRE_CONFIG", path.to_str().unwrap())]);
    let settings = Settings::gather(&given, Layer::default()).unwrap();
    let rows: Vec<_> =
        settings.governance.rows().into_iter().map(|(_, value, source)| (value, source)).collect();
    let wanted = ["digest", "false", "400"].map(|value| (value.to_owned(), Source::File));
    assert_eq!(rows, wanted);
}

#[test]
fn sessions_are_kept_for_90_days_unless_the_file_says_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let usual = Settings::gather(&environment(folder.path(), &[]), Layer::default()).unwrap();
    assert_eq!((usual.sessions.record.value, usual.sessions.history_days.value), (true, 90));
    let path = folder.path().join("c.toml");
    std::fs::write(&path, "[sessions]\nrecord = false\nhistory_days = 7\n").unwrap();
    let given = environment(folder.path(), &[("REPERTOIRE_CONFIG", path.to_str().unwrap())]);
    let settings = Settings::gather(&given, Layer::default()).unwrap();
    let rows: Vec<_> =
        settings.sessions.rows().into_iter().map(|(_, value, source)| (value, source)).collect();
    assert_eq!(rows, ["false", "7"].map(|value| (value.to_owned(), Source::File)));
}

#[test]
fn days_are_kept_for_400_days_unless_the_file_says_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let usual = Settings::gather(&environment(folder.path(), &[]), Layer::default()).unwrap();
    assert_eq!(usual.analytics.history_days, Setting { value: 400, source: Source::Default });
    let path = folder.path().join("c.toml");
    std::fs::write(&path, "[analytics]\nhistory_days = 800\n").unwrap();
    let given = environment(folder.path(), &[("REPERTOIRE_CONFIG", path.to_str().unwrap())]);
    let settings = Settings::gather(&given, Layer::default()).unwrap();
    assert_eq!(settings.analytics.history_days, Setting { value: 800, source: Source::File });
}

#[test]
fn python_is_the_first_on_the_path_unless_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, mode: u32| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    program("a/python3", 0o644);
    let found = program("b/python3", 0o755);
    let other = program("c/python3.13", 0o755);
    let search = ["a", "b", "c"].map(|name| folder.path().join(name).display().to_string()).join(":");
    let table = [
        (search.as_str(), None, Some(&found)),
        ("", None, None),
        ("relative", None, None),
        (&search, Some("python3.13"), Some(&other)),
        ("", other.to_str(), Some(&other)),
        (&search, Some("python9"), None),
    ];
    for (search, named, wanted) in table {
        let mut given = environment(folder.path(), &[("PATH", search)]);
        given.0.extend(named.map(|named| ("REPERTOIRE_SANDBOX_PYTHON", named.to_owned())));
        let settings = Settings::gather(&given, Layer::default()).unwrap();
        assert_eq!(settings.sandbox.python().as_ref(), wanted, "{search} {named:?}");
    }
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
