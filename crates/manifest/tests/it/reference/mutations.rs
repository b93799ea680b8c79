//! Small, repeatable damage to frontmatters, among the characters that mean something to YAML.

/// What is inserted: indicators, breaks, and pieces that open or close something.
#[rustfmt::skip] // one piece a line would hide the list
const PIECES: [&str; 64] = [
    ":", ": ", "#", " #", "# c\n", "\n# c\n", "-", "- ", "\n- ", "?", "? ", "\n? k\n: v\n", "[", "]", "{",
    "}", ",", "[a, b]", "{a: b}", "&", "&a ", "*", "*a", "!", "!a ", "!!str ", "!<a> ", "|", "|\n  t\n",
    "|+\n  t\n\n", ">", ">-\n  t\n  u\n\n", "'", "''", "\"", "\\", "\\x4", "%", "%YAML 1.1\n",
    "%TAG ! a\n", "@", "`", "\t", "\n\t", " ", "  ", "\n", "\n\n", "\n ", "\n  ", "\n    ", ".", "...",
    "\n...\n", "<<: ", "\n<<:\n  a: b\n", "=", "~", "\u{2028}", "\u{85}", "\u{feff}", "é", "k: v\n",
    "\nm:\n  k: v\n",
];

const WORDS: [&str; 8] = ["name", "description", "metadata", "a", "b c", "k: v", "\n", "\n  "];

/// As many files put together from pieces as asked for, the same ones in every run.
pub(super) fn assemble(count: usize) -> Vec<String> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    (0..count)
        .map(|_| {
            let mut frontmatter = String::from("\n");
            for _ in 0..=random.below(12) {
                let choice = random.below(PIECES.len() + 4 * WORDS.len());
                let piece = PIECES.get(choice).unwrap_or_else(|| &WORDS[choice % WORDS.len()]);
                frontmatter.push_str(piece);
            }
            format!("---{frontmatter}\n---\nBody\n")
        })
        .collect()
}

/// As many damaged files as asked for, the same ones in every run.
pub(super) fn mutate(contents: &[String], count: usize) -> Vec<String> {
    let frontmatters: Vec<Vec<char>> = contents
        .iter()
        .filter_map(|content| content.strip_prefix("---")?.split_once("---"))
        .map(|(frontmatter, _)| frontmatter.chars().collect())
        .filter(|frontmatter: &Vec<char>| frontmatter.len() < 4000)
        .collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..count)
        .map(|_| {
            let mut frontmatter = frontmatters[random.below(frontmatters.len())].clone();
            for _ in 0..=random.below(3) {
                damage(&mut frontmatter, &mut random);
            }
            format!("---{}---\nBody\n", String::from_iter(frontmatter))
        })
        .collect()
}

fn damage(text: &mut Vec<char>, random: &mut Random) {
    let position = random.below(text.len() + 1);
    let piece = PIECES[random.below(PIECES.len())].chars();
    match random.below(10) {
        0..=3 => drop(text.splice(position..position, piece)),
        4 | 5 => {
            let start = next_line(text, position);
            text.splice(start..start, piece);
        }
        6 => {
            let end = (position + 1 + random.below(3)).min(text.len());
            text.drain(position..end);
        }
        7 => {
            let end = next_line(text, position);
            text.drain(position..end);
        }
        8 => {
            let start = next_line(text, position);
            let line = text[start..next_line(text, start)].to_vec();
            let target = next_line(text, random.below(text.len() + 1));
            text.splice(target..target, line);
        }
        _ => {
            let start = next_line(text, position);
            let spaces = text[start..].iter().take_while(|c| **c == ' ').count();
            text.splice(start..start + spaces, std::iter::repeat_n(' ', random.below(6)));
        }
    }
}

/// Where the line after the one at the position begins.
fn next_line(text: &[char], position: usize) -> usize {
    text[position..].iter().position(|c| *c == '\n').map_or(text.len(), |found| position + found + 1)
}

/// Xorshift: repeatable, and good enough to choose places.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}
