//! Failures of use cases as a model or a host reads them.

use app::{Code, Error};
use rmcp::ErrorData;
use rmcp::model::ErrorCode;

/// A failure of a method that is no tool.
pub(crate) fn protocol(error: &Error) -> ErrorData {
    let data = Some(serde_json::json!({ "code": error.code().as_str() }));
    match error.code() {
        Code::NotFound => ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, error.to_string(), data),
        Code::Unavailable | Code::Internal => {
            log(error);
            ErrorData::internal_error(told(error), data)
        }
        _ => ErrorData::invalid_params(error.to_string(), data),
    }
}

/// What a failure says to whoever asked; what broke inside is for the log alone.
pub(crate) fn told(error: &Error) -> String {
    match error.code() {
        Code::Internal => "something went wrong in the server; its log says what".to_owned(),
        Code::Unavailable => "the library cannot be reached at the moment; try again".to_owned(),
        _ => error.to_string(),
    }
}

pub(crate) fn log(error: &Error) {
    tracing::error!(error = error as &dyn std::error::Error, "a request over MCP failed");
}

/// A request whose parameters make no sense.
pub(crate) fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}
