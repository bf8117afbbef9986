//! The glossary says of causes and parts what the code says.

use contract::Cause;

#[test]
fn the_glossary_defines_every_cause_as_reports_do() {
    let glossary = include_str!("../../../GLOSSARY.md");
    let words: Vec<_> = glossary.split_whitespace().collect();
    let glossary = words.join(" ");
    for cause in Cause::ALL {
        let entry = format!("*{}*: {}", cause.name(), cause.definition());
        assert!(glossary.contains(&entry), "GLOSSARY.md lacks: {entry}");
    }
}
