//! Callers across files in languages whose modules are not found like Python's or TypeScript's: each workspace is as small as
//! it can be and still show what its language does.

use atlas::{Answer, Question};

use crate::workspace::Workspace;

fn check(files: &[(&str, &str)], expected: &[(&str, &[&str])]) {
    let workspace = Workspace::new(files);
    let mut atlas = workspace.atlas();
    for (symbol, sites) in expected {
        let answer = atlas.answer(&Question::Callers { symbol: (*symbol).to_owned(), limit: None }).unwrap();
        let Answer::Sites { sites: found, .. } = answer else { panic!("{answer:?}") };
        let mut found: Vec<String> =
            found.iter().map(|site| format!("{}:{}", site.file, site.line)).collect();
        found.sort();
        found.dedup();
        assert_eq!(&found, sites, "callers of {symbol}");
    }
}

#[test]
fn ruby_opens_types_again_and_mixes_modules_in() {
    check(
        &[
            (
                "lib/shop/store.rb",
                "require_relative 'trail'
module Shop
  class Store < Base
    include Trail
    def initialize(name)
      @client = Client.new(name)
    end
    def save(order)
      log(order)
      @client.put(order)
      super
    end
    private def secret; end
  end
end
",
            ),
            ("lib/shop/base.rb", "module Shop\n  class Base\n    def save(order); end\n  end\nend\n"),
            ("lib/shop/trail.rb", "module Shop\n  module Trail\n    def log(text); end\n  end\nend\n"),
            ("lib/shop/client.rb", "class Shop::Client\n  def initialize(a); end\n  def put(x) = x\nend\n"),
            (
                "lib/shop/more.rb",
                "module Shop\n  class Store\n    def reload\n      secret\n      self.save(1)\n    end\n    def self.open = new('c').tap { |s| s.reload }\n  end\nend\n",
            ),
            (
                "bin/run.rb",
                "store = Shop::Store.new('a')\nstore.save(2)\nShop::Store.new('b').reload\nShop::Store.open.save(3)\n",
            ),
        ],
        &[
            ("Store.save", &["bin/run.rb:2", "bin/run.rb:4", "lib/shop/more.rb:5"]),
            ("Base.save", &["lib/shop/store.rb:11"]),
            ("Trail.log", &["lib/shop/store.rb:9"]),
            ("Client.put", &["lib/shop/store.rb:10"]),
            ("Client.initialize", &["lib/shop/store.rb:6"]),
            ("Store.initialize", &["bin/run.rb:1", "bin/run.rb:3"]),
            ("Store.secret", &["lib/shop/more.rb:4"]),
            ("Store.reload", &["bin/run.rb:3", "lib/shop/more.rb:7"]),
            ("Store.open", &["bin/run.rb:4"]),
        ],
    );
}

#[test]
fn php_finds_classes_by_namespace_and_functions_in_the_global_one() {
    check(
        &[
            ("composer.json", r#"{"autoload": {"psr-4": {"App\\": "src/"}}}"#),
            (
                "src/Shop/Store.php",
                "<?php
namespace App\\Shop;
use App\\Models\\Item;
use App\\Models\\User as Person;
class Store extends Base {
    use Trails;
    public function __construct(private Item $item, private ?Person $person = null) {}
    public function save(Item $other): static {
        $this->item->check();
        $other->check();
        $this->person->greet();
        $this->trail();
        parent::save($other);
        helper(1);
        \\App\\Models\\Item::make();
        return $this;
    }
    public static function open(): self { return new self(Item::make()); }
}
",
            ),
            (
                "src/Shop/Base.php",
                "<?php\nnamespace App\\Shop;\nclass Base { public function save($x) {} }\n",
            ),
            (
                "src/Shop/Trails.php",
                "<?php\nnamespace App\\Shop;\ntrait Trails { public function trail() {} }\n",
            ),
            (
                "src/Models/Item.php",
                "<?php\nnamespace App\\Models;\nclass Item {\n  public function check() {}\n  public static function make(): Item { return new Item(); }\n}\n",
            ),
            (
                "src/Models/User.php",
                "<?php\nnamespace App\\Models;\nclass User { public function greet() {} public function save($x) {} }\n",
            ),
            ("helpers.php", "<?php\nfunction helper($x) {}\n"),
            ("run.php", "<?php\nuse App\\Shop\\Store;\nStore::open()->save(null)->save(null);\n"),
        ],
        &[
            ("Item.check", &["src/Shop/Store.php:10", "src/Shop/Store.php:9"]),
            ("Item.make", &["src/Shop/Store.php:15", "src/Shop/Store.php:18"]),
            ("User.greet", &["src/Shop/Store.php:11"]),
            ("Trails.trail", &["src/Shop/Store.php:12"]),
            ("Base.save", &["src/Shop/Store.php:13"]),
            ("helper", &["src/Shop/Store.php:14"]),
            ("Store.open", &["run.php:3"]),
            ("Store.save", &["run.php:3"]),
            ("User.save", &[]),
            ("Store.__construct", &["src/Shop/Store.php:18"]),
        ],
    );
}

#[test]
fn lua_hands_out_the_table_a_file_returns() {
    check(
        &[
            (
                "shop/store.lua",
                "local util = require('shop.util')
local Store = {}
Store.__index = Store
function Store.new() return setmetatable({}, Store) end
function Store:save(x)
  self:check(x)
  util.log(x)
end
function Store:check(x) end
return Store
",
            ),
            (
                "shop/util.lua",
                "local M = {}\nfunction M.log(x) M.format(x) end\nM.format = function(x) end\nreturn M\n",
            ),
            (
                "main.lua",
                "local Store = require 'shop.store'\nlocal log = require('shop.util').log\nlocal store = Store.new()\nlog(1)\nstore:save(2)\n",
            ),
        ],
        &[
            ("Store.new", &["main.lua:3"]),
            ("Store.save", &["main.lua:5"]),
            ("Store.check", &["shop/store.lua:6"]),
            ("M.log", &["main.lua:4", "shop/store.lua:7"]),
            ("M.format", &["shop/util.lua:2"]),
        ],
    );
}

#[test]
fn elixir_finds_modules_by_name_alias_and_import() {
    check(
        &[
            (
                "lib/store.ex",
                "defmodule Shop.Store do
  alias Shop.{Item, Util}
  alias Shop.Prices, as: P
  import Shop.Text
  def open(path) do
    path |> Util.clean() |> save()
    Item.new(path)
    P.total(1)
    Shop.Prices.total(2)
    trim(path)
    __MODULE__.save(path)
  end
  def save(x), do: hidden(x)
  defp hidden(x), do: x
end
",
            ),
            ("lib/item.ex", "defmodule Shop.Item do\n  def new(x), do: x\nend\n"),
            ("lib/util.ex", "defmodule Shop.Util do\n  def clean(x), do: x\nend\n"),
            ("lib/prices.ex", "defmodule Shop.Prices do\n  def total(x), do: x\nend\n"),
            ("lib/text.ex", "defmodule Shop.Text do\n  def trim(x), do: x\nend\n"),
            (
                "test/store_test.exs",
                "defmodule Shop.StoreTest do\n  test \"opens\" do\n    Shop.Store.open(\"a\")\n  end\nend\n",
            ),
        ],
        &[
            ("Shop.Store.open", &["test/store_test.exs:3"]),
            ("Shop.Store.save", &["lib/store.ex:11", "lib/store.ex:6"]),
            ("Shop.Store.hidden", &["lib/store.ex:13"]),
            ("Shop.Item.new", &["lib/store.ex:7"]),
            ("Shop.Util.clean", &["lib/store.ex:6"]),
            ("Shop.Prices.total", &["lib/store.ex:8", "lib/store.ex:9"]),
            ("Shop.Text.trim", &["lib/store.ex:10"]),
        ],
    );
}

#[test]
fn bash_sees_what_it_sources() {
    check(
        &[
            (
                "run.sh",
                "source \"$(dirname \"$0\")/lib/common.sh\"\nmain() {\n  log \"a\" | filter\n}\nmain\ntrap log EXIT\n",
            ),
            ("lib/common.sh", ". ./lib/text.sh\nlog() {\n  echo \"$1\"\n}\n"),
            ("lib/text.sh", "filter() { cat; }\n"),
            ("other/common.sh", "log() {\n  echo other\n}\nlog\n"),
        ],
        &[
            ("lib/common.sh:log", &["run.sh:3"]),
            ("other/common.sh:log", &["other/common.sh:4"]),
            ("filter", &["run.sh:3"]),
            ("main", &["run.sh:5"]),
        ],
    );
}

/// `file:line` of every call, and whether it is a guess.
fn guessed(files: &[(&str, &str)], symbol: &str) -> Vec<(String, bool)> {
    let question = Question::Callers { symbol: symbol.to_owned(), limit: None };
    match Workspace::new(files).atlas().answer(&question).unwrap() {
        Answer::Sites { sites, .. } => {
            sites.iter().map(|site| (format!("{}:{}", site.file, site.line), !site.sure)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_guess_needs_more_than_a_name() {
    let files = [
        (
            "web.py",
            "import other\nclass Request:\n    def json(self): ...\n    def drop_all(self): ...\n    def url_for(self): ...\n",
        ),
        (
            "app.py",
            "import other\ndef go(request, response, thing):\n    response.json()\n    request.json()\n    thing.drop_all()\n\
             \x20   thing.url_for()\n    other.Router().url_for()\n",
        ),
        ("sure.py", "from web import Request\ndef go(thing: Request):\n    thing.json()\n"),
    ];
    // What is sure comes first.
    let expected = [("sure.py:3".to_owned(), false), ("app.py:4".to_owned(), true)];
    assert_eq!(guessed(&files, "Request.json"), expected);
    assert_eq!(guessed(&files, "Request.drop_all"), [("app.py:5".to_owned(), true)]);
    // Others have a member of that name.
    assert_eq!(guessed(&files, "Request.url_for"), []);
}

#[test]
fn what_a_type_inherits_from_elsewhere_gives_what_is_of_elsewhere() {
    let files = [
        (
            "web.py",
            "import other\nclass Client(other.Client):\n    def options(self):\n        return super().options()\n\
             class Response:\n    def json(self): ...\n",
        ),
        (
            "app.py",
            "from web import Client\ndef get():\n    client = Client()\n    response = client.get()\n    response.json()\n\
             \x20   response = client.options()\n    response.json()\n",
        ),
    ];
    assert_eq!(guessed(&files, "Response.json"), []);
}
