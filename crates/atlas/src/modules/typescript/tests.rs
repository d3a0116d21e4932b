//! Where imports lead, in workspaces that are laid out like real ones.

use super::*;

fn library(paths: &[&str]) -> Library {
    let mut library = Library::default();
    for path in paths {
        if let Some(language) = code::languages::of_path(path) {
            library.put(path, language, code::Facts::default());
        }
    }
    library
}

/// Where an import leads: a path, `outside` or `missing`.
fn check(manifests: &[(&str, &str)], files: &[&str], from: &str, wanted: &[(&str, &str)]) {
    let library = library(files);
    let manifests: Vec<(String, String)> =
        manifests.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let rules = survey(Survey { library: &library, manifests: &manifests });
    let from = library.by_path(from).expect("the importing file is in the library");
    for (module, expected) in wanted {
        let found = match rules.find(&library, from, module) {
            Target::Module(module) => library.path(module.files[0]).to_owned(),
            Target::Outside => "outside".to_owned(),
            Target::Missing => "missing".to_owned(),
        };
        assert_eq!(found, *expected, "{module}");
    }
}

#[test]
fn a_relative_import_may_leave_out_its_ending_and_its_index() {
    check(
        &[],
        &[
            "src/a.ts",
            "src/b.tsx",
            "src/c/index.ts",
            "src/d.d.ts",
            "src/e.service.ts",
            "top.js",
            "src/data.json",
        ],
        "src/a.ts",
        &[
            ("./b", "src/b.tsx"),
            ("./b.js", "src/b.tsx"),
            ("./c", "src/c/index.ts"),
            ("./c/", "src/c/index.ts"),
            ("./c/index.js", "src/c/index.ts"),
            ("./d", "src/d.d.ts"),
            ("./e.service", "src/e.service.ts"),
            ("../top", "top.js"),
            ("./data.json", "src/data.json"),
            (".", "missing"),
            ("./nothing", "missing"),
            ("./logo.svg", "outside"),
            ("../../elsewhere", "outside"),
            ("react", "outside"),
            ("node:fs", "outside"),
        ],
    );
}

#[test]
fn a_script_imports_what_runs_and_a_compiled_file_what_describes_it() {
    let files = ["a.js", "a.d.ts", "b.js", "c.ts"];
    check(&[], &files, "b.js", &[("./a", "a.js")]);
    check(&[], &files, "c.ts", &[("./a", "a.d.ts")]);
}

#[test]
fn aliases_of_the_configuration_around_a_file_are_followed_through_what_it_extends() {
    check(
        &[
            (
                "tsconfig.base.json",
                "{ /* all */ \"compilerOptions\": { \"paths\": { \"@app/*\": [\"./packages/app/src/*\"], }, }, }",
            ),
            ("packages/app/tsconfig.json", "{ \"extends\": \"../../tsconfig.base\" }"),
            (
                "packages/web/tsconfig.json",
                "{\n // by folder\n \"compilerOptions\": { \"baseUrl\": \"src\", \"paths\": { \"~/*\": [\"gen/*\", \"*\"], \"@app/deep/*\": [\"deep/*\"], \"@app/*\": [\"none/*\"] } }\n}",
            ),
        ],
        &[
            "packages/app/src/a.ts",
            "packages/app/src/b/index.ts",
            "packages/web/src/main.ts",
            "packages/web/src/ui/button.tsx",
            "packages/web/src/gen/api.ts",
            "packages/web/src/deep/x.ts",
        ],
        "packages/web/src/main.ts",
        &[
            ("~/api", "packages/web/src/gen/api.ts"),
            ("~/ui/button", "packages/web/src/ui/button.tsx"),
            ("ui/button", "packages/web/src/ui/button.tsx"),
            ("@app/deep/x", "packages/web/src/deep/x.ts"),
            ("@app/a", "missing"),
            ("lodash", "outside"),
        ],
    );
    check(
        &[
            ("tsconfig.base.json", "{ \"compilerOptions\": { \"paths\": { \"@app/*\": [\"./src/*\"] } } }"),
            ("src/tsconfig.json", "{ \"extends\": [\"../tsconfig.base.json\"] }"),
        ],
        &["src/a.ts", "src/b.ts"],
        "src/a.ts",
        &[("@app/b", "src/b.ts")],
    );
}

#[test]
fn a_configuration_that_only_refers_to_others_has_their_aliases() {
    check(
        &[
            ("tsconfig.json", "{ \"files\": [], \"references\": [{ \"path\": \"./tsconfig.app.json\" }] }"),
            (
                "tsconfig.app.json",
                "{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\"] } } }",
            ),
        ],
        &["src/a.ts", "src/b.ts"],
        "src/a.ts",
        &[("@/b", "src/b.ts")],
    );
}

#[test]
fn a_package_of_the_workspace_is_found_by_what_it_hands_out() {
    check(
        &[
            ("package.json", "{ \"name\": \"root\", \"workspaces\": [\"packages/*\"] }"),
            (
                "packages/core/package.json",
                "{ \"name\": \"@x/core\", \"exports\": { \".\": { \"import\": { \"types\": \"./dist/index.d.ts\", \"default\": \"./dist/index.js\" } }, \"./utils/*\": \"./dist/utils/*.js\" }, \"imports\": { \"#log\": \"./src/log.ts\" } }",
            ),
            ("packages/old/package.json", "{ \"name\": \"old\", \"main\": \"lib/main.js\" }"),
            ("packages/bare/package.json", "{ \"name\": \"bare\" }"),
        ],
        &[
            "packages/core/src/index.ts",
            "packages/core/src/log.ts",
            "packages/core/src/utils/text.ts",
            "packages/old/lib/main.js",
            "packages/old/extra.js",
            "packages/bare/index.js",
        ],
        "packages/core/src/index.ts",
        &[
            ("@x/core", "packages/core/src/index.ts"),
            ("@x/core/utils/text", "packages/core/src/utils/text.ts"),
            ("#log", "packages/core/src/log.ts"),
            ("#none", "missing"),
            ("old", "packages/old/lib/main.js"),
            ("old/extra", "packages/old/extra.js"),
            ("bare", "packages/bare/index.js"),
            ("@x/corex", "outside"),
            ("old/nothing", "missing"),
        ],
    );
}

#[test]
fn aliases_that_bundlers_have_by_habit_are_the_packages_sources() {
    check(
        &[("web/package.json", "{ \"name\": \"web\" }")],
        &["web/src/a.ts", "web/src/b/c.ts"],
        "web/src/a.ts",
        &[("@/b/c", "web/src/b/c.ts"), ("~/b/c", "web/src/b/c.ts"), ("@/none", "missing")],
    );
}

#[test]
fn json_written_by_hand_is_read() {
    for (text, plainly) in [
        ("{ // a\n \"a\": 1, /* b */ }", "{ \n \"a\": 1}"),
        ("{ \"a\": \"// no\", \"b\": [1, 2,] }", "{ \"a\": \"// no\", \"b\": [1, 2] }"),
        ("{ \"a\\\"/*\": 1 }", "{ \"a\\\"/*\": 1 }"),
    ] {
        let value: serde_json::Value = serde_json::from_str(&manifest::plain(text)).expect("it is JSON");
        let same: serde_json::Value = serde_json::from_str(plainly).expect("it is JSON");
        assert_eq!(value, same, "{text}");
    }
}
