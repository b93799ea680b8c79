//! Which hosts code may reach: the entries of an allow list.
//!
//! Names are compared as text, in lower case. What a name leads to is judged in `addresses`.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The ports of a rule that names none.
const WEB_PORTS: [u16; 2] = [80, 443];

/// A host as asked for: a name in lower case without a dot at its end, or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    Name(String),
    Address(IpAddr),
}

impl Host {
    /// Reads a host without its port. An IPv6 address may stand in brackets.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(inner) = inner {
            let address: Ipv6Addr = inner.parse().map_err(|_| not_a_host(text))?;
            return Ok(Self::Address(IpAddr::V6(address).to_canonical()));
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::Address(address.to_canonical()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        if is_name(&name) { Ok(Self::Name(name)) } else { Err(not_a_host(text)) }
    }

    /// Reads a host with its port, if it has one.
    pub(super) fn parse_with_port(text: &str) -> Result<(Self, Option<u16>), String> {
        let (host, port) = split_port(text)?;
        Ok((Self::parse(host)?, port))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => formatter.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(formatter, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]"),
        }
    }
}

/// An entry of an allow list: `host`, `host:port`, `*.domain` or `*.domain:port`; ports 80 and 443 unless one is named.
///
/// A name reaches public addresses only. An address that is private or of this machine is reached when it stands in
/// the list itself, as an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    One(Host),
    /// Every name under this one, at any depth, but not the name itself.
    Under(String),
}

impl HostRule {
    /// Reads an entry; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.contains('/') {
            let shown = text.escape_default();
            return Err(format!(
                "`{shown}` is not a host: write it alone, without a scheme and without a path"
            ));
        }
        let Some(domain) = text.strip_prefix("*.") else {
            let (host, port) = Host::parse_with_port(text)?;
            return Ok(Self { hosts: Hosts::One(host), port });
        };
        match Host::parse_with_port(domain)? {
            (Host::Name(domain), port) => Ok(Self { hosts: Hosts::Under(domain), port }),
            (Host::Address(_), _) => Err(not_a_host(text)),
        }
    }

    /// Whether this rule lets code ask for this host at this port.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        Host::parse(host).is_ok_and(|host| self.allows(&host, port))
    }

    /// Whether all that the other rule lets through, this one lets through too.
    pub fn covers(&self, other: &Self) -> bool {
        let hosts = match (&self.hosts, &other.hosts) {
            (_, Hosts::One(host)) => self.names(host),
            (Hosts::Under(domain), Hosts::Under(other)) => domain == other || is_under(other, domain),
            (Hosts::One(_), Hosts::Under(_)) => false,
        };
        let ports = match other.port {
            Some(port) => self.has_port(port),
            None => self.port.is_none(),
        };
        hosts && ports
    }

    pub(super) fn allows(&self, host: &Host, port: u16) -> bool {
        self.has_port(port) && self.names(host)
    }

    fn names(&self, host: &Host) -> bool {
        match (&self.hosts, host) {
            (Hosts::One(named), host) => named == host,
            (Hosts::Under(domain), Host::Name(name)) => is_under(name, domain),
            (Hosts::Under(_), Host::Address(_)) => false,
        }
    }

    fn has_port(&self, port: u16) -> bool {
        self.port.map_or_else(|| WEB_PORTS.contains(&port), |named| named == port)
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hosts {
            Hosts::One(host) => write!(formatter, "{host}")?,
            Hosts::Under(domain) => write!(formatter, "*.{domain}")?,
        }
        self.port.map_or(Ok(()), |port| write!(formatter, ":{port}"))
    }
}

fn is_under(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

/// Whether a text in lower case is a name: never one that a resolver would take for an address, such as `127.1`.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=63).contains(&label.len()) && label.bytes().all(good)
    };
    let is_number = |label: &str| {
        let hex =
            label.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        hex || label.bytes().all(|byte| byte.is_ascii_digit())
    };
    name.len() <= 253 && name.split('.').all(is_label) && !name.rsplit('.').next().is_none_or(is_number)
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), String> {
    let unbracketed_v6 = text.parse::<Ipv6Addr>().is_ok();
    let Some((host, port)) = text.rsplit_once(':').filter(|_| !unbracketed_v6 && !text.ends_with(']')) else {
        return Ok((text, None));
    };
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match port.parse::<u16>() {
        Ok(number) if digits && number > 0 => Ok((host, Some(number))),
        _ => Err(format!("`{}` is not a port: give a number from 1 to 65535", port.escape_default())),
    }
}

fn not_a_host(text: &str) -> String {
    format!(
        "`{}` is not a host: give a name of letters, digits, `-`, `_` and dots (`xn--` for others), or an address",
        text.escape_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> HostRule {
        HostRule::parse(text).unwrap()
    }

    #[test]
    fn a_rule_lets_through_what_it_names_and_nothing_else() {
        let table = [
            ("example.com", "example.com", 443, true),
            ("example.com", "EXAMPLE.com.", 80, true),
            ("Example.COM.", "example.com", 443, true),
            ("example.com", "example.com", 8080, false),
            ("example.com", "www.example.com", 443, false),
            ("example.com", "example.com.evil.org", 443, false),
            ("example.com:8443", "example.com", 8443, true),
            ("example.com:8443", "example.com", 443, false),
            ("*.example.com", "a.b.example.com", 443, true),
            ("*.example.com", "example.com", 443, false),
            ("*.example.com", ".example.com", 443, false),
            ("*.example.com", "evilexample.com", 443, false),
            ("*.example.com:22", "a.example.com", 22, true),
            ("*.example.com:22", "a.example.com", 443, false),
            ("10.0.0.5", "10.0.0.5", 80, true),
            ("10.0.0.5", "::ffff:10.0.0.5", 80, true),
            ("10.0.0.5", "10.5", 80, false),
            ("[2001:DB8::1]:443", "2001:db8:0::1", 443, true),
            ("2001:db8::1", "[2001:db8::1]", 443, true),
            ("2001:db8::1", "[2001:db8::2]", 443, false),
            ("xn--bcher-kva.example", "bücher.example", 443, false),
            ("example.com", "example.com\0.evil.org", 443, false),
        ];
        for (text, host, port, expected) in table {
            assert_eq!(rule(text).matches(host, port), expected, "{text} {host}:{port}");
        }
    }

    #[test]
    fn what_a_resolver_would_take_for_an_address_is_no_name() {
        for text in ["127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "a.1", "1.2.3.4.", "a.0x"] {
            assert!(HostRule::parse(text).is_err(), "{text}");
        }
        assert!(HostRule::parse("1.example.com").is_ok());
    }

    #[test]
    fn what_is_no_host_is_refused_with_a_reason() {
        let long = "a".repeat(64);
        let longer = "a.".repeat(130);
        for text in [
            "",
            ".",
            "*",
            "*.",
            "*.10.0.0.1",
            "a..b",
            "a b",
            "-x y",
            "https://a.com",
            "a.com/path",
            "u@a.com",
            "a.com:",
            "a.com:0",
            "a.com:65536",
            "a.com:+80",
            "a.com:http",
            "fe80::1%eth0",
            "[::1",
            "[::1]x",
            "[1.2.3.4]",
            "bücher.example",
            &long,
            &longer,
        ] {
            assert!(HostRule::parse(text).is_err(), "{text}");
        }
        assert!(HostRule::parse("https://a.com").unwrap_err().contains("without a scheme"));
    }

    #[test]
    fn a_rule_covers_the_rules_that_let_through_less() {
        let table = [
            ("example.com", "example.com", true),
            ("example.com", "EXAMPLE.com:443", true),
            ("example.com", "example.com:8080", false),
            ("example.com:443", "example.com", false),
            ("example.com:443", "example.com:443", true),
            ("*.example.com", "www.example.com", true),
            ("*.example.com", "*.www.example.com", true),
            ("*.example.com", "*.example.com", true),
            ("*.example.com", "example.com", false),
            ("*.www.example.com", "*.example.com", false),
            ("www.example.com", "*.example.com", false),
            ("10.0.0.1", "10.0.0.1:80", true),
            ("10.0.0.1", "10.0.0.2", false),
        ];
        for (wide, narrow, expected) in table {
            assert_eq!(rule(wide).covers(&rule(narrow)), expected, "{wide} covers {narrow}");
        }
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for text in ["example.com", "*.example.com:8443", "[2001:db8::1]:443", "10.0.0.1"] {
            assert_eq!(rule(text).to_string(), text);
        }
    }
}
