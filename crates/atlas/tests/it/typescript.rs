//! Who calls what in TypeScript and JavaScript: a call is marked `/*name*/` in the text, and exactly those are found.

use atlas::{Answer, Question};

use crate::workspace::Workspace;

/// Lines that carry `/*name*/` are the callers of `symbol`, and no others are.
fn check(files: &[(&str, &str)], symbol: &str, mark: &str) {
    let workspace = Workspace::new(files);
    let mut atlas = workspace.atlas();
    let question = Question::Callers { symbol: symbol.to_owned(), limit: Some(100) };
    let found = match atlas.answer(&question).unwrap_or_else(|error| panic!("{symbol}: {error}")) {
        Answer::Sites { sites, .. } => sites,
        other => panic!("{other:?}"),
    };
    let mut found: Vec<(String, u32)> = found.into_iter().map(|site| (site.file, site.line)).collect();
    found.sort();
    let sign = format!("/*{mark}*/");
    let mut wanted = Vec::new();
    for (file, text) in files {
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains(&sign));
        wanted.extend(lines.map(|(at, _)| ((*file).to_owned(), at as u32 + 1)));
    }
    wanted.sort();
    assert_eq!(found, wanted, "callers of {symbol}");
}

#[test]
fn calls_are_found_through_exports_by_any_name() {
    let files = [
        (
            "src/a.ts",
            "export function make() {}\nfunction inner() {}\nexport { inner as outer };\nexport default function main() { make(); /*make*/ }\n",
        ),
        (
            "src/index.ts",
            "export * from './a';\nexport { make as build, default as start } from './a';\nexport * as ns from './a';\n",
        ),
        (
            "src/use.ts",
            "import run, { make as m, outer } from './a';\nimport { build, start, ns, make } from '.';\nimport * as all from './index.js';\n\
          m(); /*make*/\nbuild(); /*make*/\nmake(); /*make*/\nns.make(); /*make*/\nall.ns.make(); /*make*/\nall.make(); /*make*/\n\
          outer(); /*inner*/\nrun(); /*main*/\nstart(); /*main*/\n",
        ),
        ("src/other.ts", "function make() {}\nmake();\nimport type { outer } from './nowhere';\nouter();\n"),
    ];
    check(&files, "src/a.ts:make", "make");
    check(&files, "src/a.ts:inner", "inner");
    check(&files, "src/a.ts:main", "main");
}

#[test]
fn methods_are_found_by_the_types_that_the_text_shows() {
    let files = [
        (
            "base.ts",
            "export class Base {\n  save() {}\n  all(): Base[] { return []; }\n  static open(): Base { return new Base(); }\n  self() { return this; }\n}\n",
        ),
        (
            "kind.ts",
            "import { Base } from './base';\nexport class Kind extends Base {\n  constructor(private other: Base, readonly more?: Map<string, Base>) {\n    super();\n    this.last = new Base();\n  }\n\
          run() {\n    this.save(); /*save*/\n    this.other.save(); /*save*/\n    this.more!.get('a');\n    this.last.save(); /*save*/\n    super.save(); /*save*/\n  }\n}\n",
        ),
        (
            "use.ts",
            "import { Base } from './base';\nimport { Kind } from './kind';\ninterface Box { base: Base; list?: Kind[] }\ntype Alias = Base;\n\
          export async function f(a: Base, b: Alias | null, c: Promise<Base>, { base, list }: Box, d: Unknown) {\n\
          a.save(); /*save*/\nb?.save(); /*save*/\n(await c).save(); /*save*/\nbase.save(); /*save*/\nlist![0].save(); /*save*/\n\
          for (const k of list) k.save(); /*save*/\nBase.open().save(); /*save*/\nnew Base().self().self().save(); /*save*/\n(d as Base).save(); /*save*/\n\
          a.all()[0].save(); /*save*/\nconst box: Box = make();\nbox.base.save(); /*save*/\nconst { base: renamed } = box;\nrenamed.save(); /*save*/\n\
          d.save();\nlet late: Base;\nconst g = () => { late.save(); }; /*save*/\n}\n",
        ),
        ("no.ts", "class Disk { save() {} }\nconst disk = new Disk();\ndisk.save();\nsave();\n"),
    ];
    check(&files, "base.ts:Base.save", "save");
}

#[test]
fn what_a_function_gives_is_known_by_its_returns() {
    let files = [
        (
            "make.ts",
            "import { Base } from './base';\nexport function make() {\n  const flush = () => {};\n  return { flush, push(x: number) { flush(); /*flush*/ } };\n}\n\
          export const held = make();\nexport const build = (n: number) => new Base();\nexport async function later() { if (1) return; return build(2); }\n",
        ),
        ("base.ts", "export class Base { go() {} }\n"),
        (
            "use.ts",
            "import { make, held, build, later } from './make';\nconst it = make();\nit.flush(); /*flush*/\nheld.flush(); /*flush*/\nit.push(1); /*push*/\n\
          build(1).go(); /*go*/\n(await later()).go(); /*go*/\n",
        ),
    ];
    check(&files, "make.ts:make.flush", "flush");
    check(&files, "make.ts:make.push", "push");
    check(&files, "base.ts:Base.go", "go");
}

#[test]
fn modules_of_the_old_kind_are_followed() {
    let files = [
        (
            "lib/ship.js",
            "function Ship(name) { this.name = name; }\nShip.prototype.sail = function sail(to) { sail(to); /*sail*/ this.sail(); /*sail*/ };\nShip.build = function () { return new Ship('a'); };\nmodule.exports = Ship;\n",
        ),
        (
            "lib/tools.js",
            "exports.load = function (x) {};\nexports.load(0); /*load*/\nexports.again = require('./other').again;\nfunction hidden() {}\nmodule.exports.hide = hidden;\n",
        ),
        ("lib/set-up.js", "module.exports = function (app) {};\n"),
        ("start.js", "const setUp = require('./lib/set-up');\nsetUp(1); /*exports*/\n"),
        ("lib/other.js", "module.exports = { again() {}, more: helper };\nfunction helper() {}\n"),
        (
            "app.js",
            "const Ship = require('./lib/ship');\nconst { load, again, hide: cover } = require('./lib/tools');\nconst tools = require('./lib/tools');\nconst other = require('./lib/other.js');\n\
          new Ship('b').sail(); /*sail*/\nShip.build().sail(); /*sail*/\nload(1); /*load*/\ntools.load(2); /*load*/\nagain(); /*again*/\ntools.again(); /*again*/\nother.again(); /*again*/\ncover(); /*hidden*/\nother.more(); /*helper*/\n",
        ),
        (
            "es.mjs",
            "import Ship from './lib/ship.js';\nimport { load } from './lib/tools.js';\nnew Ship('c').sail(); /*sail*/\nload(); /*load*/\n",
        ),
    ];
    check(&files, "lib/set-up.js:exports", "exports");
    check(&files, "lib/tools.js:load", "load");
    check(&files, "lib/other.js:again", "again");
    check(&files, "lib/tools.js:hidden", "hidden");
    check(&files, "lib/other.js:helper", "helper");
    check(&files, "lib/ship.js:Ship.sail", "sail");
}

#[test]
fn aliases_packages_and_components_are_followed() {
    let files = [
        ("tsconfig.json", "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./web/src/*\"] } } }"),
        ("packages/ui/package.json", "{ \"name\": \"@x/ui\", \"exports\": { \".\": \"./dist/index.js\" } }"),
        ("packages/ui/src/index.ts", "export * from './button';\n"),
        (
            "packages/ui/src/button.tsx",
            "export const Button = memo(({ onClick }: Props) => <b onClick={onClick} />);\nexport class Panel { render() {} }\n",
        ),
        (
            "web/src/app.tsx",
            "import { Button, Panel } from '@x/ui';\nimport { helper } from '@/deep/helper';\nimport * as UI from '@x/ui';\n\
          export function App() {\n  helper(); /*helper*/\n  return (\n    <Panel>\n      <Button /> {/*Button*/}\n      <UI.Button onClick={() => 1}></UI.Button> {/*Button*/}\n    </Panel>\n  );\n}\n",
        ),
        ("web/src/deep/helper.ts", "export const helper = () => {};\n"),
    ];
    check(&files, "packages/ui/src/button.tsx:Button", "Button");
    check(&files, "web/src/deep/helper.ts:helper", "helper");
}

#[test]
fn members_and_tests_hide_no_names() {
    let files = [
        ("a.ts", "export function has() {}\nexport const load = () => {};\n"),
        (
            "b.test.ts",
            "import { has, load } from './a';\ndescribe('load', () => {\n  it('has', () => {\n    load(); /*load*/\n    has(); /*has*/\n  });\n});\n\
             const traps = {\n  has() { return has(); }, /*has*/\n  get() { return has(); }, /*has*/\n};\n\
             class A {\n  has() {}\n  run() {\n    has(); /*has*/\n    this.has();\n  }\n}\n",
        ),
    ];
    check(&files, "a.ts:has", "has");
    check(&files, "a.ts:load", "load");
}

#[test]
fn an_interface_and_a_value_of_one_name_are_told_apart() {
    let files = [
        (
            "node.ts",
            "export interface Node { kind: Kind; go(): void }\nexport const Node = {\n  create(): Node { return make(); },\n};\nexport class Kind { name() {} }\n",
        ),
        (
            "use.ts",
            "import { Node } from './node';\nconst n: Node = Node.create(); /*create*/\nn.kind.name(); /*name*/\nfunction f(k: Node['kind']) {\n  k.name(); /*name*/\n}\n",
        ),
    ];
    check(&files, "node.ts:Node.create", "create");
    check(&files, "node.ts:Kind.name", "name");
}

#[test]
fn objects_that_are_written_out_have_what_is_written_in_them() {
    let files = [
        (
            "a.js",
            "const box = module.exports = {};\nbox.open = function (key) { this.close(); /*close*/ };\nbox.close = () => {};\n\
             const tools = {\n  cut() { this.bend(); }, /*bend*/\n  bend() {},\n  helper: wire,\n};\ntools.bend(); /*bend*/\ntools.helper(); /*wire*/\nfunction wire() {}\n\
             function make() {\n  return {\n    go() { this.stop(); }, /*stop*/\n    stop() {},\n  };\n}\nmake().stop(); /*stop*/\n\
             function Old() { this.start(); /*start*/ }\nOld.prototype.start = function () {};\n",
        ),
        ("b.js", "const box = require('./a');\nbox.close(); /*close*/\nother.bend2();\n"),
    ];
    for name in ["box.close:close", "tools.bend:bend", "make.stop:stop", "Old.start:start", "wire:wire"] {
        let (symbol, mark) = name.split_once(':').unwrap();
        check(&files, &format!("a.js:{symbol}"), mark);
    }
}
