//! The MCP door.
