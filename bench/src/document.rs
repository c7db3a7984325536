//! The tables in the documentation: each stands between two marks, and what people wrote around them stays.
//!
//! It refuses a document in which a table has no place, and writes nothing then.

use crate::figure::Table;
use anyhow::{Context as _, bail};
use std::path::Path;

/// How the mark before a table begins; the table's name and the mark's end follow.
const BEGIN: &str = "<!-- bench: ";

/// The mark after a table.
const END: &str = "<!-- /bench -->";

/// Put these tables into the document, each in its place.
pub(crate) fn write(path: &Path, tables: &[Table]) -> anyhow::Result<()> {
    let doing = || format!("putting tables into {}", path.display());
    let mut text = std::fs::read_to_string(path).with_context(doing)?;
    for table in tables {
        text = with(&text, table).with_context(doing)?;
    }
    std::fs::write(path, text).with_context(doing)
}

fn with(text: &str, table: &Table) -> anyhow::Result<String> {
    let begin = format!("{BEGIN}{} -->\n", table.name);
    let place = text.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = place else {
        bail!(
            "there is no place for {:?}: put the lines `{}` and `{END}` where it shall stand",
            table.name,
            begin.trim()
        );
    };
    Ok(format!("{before}{begin}\n{}\n{END}{after}", table.markdown()))
}

#[cfg(test)]
mod tests {
    use super::with;
    use crate::figure::{Figure, Table};

    #[test]
    fn a_table_takes_the_place_of_the_one_before_and_nothing_else_changes() {
        let mut table = Table::new("sample", "A sample");
        table.figures.push(Figure::new("fast", 1.0, "/s"));
        let text = "before\n<!-- bench: sample -->\nold\n<!-- /bench -->\nafter\n";
        let once = with(text, &table).unwrap();
        assert!(
            once.starts_with("before\n<!-- bench: sample -->\n")
                && once.ends_with("<!-- /bench -->\nafter\n")
        );
        assert!(once.contains("| fast | 1.00 /s |") && !once.contains("old"), "{once}");
        assert_eq!(with(&once, &table).unwrap(), once);
        assert!(with("no place", &table).is_err());
    }
}
