//! Hears what code writes while it runs.

use std::sync::Arc;

/// Which of the two streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
}

type Hear = dyn Fn(OutputStream, &[u8]) + Send + Sync;

/// Is called with what the code writes as it is read: the very bytes that are captured, in their order. The default one
/// hears nothing. The execution waits for each call, so that it must be short.
#[derive(Clone, Default)]
pub struct Listener(Option<Arc<Hear>>);

impl Listener {
    /// Calls this.
    pub fn new(hear: impl Fn(OutputStream, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }

    /// Whether anybody hears.
    pub fn hears(&self) -> bool {
        self.0.is_some()
    }

    /// Tells what was read.
    pub fn tell(&self, stream: OutputStream, bytes: &[u8]) {
        if let Some(hear) = &self.0
            && !bytes.is_empty()
        {
            hear(stream, bytes);
        }
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("hears", &self.hears()).finish()
    }
}
