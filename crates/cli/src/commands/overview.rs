//! What someone sees who says nothing: what there is, in groups, with examples.

use crate::output::Output;

const GROUPS: &[(&str, &[(&str, &str)])] = &[
    (
        "Library",
        &[
            ("list", "see what is there, with filters"),
            ("search", "find skills by plain words; search eval measures it"),
            ("skill …", "show, create, edit, diff, log, restore, label, review"),
            ("import (add)", "put folders and archives in"),
            ("export", "write skills to folders, byte for byte"),
            ("remove, enable, disable", "delete skills, turn them on and off"),
            ("analytics", "how they are used, day by day"),
        ],
    ),
    (
        "Running skills",
        &[
            ("run", "execute a skill's procedure in the sandbox"),
            ("runs …", "list, show, stats, prune"),
            ("python …", "environments with packages: add, list, remove"),
        ],
    ),
    ("On disk", &[("init", "start a new skill"), ("validate", "check skills, with --fix and --clients")]),
    (
        "People and agents",
        &[
            ("agent …", "settings and assigned skills"),
            ("connect …", "give Claude Code, Codex and others the library"),
            ("user, token, workspace …", "who may do what, where"),
            ("audit …", "who did what"),
        ],
    ),
    (
        "What agents may do",
        &[
            ("policy …", "list, explain, log, test, check, replay, runs"),
            ("hook …", "let coding agents ask before they act"),
        ],
    ),
    (
        "Running it",
        &[
            ("serve", "API, sign-in and metrics on this machine"),
            ("login, logout, whoami", "work on the library of a server"),
            ("backup, restore", "copy everything"),
            ("config, doctor", "settings, and what could be wrong"),
        ],
    ),
];

const EXAMPLES: &[(&str, &str)] = &[
    ("repertoire serve", "start the server and sign in with the link it prints"),
    ("repertoire import ~/.claude/skills", "bring in the skills you have"),
    ("repertoire search write release notes", "find one"),
    ("repertoire skill show NAME", "read it"),
    ("repertoire run NAME --param amount=1000", "run it"),
    ("repertoire policy log --denied", "see what agents were refused, and why"),
    ("repertoire validate ./my-skill --clients", "see which agents would load it"),
];

/// The overview.
pub(super) fn text(output: Output) -> String {
    let mut lines =
        vec![format!("{} keeps one skill library for all your agents.", output.bold("repertoire"))];
    for (title, commands) in GROUPS {
        lines.extend([String::new(), output.bold(title)]);
        lines.extend(commands.iter().map(|(command, what)| format!("  {command:<26}{what}")));
    }
    lines.extend([String::new(), output.bold("Examples")]);
    lines.extend(EXAMPLES.iter().map(|(command, what)| format!("  {command:<42}{what}")));
    lines.push(String::new());
    lines.push("`repertoire COMMAND --help` says more; `repertoire --help` lists everything.".to_owned());
    lines.join("\n")
}
