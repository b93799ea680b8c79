//! Moments as people write them: a date, a moment, or how long ago.

use app::Clock as _;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime, UtcOffset};

use crate::exit::{Failure, Outcome};

/// A moment as the API takes it: `2026-01-31` is its first moment in UTC, `7d` is seven days ago.
pub(super) fn moment_of(text: &str) -> Outcome<String> {
    moment_at(text, app::SystemClock.now())
}

/// A day as the API takes it: that of a moment, in UTC.
pub(super) fn day_of(text: &str) -> Outcome<String> {
    let moment = OffsetDateTime::parse(&moment_of(text)?, &Rfc3339).ok();
    let moment = moment.and_then(|moment| moment.checked_to_offset(UtcOffset::UTC));
    let day = moment.map(|moment| moment.date().to_string());
    day.ok_or_else(|| {
        Failure::usage(format!("`{text}` is not a day")).hint("write 2026-01-31, or how long ago: 7d")
    })
}

fn moment_at(text: &str, now: OffsetDateTime) -> Outcome<String> {
    if let Some(age) = age(text) {
        let moment = now.checked_sub(age).and_then(|moment| moment.format(&Rfc3339).ok());
        return moment.ok_or_else(|| Failure::usage(format!("`{text}` ago is before all time")));
    }
    let whole = if text.contains(['T', 't']) { text.to_owned() } else { format!("{text}T00:00:00Z") };
    match OffsetDateTime::parse(&whole, &Rfc3339) {
        Ok(_) => Ok(whole),
        Err(_) => Err(Failure::usage(format!("`{text}` is not a moment"))
            .hint("write 2026-01-31, 2026-01-31T12:00:00Z, or how long ago: 30m, 12h, 7d")),
    }
}

/// `30m`, `12h` or `7d`.
fn age(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
    match unit {
        'm' => Some(Duration::minutes(number.into())),
        'h' => Some(Duration::hours(number.into())),
        'd' => Some(Duration::days(number.into())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_its_first_moment() {
        assert_eq!(moment_of("2026-01-31").unwrap(), "2026-01-31T00:00:00Z");
        assert_eq!(moment_of("2026-01-31T12:00:00+01:00").unwrap(), "2026-01-31T12:00:00+01:00");
        assert!(moment_of("yesterday").is_err() && moment_of("2026-02-30").is_err());
    }

    #[test]
    fn a_day_is_that_of_its_moment_in_utc() {
        assert_eq!(day_of("2026-01-31").unwrap(), "2026-01-31");
        assert_eq!(day_of("2026-02-01T00:30:00+01:00").unwrap(), "2026-01-31");
        assert!(day_of("yesterday").is_err());
    }

    #[test]
    fn an_age_is_counted_back_from_now() {
        let now = OffsetDateTime::parse("2026-03-01T12:00:00Z", &Rfc3339).unwrap();
        let table = [
            ("30m", "2026-03-01T11:30:00Z"),
            ("12h", "2026-03-01T00:00:00Z"),
            ("7d", "2026-02-22T12:00:00Z"),
            ("0d", "2026-03-01T12:00:00Z"),
        ];
        for (text, wanted) in table {
            assert_eq!(moment_at(text, now).unwrap(), wanted, "{text}");
        }
        for bad in ["d", "-1d", "7w", "7", "1.5h", "4000000000d", "9999999999d", ""] {
            assert!(moment_at(bad, now).is_err(), "{bad}");
        }
    }
}
