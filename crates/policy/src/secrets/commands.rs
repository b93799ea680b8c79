//! Passwords that well-known programs take as arguments without a telling name.

use std::ops::Range;

use super::Found;
use super::scan::{at, skip, text};
use super::value::is_placeholder;

/// How a program takes its password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// `-u user:password`
    UserAndPassword(&'static [&'static str]),
    /// `-p password`
    Next(&'static str),
    /// `-ppassword`
    Attached(&'static str),
}

const PROGRAMS: &[(&str, Takes)] = &[
    ("curl", Takes::UserAndPassword(&["-u", "--user", "--proxy-user", "-U"])),
    ("wget", Takes::UserAndPassword(&["-u", "--user"])),
    ("http", Takes::UserAndPassword(&["-a", "--auth"])),
    ("sshpass", Takes::Next("-p")),
    ("redis-cli", Takes::Next("-a")),
    ("login", Takes::Next("-p")),
    ("mysql", Takes::Attached("-p")),
    ("mysqldump", Takes::Attached("-p")),
    ("mysqladmin", Takes::Attached("-p")),
    ("mariadb", Takes::Attached("-p")),
];

/// The longest argument that is looked at.
const LONGEST: usize = 512;

/// The passwords among the bytes.
pub(super) fn find(bytes: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut program = None;
    let mut waits = false;
    let mut place = 0;
    while place < bytes.len() {
        let start = skip(bytes, place, usize::MAX, |byte| byte.is_ascii_whitespace());
        if bytes.get(place..start).unwrap_or_default().contains(&b'\n') {
            (program, waits) = (None, false);
        }
        place = skip(bytes, start, usize::MAX, |byte| !byte.is_ascii_whitespace());
        let word = start..place;
        if place - start > LONGEST {
            waits = false;
            continue;
        }
        match program {
            Some(takes) => {
                let (value, next) = value_of(bytes, word.clone(), takes, waits);
                waits = next;
                found.extend(value.filter(|value| !is_placeholder(text(bytes, value.clone()))));
            }
            None => waits = false,
        }
        if matches!(at(bytes, place - 1), b';' | b'|' | b'&') {
            program = None;
        }
        let word = text(bytes, word);
        program = program_of(word).or(program.filter(|_| !word.contains("$(")));
    }
    found.into_iter().map(|range| Found::new(range, "password")).collect()
}

fn program_of(word: &str) -> Option<Takes> {
    let name = word.trim_start_matches(['"', '\'', '`', '(', '$', '{']);
    let name = name.rsplit('/').next().unwrap_or(name);
    PROGRAMS.iter().find(|(program, _)| *program == name).map(|(_, takes)| *takes)
}

/// The password in an argument, and whether it is in the next one.
fn value_of(bytes: &[u8], word: Range<usize>, takes: Takes, waits: bool) -> (Option<Range<usize>>, bool) {
    let argument = text(bytes, word.clone());
    if waits {
        let value = unquoted(bytes, word);
        return match takes {
            Takes::UserAndPassword(_) => (behind_colon(bytes, value), false),
            _ => (Some(value).filter(|value| !value.is_empty()), false),
        };
    }
    match takes {
        Takes::UserAndPassword(flags) => {
            if flags.contains(&argument) {
                return (None, true);
            }
            let attached = flags.iter().find_map(|flag| argument.strip_prefix(flag));
            let value =
                attached.map(|rest| word.end - rest.strip_prefix('=').unwrap_or(rest).len()..word.end);
            (value.and_then(|value| behind_colon(bytes, unquoted(bytes, value))), false)
        }
        Takes::Next(flag) => (None, argument == flag),
        Takes::Attached(flag) => {
            let rest = argument.strip_prefix(flag).filter(|rest| rest.len() >= 3 && !rest.starts_with('='));
            (rest.map(|rest| unquoted(bytes, word.end - rest.len()..word.end)), false)
        }
    }
}

fn behind_colon(bytes: &[u8], value: Range<usize>) -> Option<Range<usize>> {
    let (user, password) = text(bytes, value.clone()).split_once(':')?;
    let is_number = password.bytes().all(|byte| byte.is_ascii_digit());
    (!user.is_empty() && !password.is_empty() && !is_number).then(|| value.end - password.len()..value.end)
}

/// Without the quotes around it, and without what ends the command.
fn unquoted(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let whole = text(bytes, value.clone());
    let opened = whole.trim_start_matches(['"', '\'', '`']);
    let closed = opened.trim_end_matches(['"', '\'', '`', ';', ')', ',']);
    let start = value.start + whole.len() - opened.len();
    start..start + closed.len()
}
