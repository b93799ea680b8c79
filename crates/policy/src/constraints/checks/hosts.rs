//! The hosts that URLs name.
//!
//! Programs disagree about odd URLs: what stands before an `@`, backslashes, encoded hosts, missing slashes. Where two
//! readings are possible the URL is unclear, and who allows does not allow it. Names are compared in their ASCII form,
//! so that `bücher.example` is `xn--bcher-kva.example`, and a letter that only looks like another is another.

use model::HostPattern;
use serde_json::Value;

use super::super::Failure;
use super::super::members::{Common, Members};

/// Names of arguments that hold a URL or a host, also without a scheme.
const URL_NAMES: [&str; 16] = [
    "address", "base_url", "baseurl", "domain", "endpoint", "host", "hostname", "href", "link", "origin",
    "server", "site", "uri", "url", "urls", "website",
];
/// The ports of a pattern that names none.
const WEB_PORTS: [u16; 2] = [80, 443];
/// Schemes after which browsers do not need two slashes.
const SPECIAL: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// The most URLs in one text that are looked at, and the longest host.
const MAX_URLS: usize = 1000;
const MAX_HOST: usize = 1024;

/// The host and port that a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    host: String,
    port: Option<u16>,
}

/// A URL that may be read in several ways, or names no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclear;

/// The URLs in the arguments of a call.
#[derive(Debug)]
pub(in super::super) struct Targets {
    found: Vec<Result<Target, Unclear>>,
    /// Why not all could be looked at, if so.
    failure: Option<Failure>,
}

impl Targets {
    pub(in super::super) fn of(arguments: &Value) -> Self {
        let mut found = Vec::new();
        let visited = super::each_text(arguments, &mut |key, text| {
            targets(key, text, &mut found);
            Ok(())
        });
        Self { found, failure: visited.err() }
    }
}

/// Reads an entry of an allow list; a name may have any letters.
pub(super) fn pattern(text: &str) -> Result<HostPattern, String> {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let (star, host) = name.strip_prefix("*.").map_or(("", name), |host| ("*.", host));
    let ascii = idna::domain_to_ascii(host).unwrap_or_else(|_| host.to_owned());
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    HostPattern::parse(&format!("{star}{ascii}{port}"))
        .map_err(|_| format!("`{}` is not a host", text.chars().take(80).collect::<String>()))
}

/// Whether all URLs name one of these hosts.
pub(super) fn all_allowed(hosts: &[HostPattern], targets: &Targets) -> Result<bool, Failure> {
    if let Some(failure) = &targets.failure {
        return Err(failure.clone());
    }
    let is_web = |port| WEB_PORTS.contains(&port);
    Ok(targets.found.iter().all(|target| {
        target.as_ref().is_ok_and(|target| hosts.iter().any(|host| fits(host, target, is_web)))
    }))
}

/// Who has hosts that all URLs name, on whatever port; there must be one.
pub(in super::super) fn admitting(hosts: &[(&HostPattern, &[u32])], targets: &Targets) -> Members {
    let mut all = Common::default();
    for target in &targets.found {
        let Ok(target) = target else { return Members::default() };
        let mut members = Members::default();
        for (_, holders) in hosts.iter().filter(|(host, _)| fits(host, target, |_| true)) {
            members.add_all(holders);
        }
        if !all.keep(members) {
            break;
        }
    }
    if targets.failure.is_some() { Members::default() } else { all.members() }
}

/// Whether a URL may name this host.
pub(in super::super) fn touches(host: &HostPattern, targets: &Targets) -> bool {
    targets.failure.is_some()
        || targets.found.iter().any(|target| match target {
            Ok(target) => fits(host, target, |_| true),
            Err(Unclear) => true,
        })
}

/// Whether every host that another pattern names is named by this one, on whatever port unless it says which.
pub(in super::super) fn covers(one: &HostPattern, other: &HostPattern) -> bool {
    let ((name, port), (other, other_port)) = (parts(one), parts(other));
    covers_name(name, other) && (port.is_none() || port == other_port)
}

/// Whether some host and port may be allowed by both lists of `host_allow`.
pub(super) fn may_meet(one: &HostPattern, other: &HostPattern) -> bool {
    let ((name, port), (other, other_port)) = (parts(one), parts(other));
    let is_usual = |port: &str| WEB_PORTS.iter().any(|usual| port == usual.to_string());
    let ports = match (port, other_port) {
        (Some(port), Some(other)) => port == other,
        (Some(port), None) | (None, Some(port)) => is_usual(port),
        (None, None) => true,
    };
    ports && (covers_name(name, other) || covers_name(other, name))
}

fn parts(pattern: &HostPattern) -> (&str, Option<&str>) {
    pattern.as_str().split_once(':').map_or((pattern.as_str(), None), |(name, port)| (name, Some(port)))
}

/// Whether a name, or all below a domain, is within another.
fn covers_name(name: &str, other: &str) -> bool {
    name == other
        || name.strip_prefix("*.").is_some_and(|domain| {
            let host = other.strip_prefix("*.").unwrap_or(other);
            host.strip_suffix(domain).is_some_and(|below| below.ends_with('.'))
        })
}

fn fits(pattern: &HostPattern, target: &Target, is_usual: impl Fn(u16) -> bool) -> bool {
    let (name, port) = parts(pattern);
    let named = match name.strip_prefix("*.") {
        Some(domain) => target.host.strip_suffix(domain).is_some_and(|below| below.ends_with('.')),
        None => name == target.host,
    };
    let reached = match (port, target.port) {
        (Some(wanted), Some(port)) => wanted == port.to_string(),
        (Some(wanted), None) => WEB_PORTS.iter().any(|port| wanted == port.to_string()),
        (None, Some(port)) => is_usual(port),
        (None, None) => true,
    };
    named && reached
}

/// Everything in a text that is a URL; of an argument that should be one, also what is a host alone.
fn targets(key: Option<&str>, text: &str, found: &mut Vec<Result<Target, Unclear>>) {
    let is_url = key.is_some_and(|key| is_one_of(key, &URL_NAMES));
    if !is_url {
        return in_text(text, found);
    }
    // Browsers leave these out wherever they stand.
    let text: String = text.trim().chars().filter(|letter| !matches!(letter, '\t' | '\r' | '\n')).collect();
    if text.is_empty() {
        return;
    }
    if text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        found.push(Err(Unclear));
        return;
    }
    let before = found.len();
    in_text(&text, found);
    if found.len() == before {
        let scheme = text.split_once(':').filter(|(scheme, _)| is_one_of(scheme, &SPECIAL));
        let rest = scheme.map_or(text.as_str(), |(_, rest)| rest);
        found.push(target(rest.trim_start_matches(['/', '\\'])));
    }
}

fn is_one_of(text: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(text))
}

/// The URLs in a text, by their scheme.
fn in_text(text: &str, found: &mut Vec<Result<Target, Unclear>>) {
    let most = found.len() + MAX_URLS;
    for (colon, _) in text.match_indices(':') {
        if found.len() == most {
            found.push(Err(Unclear));
            break;
        }
        let (Some(before), Some(after)) = (text.get(..colon), text.get(colon + 1..)) else { continue };
        let scheme = before
            .rsplit(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.')))
            .next()
            .unwrap_or_default();
        if !scheme.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            continue;
        }
        let host = after.trim_start_matches(['/', '\\']);
        let slashes = after.len() - host.len();
        if slashes > 0 && is_one_of(scheme, &SPECIAL) {
            found.push(target(host));
        } else if slashes >= 2 {
            // Of other schemes a third slash begins the path, and there is no host.
            found.push(if slashes == 2 { target(host) } else { Err(Unclear) });
        }
    }
}

/// Reads what stands behind the slashes.
fn target(text: &str) -> Result<Target, Unclear> {
    let end = text
        .find(|letter: char| {
            matches!(letter, '/' | '?' | '#' | '\\') || letter.is_whitespace() || letter.is_control()
        })
        .unwrap_or(text.len());
    let (authority, rest) = text.split_at_checked(end).ok_or(Unclear)?;
    if authority.len() > MAX_HOST {
        return Err(Unclear);
    }
    // Some programs take the backslash for a part of what stands before an `@`.
    if rest.starts_with('\\') {
        let word = || rest.chars().take(MAX_HOST).take_while(|letter| !letter.is_whitespace());
        if word().count() == MAX_HOST || word().any(|letter| letter == '@') {
            return Err(Unclear);
        }
    }
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => host,
        // A URL in a text ends where a quote or a bracket does.
        None => {
            authority.split(['"', '\'', '<', '>', '`', ')', ',', ';', '|', '}']).next().unwrap_or_default()
        }
    };
    if let Some(inner) = host.strip_prefix('[') {
        let (address, port) = inner.split_once(']').ok_or(Unclear)?;
        let port =
            if port.is_empty() { None } else { Some(read_port(port.strip_prefix(':').ok_or(Unclear)?)?) };
        return Ok(Target { host: format!("[{}]", address.to_ascii_lowercase()), port });
    }
    let (name, port) = match host.split_once(':') {
        Some((name, "")) => (name, None),
        Some((name, port)) => (name, Some(read_port(port)?)),
        None => (host, None),
    };
    if name.contains('%') {
        return Err(Unclear);
    }
    let name = idna::domain_to_ascii(name).map_err(|_| Unclear)?;
    let name = name.strip_suffix('.').unwrap_or(&name);
    let is_name = !name.is_empty()
        && name.split('.').all(|label| {
            !label.is_empty()
                && label.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
        });
    if is_name { Ok(Target { host: name.to_owned(), port }) } else { Err(Unclear) }
}

fn read_port(text: &str) -> Result<u16, Unclear> {
    if text.is_empty() || !text.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(Unclear);
    }
    text.parse().map_err(|_| Unclear)
}
