//! What a run gave back: its files, and the digest by which two runs are compared.

use model::{Digest, RunError};
use sandbox::{Folder, Outcome};
use serde_json::{Map, Value, json};

use super::Contents;
use crate::Error;

/// How many bytes of files are given back at most, all together.
const MOST_INLINE: u64 = 8 << 20;
/// How many bytes of files are compared at most, all together; of a file beyond that only its size is.
const MOST_COMPARED: u64 = 64 << 20;

/// A file that a run made or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Where, relative to the work folder.
    pub path: String,
    /// Its size.
    pub size: u64,
    /// Its bytes, where they are given back.
    pub content: Option<Vec<u8>>,
    /// The digest of its bytes, where they could be read.
    pub digest: Option<Digest>,
}

/// Reads the files of an outcome. This takes no time where there are none, as usual.
pub(super) async fn files(outcome: &Outcome, contents: Contents) -> Result<Vec<OutputFile>, Error> {
    if outcome.files.is_empty() {
        return Ok(Vec::new());
    }
    let (folder, entries) = (outcome.folder.clone(), outcome.files.clone());
    let reading = tokio::task::spawn_blocking(move || {
        let mut left = if contents == Contents::Inline { MOST_INLINE } else { 0 };
        let mut compared = MOST_COMPARED;
        let files = entries.into_iter();
        files.map(|entry| read(&folder, entry.path, entry.size, &mut left, &mut compared)).collect()
    });
    reading.await.map_err(|error| sandbox::Error::Failed(error.to_string()).into())
}

/// The code that made the file may have closed it to us; then it is told of without its bytes.
fn read(folder: &Folder, path: String, size: u64, left: &mut u64, compared: &mut u64) -> OutputFile {
    let content = folder.read(&path, *compared).ok();
    *compared -= content.as_ref().map_or(0, |content| content.len() as u64);
    let digest = content.as_deref().map(Digest::of);
    let content = content.filter(|content| content.len() as u64 <= *left);
    *left -= content.as_ref().map_or(0, |content| content.len() as u64);
    OutputFile { path, size, content, digest }
}

/// The digest of what a run gave back: result, error, stdout and files. Equal for equal behaviour.
pub(super) fn digest(
    result: &Value,
    error: Option<&RunError>,
    stdout: &[u8],
    files: &[OutputFile],
) -> Digest {
    let files: Vec<Value> = files
        .iter()
        .map(|file| json!([file.path, file.size, file.digest.map(|digest| digest.hex())]))
        .collect();
    let told = json!({
        "error": error.map(|error| [&error.code, &error.kind, &error.message]),
        "files": files,
        "result": canonical(result),
        "stdout": Digest::of(stdout).hex(),
    });
    Digest::of(told.to_string().as_bytes())
}

/// The same value with the keys of every map in order.
pub(super) fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> =
                map.iter().map(|(key, value)| (key.clone(), canonical(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, bytes: &[u8]) -> OutputFile {
        let digest = Some(Digest::of(bytes));
        OutputFile { path: path.to_owned(), size: bytes.len() as u64, content: None, digest }
    }

    #[test]
    fn the_digest_is_of_result_error_stdout_and_files() {
        let error = RunError {
            code: "code_error".to_owned(),
            kind: "ValueError".to_owned(),
            message: "no".to_owned(),
            file: None,
            line: Some(3),
        };
        let base = digest(&json!({"a": 1, "b": [{"x": 1, "y": 2}]}), None, b"out", &[file("a.csv", b"1")]);
        let same = digest(&json!({"b": [{"y": 2, "x": 1}], "a": 1}), None, b"out", &[file("a.csv", b"1")]);
        assert_eq!(base, same);
        let others = [
            digest(&json!({"a": 2}), None, b"out", &[file("a.csv", b"1")]),
            digest(&json!({"a": 1, "b": [{"x": 1, "y": 2}]}), None, b"other", &[file("a.csv", b"1")]),
            digest(&json!({"a": 1, "b": [{"x": 1, "y": 2}]}), None, b"out", &[file("a.csv", b"2")]),
            digest(&json!({"a": 1, "b": [{"x": 1, "y": 2}]}), None, b"out", &[file("b.csv", b"1")]),
            digest(&json!({"a": 1, "b": [{"x": 1, "y": 2}]}), Some(&error), b"out", &[file("a.csv", b"1")]),
        ];
        assert!(others.iter().all(|other| *other != base));
    }
}
