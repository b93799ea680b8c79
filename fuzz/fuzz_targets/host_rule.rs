//! Any two entries of an allow list: what parses says itself again, and covers no more than it lets through.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sandbox::HostRule;

fuzz_target!(|text: &str| {
    let (first, second) = text.split_once('\0').unwrap_or((text, "example.org"));
    let Ok(rule) = HostRule::parse(first) else { return };
    assert_eq!(HostRule::parse(&rule.to_string()).expect("what it says can be read"), rule);
    assert!(rule.covers(&rule));
    let Ok(other) = HostRule::parse(second) else { return };
    if rule.covers(&other) {
        for port in [1, 22, 80, 443, 8443, 65_535] {
            for host in ["example.org", "a.example.org", "10.0.0.1", "::1", "xn--a"] {
                assert!(!other.matches(host, port) || rule.matches(host, port));
            }
        }
    }
});
