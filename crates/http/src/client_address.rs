//! The address of a client: the peer, or what a trusted proxy says of it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, HeaderName, header};
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The networks of proxies whose forwarding headers are believed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// A text that is neither an address nor a network.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is neither an IP address nor a network such as 10.0.0.0/8")]
pub struct InvalidNetwork(String);

impl TrustedProxies {
    /// Reads addresses and networks in CIDR notation.
    pub fn parse(texts: &[String]) -> Result<Self, InvalidNetwork> {
        let network = |text: &String| {
            let text = text.trim();
            let parsed = IpNet::from_str(text).or_else(|_| IpAddr::from_str(text).map(IpNet::from));
            parsed.map_err(|_| InvalidNetwork(text.to_owned()))
        };
        texts.iter().map(network).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client behind the peer. Only trusted proxies are believed, so the right-most address that is
    /// not one of them counts: everything to the left of it was written by the client itself.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.contains(peer) {
            return peer;
        }
        let mut client = peer;
        for hop in hops(headers).into_iter().rev() {
            let Some(address) = hop else { break };
            client = address;
            if !self.contains(address) {
                break;
            }
        }
        client
    }
}

/// The addresses that proxies added, the nearest one last; `None` where one is hidden or malformed.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let list = |name: &HeaderName| {
        let values = headers.get_all(name).into_iter();
        values.flat_map(|value| value.to_str().unwrap_or_default().split(',')).collect::<Vec<_>>()
    };
    let forwarded = list(&header::FORWARDED);
    if forwarded.is_empty() {
        return list(&FORWARDED_FOR).into_iter().map(address).collect();
    }
    let node = |element: &str| {
        let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for")).and_then(|(_, value)| address(value))
    };
    forwarded.into_iter().map(node).collect()
}

/// An address with or without quotes, brackets and port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    if let Some((inside, _)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inside.parse::<Ipv6Addr>().ok().map(|address| IpAddr::V6(address).to_canonical());
    }
    let plain = IpAddr::from_str(text).or_else(|_| SocketAddr::from_str(text).map(|socket| socket.ip()));
    plain.ok().map(|address| address.to_canonical())
}

/// The client of a request, as the edge found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The client of a request with these headers. A request without a socket comes from this machine.
    pub(crate) fn of(proxies: &TrustedProxies, extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
        Self(proxies.client(peer.unwrap_or(IpAddr::from([127, 0, 0, 1])), headers))
    }

    /// The address under which limits count: one IPv6 customer has a whole /64 network.
    pub(crate) fn counted(self) -> IpAddr {
        counted(self.0)
    }
}

/// The address under which limits count.
pub(crate) fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn found(peer: &str, headers: &[(&'static str, &'static str)]) -> String {
        let proxies = TrustedProxies::parse(&["10.0.0.0/8".to_owned(), "::1".to_owned()]).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        proxies.client(peer.parse().unwrap(), &map).to_string()
    }

    #[test]
    fn the_right_most_untrusted_address_counts() {
        let xff = "x-forwarded-for";
        for (peer, headers, client) in [
            ("203.0.113.9", &[(xff, "198.51.100.1")][..], "203.0.113.9"),
            ("203.0.113.9", &[("forwarded", "for=198.51.100.1")], "203.0.113.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &[(xff, "198.51.100.1")], "198.51.100.1"),
            ("::ffff:10.0.0.1", &[(xff, "198.51.100.1")], "198.51.100.1"),
            ("10.0.0.1", &[(xff, "192.0.2.7, 198.51.100.1, 10.0.0.2")], "198.51.100.1"),
            ("10.0.0.1", &[(xff, "192.0.2.7"), (xff, "198.51.100.1")], "198.51.100.1"),
            ("10.0.0.1", &[(xff, "198.51.100.1:4711")], "198.51.100.1"),
            ("10.0.0.1", &[(xff, "192.0.2.7, junk")], "10.0.0.1"),
            ("::1", &[("forwarded", "for=192.0.2.7;proto=http, For=\"[2001:db8::7]:80\"")], "2001:db8::7"),
            ("::1", &[("forwarded", "for=unknown")], "::1"),
            ("10.0.0.1", &[("forwarded", "for=192.0.2.1"), (xff, "198.51.100.1")], "192.0.2.1"),
        ] {
            assert_eq!(found(peer, headers), client, "{peer} {headers:?}");
        }
    }

    #[test]
    fn networks_are_addresses_or_cidr() {
        for bad in ["", "proxy.example", "10.0.0.0/33", "10.0.0.0/"] {
            assert!(TrustedProxies::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
        let one = TrustedProxies::parse(&["192.0.2.1".to_owned()]).unwrap();
        assert!(one.contains("192.0.2.1".parse().unwrap()) && !one.contains("192.0.2.2".parse().unwrap()));
    }

    #[test]
    fn ipv6_clients_are_counted_by_their_network() {
        let count = |text: &str| counted(text.parse().unwrap()).to_string();
        assert_eq!(count("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(count("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
