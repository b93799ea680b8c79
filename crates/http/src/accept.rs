//! Headers that list what a client takes: words, each perhaps with a weight.

use axum::http::{HeaderMap, HeaderName, header};

/// The words of a header that is a list, each with whether it is wanted at all: `;q=0` says that it is not.
fn words<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = (&'a str, bool)> + use<'a> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let word = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        (word, weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)))
    })
}

/// Whether a request asks for a media type by its name: `*/*` does not.
pub(crate) fn asks_for(headers: &HeaderMap, media_type: &str) -> bool {
    words(headers, &header::ACCEPT).any(|(word, taken)| taken && word.eq_ignore_ascii_case(media_type))
}

/// Whether an answer may be packed with gzip.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let says = |wanted: &str| {
        let mut words = words(headers, &header::ACCEPT_ENCODING);
        words.find(|(word, _)| word.eq_ignore_ascii_case(wanted)).map(|(_, taken)| taken)
    };
    says("gzip").or_else(|| says("*")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_media_type_is_asked_for_by_its_name() {
        let table = [
            ("text/event-stream", true),
            ("application/json, Text/Event-Stream;q=0.9", true),
            ("text/event-stream;q=0, application/json", false),
            ("*/*", false),
            ("text/*", false),
            ("application/json", false),
        ];
        for (accept, wanted) in table {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(asks_for(&headers, "text/event-stream"), wanted, "{accept}");
        }
        assert!(!asks_for(&HeaderMap::new(), "text/event-stream"));
    }

    #[test]
    fn gzip_is_for_those_who_take_it() {
        let table = [
            (None, false),
            (Some(""), false),
            (Some("gzip"), true),
            (Some("br, GZIP;q=0.5"), true),
            (Some("gzip;q=0"), false),
            (Some("gzip; q=0.000, *"), false),
            (Some("*"), true),
            (Some("*;q=0"), false),
            (Some("identity"), false),
            (Some("xgzip"), false),
            (Some("gzip;q=much"), false),
        ];
        for (value, wanted) in table {
            let mut headers = HeaderMap::new();
            if let Some(value) = value {
                headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            }
            assert_eq!(takes_gzip(&headers), wanted, "{value:?}");
        }
    }
}
