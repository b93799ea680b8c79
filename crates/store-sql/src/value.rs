//! Values on their way to and from a database.

use ::store::StoreError;
use model::{Digest, Timestamp};
use time::OffsetDateTime;
use uuid::Uuid;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A 64-bit number.
    Int,
    /// A floating-point number.
    Real,
    /// True or false.
    Bool,
    /// Bytes.
    Bytes,
    /// A UUID.
    Id,
    /// A moment, to the microsecond.
    Time,
}

/// A value with its type. SQLite has fewer types: it gives back ids as bytes, moments and booleans as numbers, and
/// the readers of [`Row`] take either form.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing, of a type.
    Null(Kind),
    /// Text.
    Text(String),
    /// A number.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// True or false.
    Bool(bool),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A UUID.
    Id(Uuid),
    /// A moment.
    Time(OffsetDateTime),
}

macro_rules! from {
    ($($kind:ident: $type:ty => |$value:ident| $made:expr),+ $(,)?) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        }
        impl From<Option<$type>> for Value {
            fn from(value: Option<$type>) -> Self {
                value.map_or(Self::Null(Kind::$kind), Self::from)
            }
        }
    )+};
}
from!(
    Text: String => |value| Self::Text(storable(value)),
    Text: &str => |value| Self::Text(storable(value.to_owned())),
    Int: i64 => |value| Self::Int(value),
    Int: u32 => |value| Self::Int(i64::from(value)),
    Int: u64 => |value| Self::Int(i64::try_from(value).unwrap_or(i64::MAX)),
    Real: f64 => |value| Self::Real(value),
    Bool: bool => |value| Self::Bool(value),
    Bytes: &[u8] => |value| Self::Bytes(value.to_vec()),
    Bytes: &Digest => |value| Self::Bytes(value.bytes().to_vec()),
    Time: Timestamp => |value| Self::Time(value.truncate_to_microsecond()),
    Id: model::WorkspaceId => |value| Self::Id(value.uuid()),
    Id: model::UserId => |value| Self::Id(value.uuid()),
    Id: model::AgentId => |value| Self::Id(value.uuid()),
    Id: model::SkillId => |value| Self::Id(value.uuid()),
    Id: model::DecisionId => |value| Self::Id(value.uuid()),
    Id: model::GovernedRunId => |value| Self::Id(value.uuid()),
    Id: model::RunId => |value| Self::Id(value.uuid()),
    Id: model::TokenId => |value| Self::Id(value.uuid()),
    Id: model::SessionId => |value| Self::Id(value.uuid()),
    Id: model::SignInId => |value| Self::Id(value.uuid()),
);

/// PostgreSQL holds no NUL in a text, and SQLite ends one there when it compares; the replacement character stands in.
fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// The arguments of a statement, in order.
macro_rules! arguments {
    ($($value:expr),* $(,)?) => { vec![$($crate::Value::from($value)),*] };
}
pub(crate) use arguments;

/// A row that is read from left to right.
#[derive(Debug, Clone)]
pub struct Row {
    values: std::vec::IntoIter<Value>,
}

impl Row {
    /// A row of these columns.
    pub fn new(values: Vec<Value>) -> Self {
        Self { values: values.into_iter() }
    }

    /// The columns that were not read yet.
    pub fn rest(self) -> Vec<Value> {
        self.values.collect()
    }

    fn next(&mut self) -> Result<Value, StoreError> {
        self.values.next().ok_or_else(|| StoreError::Damaged("a column is missing".to_owned()))
    }

    pub(crate) fn opt_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next()? {
            Value::Null(_) => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(unexpected("text", &other)),
        }
    }

    pub(crate) fn opt_int(&mut self) -> Result<Option<i64>, StoreError> {
        match self.next()? {
            Value::Null(_) => Ok(None),
            Value::Int(number) => Ok(Some(number)),
            other => Err(unexpected("a number", &other)),
        }
    }

    pub(crate) fn opt_real(&mut self) -> Result<Option<f64>, StoreError> {
        match self.next()? {
            Value::Null(_) => Ok(None),
            Value::Real(number) => Ok(Some(number)),
            other => Err(unexpected("a real number", &other)),
        }
    }

    pub(crate) fn bool(&mut self) -> Result<bool, StoreError> {
        match self.next()? {
            Value::Bool(value) => Ok(value),
            Value::Int(number) => Ok(number != 0),
            other => Err(unexpected("true or false", &other)),
        }
    }

    pub(crate) fn opt_bytes(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        match self.next()? {
            Value::Null(_) => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes)),
            other => Err(unexpected("bytes", &other)),
        }
    }

    pub(crate) fn opt_uuid(&mut self) -> Result<Option<Uuid>, StoreError> {
        match self.next()? {
            Value::Null(_) => Ok(None),
            Value::Id(id) => Ok(Some(id)),
            Value::Bytes(bytes) => Uuid::from_slice(&bytes)
                .map(Some)
                .map_err(|_| StoreError::Damaged("an id is malformed".to_owned())),
            other => Err(unexpected("an id", &other)),
        }
    }

    pub(crate) fn opt_time(&mut self) -> Result<Option<Timestamp>, StoreError> {
        match self.next()? {
            Value::Null(_) => Ok(None),
            Value::Time(moment) => Ok(Some(moment)),
            Value::Int(micros) => moment_from_micros(micros).map(Some),
            other => Err(unexpected("a moment", &other)),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String, StoreError> {
        self.opt_text()?.ok_or_else(missing)
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        self.opt_int()?.ok_or_else(missing)
    }

    pub(crate) fn count(&mut self) -> Result<u64, StoreError> {
        u64::try_from(self.int()?).map_err(|_| StoreError::Damaged("a count is negative".to_owned()))
    }

    pub(crate) fn small(&mut self) -> Result<u32, StoreError> {
        u32::try_from(self.int()?).map_err(|_| StoreError::Damaged("a number is out of range".to_owned()))
    }

    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>, StoreError> {
        self.opt_bytes()?.ok_or_else(missing)
    }

    pub(crate) fn uuid(&mut self) -> Result<Uuid, StoreError> {
        self.opt_uuid()?.ok_or_else(missing)
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp, StoreError> {
        self.opt_time()?.ok_or_else(missing)
    }

    pub(crate) fn digest(&mut self) -> Result<Digest, StoreError> {
        let bytes: [u8; 32] =
            self.bytes()?.try_into().map_err(|_| StoreError::Damaged("a digest is malformed".to_owned()))?;
        Ok(Digest::new(bytes))
    }

    /// Text read into a type of the model.
    pub(crate) fn parsed<T, E: std::fmt::Display>(
        &mut self,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        parse(&self.text()?).map_err(|error| StoreError::Damaged(error.to_string()))
    }

    /// Text read into a type of the model, if there is one.
    pub(crate) fn opt_parsed<T, E: std::fmt::Display>(
        &mut self,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, StoreError> {
        let text = self.opt_text()?;
        text.map(|text| parse(&text)).transpose().map_err(|error| StoreError::Damaged(error.to_string()))
    }

    /// A JSON list of texts.
    pub(crate) fn list(&mut self) -> Result<Vec<String>, StoreError> {
        self.parsed(|text| serde_json::from_str::<Vec<String>>(text))
    }
}

/// A JSON list for a text column.
pub(crate) fn list(items: &[String]) -> Value {
    Value::Text(serde_json::Value::from(items).to_string())
}

fn moment_from_micros(micros: i64) -> Result<Timestamp, StoreError> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000)
        .map_err(|_| StoreError::Damaged("a moment is out of range".to_owned()))
}

fn missing() -> StoreError {
    StoreError::Damaged("a value is missing".to_owned())
}

fn unexpected(wanted: &str, found: &Value) -> StoreError {
    let found = match found {
        Value::Null(_) => "nothing",
        Value::Text(_) => "text",
        Value::Int(_) => "a number",
        Value::Real(_) => "a real number",
        Value::Bool(_) => "a boolean",
        Value::Bytes(_) => "bytes",
        Value::Id(_) => "an id",
        Value::Time(_) => "a moment",
    };
    StoreError::Damaged(format!("a column holds {found} instead of {wanted}"))
}
