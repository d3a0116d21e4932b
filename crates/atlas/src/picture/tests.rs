//! Pictures as they are drawn, also of what is hostile or too much.

use super::*;

fn modules(names: &[(&str, u64)]) -> Vec<Module> {
    names
        .iter()
        .map(|(name, lines)| Module {
            name: (*name).to_owned(),
            files: 2,
            lines: *lines,
            ..Module::default()
        })
        .collect()
}

fn edges(pairs: &[(usize, usize, usize)]) -> Vec<Edge> {
    pairs.iter().map(|&(from, to, count)| Edge { from, to, count }).collect()
}

fn overlaps(a: &Box, b: &Box) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

#[test]
fn who_uses_stands_above_what_is_used() {
    let drawing = draw(
        &modules(&[("store", 400), ("web", 90), ("model", 50), ("engine", 800)]),
        &edges(&[(1, 3, 4), (3, 0, 9), (0, 2, 2), (1, 2, 1), (3, 2, 1)]),
    );
    for line in &drawing.lines {
        let (from, to) = (&drawing.boxes[line.from], &drawing.boxes[line.to]);
        assert!(from.y + from.height < to.y, "{} above {}", from.module.name, to.module.name);
        assert!(!line.circular);
        let (leaves, arrives) = (line.points.first().unwrap().1, line.points.last().unwrap().1);
        assert!((leaves - from.y - from.height).abs() < 0.2 && (arrives - to.y).abs() < 0.2);
    }
    let (store, engine) = (&drawing.boxes[0], &drawing.boxes[3]);
    assert!(engine.height > store.height, "more lines, a larger box");
}

#[test]
fn no_two_boxes_touch_and_all_are_on_the_page() {
    // Every module uses those whose number divides its own: many rows, long lines.
    let names: Vec<String> = (0..MAX_MODULES).map(|at| format!("m{at}")).collect();
    let named: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 100)).collect();
    let pairs: Vec<(usize, usize, usize)> = (2..MAX_MODULES)
        .flat_map(|at| (1..at).filter(move |by| at % by == 0).map(move |by| (at, by, 1)))
        .collect();
    let drawing = draw(&modules(&named), &edges(&pairs));
    assert_eq!(drawing.boxes.len(), MAX_MODULES);
    for (at, one) in drawing.boxes.iter().enumerate() {
        assert!(one.x >= 0.0 && one.y >= 0.0);
        assert!(one.x + one.width <= drawing.width && one.y + one.height <= drawing.height);
        for other in &drawing.boxes[at + 1..] {
            assert!(!overlaps(one, other), "{} and {}", one.module.name, other.module.name);
        }
    }
}

#[test]
fn circles_are_marked_and_what_leads_to_them_is_not() {
    let drawing = draw(
        &modules(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)]),
        // a → (b ⇄ c) → (d ⇄ e), f alone
        &edges(&[(0, 1, 1), (1, 2, 5), (2, 1, 1), (2, 3, 1), (3, 4, 1), (4, 3, 1)]),
    );
    let circular: Vec<bool> = drawing.boxes.iter().map(|one| one.module.circular).collect();
    assert_eq!(circular, [false, true, true, true, true, false]);
    let marked: Vec<(usize, usize)> =
        drawing.lines.iter().filter(|line| line.circular).map(|line| (line.from, line.to)).collect();
    assert_eq!(marked, [(1, 2), (2, 1), (3, 4), (4, 3)]);
    // The heavier direction runs downwards, and a line ends where its arrow is.
    let back = drawing.lines.iter().find(|line| (line.from, line.to) == (2, 1)).unwrap();
    assert!(drawing.boxes[1].y < drawing.boxes[2].y);
    assert!(back.points.first().unwrap().1 > back.points.last().unwrap().1);
}

#[test]
fn the_picture_is_the_same_every_time() {
    let names = modules(&[("a", 10), ("b", 30), ("c", 20), ("d", 5)]);
    let uses = edges(&[(0, 1, 1), (1, 2, 1), (2, 0, 1), (0, 3, 7)]);
    assert_eq!(svg("x", &names, &uses), svg("x", &names, &uses));
    assert_eq!(svg("x", &[], &[]), svg("x", &[], &[]));
}

#[test]
fn more_than_a_page_holds_is_drawn_by_folder() {
    let names: Vec<String> = (0..500).map(|at| format!("top{}/part{}/m{at}", at % 3, at % 30)).collect();
    let named: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 10)).collect();
    let drawing = draw(&modules(&named), &edges(&[(0, 1, 2), (3, 4, 2)]));
    assert_eq!(drawing.boxes.len(), 30);
    assert_eq!(drawing.boxes.iter().map(|one| one.module.lines).sum::<u64>(), 5000);
    assert!(drawing.boxes.iter().any(|one| one.module.name == "top0/part0"));
    // Folders that are too many themselves: the largest, and one box for the rest.
    let names: Vec<String> = (0..500).map(|at| format!("top{at}/m")).collect();
    let named: Vec<(&str, u64)> = names.iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
    let drawing = draw(&modules(&named), &[]);
    assert_eq!(drawing.boxes.len(), MAX_MODULES);
    let rest = drawing.boxes.iter().find(|one| one.module.name == "…").unwrap();
    assert_eq!(rest.of, 500 - (MAX_MODULES - 1));
}

#[test]
fn a_name_is_text_and_never_markup() {
    let hostile = "a</text><script>alert(1)</script>\"'&\u{1b}\u{202e}";
    let names = modules(&[(hostile, 1), ("b", 1)]);
    let picture = svg(hostile, &names, &edges(&[(0, 1, 1)]));
    assert!(!picture.contains("<script") && !picture.contains('\u{1b}') && !picture.contains('\u{202e}'));
    assert!(picture.contains("&lt;/text&gt;"));
    let graph = dot(hostile, &modules(&[("a\"];evil [label=\"x", 1)]), &[]);
    assert!(graph.contains("a\\\"];evil [label=\\\"x"), "{graph}");
}

#[test]
fn an_edge_of_nobody_is_left_out() {
    let drawing = draw(&modules(&[("a", 1)]), &edges(&[(0, 0, 1), (0, 7, 1), (9, 0, 1)]));
    assert!(drawing.lines.is_empty());
    assert!(!dot("x", &modules(&[("a", 1)]), &edges(&[(0, 7, 1)])).contains("->"));
}
