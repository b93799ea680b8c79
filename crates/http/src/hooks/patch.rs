//! The files that a patch in the form of `apply_patch` touches.

/// The lines that name a file.
const NAMING: [&str; 4] = ["Add File:", "Update File:", "Delete File:", "Move to:"];
/// The other lines of the form.
const OTHER: [&str; 3] = ["Begin Patch", "End Patch", "End of File"];

/// Whether a text may be such a patch.
pub(super) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// The paths in a patch, or `None` where it cannot be said which those are.
pub(super) fn paths(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(['+', '-'])) {
        let Some(rest) = line.trim().strip_prefix("***") else { continue };
        let rest = rest.trim();
        // A line that only looks like one of these, since it stands in a file, narrows at worst.
        if let Some(path) = NAMING.iter().find_map(|word| rest.strip_prefix(word)) {
            found.push(Some(path.trim()).filter(|path| !path.is_empty())?);
        } else if !OTHER.contains(&rest) && !line.starts_with(' ') {
            return None;
        }
    }
    (is_patch(text) && !found.is_empty()).then_some(found)
}
