//! A small table: columns as wide as their content, the last one cut to the terminal.

use super::line;

/// A table of foreign text.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

const GAP: usize = 2;
/// No column is squeezed below this.
const NARROWEST: usize = 16;

impl Table {
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self { header: header.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; every cell is made harmless.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(|cell| line(cell.as_ref())).collect());
    }

    pub(crate) fn render(&self, width: Option<usize>, color: bool) -> String {
        let mut widths: Vec<usize> = self.header.iter().map(|title| title.len()).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(console::measure_text_width(cell));
            }
        }
        if let (Some(width), Some((last, others))) = (width, widths.split_last_mut()) {
            let taken: usize = others.iter().map(|column| column + GAP).sum();
            *last = (*last).min(width.saturating_sub(taken).max(NARROWEST));
        }
        let header: Vec<String> = self.header.iter().map(|title| title.to_uppercase()).collect();
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        let head = render_row(&header, &widths);
        lines.push(if color { format!("\u{1b}[1m{head}\u{1b}[0m") } else { head });
        lines.extend(self.rows.iter().map(|row| render_row(row, &widths)));
        lines.join("\n")
    }
}

fn render_row(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, &width) in cells.iter().zip(widths) {
        let cut = console::truncate_str(cell, width, "…");
        let fill = (width + GAP).saturating_sub(console::measure_text_width(&cut));
        line.push_str(&cut);
        line.extend(std::iter::repeat_n(' ', fill));
    }
    line.truncate(line.trim_end().len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_whatever_the_script() {
        let mut table = Table::new(&["name", "description"]);
        table.row(["ab", "plain"]);
        table.row(["技能", "wide\u{1b}"]);
        assert_eq!(table.render(None, false), "NAME  DESCRIPTION\nab    plain\n技能  wide\\u{1b}");
    }

    #[test]
    fn the_last_column_is_cut_to_the_terminal() {
        let mut table = Table::new(&["name", "description"]);
        table.row(["ab", "a description that is much too long for this"]);
        let text = table.render(Some(30), false);
        assert!(text.lines().all(|line| console::measure_text_width(line) <= 30), "{text}");
        assert!(text.contains('…'));
    }
}
