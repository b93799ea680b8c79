//! The command that hosts run: how it is written, and how it is known again.

use std::path::Path;

use crate::config::{Library, Source};
use crate::exit::{Failure, Outcome};

/// Where this program is, for settings that start it.
pub(crate) fn this_program() -> Outcome<String> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::internal(format!("cannot say where this program is: {error}")))?;
    program.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("the path of this program is not text: `{}`", program.display()))
    })
}

/// The flags that name the same library again, as far as it was named by this source or a later one.
pub(crate) fn library_flags(library: &Library, from: Source) -> Outcome<Vec<String>> {
    let is_served = library.server.value.is_some();
    if !is_served && library.database.source >= from.max(Source::Environment) {
        return Err(Failure::usage(
            "a database's address may hold a password, which settings of others must not",
        )
        .hint("name it in the configuration: `repertoire config path` says where"));
    }
    let mut words = Vec::new();
    let mut flag = |name: &str, source: Source, value: Option<String>| {
        let value = value.filter(|_| source >= from);
        words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    flag("--server", library.server.source, library.server.value.clone());
    let data = absolute(&library.data.value)?;
    // A folder that a server or a database stands before is not meant.
    let is_folder = !is_served && library.database.value.is_none();
    flag("--data", library.data.source, is_folder.then_some(data));
    flag("--workspace", library.workspace.source, library.workspace.value.clone());
    // Who is meant when nobody says needs no words; to a server a token says it.
    let said = library.user.source == Source::Flag || (!is_served && library.user.source > Source::Default);
    flag("--user", library.user.source, said.then(|| library.user.value.clone()));
    Ok(words)
}

/// A path that means the same in every folder, as text.
pub(crate) fn absolute(path: &Path) -> Outcome<String> {
    let whole = std::path::absolute(path).map_err(|error| Failure::file("find", path, &error))?;
    let text = whole.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage(format!("the path `{}` is not text", whole.display())))
}

/// A word for a POSIX shell.
pub(crate) fn quote(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:=@%+,".contains(letter));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Whether a command is the one that asks us for this host, whoever installed it.
pub(crate) fn is_ours(command: &str, host: &str) -> bool {
    let words = words(command);
    let [program, verb, name, ..] = words.as_slice() else { return false };
    let file = Path::new(program).file_name().and_then(|name| name.to_str());
    file == Some("repertoire") && verb == "hook" && name == host
}

/// The program of a command.
pub(crate) fn program(command: &str) -> Option<String> {
    words(command).into_iter().next()
}

/// The words of a command as a shell reads them, as far as we write them.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, ' ' | '\t') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_again_however_it_is_quoted() {
        for path in ["/usr/bin/repertoire", "/home/a b/it's/repertoire", "/x\"y$(z)/repertoire"] {
            let command = format!("{} hook claude --server {}", quote(path), quote("https://s/a?b&c"));
            assert!(is_ours(&command, "claude"), "{command}");
            assert!(!is_ours(&command, "codex"), "{command}");
            assert_eq!(program(&command).as_deref(), Some(path));
        }
        for other in
            ["", "repertoire", "repertoire run x", "echo repertoire hook claude", "my-repertoire hook claude"]
        {
            assert!(!is_ours(other, "claude"), "{other}");
        }
    }
}
