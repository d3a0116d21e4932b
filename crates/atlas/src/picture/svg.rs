//! The drawing as one file that needs nothing else: it is light or dark as whoever looks is, and says in words what it
//! shows. Names are strangers' words: they are text, whatever they look like.

use std::fmt::Write;

use super::{Box, Drawing, Line, draw};
use crate::answer::{Edge, Module};
use crate::say;

/// Of a name in a box; the whole of it is in its title.
const LABEL_CHARS: usize = 28;
/// For a title above the picture.
const HEAD: f64 = 44.0;
/// Fewer uses than this are never drawn as the thickest line.
const MANY: usize = 20;
/// Of the text that says the picture in words.
const MAX_SAID: usize = 400;
const STYLE: &str = include_str!("picture.css");

pub fn svg(title: &str, modules: &[Module], edges: &[Edge]) -> String {
    let drawing = draw(modules, edges);
    let (width, height) = (drawing.width.max(320.0), drawing.height + HEAD);
    let mut out = String::with_capacity(4096 + drawing.boxes.len() * 400 + drawing.lines.len() * 240);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"map-title map-desc\">\n<title id=\"map-title\">{}</title>\n\
         <desc id=\"map-desc\">{}</desc>\n<style>\n{STYLE}</style>\n",
        escape(&format!("Modules of {title}")),
        escape(&described(&drawing)),
    );
    for (id, class) in [("end", "end"), ("end-implied", "end implied"), ("end-circular", "end circular")] {
        let _ = writeln!(
            out,
            "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"{class}\" d=\"M0 0L8 4L0 8z\"/></marker>"
        );
    }
    let _ = write!(
        out,
        "<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n<text class=\"head\" x=\"24\" y=\"30\">{}</text>\n\
         <g transform=\"translate(0 {HEAD})\">\n",
        escape(title)
    );
    let most = drawing.lines.iter().map(|line| line.count).max().unwrap_or(0).max(MANY);
    // What is implied lies below, and does not hide what is not.
    let (below, above): (Vec<&Line>, Vec<&Line>) = drawing.lines.iter().partition(|line| line.implied);
    for line in below.into_iter().chain(above) {
        edge(&mut out, &drawing, line, most);
    }
    for one in &drawing.boxes {
        node(&mut out, one);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// Enough of a path to know it by: its last parts.
pub(super) fn label(name: &str) -> String {
    if name.is_empty() {
        return ".".to_owned();
    }
    if name.chars().count() <= LABEL_CHARS {
        return name.to_owned();
    }
    let mut label = String::new();
    for part in name.rsplit('/') {
        let longer = if label.is_empty() { part.to_owned() } else { format!("{part}/{label}") };
        if longer.chars().count() > LABEL_CHARS - 2 {
            break;
        }
        label = longer;
    }
    if label.is_empty() {
        let last = name.rsplit('/').next().unwrap_or(name);
        let short: String = last.chars().take(LABEL_CHARS - 1).collect();
        return format!("{short}…");
    }
    format!("…/{label}")
}

/// `12 files · 3,400 lines`
pub(super) fn about(module: &Module) -> String {
    let files =
        if module.files == 1 { "1 file".to_owned() } else { format!("{} files", say::number(module.files)) };
    format!("{files} · {} lines", say::number(usize::try_from(module.lines).unwrap_or(usize::MAX)))
}

fn node(out: &mut String, one: &Box) {
    let class = if one.module.circular { "box circular" } else { "box" };
    let name = if one.module.name.is_empty() { "." } else { &one.module.name };
    let circle = if one.module.circular { ", in a circle" } else { "" };
    let several = if one.of > 1 { format!(", {} modules together", one.of) } else { String::new() };
    let middle = one.x + one.width / 2.0;
    let y = one.y + one.height / 2.0;
    let _ = writeln!(
        out,
        "<g class=\"{class}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\
         <text class=\"name\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text><text class=\"about\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text></g>",
        escape(&format!("{name}: {}{several}{circle}", about(&one.module))),
        one.x,
        one.y,
        one.width,
        one.height,
        y - 3.0,
        escape(&label(&one.module.name)),
        y + 13.0,
        escape(&about(&one.module)),
    );
}

fn edge(out: &mut String, drawing: &Drawing, line: &Line, most: usize) {
    let (class, end) = match (line.circular, line.implied) {
        (true, _) => ("line circular", "end-circular"),
        (false, true) => ("line implied", "end-implied"),
        (false, false) => ("line", "end"),
    };
    // A hundred uses are not a hundred times as important as one.
    let weight = 1.0 + 3.0 * (line.count as f64).ln_1p() / (most as f64).ln_1p();
    let name = |at: usize| drawing.boxes.get(at).map_or("", |one| one.module.name.as_str());
    let _ = writeln!(
        out,
        "<path class=\"{class}\" d=\"{}\" stroke-width=\"{weight:.1}\" marker-end=\"url(#{end})\"><title>{}</title></path>",
        curve(&line.points),
        escape(&format!("{} uses {} ({})", name(line.from), name(line.to), line.count)),
    );
}

/// From point to point, upright where it leaves and arrives.
fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (at, &(x, y)) in points.iter().enumerate() {
        if at == 0 {
            let _ = write!(path, "M{x} {y}");
            continue;
        }
        let (before_x, before_y) = points[at - 1];
        let middle = f64::midpoint(before_y, y);
        let _ = write!(path, "C{before_x} {middle:.1} {x} {middle:.1} {x} {y}");
    }
    path
}

/// The picture in words, the heaviest lines first.
fn described(drawing: &Drawing) -> String {
    let mut lines: Vec<&Line> = drawing.lines.iter().collect();
    lines.sort_by_key(|line| (std::cmp::Reverse(line.count), line.from, line.to));
    let name = |at: usize| drawing.boxes.get(at).map_or(String::new(), |one| label(&one.module.name));
    let mut text = format!("{} modules, {} uses between them.", drawing.boxes.len(), drawing.lines.len());
    let circles = drawing.boxes.iter().filter(|one| one.module.circular).count();
    if circles > 0 {
        let _ = write!(text, " {circles} are in circles.");
    }
    for line in lines {
        let more = format!(" {} uses {}.", name(line.from), name(line.to));
        if text.len() + more.len() > MAX_SAID {
            text.push_str(" …");
            break;
        }
        text.push_str(&more);
    }
    text
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in XML, or not what it looks like.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') || say::is_turn(c) => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}
