//! SVG to PNG, without fonts of the system: DejaVu Sans stands for every font.

use chart::canvas::WIDTH;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{fontdb, Options, Tree};
use std::sync::Arc;

/// Width of a PNG in pixels: twice that of the plot, for screens that show fine detail and for print.
const PNG_WIDTH: u32 = 2 * WIDTH;

const FAMILY: &str = "DejaVu Sans";

/// Turns plots into PNGs; it holds the font.
pub(super) struct Rasteriser {
    options: Options<'static>,
}

impl Rasteriser {
    /// Reads the font.
    pub(super) fn new() -> Self {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.set_sans_serif_family(FAMILY);
        Self {
            options: Options {
                font_family: FAMILY.to_string(),
                fontdb: Arc::new(fonts),
                ..Options::default()
            },
        }
    }

    /// `svg` as a PNG that is [`PNG_WIDTH`] pixels wide.
    ///
    /// # Errors
    /// A line that says why, when `svg` is none or too large.
    pub(super) fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = Tree::from_str(svg, &self.options).map_err(|error| error.to_string())?;
        let scale = PNG_WIDTH as f32 / tree.size().width();
        let height = (scale * tree.size().height()).round() as u32;
        let mut pixels = Pixmap::new(PNG_WIDTH, height)
            .ok_or_else(|| format!("{PNG_WIDTH} x {height} pixels are too many"))?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| error.to_string())
    }
}
