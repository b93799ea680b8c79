//! What a run may use and reach: the narrowest of all who have a say.

use model::{HostPattern, RunLimits};
use sandbox::{HostRule, Limits, Network};

use crate::bounds::bounds;
use crate::{Code, Error};

/// The installation's limits, narrowed by each of these.
pub(super) fn limits(installation: &Limits, narrowed_by: &[RunLimits]) -> Limits {
    narrowed_by.iter().fold(installation.clone(), |limits, narrower| limits.within(&bounds(narrower)))
}

/// The hosts a skill needs, if the installation grants every one of them.
pub(super) fn network(needed: &[HostPattern], granted: &[String]) -> Result<Network, Error> {
    if needed.is_empty() {
        return Ok(Network::None);
    }
    let granted: Vec<HostRule> = granted.iter().filter_map(|rule| HostRule::parse(rule).ok()).collect();
    let is_granted = |host: &HostPattern| {
        HostRule::parse(host.as_str()).is_ok_and(|needed| granted.iter().any(|rule| rule.covers(&needed)))
    };
    match needed.iter().find(|host| !is_granted(host)) {
        Some(host) => {
            let message = format!(
                "this skill needs to reach `{host}`, which this installation does not allow; \
                 ask its operator to add it to `allowed_hosts` under [sandbox]"
            );
            Err(Error::conflict(Code::NetworkNotAllowed, message))
        }
        None => Ok(Network::Hosts(needed.iter().map(ToString::to_string).collect())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_narrowest_of_all_limits_holds() {
        let by = |wall_ms, processes| RunLimits { wall_ms, processes, ..RunLimits::default() };
        let granted = limits(
            &Limits::default(),
            &[by(Some(5_000), Some(9)), by(Some(9_000), None), by(None, Some(u32::MAX))],
        );
        assert_eq!(granted.wall, Duration::from_secs(5));
        assert_eq!(granted.processes, 9);
        assert_eq!(granted.memory, Limits::default().memory);
    }

    #[test]
    fn a_host_is_reached_only_where_skill_and_installation_agree() {
        let granted = ["*.example.org".to_owned(), "api.example.com:8080".to_owned()];
        let asked = |hosts: &[&str]| {
            let hosts: Vec<_> = hosts.iter().map(|host| HostPattern::parse(host).unwrap()).collect();
            network(&hosts, &granted)
        };
        assert_eq!(asked(&[]).unwrap(), Network::None);
        let hosts = ["a.example.org", "api.example.com:8080"];
        assert_eq!(asked(&hosts).unwrap(), Network::Hosts(hosts.map(str::to_owned).to_vec()));
        for bad in ["example.org", "example.net", "api.example.com", "a.example.org:22"] {
            let error = asked(&["a.example.org", bad]).unwrap_err();
            assert_eq!(error.code(), Code::NetworkNotAllowed);
            assert!(error.to_string().contains(&format!("`{bad}`")), "{error}");
        }
    }
}
