//! Tables of patterns and calls: what a whitelist admits, what a blacklist is touched by.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{Context, ToolCall};
use super::*;

impl ToolSet {
    fn admits(&self, call: ToolCall<'_>, context: &Context) -> bool {
        Lookup::of([(0, self)]).admitting(&Attempt::new(call, context)).has(0)
    }

    fn touches(&self, call: ToolCall<'_>, context: &Context) -> bool {
        Lookup::of([(0, self)]).touched(&Attempt::new(call, context)).has(0)
    }
}

fn set(pattern: &str) -> ToolSet {
    ToolSet::parse([pattern]).unwrap()
}

fn known() -> Context {
    json!({ "cwd": "/srv/app", "home": "/home/ada" }).as_object().unwrap().clone()
}

fn ask(set: &ToolSet, tool: &str, arguments: &Value, context: &Context) -> (bool, bool) {
    let call = ToolCall::new(tool, arguments);
    (set.admits(call, context), set.touches(call, context))
}

#[test]
fn names_and_stars() {
    for (pattern, tool, expected) in [
        ("linter", "linter", true),
        ("linter", "Linter", false),
        ("linter", "linter2", false),
        ("mcp__github__*", "mcp__github__create_issue", true),
        ("mcp__github__*", "mcp__gitlab__create_issue", false),
        ("mcp__*__read", "mcp__files__read", true),
        ("mcp__github", "mcp__github__create_issue", true),
        ("mcp__github", "mcp__github2__create_issue", false),
        ("mcp__git", "mcp__github__create_issue", false),
        ("*", "anything", true),
        ("Bash(*)", "Bash", true),
        ("Bash()", "Bash", true),
        ("Bash(*)", "Shell", false),
    ] {
        let expected = (expected, expected);
        assert_eq!(ask(&set(pattern), tool, &json!({}), &Context::new()), expected, "{pattern} {tool}");
    }
}

#[test]
fn commands_are_admitted_only_when_certain() {
    for (pattern, command, admitted, touched) in [
        ("git:*", "git", true, true),
        ("git:*", "git status", true, true),
        ("git:*", "  git   status ", true, true),
        ("git:*", "gitk", false, false),
        ("git *", "git", true, true),
        ("git *", "gitk", false, false),
        ("git*", "gitk", true, true),
        ("npm run test", "npm run test", true, true),
        ("npm run test", "npm run test:unit", false, false),
        ("npm run *", "npm run test -- --all", true, true),
        ("git * main", "git push origin main", true, true),
        // Several commands: all must be admitted, one is enough to be touched.
        ("git:*", "git status && git diff", true, true),
        ("git:*", "git status && rm -rf /", false, true),
        ("git:*", "git status; rm -rf /", false, true),
        ("git:*", "git status | tee x", false, true),
        ("git:*", "git status & rm x", false, true),
        ("git:*", "git status\nrm -rf /", false, true),
        ("git:*", "rm x || git status", false, true),
        // Quotes are respected.
        ("git:*", "git commit -m 'a && b; c'", true, true),
        ("git:*", "git commit -m \"a | b\"", true, true),
        ("git:*", "git log --format=%H\\;x", true, true),
        ("git:*", "git commit -m \"$(rm x)\"", false, true),
        ("git:*", "git commit -m \"`rm x`\"", false, true),
        ("git:*", "git log $(rm x)", false, true),
        ("git:*", "git log `rm x`", false, true),
        ("git:*", "git diff <(rm x)", false, true),
        ("git:*", "git log #'\nrm x #'", false, true),
        ("git:*", "git log 'x", false, true),
        ("git:*", "git log $'\\'; rm x'", false, true),
        ("git:*", "(git log)", false, true),
        ("git:*", "git log \\\n -1", true, true),
        // Redirections.
        ("git:*", "git log > /etc/passwd", false, true),
        ("git:*", "git log >/dev/null 2>&1", true, true),
        ("git:*", "git log &>/dev/null", true, true),
        ("git:*", "git log 2>/dev/null", true, true),
        ("git:*", "git log >/dev/nullx", false, true),
        ("git:*", "git apply < patch", false, true),
        ("git:*", "git apply <<< x", false, true),
        // What stands before a command.
        ("git:*", "GIT_DIR=x git log", false, true),
        ("git:*", "sudo git log", false, true),
        // Of a blacklist.
        ("rm:*", "rm -rf /", true, true),
        ("rm:*", "/bin/rm -rf /", false, true),
        ("rm:*", "\\rm -rf /", false, true),
        ("rm:*", "\"rm\" -rf /", false, true),
        ("rm:*", "r''m -rf /", false, true),
        ("rm:*", "sudo -n rm -rf /", false, true),
        ("rm:*", "env A=1 rm -rf /", false, true),
        ("rm:*", "A=1 B=2 rm -rf /", false, true),
        ("rm:*", "find . -exec rm {} +", false, true),
        ("rm:*", "ls | xargs -n 1 rm", false, true),
        ("rm:*", "timeout 5 rm x", false, true),
        ("rm:*", "bash -c 'rm -rf /'", false, true),
        ("rm:*", "bash -c \"cd / && rm -rf .\"", false, true),
        ("rm:*", "eval 'rm -rf /'", false, true),
        ("rm:*", "echo \"$(rm x)\"", false, true),
        ("rm:*", "if true; then rm x; fi", false, true),
        ("rm:*", "{ rm x; }", false, true),
        ("rm:*", "(rm x)", false, true),
        ("rm:*", "$RM -rf /", false, true),
        ("rm:*", "rm${IFS}-rf /", false, true),
        ("rm:*", "/bin/r? -rf /", false, true),
        ("rm:*", "{rm,-rf,/}", false, true),
        ("rm:*", "git rm x", false, false),
        ("rm:*", "git commit -m 'rm old files'", false, false),
        ("rm:*", "ls rm", false, false),
        ("rm:*", "rmdir x", false, false),
        ("curl * | sh", "curl http://x | sh", false, true),
        ("make test && make lint", "make test && make lint", true, true),
    ] {
        let set = set(&format!("Bash({pattern})"));
        let arguments = json!({ "command": command });
        assert_eq!(
            ask(&set, "Bash", &arguments, &Context::new()),
            (admitted, touched),
            "{pattern}: {command:?}"
        );
    }
}

#[test]
fn several_patterns_admit_a_line_together() {
    let both = ToolSet::parse(["Bash(git:*)", "Bash(npm test)"]).unwrap();
    for (command, expected) in [("git add . && npm test", true), ("git add . && npm run x", false)] {
        let arguments = json!({ "command": command });
        assert_eq!(both.admits(ToolCall::new("Bash", &arguments), &Context::new()), expected);
    }
}

#[test]
fn commands_come_in_other_forms_too() {
    let git = set("shell(git:*)");
    for (arguments, expected) in [
        (json!({ "command": ["git", "status"] }), (true, true)),
        (json!({ "command": ["bash", "-lc", "git status"] }), (true, true)),
        (json!({ "command": ["bash", "-lc", "git status; rm x"] }), (false, true)),
        (json!({ "command": ["git status"] }), (false, true)),
        (json!({ "command": ["git", 1] }), (false, true)),
        (json!({ "command": "git log", "script": "rm x" }), (false, true)),
        (json!({ "command": {} }), (false, true)),
        (json!({}), (false, true)),
        (json!([]), (false, true)),
        (json!({ "command": "" }), (false, false)),
    ] {
        assert_eq!(ask(&git, "shell", &arguments, &Context::new()), expected, "{arguments}");
    }
}

#[test]
fn a_command_that_cannot_be_read_off_the_line_touches_a_blacklist() {
    let rm = set("Bash(rm:*)");
    for (command, touched) in [
        ("eval rm x", true),
        ("eval \"rm x\"", true),
        ("eval $a", true),
        ("eval \"$a x\"", true),
        ("eval ls x", false),
        ("`echo rm` x", true),
        ("r`echo m` x", true),
        ("sudo `echo rm` x", true),
        ("echo `date`", false),
        ("ls; `echo rm` x", true),
        ("r''m `echo x`", true),
        ("sudo $a x", true),
        ("env $a x", true),
        ("xargs $a", true),
        ("ls | xargs -n1 $a", true),
        ("sudo -u bob $a x", true),
        ("env -i A=1 $a x", true),
        ("timeout -k 5 10 $a x", true),
        ("sudo env nice -n 5 $a x", true),
        ("if $a x; then ls; fi", true),
        ("find . -exec $a {} +", true),
        ("ssh host '$a x'", true),
        ("sudo cat $a", false),
        ("for f in a b; do cat $f; done", false),
        ("xargs -I{} cp {} there", false),
        ("find . -name '*.rs' -exec cat {} +", false),
        ("timeout 60 make $a", false),
        ("if [ $a = 1 ]; then ls; fi", false),
        ("coproc rm x", true),
        ("coproc name { rm x; }", true),
        ("function f { rm x; }", true),
        ("function f { $a x; }", true),
        ("function f { ls x; }", false),
        (". <(echo rm x)", true),
        ("source <(echo rm x)", true),
        ("source /dev/stdin", true),
        ("source env.sh", false),
        ("echo rm x | sh", true),
        ("echo rm x | sudo -n bash -s", true),
        ("echo rm x | bash -eo pipefail", true),
        ("echo rm x | /bin/sh -", true),
        ("echo $x | (cd y && sh)", true),
        ("echo x | xargs sh -c", true),
        ("bash <(echo $x)", true),
        ("sh < script", true),
        ("sh <<< \"$x\"", true),
        ("sh", true),
        ("echo rm x | ssh -p 22 host", true),
        ("echo rm x | su bob", true),
        ("ssh -p 22 host ls", false),
        ("su bob -c ls", false),
        ("sh -c ls", false),
        ("sh script.sh", false),
        ("bash -o pipefail script.sh", false),
        ("bash --version", false),
        ("command -v bash", false),
        ("sudo apt install zsh", false),
        ("trap - EXIT", false),
        // Texts for a shell are read as it reads them.
        ("sh -c '$a x'", true),
        ("sh -c $a", true),
        ("sudo sh -c \"$a\"", true),
        ("sh -c 'r\"\"m x'", true),
        ("bash -lc \"ls; \\$a x\"", true),
        ("sh -c 'bash -c \"r\\m x\"'", true),
        ("sh -c 'echo $x | sh'", true),
        ("trap '$a x' EXIT", true),
        ("echo \"$($a x)\"", true),
        ("echo \"on $(echo $x | sh) $y\"", true),
        ("echo \"`$a x`\"", true),
        ("echo \"$(ls $(sudo $a x))\"", true),
        ("echo \"$(date) $x\"", false),
        ("echo \"`date` $x $(ls $y)\"", false),
        ("eval 'ls; r\\m x'", true),
        ("sh -c 'echo $x; cat \"$y\"'", false),
        ("ssh host 'cd $d && ls'", false),
        ("sh -c ls; echo \"$x\"", false),
        ("bash script.sh \"$x\"", false),
        ("source \"$x/activate\"", false),
        ("pkexec rm x", true),
        ("runuser -u bob rm x", true),
        ("runuser -u bob -- $a x", true),
        ("systemd-run --user rm x", true),
        ("fakeroot rm x", true),
        ("gosu bob rm x", true),
        ("gosu bob $a x", true),
        ("chronic rm x", true),
    ] {
        let found = ask(&rm, "Bash", &json!({ "command": command }), &known());
        assert_eq!(found, (false, touched), "{command}");
    }
}

#[test]
fn files_are_found_however_they_are_written() {
    for (pattern, path, admitted, touched) in [
        ("//etc/**", "/etc/passwd", true, true),
        ("//etc/**", "/etc", true, true),
        ("//etc/**", "/etcetera", false, false),
        ("//etc/**", "/srv/app/../../etc/passwd", true, true),
        ("//etc/**", "../../etc/passwd", true, true),
        ("//etc/**", "/srv/%2e%2e/etc/passwd", false, true),
        ("//etc/**", "file:///etc/passwd", true, true),
        ("//etc/**", "src/main.rs", false, false),
        ("//etc/*.conf", "/etc/a.conf", true, true),
        ("//etc/*.conf", "/etc/a/b.conf", false, false),
        ("//etc/?.conf", "/etc/a.conf", true, true),
        ("//etc/?.conf", "/etc/ab.conf", false, false),
        ("//etc", "/etc/ssl/key.pem", true, true),
        ("/src/**", "/srv/app/src/a/b.rs", true, true),
        ("/src/**", "src/a.rs", true, true),
        ("/src/**", "/srv/app/srcs/a.rs", false, false),
        ("/src/**", "src/../secret", false, false),
        ("src/*.rs", "./src/main.rs", true, true),
        ("src/*.rs", "/srv/app/src/main.rs", true, true),
        ("src/*.rs", "/other/src/main.rs", false, false),
        ("docs/**/*.md", "docs/a.md", true, true),
        ("docs/**/*.md", "docs/a/b/c.md", true, true),
        ("~/notes/**", "~/notes/a.md", true, true),
        ("~/notes/**", "/home/ada/notes/a.md", true, true),
        ("~/notes/**", "/home/bob/notes/a.md", false, false),
        (".env", ".env", true, true),
        (".env", "a/b/.env", true, true),
        (".env", "a/.env/x", true, true),
        (".env", "/elsewhere/.env", false, true),
        (".env", ".envrc", false, false),
        ("*.pem", "keys/x.pem", true, true),
        ("secrets/", "a/secrets/x", true, true),
        ("//etc/**", "a\0b", false, true),
    ] {
        let set = set(&format!("Read({pattern})"));
        let arguments = json!({ "file_path": path });
        assert_eq!(ask(&set, "Read", &arguments, &known()), (admitted, touched), "{pattern} {path}");
    }
}

#[test]
fn in_a_blacklist_reading_and_editing_are_meant_by_whatever_tool() {
    let reading = [
        "Glob",
        "Grep",
        "LS",
        "NotebookRead",
        "Read",
        "glob",
        "grep",
        "grep_search",
        "list",
        "list_directory",
        "read",
        "read_file",
        "search_file_content",
    ];
    let writing = ["Edit", "MultiEdit", "NotebookEdit", "Write", "edit", "replace", "write", "write_file"];
    let asked =
        |pattern: &str, tool: &str, path: &str| ask(&set(pattern), tool, &json!({ "path": path }), &known());
    for (entries, own, others) in [
        (FOR_READING.as_slice(), reading.as_slice(), writing.as_slice()),
        (FOR_WRITING.as_slice(), writing.as_slice(), reading.as_slice()),
    ] {
        for entry in entries {
            let (etc, all) = (format!("{entry}(//etc/**)"), format!("{entry}(**)"));
            for tool in own {
                // A whitelist is about the tool it names.
                assert_eq!(asked(&etc, tool, "/etc/passwd"), (tool == entry, true), "{etc} {tool}");
                assert_eq!(asked(&etc, tool, "/srv/app/a"), (false, false), "{etc} {tool}");
                assert_eq!(asked(&all, tool, "/srv/app/a"), (tool == entry, true), "{all} {tool}");
                assert_eq!(
                    asked(entry, tool, "/etc/passwd"),
                    (tool == entry, tool == entry),
                    "{entry} {tool}"
                );
            }
            for tool in others.iter().chain(&["Bash", "other"]) {
                assert_eq!(asked(&etc, tool, "/etc/passwd"), (false, false), "{etc} {tool}");
            }
        }
    }
    assert_eq!(asked("Read(//etc/**)", "Grep", "/"), (false, true));
    for narrow in ["Grep", "Glob", "LS", "NotebookRead"] {
        assert_eq!(asked(&format!("{narrow}(//etc/**)"), "Read", "/etc/passwd"), (false, false), "{narrow}");
    }
    assert_eq!(asked("Write(//etc/**)", "Edit", "/etc/passwd"), (false, false));
    let arguments = json!({ "path": "/etc/passwd" });
    let call = ToolCall { alias: Some("Grep"), ..ToolCall::new("find_text", &arguments) };
    assert!(set("Read(//etc/**)").touches(call, &known()));
}

#[test]
fn a_tool_does_not_forbid_what_its_patterns_say_of_other_tools() {
    for (one, other, expected) in [
        ("Read", "Read(.env)", false),
        ("Read(**)", "Read(.env)", true),
        ("Edit(/src/**)", "Edit(/src/lib/*)", true),
        ("*", "Read(.env)", true),
        ("Grep", "Grep(.env)", true),
        ("Bash", "Bash(git:*)", true),
    ] {
        assert_eq!(set(one).forbidding(other).is_some(), expected, "{one} and {other}");
    }
}

#[test]
fn without_the_folder_a_relative_file_is_unclear() {
    for (pattern, path, admitted, touched) in [
        ("src/**", "src/a.rs", true, true),
        ("src/**", "/srv/app/src/a.rs", false, true),
        ("src/**", "/srv/app/lib/a.rs", false, false),
        ("//etc/**", "passwd", false, true),
        ("~/x/**", "/home/ada/x/y", false, true),
        ("src/**", "../src/a.rs", false, true),
    ] {
        let set = set(&format!("Edit({pattern})"));
        let arguments = json!({ "path": path });
        assert_eq!(ask(&set, "Edit", &arguments, &Context::new()), (admitted, touched), "{pattern} {path}");
    }
}

#[test]
fn every_path_of_a_call_counts_however_many_there_are() {
    for count in [1, 99, 100, 101, 500] {
        let mut paths = vec!["/srv/a"; count];
        let asked = |pattern: &str, paths: &[&str]| {
            ask(&set(pattern), "Read", &json!({ "paths": paths }), &Context::new())
        };
        assert_eq!(asked("Read(//srv/**)", &paths), (true, true), "{count}");
        assert_eq!(asked("Read(//etc/**)", &paths), (false, false), "{count}");
        paths.push("/etc/a");
        assert_eq!(asked("Read(//srv/**)", &paths), (false, true), "{count}");
        assert_eq!(asked("Read(//etc/**)", &paths), (false, true), "{count}");
    }
}

#[test]
fn a_long_command_line_is_judged_soon() {
    let started = std::time::Instant::now();
    for line in ["sudo env ".to_owned() + &"a/b ".repeat(50_000), "a; ".repeat(50_000)] {
        let arguments = json!({ "command": line });
        for pattern in ["Bash(rm:*)", "Bash(*b*c)", "Bash(rm *x)", "Bash(rm)"] {
            assert_eq!(ask(&set(pattern), "Bash", &arguments, &Context::new()), (false, false), "{pattern}");
        }
    }
    for line in [
        "echo \"".to_owned() + &"$(a ".repeat(50_000),
        "sh -c '".to_owned() + &"a \" ".repeat(50_000),
        "sudo ".to_owned() + &"-o sh ".repeat(50_000) + "x y",
        "ssh ".repeat(50_000),
    ] {
        ask(&set("Bash(rm:*)"), "Bash", &json!({ "command": line }), &Context::new());
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn all_paths_of_a_call_count() {
    let src = set("Edit(/src/**)");
    let both = json!({ "file_path": "src/a", "paths": ["src/b", "/etc/passwd"] });
    assert_eq!(ask(&src, "Edit", &both, &known()), (false, true));
    assert_eq!(ask(&src, "Edit", &json!({ "file_path": 1 }), &known()), (false, true));
    assert_eq!(ask(&src, "Edit", &json!({}), &known()), (false, false));
    assert_eq!(ask(&set("Grep(//etc/**)"), "Grep", &json!({ "path": "/" }), &known()), (false, true));
    assert_eq!(
        ask(&set("Glob(/src/**)"), "Glob", &json!({ "pattern": "src/**/*.rs" }), &known()),
        (true, true)
    );
    assert_eq!(
        ask(&set("Glob(/src/**)"), "Glob", &json!({ "pattern": "{src,/etc}/*" }), &known()),
        (false, true)
    );
}

#[test]
fn urls_go_by_their_host() {
    for (pattern, url, admitted, touched) in [
        ("domain:example.com", "https://example.com/a?b#c", true, true),
        ("domain:example.com", "HTTPS://EXAMPLE.COM.:8443/", true, true),
        ("domain:example.com", "https://www.example.com/", false, false),
        ("domain:*.example.com", "https://www.example.com/", true, true),
        ("domain:*.example.com", "https://example.com/", false, false),
        ("domain:example.com", "https://example.com@evil.org/", false, false),
        ("domain:example.com", "https://evil.org\\@example.com/", false, true),
        ("domain:example.com", "https://exam%70le.com/", false, true),
        ("domain:example.com", "example.com/a", true, true),
        ("domain:example.com", "not a url", false, true),
    ] {
        let set = set(&format!("WebFetch({pattern})"));
        let arguments = json!({ "url": url });
        assert_eq!(ask(&set, "WebFetch", &arguments, &known()), (admitted, touched), "{pattern} {url}");
    }
}

#[test]
fn any_argument_can_be_named() {
    let opus = set("Agent(model:opus*)");
    assert_eq!(ask(&opus, "Agent", &json!({ "model": "opus-5" }), &known()), (true, true));
    assert_eq!(ask(&opus, "Agent", &json!({ "model": "haiku" }), &known()), (false, false));
    assert_eq!(ask(&opus, "Agent", &json!({ "model": ["opus"] }), &known()), (false, true));
    assert_eq!(ask(&opus, "Agent", &json!({}), &known()), (false, false));
    let explore = set("Agent(Explore)");
    assert_eq!(ask(&explore, "Agent", &json!({ "subagent_type": "Explore" }), &known()), (true, true));
    let number = set("mcp__db__query(limit:10)");
    assert_eq!(ask(&number, "mcp__db__query", &json!({ "limit": 10 }), &known()), (true, true));
}

#[test]
fn what_names_no_tools_is_refused() {
    for text in [
        "",
        "  ",
        "Bash(git:*",
        "Bash)",
        "(git)",
        "a b(x:1)",
        "Bash(:*)",
        "Read([a]*)",
        "Read(!x)",
        "Read(a/../b)",
        "WebFetch(domain:a/b)",
        "linter(anything)",
        "a\u{7}",
    ] {
        assert!(ToolSet::parse([text]).is_err(), "{text:?}");
    }
}

#[test]
fn a_tool_with_patterns_stays_in_the_list() {
    let some = set("Bash(git:*)");
    assert!(some.may_have_tool("Bash") && !some.has_tool("Bash"));
    assert!(set("Bash").has_tool("Bash") && set("Bash").covers("Bash(git:*)"));
    assert!(!some.covers("Bash") && some.covers("Bash(git:*)"));
    assert!(set("mcp__a__*").covers("mcp__a__b") && !set("mcp__a__b").covers("mcp__a__*"));
}

const WORDS: [&str; 30] = [
    "git",
    "git log",
    "rm",
    " ",
    "  ",
    ";",
    "&&",
    "|",
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "\\",
    "\n",
    ">",
    "/dev/null",
    "2>&1",
    "#",
    "$X",
    "/",
    "..",
    "srv",
    "etc",
    "%2e",
    "~",
    "*",
    "sudo",
    "https://",
    "a.org",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is within for certain cannot be said to be outside, and nothing panics.
    #[test]
    fn what_is_admitted_is_touched(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..12)) {
        let text = words.concat();
        let arguments = json!({ "command": text, "path": text, "url": text });
        for (pattern, tool) in [
            ("Bash(git:*)", "Bash"),
            ("Bash(git log *)", "Bash"),
            ("Bash(git*)", "Bash"),
            ("Bash(rm)", "Bash"),
            ("Read(//srv/**)", "Read"),
            ("Read(srv/*)", "Read"),
            ("Read(etc)", "Read"),
            ("Read(~/srv/**)", "Read"),
            ("WebFetch(domain:a.org)", "WebFetch"),
            ("other(command:git*)", "other"),
        ] {
            for context in [known(), Context::new()] {
                let (admitted, touched) = ask(&set(pattern), tool, &arguments, &context);
                prop_assert!(!admitted || touched, "{} {:?}", pattern, text);
            }
        }
    }

    /// A whitelist never lets a second command through: whatever is put behind an admitted line is a command of its own.
    #[test]
    fn nothing_is_smuggled_behind_an_admitted_line(
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..10),
        end in prop::sample::select(vec![";", "\n", "&&", "||", "|", "&"]),
    ) {
        let git = set("Bash(git:*)");
        let ask = |command: String| {
            let arguments = json!({ "command": command });
            git.admits(ToolCall::new("Bash", &arguments), &Context::new())
        };
        let line = format!("git {}", words.concat());
        if ask(line.clone()) && !line.ends_with('\\') {
            let smuggled = format!("{line}{end} rm -rf /");
            prop_assert!(!ask(smuggled.clone()), "{:?}", smuggled);
        }
    }
}

#[test]
fn a_call_has_the_host_s_name_of_its_tool_as_well() {
    let ask = |pattern: &str, tool: &str, alias: &str, arguments: &Value| {
        let call = ToolCall { tool, alias: Some(alias), arguments };
        let set = set(pattern);
        (set.admits(call, &known()), set.touches(call, &known()))
    };
    let git = json!({ "command": "git log" });
    for (pattern, expected) in [
        ("Bash", true),
        ("run_shell_command", true),
        ("run_*", true),
        ("Bash(git:*)", true),
        ("run_shell_command(git log)", true),
        ("Bash(ls)", false),
        ("Shell(git:*)", false),
        ("shell", false),
    ] {
        assert_eq!(ask(pattern, "Bash", "run_shell_command", &git), (expected, expected), "{pattern}");
    }
    let file = json!({ "path": "/srv/app/src/a.rs" });
    assert_eq!(ask("Read(/src/**)", "Read", "read_file", &file), (true, true));
    assert_eq!(ask("read_file(/doc/**)", "Read", "read_file", &file), (false, false));
    // By either of its names a search reads all that lies below.
    let all = json!({ "path": "/srv/app" });
    assert_eq!(ask("Find(path:*)", "Find", "Grep", &all), (true, true));
    assert_eq!(ask("Grep(/src/**)", "Find", "Grep", &all), (false, true));
    // The patterns of both names admit a line together.
    let both = ToolSet::parse(["Bash(git:*)", "run_shell_command(ls)"]).unwrap();
    let arguments = json!({ "command": "git log; ls" });
    let call = ToolCall { alias: Some("run_shell_command"), ..ToolCall::new("Bash", &arguments) };
    assert!(both.admits(call, &known()) && !both.admits(ToolCall::new("Bash", &arguments), &known()));
}

#[test]
fn a_line_end_is_no_space_in_an_exact_command() {
    let line =
        |command: &str| ask(&set("Bash(npm run test)"), "Bash", &json!({ "command": command }), &known());
    assert_eq!(line("npm  run test\n"), (true, true));
    assert_eq!(line("npm run\ntest"), (false, true));
}

#[test]
fn entries_cover_and_meet_each_other() {
    for (one, other, covers, meets) in [
        ("Bash", "Bash(git:*)", true, true),
        ("Bash(git:*)", "Bash", false, true),
        ("Bash(git:*)", "Bash(git log:*)", true, true),
        ("Bash(git:*)", "Bash(git log)", true, true),
        ("Bash(git:*)", "Bash(git * main)", true, true),
        ("Bash(git:*)", "Bash(git*)", false, true),
        ("Bash(git*)", "Bash(git:*)", true, true),
        ("Bash(git:*)", "Bash(gitk:*)", false, false),
        ("Bash(git:*)", "Bash(npm:*)", false, false),
        ("Bash(git:*)", "Bash(git log; rm x)", false, true),
        ("Bash(make test)", "Bash(make test)", true, true),
        ("Bash(make test)", "Bash(make build)", false, false),
        // A shell tool may have the name of another as its alias.
        ("Bash(git:*)", "Shell(git:*)", false, true),
        ("Bash(git:*)", "Shell(npm:*)", false, false),
        ("Bash", "run_*", false, true),
        ("Read", "read_file", false, true),
        ("Read", "Write", false, false),
        ("*", "Bash(git:*)", true, true),
        ("*", "mcp__a", true, true),
        ("mcp__*", "mcp__a__*", true, true),
        ("mcp__a__*", "mcp__*", false, true),
        ("mcp__a", "mcp__a__*", true, true),
        ("mcp__a__*", "mcp__a", false, true),
        ("mcp__a", "mcp__a__b", true, true),
        ("mcp__a", "mcp__b__*", false, false),
        ("mcp__a", "mcp__*__read", false, true),
        ("mcp__*a", "mcp__a", false, true),
        ("mcp__a", "mcp__a__b(repo:x)", true, true),
        ("mcp__a__b(repo:x)", "mcp__a", false, true),
        ("Read(/src/**)", "Read(/src/lib/*.rs)", true, true),
        ("Read(/src/*)", "Read(/src/**)", false, true),
        ("Read(/src)", "Read(/src/**)", true, true),
        ("Read(/src/?)", "Read(/src/*)", false, true),
        ("Read(/src/**)", "Read(/doc/**)", false, false),
        ("Read(/src/**)", "Read(//src/**)", false, true),
        ("Read(.env)", "Read(./conf/.env)", true, true),
        ("Read(**)", "Read(.env)", true, true),
        ("Read(.env)", "Read(*.md)", false, true),
        ("WebFetch(domain:*.a.org)", "WebFetch(domain:b.a.org)", true, true),
        ("WebFetch(domain:*.a.org)", "WebFetch(domain:a.org)", false, false),
        ("WebFetch(domain:*.a.org)", "WebFetch(domain:*.b.a.org)", true, true),
        ("WebFetch(domain:a.org)", "WebFetch(domain:a.org:8080)", true, true),
        ("Agent(model:*)", "Agent(model:opus)", true, true),
        ("Agent(model:opus)", "Agent(model:haiku)", false, false),
        ("Agent(model:opus)", "Agent(Explore)", false, true),
    ] {
        let found = (set(one).covers(other), set(one).may_meet(other));
        assert_eq!(found, (covers, meets), "{one} and {other}");
        assert_eq!(set(other).may_meet(one), meets, "{other} and {one}");
    }
    assert_eq!(set("mcp__a").covering("mcp__a__b"), Some("mcp__a"));
    assert_eq!(set("Bash").covering("Bash(git:*)"), Some("Bash"));
}
