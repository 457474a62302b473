//! A list of shapes, written twice: as SVG text and as PNG pixels.
//!
//! Both come from the same coordinates, so the two files show the same picture. The PNG carries its letters along
//! (Noto Sans, compiled in) and needs no font on the machine; the SVG names font families and leaves the choice to
//! its viewer.

use std::fmt::Write;

use anyhow::Context;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

/// Pixels of the PNG per unit of the SVG: sharp on dense screens and at 200 dots per inch in print.
const PNG_SCALE: f32 = 2.0;

/// Similar families in case the viewer of an SVG lacks the first.
const SVG_FONTS: &str = "Noto Sans, DejaVu Sans, Helvetica, Arial, sans-serif";

/// Horizontal position, then vertical position counted downwards.
pub(super) type Point = (f64, f64);

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rgb(pub u8, pub u8, pub u8);

/// Which part of a text lies at its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a line is broken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dash {
    Solid,
    Dashed,
    Dotted,
}

impl Dash {
    /// Lengths of a stroke and of the gap after it.
    fn lengths(self) -> Option<(f32, f32)> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some((6.0, 3.0)),
            Dash::Dotted => Some((2.0, 2.5)),
        }
    }
}

#[derive(Debug)]
pub(super) enum Shape {
    Line {
        points: Vec<Point>,
        color: Rgb,
        width: f32,
        dash: Dash,
        opacity: f32,
    },
    Area {
        points: Vec<Point>,
        color: Rgb,
        opacity: f32,
    },
    Dot {
        center: Point,
        radius: f64,
        color: Rgb,
    },
    Text {
        text: String,
        /// On the baseline.
        at: Point,
        size: f64,
        anchor: Anchor,
        /// Reads upwards, as the label of a vertical axis does.
        upright: bool,
        color: Rgb,
    },
    /// Shapes of which only the part inside the box shows.
    Clip {
        left: f64,
        top: f64,
        width: f64,
        height: f64,
        shapes: Vec<Shape>,
    },
}

impl Shape {
    fn zoom(&mut self, factor: f64) {
        let scale = |point: &mut Point| *point = (point.0 * factor, point.1 * factor);
        match self {
            Shape::Line { points, width, .. } => {
                points.iter_mut().for_each(scale);
                *width *= factor as f32;
            }
            Shape::Area { points, .. } => points.iter_mut().for_each(scale),
            Shape::Dot { center, radius, .. } => {
                scale(center);
                *radius *= factor;
            }
            Shape::Text { at, size, .. } => {
                scale(at);
                *size *= factor;
            }
            Shape::Clip { left, top, width, height, shapes } => {
                [left, top, width, height].into_iter().for_each(|length| *length *= factor);
                shapes.iter_mut().for_each(|shape| shape.zoom(factor));
            }
        }
    }
}

/// The built-in font.
pub(super) struct Font(Face<'static>);

impl Font {
    pub(super) fn load() -> anyhow::Result<Self> {
        let face = Face::parse(ttf_noto_sans::REGULAR, 0).context("the built-in font is broken")?;
        Ok(Self(face))
    }

    /// Length of a text on the page.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let units: u32 = text.chars().map(|c| u32::from(self.glyph(c).1)).sum();
        f64::from(units) * size / f64::from(self.0.units_per_em())
    }

    /// A character's glyph and advance; a character the font lacks gets its box-shaped "missing" glyph.
    fn glyph(&self, c: char) -> (ttf_parser::GlyphId, u16) {
        let glyph = self.0.glyph_index(c).unwrap_or_default();
        (glyph, self.0.glyph_hor_advance(glyph).unwrap_or(0))
    }

    /// The letters' outlines, the text starting at the origin.
    fn outline(&self, text: &str, size: f64) -> Option<Path> {
        let mut pen =
            Pen { path: PathBuilder::new(), x: 0.0, scale: size as f32 / f32::from(self.0.units_per_em()) };
        for c in text.chars() {
            let (glyph, advance) = self.glyph(c);
            self.0.outline_glyph(glyph, &mut pen);
            pen.x += f32::from(advance) * pen.scale;
        }
        pen.path.finish()
    }
}

/// Takes glyph outlines in font units, y upwards, into a path in page units, y downwards.
struct Pen {
    path: PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (x1, y1) = self.place(x1, y1);
        let (x, y) = self.place(x, y);
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (x1, y1) = self.place(x1, y1);
        let (x2, y2) = self.place(x2, y2);
        let (x, y) = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// A page with shapes, the first one lowest.
pub(super) struct Canvas {
    pub width: f64,
    pub height: f64,
    /// For readers who cannot see the picture.
    pub description: String,
    pub shapes: Vec<Shape>,
}

impl Canvas {
    /// Makes the page and everything on it larger or smaller.
    pub(super) fn zoom(&mut self, factor: f64) {
        self.width *= factor;
        self.height *= factor;
        self.shapes.iter_mut().for_each(|shape| shape.zoom(factor));
    }

    pub(super) fn to_svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"{SVG_FONTS}\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            escaped(&self.description)
        );
        for shape in &self.shapes {
            write_svg(&mut svg, shape);
        }
        svg.push_str("</svg>\n");
        svg
    }

    #[expect(clippy::cast_sign_loss, reason = "a page has a positive size")]
    pub(super) fn to_png(&self, font: &Font) -> anyhow::Result<Vec<u8>> {
        let scale = f64::from(PNG_SCALE);
        let mut pixels = Pixmap::new((self.width * scale).ceil() as u32, (self.height * scale).ceil() as u32)
            .context("the figure is too large for a PNG")?;
        pixels.fill(tiny_skia::Color::WHITE);
        for shape in &self.shapes {
            paint(&mut pixels, None, font, shape);
        }
        pixels.encode_png().context("cannot encode the PNG")
    }
}

fn write_svg(svg: &mut String, shape: &Shape) {
    match shape {
        Shape::Line { points, color, width, dash, opacity } => {
            let mut broken = dash
                .lengths()
                .map_or(String::new(), |(stroke, gap)| format!(" stroke-dasharray=\"{stroke} {gap}\""));
            if *opacity < 1.0 {
                broken += &format!(" stroke-opacity=\"{opacity}\"");
            }
            push(
                svg,
                format_args!(
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\"{broken}/>\n",
                    coordinates(points),
                    hex(*color),
                ),
            );
        }
        Shape::Area { points, color, opacity } => push(
            svg,
            format_args!(
                "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{opacity}\"/>\n",
                coordinates(points),
                hex(*color),
            ),
        ),
        Shape::Dot { center: (x, y), radius, color } => push(
            svg,
            format_args!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\"/>\n", hex(*color)),
        ),
        Shape::Text { text, at: (x, y), size, anchor, upright, color } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn =
                if *upright { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
            push(
                svg,
                format_args!(
                    "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.2}\" text-anchor=\"{anchor}\" \
                     fill=\"{}\"{turn}>{}</text>\n",
                    hex(*color),
                    escaped(text),
                ),
            );
        }
        Shape::Clip { left, top, width, height, shapes } => {
            // A nested svg clips without an id, and ids would clash where a report holds several figures.
            push(
                svg,
                format_args!(
                    "<svg x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
                     viewBox=\"{left:.2} {top:.2} {width:.2} {height:.2}\" overflow=\"hidden\">\n"
                ),
            );
            for inner in shapes {
                write_svg(svg, inner);
            }
            svg.push_str("</svg>\n");
        }
    }
}

fn push(svg: &mut String, element: std::fmt::Arguments) {
    svg.write_fmt(element).expect("writing to a String cannot fail");
}

fn coordinates(points: &[Point]) -> String {
    let pairs: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    pairs.join(" ")
}

fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text as XML takes it; control characters have no place in XML, escaped or not.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

fn paint(pixels: &mut Pixmap, mask: Option<&Mask>, font: &Font, shape: &Shape) {
    let page = Transform::from_scale(PNG_SCALE, PNG_SCALE);
    match shape {
        Shape::Line { points, color, width, dash, opacity } => {
            if let Some(path) = outline(points, false) {
                let stroke = Stroke {
                    width: *width,
                    line_cap: LineCap::Butt,
                    line_join: LineJoin::Round,
                    dash: dash.lengths().and_then(|(stroke, gap)| StrokeDash::new(vec![stroke, gap], 0.0)),
                    ..Stroke::default()
                };
                pixels.stroke_path(&path, &ink(*color, *opacity), &stroke, page, mask);
            }
        }
        Shape::Area { points, color, opacity } => {
            if let Some(path) = outline(points, true) {
                pixels.fill_path(&path, &ink(*color, *opacity), FillRule::Winding, page, mask);
            }
        }
        Shape::Dot { center: (x, y), radius, color } => {
            if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                pixels.fill_path(&path, &ink(*color, 1.0), FillRule::Winding, page, mask);
            }
        }
        Shape::Text { text, at: (x, y), size, anchor, upright, color } => {
            if let Some(path) = font.outline(text, *size) {
                let before = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => 0.5,
                    Anchor::End => 1.0,
                } * font.width(text, *size);
                let turn = if *upright { -90.0 } else { 0.0 };
                let place = page
                    .pre_translate(*x as f32, *y as f32)
                    .pre_concat(Transform::from_rotate(turn))
                    .pre_translate(-before as f32, 0.0);
                pixels.fill_path(&path, &ink(*color, 1.0), FillRule::Winding, place, mask);
            }
        }
        Shape::Clip { left, top, width, height, shapes } => {
            let window = Rect::from_xywh(*left as f32, *top as f32, *width as f32, *height as f32);
            if let (Some(window), Some(mut mask)) = (window, Mask::new(pixels.width(), pixels.height())) {
                let window = PathBuilder::from_rect(window);
                mask.fill_path(&window, FillRule::Winding, true, page);
                for inner in shapes {
                    paint(pixels, Some(&mask), font, inner);
                }
            }
        }
    }
}

fn outline(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    path.move_to(first.0 as f32, first.1 as f32);
    for (x, y) in rest {
        path.line_to(*x as f32, *y as f32);
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn ink(Rgb(red, green, blue): Rgb, opacity: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint.shader.apply_opacity(opacity);
    paint
}
