//! What clients may take up of a server: connections, time and memory for request bodies.

use std::time::Duration;

use door_http::{HttpConfig, ServingSettings, TrustedProxies};

use super::sources::{Environment, Number};
use super::values::count;
use super::{Layer, ServeLayer, Setting, Source, pick};
use crate::exit::{Failure, Outcome};

impl ServeLayer {
    /// What the environment says on numbers: `REPERTOIRE_SERVE_` and the key in capitals.
    pub(super) fn numbers_of(environment: &dyn Environment) -> Self {
        let get = |key: &str| environment.get(&format!("REPERTOIRE_SERVE_{key}")).map(Number::Text);
        Self {
            max_connections: get("MAX_CONNECTIONS"),
            max_connections_per_address: get("MAX_CONNECTIONS_PER_ADDRESS"),
            header_timeout_seconds: get("HEADER_TIMEOUT_SECONDS"),
            idle_timeout_seconds: get("IDLE_TIMEOUT_SECONDS"),
            write_timeout_seconds: get("WRITE_TIMEOUT_SECONDS"),
            body_timeout_seconds: get("BODY_TIMEOUT_SECONDS"),
            body_stall_seconds: get("BODY_STALL_SECONDS"),
            min_body_rate: get("MIN_BODY_RATE"),
            body_budget_mb: get("BODY_BUDGET_MB"),
            sign_in_failures_per_minute: get("SIGN_IN_FAILURES_PER_MINUTE"),
            ..Self::default()
        }
    }
}

/// The bounds on clients under `[serve]`.
#[derive(Debug)]
pub(crate) struct Connections {
    /// Every number with where it comes from, for showing.
    numbers: Vec<(&'static str, Setting<u32>)>,
    trusted_proxies: Setting<Vec<String>>,
    /// As the server takes them.
    pub(crate) serving: ServingSettings,
    pub(crate) sign_in_failures_per_minute: u32,
}

impl Connections {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let usual = HttpConfig::default();
        let default = usual.serving;
        let trusted_proxies = pick(layers, Vec::new(), |layer| layer.serve.trusted_proxies.clone());
        let networks = TrustedProxies::parse(&trusted_proxies.value).map_err(|error| {
            Failure::usage(format!("trusted proxy {error}"))
                .hint("list the addresses from which your reverse proxy connects")
        })?;
        let mut numbers = Vec::new();
        let mut number = |name: &'static str, default: u64, of: fn(&ServeLayer) -> &Option<Number>| {
            let setting: Setting<u32> =
                count(layers, &format!("serve.{name}"), (1, default), |layer| of(&layer.serve).clone())?;
            let value = setting.value;
            numbers.push((name, setting));
            Ok::<_, Failure>(value)
        };
        let seconds = |number: u32| Duration::from_secs(number.into());
        let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let serving = ServingSettings {
            trusted_proxies: networks,
            max_connections: size(number("max_connections", default.max_connections as u64, |layer| {
                &layer.max_connections
            })?),
            max_connections_per_address: size(number(
                "max_connections_per_address",
                default.max_connections_per_address as u64,
                |layer| &layer.max_connections_per_address,
            )?),
            header_timeout: seconds(number(
                "header_timeout_seconds",
                default.header_timeout.as_secs(),
                |layer| &layer.header_timeout_seconds,
            )?),
            idle_timeout: seconds(number("idle_timeout_seconds", default.idle_timeout.as_secs(), |layer| {
                &layer.idle_timeout_seconds
            })?),
            write_timeout: seconds(number(
                "write_timeout_seconds",
                default.write_timeout.as_secs(),
                |layer| &layer.write_timeout_seconds,
            )?),
            body_timeout: seconds(number("body_timeout_seconds", default.body_timeout.as_secs(), |layer| {
                &layer.body_timeout_seconds
            })?),
            body_stall: seconds(number("body_stall_seconds", default.body_stall.as_secs(), |layer| {
                &layer.body_stall_seconds
            })?),
            min_body_rate: number("min_body_rate", default.min_body_rate.into(), |layer| {
                &layer.min_body_rate
            })?,
            body_budget: size(number("body_budget_mb", (default.body_budget >> 20) as u64, |layer| {
                &layer.body_budget_mb
            })?) << 20,
        };
        let failures = usual.sign_in_failures_per_minute.into();
        let sign_in_failures_per_minute =
            number("sign_in_failures_per_minute", failures, |layer| &layer.sign_in_failures_per_minute)?;
        Ok(Self { numbers, trusted_proxies, serving, sign_in_failures_per_minute })
    }

    /// Every setting as text with where it comes from.
    pub(crate) fn rows(&self) -> Vec<(String, String, Source)> {
        let proxies = &self.trusted_proxies;
        let shown = if proxies.value.is_empty() { "-".to_owned() } else { proxies.value.join(", ") };
        let numbers = self.numbers.iter();
        let numbers =
            numbers.map(|(name, number)| (format!("serve.{name}"), number.value.to_string(), number.source));
        std::iter::once(("serve.trusted_proxies".to_owned(), shown, proxies.source)).chain(numbers).collect()
    }
}
