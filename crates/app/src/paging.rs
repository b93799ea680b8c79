//! Pages and the opaque cursors between them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::{SkillId, SkillName, Timestamp};
use store::SkillCursor;
use uuid::Uuid;

use crate::{Code, Error};

/// A page of something.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next one begins, if there is more.
    pub next: Option<Cursor>,
}

/// Which page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// At most so many items.
    pub limit: u32,
    /// Where the page before ended.
    pub after: Option<Cursor>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: Self::DEFAULT, after: None }
    }
}

impl PageRequest {
    /// How many items a page has when nobody says.
    pub const DEFAULT: u32 = 50;
    /// How many it has at most.
    pub const MAX: u32 = 200;

    pub(crate) fn checked_limit(&self) -> Result<u32, Error> {
        if (1..=Self::MAX).contains(&self.limit) {
            Ok(self.limit)
        } else {
            Err(Error::invalid(Code::InvalidRequest, format!("limit must be between 1 and {}", Self::MAX)))
        }
    }
}

/// Where a page ended; opaque to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(pub String);

impl Cursor {
    pub(crate) fn of(parts: &[&str]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(parts.join("\n")))
    }

    pub(crate) fn parts(&self) -> Result<Vec<String>, Error> {
        URL_SAFE_NO_PAD
            .decode(&self.0)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|text| text.split('\n').map(str::to_owned).collect())
            .ok_or_else(Self::invalid)
    }

    pub(crate) fn invalid() -> Error {
        Error::invalid(Code::InvalidCursor, "the cursor is not one that this list gave out")
    }

    pub(crate) fn of_skill(cursor: &SkillCursor) -> Self {
        match cursor {
            SkillCursor::Name(name, id) => Self::of(&["n", name.as_str(), &id.to_string()]),
            SkillCursor::Time(moment, id) => Self::of(&["t", &micros(*moment), &id.to_string()]),
        }
    }

    pub(crate) fn skill(&self) -> Result<SkillCursor, Error> {
        let parts = self.parts()?;
        let [kind, key, id] = parts.as_slice() else { return Err(Self::invalid()) };
        let id = SkillId::parse(id).map_err(|_| Self::invalid())?;
        match kind.as_str() {
            "n" => SkillName::parse(key).map(|name| SkillCursor::Name(name, id)).map_err(|_| Self::invalid()),
            "t" => Ok(SkillCursor::Time(moment(key)?, id)),
            _ => Err(Self::invalid()),
        }
    }

    pub(crate) fn of_moment_and_id(at: Timestamp, id: Uuid) -> Self {
        Self::of(&["r", &micros(at), &id.to_string()])
    }

    pub(crate) fn moment_and_id(&self) -> Result<(Timestamp, Uuid), Error> {
        match self.parts()?.as_slice() {
            [kind, at, id] if kind == "r" => {
                Ok((moment(at)?, Uuid::try_parse(id).map_err(|_| Self::invalid())?))
            }
            _ => Err(Self::invalid()),
        }
    }

    pub(crate) fn of_number(number: u64) -> Self {
        Self::of(&["#", &number.to_string()])
    }

    pub(crate) fn number(&self) -> Result<u64, Error> {
        match self.parts()?.as_slice() {
            [kind, number] if kind == "#" => number.parse().map_err(|_| Self::invalid()),
            _ => Err(Self::invalid()),
        }
    }
}

fn micros(moment: Timestamp) -> String {
    (moment.unix_timestamp_nanos() / 1_000).to_string()
}

fn moment(micros: &str) -> Result<Timestamp, Error> {
    let nanos = micros.parse::<i64>().ok().map(|micros| i128::from(micros) * 1_000);
    nanos.and_then(|nanos| Timestamp::from_unix_timestamp_nanos(nanos).ok()).ok_or_else(Cursor::invalid)
}

/// Cuts the one item that was read beyond the page, and makes a cursor of the last that stays.
pub(crate) fn page<T>(mut items: Vec<T>, limit: u32, cursor: impl FnOnce(&T) -> Cursor) -> Page<T> {
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = if more { items.last().map(cursor) } else { None };
    Page { items, next }
}
