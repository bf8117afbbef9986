//! What came of the data of each placement handle: a section of the page.

use crate::drive::HandleResult;
use crate::html_section::Section;
use crate::quantity::size;
use crate::result::RunResult;
use maud::{html, Markup};

const NOTE: &str = "New data of each placement handle have superblocks of their own. What collection moved out of these went to superblocks that all \
     handles share, and may have moved again.";

/// The section; nothing where the host does not place its data.
pub(crate) fn handles(run: &RunResult) -> Option<Section<'_>> {
    let handles = &run.drive.handles;
    let section = Section { heading: "Placement handles", note: NOTE, body: Some(table(handles)) };
    (!handles.is_empty()).then_some(section)
}

fn table(handles: &[HandleResult]) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr { th.word { "Data of" } th { "Written to flash" } th { "Moved" } th { "Moved of written" } th { "Blocks collected" } }
                }
                tbody {
                    @for own in handles {
                        tr {
                            td.word { (own.name()) }
                            td { (size(own.bytes_written as f64)) }
                            td { (size(own.bytes_moved as f64)) }
                            td { (own.moved_share().map_or("–".to_string(), |share| format!("{:.1} %", 100.0 * share))) }
                            td { (own.blocks_collected) }
                        }
                    }
                }
            }
        }
        "\n"
    }
}
