//! The code map over HTTP: of workspaces that are known, and of nothing else.

use std::fs;

use serde_json::{Value, json};

use super::{SHOP, shop};
use crate::api_sessions::Api;
use crate::house::House;

/// The path of the map of the folder a session has begun in.
fn map_of(house: &House, api: &Api) -> String {
    house.send(&house.envelope("s1", "SessionStart"));
    house.events();
    format!("/api/v1/workspaces/{}/code", api.walk("/api/v1/workspaces")[0]["key"].as_str().unwrap())
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn a_known_workspace_is_drawn_outlined_searched_and_asked_about() {
    let house = shop();
    let api = Api::of(&house);
    let map = map_of(&house, &api);
    let drawn = api.get(&format!("{map}/modules"));
    assert_eq!(names(&drawn["boxes"]), ["shop", "tests", "web"]);
    let line = &drawn["lines"][0];
    assert_eq!((&line["from"], &line["to"], &line["count"]), (&json!(1), &json!(0), &json!(1)), "{drawn}");
    assert!(line["points"].as_array().unwrap().len() >= 4 && line["circular"] == false, "{line}");
    let files = api.get(&format!("{map}/modules?under=shop&files=true"));
    assert!(names(&files["boxes"]).contains(&"store.py"), "{files}");
    let outline = api.get(&format!("{map}/outline?file=shop/store.py"));
    assert_eq!(names(&outline["items"])[..3], ["LIMIT", "Store", "Store.save"]);
    assert!(outline["tokens"].as_u64().unwrap() > 20 && outline["language"] == "python", "{outline}");
    let uses = api.get(&format!("{map}/uses?symbol=Store.save"));
    assert_eq!(
        (uses["total"].as_u64(), names(&uses["items"])),
        (Some(2), vec!["run", "test_an_order_is_kept"])
    );
    assert_eq!(
        api.get(&format!("{map}/uses?symbol=Store.save&limit=1"))["items"].as_array().unwrap().len(),
        1
    );
    let all = api.get(&format!("{map}/uses?symbol=Store&all=true"));
    assert!(all["items"].as_array().unwrap().iter().any(|one| one["role"] == "import"), "{all}");
    let found = api.get(&format!("{map}/search?q=total"));
    assert!(names(&found["items"]).contains(&"total"), "{found}");
    assert_eq!(SHOP.len(), 7);
}

#[test]
fn no_other_folder_is_read_and_what_is_not_there_is_said() {
    let house = shop();
    fs::write(house.home().join("secret.py"), "def secret():\n    pass\n").unwrap();
    let api = Api::of(&house);
    let map = map_of(&house, &api);
    let outside = house.home().join("secret.py").display().to_string();
    for (path, status) in [
        (format!("{map}/outline?file=../secret.py"), 404),
        (format!("{map}/outline?file={outside}"), 404),
        (format!("{map}/outline?file=nowhere.py"), 404),
        (format!("{map}/uses?symbol=Stor"), 404),
        (format!("{map}/search?q=%20"), 400),
        (format!("{map}/modules?depth=99"), 400),
        ("/api/v1/workspaces/nowhere/code/modules".to_owned(), 404),
    ] {
        let (said, problem) = api.refused("GET", &path, None);
        assert_eq!(said, status, "{path}: {problem}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{problem}");
    }
    let near = api.refused("GET", &format!("{map}/uses?symbol=Stor"), None).1;
    assert_eq!(near["detail"], "near it: Store");
}
