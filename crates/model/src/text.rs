//! What a text may hide from who reads it, and how numbers stand in one.

/// Whether a reader does not see the character or sees others elsewhere because of it: control characters, direction
/// marks, and letters without a shape. Joiners, which scripts and pictures need, are none of them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{61c}' | '\u{180e}')
}

/// So many things, in words; for things that take an `s`.
pub fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_thing_has_no_s() {
        let said = [0, 1, 2].map(|number| counted(number, "skill"));
        assert_eq!(said, ["0 skills", "1 skill", "2 skills"]);
    }
}
