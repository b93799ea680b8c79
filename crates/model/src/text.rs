//! What a text may hide from who reads it.

/// Whether a reader does not see the character or sees others elsewhere because of it: control characters, direction
/// marks, and letters without a shape. Joiners, which scripts and pictures need, are none of them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{61c}' | '\u{180e}')
}
