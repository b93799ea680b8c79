//! Executions that somebody follows while they go on: that they wait, that they started, what the code writes, and what
//! came of it. Nothing here decides anything; who follows nothing pays nothing.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandbox::Listener;
pub use sandbox::OutputStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tracing::Instrument as _;

use crate::Error;

/// Who is told how an execution goes on; the default is nobody.
#[derive(Debug, Clone, Default)]
pub struct Audience(Option<Arc<Board>>);

/// What was told and is not read yet. Output has its limit, so that this has one too.
#[derive(Debug, Default)]
struct Board {
    told: Mutex<VecDeque<Told>>,
    news: Notify,
}

#[derive(Debug)]
enum Told {
    Waits,
    Started,
    Wrote(OutputStream, Vec<u8>),
}

impl Board {
    fn told(&self) -> MutexGuard<'_, VecDeque<Told>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, told: Told) {
        self.told().push_back(told);
        self.news.notify_one();
    }

    /// What is written while nobody reads goes together.
    fn write(&self, stream: OutputStream, bytes: &[u8]) {
        let mut told = self.told();
        match told.back_mut() {
            Some(Told::Wrote(last, kept)) if *last == stream => kept.extend_from_slice(bytes),
            _ => told.push_back(Told::Wrote(stream, bytes.to_vec())),
        }
        drop(told);
        self.news.notify_one();
    }
}

impl Audience {
    fn tell(&self, told: Told) {
        if let Some(board) = &self.0 {
            board.tell(told);
        }
    }

    /// Waits for something, and tells that it waits unless it need not.
    pub(crate) async fn waiting<T>(&self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        let mut told = false;
        poll_fn(|cx| {
            let polled = wait.as_mut().poll(cx);
            if polled.is_pending() && !told {
                told = true;
                self.tell(Told::Waits);
            }
            polled
        })
        .await
    }

    /// Tells that the code has its place.
    pub(crate) fn started(&self) {
        self.tell(Told::Started);
    }

    /// Tells what the code writes. It never waits: what is not read yet is kept, and output has its limit.
    pub(crate) fn listener(&self) -> Listener {
        let Some(board) = self.0.clone() else { return Listener::default() };
        Listener::new(move |stream, bytes| board.write(stream, bytes))
    }
}

/// What is told of an execution, in this order; each of the first two at most once.
#[derive(Debug)]
pub enum Step<T> {
    /// It waits for its place.
    Waiting,
    /// It has its place.
    Started,
    /// The code wrote something.
    Output {
        /// Where to.
        stream: OutputStream,
        /// What; all texts of a stream together are the text that was captured of it.
        text: String,
    },
    /// What came of it. Nothing follows.
    Ended(Result<T, Error>),
}

/// An execution that is followed. It goes on by itself, so that who reads slowly holds neither a place in the queue nor a
/// session, and ends when this is dropped.
pub struct Live<T> {
    /// Holds the one act until it is done.
    act: JoinSet<Result<T, Error>>,
    board: Arc<Board>,
    waited: bool,
    stdout: Text,
    stderr: Text,
    steps: VecDeque<Step<T>>,
}

impl<T: Send + 'static> Live<T> {
    /// An execution that tells this audience how it goes on.
    pub fn new<F>(act: impl FnOnce(Audience) -> F) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let board = Arc::<Board>::default();
        let mut acts = JoinSet::new();
        acts.spawn(act(Audience(Some(Arc::clone(&board)))).in_current_span());
        let (stdout, stderr) = (Text::default(), Text::default());
        Self { act: acts, board, waited: false, stdout, stderr, steps: VecDeque::new() }
    }

    /// Waits for the next step; none after the last one.
    pub async fn next(&mut self) -> Option<Step<T>> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Some(step);
            }
            tokio::select! {
                biased;
                () = self.board.news.notified() => self.take_all(),
                ended = self.act.join_next() => {
                    let ended = ended?.unwrap_or_else(|error| Err(sandbox::Error::Failed(error.to_string()).into()));
                    self.take_all();
                    for stream in [OutputStream::Stdout, OutputStream::Stderr] {
                        let rest = self.text(stream).rest();
                        self.write(stream, rest);
                    }
                    self.steps.push_back(Step::Ended(ended));
                }
            }
        }
    }

    fn take_all(&mut self) {
        let all = std::mem::take(&mut *self.board.told());
        for told in all {
            self.take(told);
        }
    }

    fn take(&mut self, told: Told) {
        match told {
            Told::Waits if self.waited => {}
            Told::Waits => {
                self.waited = true;
                self.steps.push_back(Step::Waiting);
            }
            Told::Started => self.steps.push_back(Step::Started),
            Told::Wrote(stream, bytes) => {
                let text = self.text(stream).read(&bytes);
                self.write(stream, text);
            }
        }
    }

    fn text(&mut self, stream: OutputStream) -> &mut Text {
        match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        }
    }

    fn write(&mut self, stream: OutputStream, more: String) {
        match self.steps.back_mut() {
            _ if more.is_empty() => {}
            Some(Step::Output { stream: last, text }) if *last == stream => text.push_str(&more),
            _ => self.steps.push_back(Step::Output { stream, text: more }),
        }
    }
}

/// Text from bytes that come in pieces: a letter that is not whole yet waits for its rest.
#[derive(Default)]
struct Text(Vec<u8>);

impl Text {
    fn read(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let broken = self.0.utf8_chunks().last().map_or(&[][..], |last| last.invalid());
        // No length: it may still become a letter.
        let begun = std::str::from_utf8(broken).err().is_some_and(|error| error.error_len().is_none());
        let whole = self.0.len() - if begun { broken.len() } else { 0 };
        let rest = self.0.split_off(whole);
        String::from_utf8_lossy(&std::mem::replace(&mut self.0, rest)).into_owned()
    }

    fn rest(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.0)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn pieces_make_the_text_of_the_whole_wherever_they_are_cut() {
        let samples: [&[u8]; 5] = [
            "plain é 漢 🦀\n".as_bytes(),
            b"broken \xff\xc3( \xe6\xbc",
            b"\xf0\x9f\xa6",
            b"\xed\xa0\x80 surrogate \xf0\x9f",
            b"",
        ];
        for bytes in samples {
            for size in 1..=bytes.len().max(1) {
                let mut text = Text::default();
                let mut told: String = bytes.chunks(size).map(|piece| text.read(piece)).collect();
                told.push_str(&text.rest());
                assert_eq!(told, String::from_utf8_lossy(bytes), "{bytes:?} by {size}");
            }
        }
    }
}
