//! The end of sessions that nobody uses.

use crate::Context;

/// Ends every session whose time is over, whoever's it is; how many there were. Looking a session up does the same,
/// so this is only needed to give back what idle sessions hold.
pub(crate) fn expire(cx: &Context) -> u64 {
    cx.code_sessions.expire(cx.now())
}
