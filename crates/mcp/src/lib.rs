//! The MCP door: tools in toolsets, skills as resources, prompts and by the skills extension.
//!
//! One handler serves both eras of the protocol. A request comes in over streamable HTTP with a bearer token, is read
//! into types, goes to one use case of `app`, and is rendered; no rule lives here. Whatever a model can mend is a tool
//! result that it can read, never a protocol error.

mod asking;
mod changes;
mod completion;
mod failure;
mod handler;
mod http;
mod offer;
mod prompts;
mod record;
mod resources;
mod sessions;
mod skills;
mod tools;
mod uri;

pub use asking::Asking;
pub use handler::Handler;
pub use http::{Mcp, McpConfig};
pub use sessions::SessionBounds;
