//! Who calls what where files say which package they belong to: Java, Kotlin, Scala, C#.

use crate::workspace::callers;

#[test]
fn java_is_followed_over_packages_fields_and_classes_without_a_name() {
    let files = [
        (
            "src/com/shop/Store.java",
            "package com.shop;

public class Store extends Base {
    public Store(String name) {
        super(name);
    }
    public Store put(String name) { return this; }
    public static Store open() { return new Store(\"a\"); }
    static class Inner { void go() {} }
}
",
        ),
        (
            "src/com/shop/Base.java",
            "package com.shop;

class Base {
    Base(String name) {}
    void log() {}
}
",
        ),
        (
            "src/com/app/App.java",
            "package com.app;

import static com.shop.Store.open;
import com.shop.Store;

class App {
    private final Store store = new Store(\"b\");

    void run() {
        store.put(\"a\").put(\"b\");
        open().log();
        new Store.Inner().go();
        Runnable task = new Runnable() {
            public void run() {
                store.put(\"c\");
                other();
            }
        };
        com.shop.Store.open();
        var later = Store.open();
        later.put(\"d\");
    }

    void other() {}
}
",
        ),
    ];
    let app = "src/com/app/App.java";
    let at = |lines: &[u32]| lines.iter().map(|line| format!("{app}:{line}")).collect::<Vec<_>>();
    // Two on one line are told apart by their columns.
    assert_eq!(callers(&files, "Store.put"), at(&[10, 10, 15, 21]));
    assert_eq!(callers(&files, "Store.open"), at(&[11, 19, 20]));
    assert_eq!(callers(&files, "Base.log"), at(&[11]));
    assert_eq!(callers(&files, "Inner.go"), at(&[12]));
    assert_eq!(callers(&files, "App.other"), at(&[16]));
    assert_eq!(callers(&files, "src/com/shop/Base.java:4"), ["src/com/shop/Store.java:5"]);
}

#[test]
fn kotlin_has_companions_extensions_and_functions_of_a_package() {
    let files = [
        (
            "Shop.kt",
            "package shop

class Shop(store: Store, val name: String) {
    val kept = store.open()
    fun add(order: Order) = order.total(2)
    companion object {
        fun create(): Shop = Shop(Store(), \"a\")
    }
}

class Store { fun open() = 1 }
class Order

fun Order.total(rate: Int): Int = rate
fun helper(shop: Any) {
    if (shop is Shop) {
        shop.add(Order())
    }
}
",
        ),
        (
            "Main.kt",
            "import shop.Order
import shop.Shop
import shop.helper as help

fun main() {
    val made = Shop.create()
    made.add(Order())
    help(made)
    Order().total(1)
}
",
        ),
    ];
    assert_eq!(callers(&files, "Shop.create"), ["Main.kt:6"]);
    assert_eq!(callers(&files, "Shop.add"), ["Main.kt:7", "Shop.kt:17"]);
    assert_eq!(callers(&files, "Order.total"), ["Main.kt:9", "Shop.kt:5"]);
    assert_eq!(callers(&files, "helper"), ["Main.kt:8"]);
    assert_eq!(callers(&files, "Store.open"), ["Shop.kt:4"]);
}

#[test]
fn scala_has_companions_beside_their_classes() {
    let files = [
        (
            "Shop.scala",
            "package shop

class Shop(store: Store) {
  def add(name: String): Shop = { store.put(name); this }
}

object Shop {
  def create(): Shop = new Shop(new Store)
}

class Store {
  def put(name: String): Unit = ()
}
",
        ),
        (
            "Main.scala",
            "package app

import shop.{Shop, Store => Kept}

object Main {
  def main(): Unit = {
    val made = Shop.create()
    made.add(\"a\").add(\"b\")
    val kept: Kept = new Kept
    kept.put(\"c\")
  }
}
",
        ),
    ];
    assert_eq!(callers(&files, "Shop.create"), ["Main.scala:7"]);
    assert_eq!(callers(&files, "Shop.add"), ["Main.scala:8", "Main.scala:8"]);
    assert_eq!(callers(&files, "Store.put"), ["Main.scala:10", "Shop.scala:4"]);
}

#[test]
fn csharp_has_parts_extensions_and_namespaces_in_each_other() {
    let files = [
        (
            "Store.cs",
            "namespace Shop\n{\n    public partial class Store\n    {\n        public void Save() { Flush(); }\n    }\n}\n",
        ),
        ("Store.Flush.cs", "namespace Shop;\n\npublic partial class Store\n{\n    void Flush() {}\n}\n"),
        (
            "Text.cs",
            "namespace Shop.Text;\n\npublic static class Words\n{\n    public static int Count(this Store store) { store.Save(); return 1; }\n}\n",
        ),
        (
            "App.cs",
            "using Shop;
using Shop.Text;

class App
{
    private readonly Store store = new();

    void Run()
    {
        store.Count();
        this.store?.Save();
        if (Find() is Store found) found.Save();
    }

    object Find() => null;
}
",
        ),
    ];
    assert_eq!(callers(&files, "Store.Save"), ["App.cs:11", "App.cs:12", "Text.cs:5"]);
    assert_eq!(callers(&files, "Store.Flush"), ["Store.cs:5"]);
    assert_eq!(callers(&files, "Store.Count"), ["App.cs:10"]);
}
