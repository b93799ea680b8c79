//! The lines of `repertoire.yaml` that places in the policy facet stand on.

use model::{PolicyPlace, PolicyStep};

use crate::yaml::{self, Node, Value};

/// The lines of the policy in a sidecar, for those who find something wrong with it after it was read.
#[derive(Debug, Clone)]
pub struct PolicyLines {
    policy: Option<(u32, Node)>,
}

impl PolicyLines {
    /// Reads the text of a `repertoire.yaml`. Items are counted as they are written, so the sidecar should be one
    /// without errors of its own.
    pub fn read(sidecar: &str) -> Self {
        let root = yaml::parse(sidecar).ok().and_then(|document| document.root);
        let policy = root.and_then(|root| match root.value {
            Value::Map(entries) => entries.into_iter().find(|entry| entry.key == "policy"),
            _ => None,
        });
        Self { policy: policy.map(|entry| (entry.line, entry.value)) }
    }

    /// The line of a place from 1, or that of the nearest around it that is written; `None` without a policy.
    pub fn line(&self, place: &PolicyPlace) -> Option<u32> {
        let (mut line, mut node) = self.policy.as_ref().map(|(line, node)| (*line, node))?;
        for step in place.steps() {
            let (next_line, next) = match (step, &node.value) {
                (PolicyStep::Field(name), Value::Map(entries)) => {
                    let Some(entry) = entries.iter().find(|entry| entry.key == *name) else { break };
                    (entry.line, &entry.value)
                }
                (PolicyStep::Item(number), Value::List(items)) => {
                    let Some(item) = number.checked_sub(1).and_then(|index| items.get(index)) else { break };
                    (item.line, item)
                }
                _ => break,
            };
            (line, node) = (next_line, next);
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title: x\npolicy:\n  max_steps: 3\n  activation:\n    keywords:\n    - a\n    - b\n    when: |\n      \
                        true\n  allowed_tools: [x,\n    y]\n  validators:\n  - expression: a\n  - host_allow:\n    - a.org\n    \
                        - b.org\n  context: {a: 1}\n";

    #[test]
    fn a_place_has_its_line() {
        let lines = PolicyLines::read(TEXT);
        let validator = PolicyPlace::of("validators").item(2);
        for (place, line) in [
            (PolicyPlace::default(), 2),
            (PolicyPlace::of("max_steps"), 3),
            (PolicyPlace::of("activation"), 4),
            (PolicyPlace::of("activation").field("keywords").item(2), 7),
            (PolicyPlace::of("activation").field("when"), 8),
            (PolicyPlace::of("allowed_tools"), 10),
            (PolicyPlace::of("allowed_tools").item(2), 11),
            (PolicyPlace::of("validators").item(1).field("expression"), 13),
            (validator.clone(), 14),
            (validator.clone().field("host_allow"), 14),
            (validator.field("host_allow").item(2), 16),
            (PolicyPlace::of("context").field("a".to_owned()), 17),
        ] {
            assert_eq!(lines.line(&place), Some(line), "{place}");
        }
    }

    #[test]
    fn what_is_not_written_has_the_line_of_what_is_around_it() {
        let lines = PolicyLines::read(TEXT);
        for (place, line) in [
            (PolicyPlace::of("forbidden_tools").item(1), 2),
            (PolicyPlace::of("activation").field("always"), 4),
            (PolicyPlace::of("allowed_tools").item(9), 10),
            (PolicyPlace::of("max_steps").field("x"), 3),
            (PolicyPlace::of("validators").item(0), 12),
        ] {
            assert_eq!(lines.line(&place), Some(line), "{place}");
        }
        for text in ["", "title: x", "- a", "policy: [", "policy"] {
            assert_eq!(PolicyLines::read(text).line(&PolicyPlace::of("max_steps")), None);
        }
    }
}
