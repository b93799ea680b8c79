//! Hosts that code asks to reach. Whether it may is decided where the network is.

/// A host or all hosts of a domain, with a port or without: `host`, `host:port`, `*.domain` or `*.domain:port`, in
/// lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern(String);

/// Text that names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host; write `example.org`, `example.org:8080` or `*.example.org`")]
pub struct HostError(String);

impl HostPattern {
    /// The longest pattern, in characters.
    pub const MAX: usize = 260;

    /// Reads a pattern, whatever its case.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
        let host = name.strip_prefix("*.").unwrap_or(name);
        let is_label = |part: &str| {
            (1..=63).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        };
        let named = host.len() <= 253 && host.split('.').all(is_label);
        let reachable = port.is_none_or(|port| !port.starts_with(['0', '+']) && port.parse::<u16>().is_ok());
        if named && reachable {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(HostError(text.chars().take(80).collect()))
        }
    }

    /// The pattern as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for HostPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_host_or_a_domain_and_perhaps_a_port() {
        for good in ["example.org", "a-b.example.org:8080", "*.example.org", "10.0.0.1", "localhost", "*.a:1"]
        {
            assert_eq!(HostPattern::parse(good).unwrap().as_str(), good);
        }
        assert_eq!(HostPattern::parse("Example.ORG").unwrap().as_str(), "example.org");
        for bad in [
            "",
            "*",
            "*.",
            ".org",
            "a..b",
            "a b",
            "https://a",
            "a:0",
            "a:70000",
            "a:+1",
            "a:",
            "::1",
            "é.org",
            "a/b",
        ] {
            assert!(HostPattern::parse(bad).is_err(), "{bad}");
        }
    }
}
