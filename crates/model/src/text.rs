//! What a text may hide from who reads it, and how numbers stand in one.

/// Whether a reader does not see the character or sees others elsewhere because of it: control characters, direction
/// marks, and letters without a shape. Joiners, which scripts and pictures need, are none of them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' | '\u{61c}' | '\u{180e}')
        // Without a shape of their own: soft hyphens, fillers, marks of shorthand and of music.
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}')
        || matches!(c, '\u{ffa0}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

/// So many things, in words; for things that take an `s`.
pub fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_without_a_shape_are_unseen_and_joiners_are_not() {
        for unseen in "\u{1b}\u{200b}\u{202e}\u{2063}\u{e0041}\u{e0100}\u{e01ef}\u{ad}\u{3164}".chars() {
            assert!(is_unseen(unseen), "{unseen:?}");
        }
        for seen in "aé技👩\u{200d}\u{200c}\u{fe0f} ".chars() {
            assert!(!is_unseen(seen), "{seen:?}");
        }
    }

    #[test]
    fn one_thing_has_no_s() {
        let said = [0, 1, 2].map(|number| counted(number, "skill"));
        assert_eq!(said, ["0 skills", "1 skill", "2 skills"]);
    }
}
