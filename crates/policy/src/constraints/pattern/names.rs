//! Which word of a command is the name of what it runs, and whether that can be known.
//!
//! Behind a program that runs another, an option may take the word after it or not: both readings count.

use super::lines::{INTERPRETERS, WRAPPERS, base_name, is_assignment, is_computed};

/// Programs that take a word of their own before the command they run.
const TAKING_ONE: [&str; 9] =
    ["chroot", "coproc", "flock", "function", "gosu", "runuser", "ssh", "su", "timeout"];
/// What runs the text it is given, without an option that says so.
const RUNS_ARGUMENTS: [&str; 3] = ["eval", "ssh", "trap"];
/// Options of shells whose next word is no script.
const WITH_VALUE: [&str; 2] = ["--init-file", "--rcfile"];
/// How many words are looked at to see what a shell runs; a shell that has not said it by then is unclear.
const MAX_WORDS: usize = 64;
/// Options of `ssh` with a value.
const SSH_WITH_VALUE: &str = "BDEFIJLOPQRSWbceilmopw";

/// Whether these words, without what is assigned before them, may run a command that cannot be read off them: its name
/// is computed, or a shell reads it from its standard input. `fed` says that there is a here-document in the line, whose
/// text is not told from words.
pub(super) fn is_unclear<'w>(words: impl Iterator<Item = &'w str> + Clone, fed: bool) -> bool {
    let mut rest = words;
    let mut wrapper = "";
    let mut own = 0;
    let mut may_be_value = false;
    while let Some(word) = rest.next() {
        if wrapper == "find" {
            // It runs what stands behind such an option, and nothing else.
            if !matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir") {
                continue;
            }
            wrapper = "";
            may_be_value = false;
            continue;
        }
        if !wrapper.is_empty() && (is_assignment(word) || word == "--") {
            continue;
        }
        if !wrapper.is_empty() && word.starts_with('-') {
            if wrapper == "command" && matches!(word, "-v" | "-V") {
                return false;
            }
            may_be_value = word.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-');
            continue;
        }
        let name = base_name(word);
        // A text for a shell begins with the name.
        if is_computed(word.split_whitespace().next().unwrap_or_default())
            || reads_input(name, rest.clone().take(MAX_WORDS), fed)
        {
            return true;
        }
        if WRAPPERS.contains(&name) {
            wrapper = name;
            own = usize::from(TAKING_ONE.contains(&name));
            may_be_value = false;
        } else if may_be_value {
            may_be_value = false;
        } else if own > 0 {
            own -= 1;
        } else {
            return false;
        }
    }
    false
}

/// Whether a shell may be given a text to run by these words.
pub(super) fn takes_text<'w>(words: &(impl Iterator<Item = &'w str> + Clone)) -> bool {
    let has = |known: &[&str]| words.clone().any(|word| known.contains(&base_name(word)));
    let mut options = words.clone();
    has(&RUNS_ARGUMENTS)
        || has(&INTERPRETERS) && options.any(|word| is_text_option(word) || word.starts_with("--command"))
}

/// Whether a program of this name runs commands that it reads from its standard input.
fn reads_input<'w>(name: &str, words: impl Iterator<Item = &'w str>, fed: bool) -> bool {
    match name {
        "." => reads_script(words, fed),
        "ssh" => reads_remote(words, fed),
        "su" => !words.into_iter().any(|word| is_text_option(word) || word.starts_with("--command")),
        "eval" | "trap" => false,
        _ => INTERPRETERS.contains(&name) && reads_script(words, fed),
    }
}

/// A shell without a text and without the name of a script.
fn reads_script<'w>(mut words: impl Iterator<Item = &'w str>, fed: bool) -> bool {
    while let Some(word) = words.next() {
        if matches!(word, "--help" | "--version") {
            return false;
        }
        if is_text_option(word) {
            // Without a text behind it, another program puts one there.
            return words.next().is_none();
        }
        if word.starts_with(['-', '+']) {
            if !word.starts_with("--") && word.contains('s') {
                return true;
            }
            if WITH_VALUE.contains(&word) || !word.starts_with("--") && word.ends_with(['o', 'O']) {
                words.next();
            }
            continue;
        }
        let is_stream = word == "/dev/stdin" || word.starts_with("/dev/fd/") || word.starts_with("/proc/");
        return fed || is_stream;
    }
    true
}

/// `ssh` with a host and no command.
fn reads_remote<'w>(mut words: impl Iterator<Item = &'w str>, fed: bool) -> bool {
    let mut own = 0;
    while let Some(word) = words.next() {
        if let Some(option) = word.strip_prefix('-') {
            if option.len() == 1 && SSH_WITH_VALUE.contains(option) {
                words.next();
            }
            continue;
        }
        own += 1;
    }
    own < 2 || fed
}

/// `-c`, also among other letters.
fn is_text_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains('c')
}
