//! Graphs of the map as files.

use std::fs;

use super::{make, shop};
use crate::house::House;

#[test]
fn the_picture_has_a_box_for_every_folder_and_says_what_it_shows() {
    let house = shop();
    let picture = house.ok(&["code", "map", "--svg"]);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    for part in
        ["<title id=\"map-title\">Modules of work</title>", ">shop</text>", ">tests</text>", ">web</text>"]
    {
        assert!(picture.contains(part), "{part} in {picture}");
    }
    assert!(picture.contains("<title>tests uses shop (1)</title>"), "{picture}");
    assert_eq!(picture, house.ok(&["code", "map", "--svg"]), "the same every time");
    let said = house.run(&["code", "deps", "--files", "--svg", "-o", "deps.svg"]);
    assert!(said.status.success() && said.stdout.is_empty(), "{said:?}");
    assert!(
        fs::read_to_string(house.work().join("deps.svg"))
            .unwrap()
            .contains("shop/store.py uses shop/money.py")
    );
    assert_eq!(house.run(&["code", "map", "--svg", "-o", "no/such/folder.svg"]).status.code(), Some(1));
}

#[test]
fn the_graph_can_be_drawn_by_others() {
    let house = shop();
    let graph = house.ok(&["code", "deps", "shop", "--files", "--dot"]);
    assert!(graph.starts_with("digraph \"work\" {") && graph.contains(" -> "), "{graph}");
    assert!(graph.contains("label=\"store.py\\n1 file"), "{graph}");
    assert_eq!(house.run(&["code", "deps", "--dot", "--svg"]).status.code(), Some(2));
}

#[test]
fn a_folder_with_a_hostile_name_is_only_text() {
    let house = House::new();
    let hostile = "a<script>&\"";
    make(&house.work(), &[(&format!("{hostile}/m.py"), "def f():\n    return 1\n")]);
    let picture = house.ok(&["code", "map", "--svg"]);
    assert!(picture.contains("a&lt;script&gt;&amp;&quot;") && !picture.contains("<script"), "{picture}");
}
