//! The command that hosts run: how it is written, and how it is known again.

use std::path::Path;

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
