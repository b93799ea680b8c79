//! The bounds on connections and request bodies.

use std::time::Duration;

use crate::client_address::TrustedProxies;

/// What a client may take up before and while its request is read.
#[derive(Debug, Clone)]
pub struct ServingSettings {
    /// Proxies whose `Forwarded` and `X-Forwarded-For` headers are believed.
    pub trusted_proxies: TrustedProxies,
    /// The most open connections in all.
    pub max_connections: usize,
    /// The most open connections of one address; loopback and trusted proxies are exempt.
    pub max_connections_per_address: usize,
    /// How long a client may take to send the headers of a request.
    pub header_timeout: Duration,
    /// How long a connection is kept open between two requests.
    pub idle_timeout: Duration,
    /// How long a client may leave a response unread.
    pub write_timeout: Duration,
    /// How long the server waits for one request body in all.
    pub body_timeout: Duration,
    /// How long a body may stall before it falls below the minimum rate.
    pub body_stall: Duration,
    /// The minimum rate of a body, in bytes per second.
    pub min_body_rate: u32,
    /// The most bytes of request bodies held in memory at once. The first 64 KiB of each body are not counted.
    pub body_budget: usize,
}

impl Default for ServingSettings {
    fn default() -> Self {
        Self {
            trusted_proxies: TrustedProxies::default(),
            max_connections: 2_048,
            max_connections_per_address: 256,
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(2),
            write_timeout: Duration::from_mins(1),
            body_timeout: Duration::from_mins(5),
            body_stall: Duration::from_secs(10),
            min_body_rate: 4_096,
            body_budget: 96 * 1024 * 1024,
        }
    }
}
