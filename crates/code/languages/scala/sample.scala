package com.example.shop

import com.example.shop.model.{Line, Order => O, _}
import com.example.util.Clock, com.example.limits._

/** Keeps orders. */
@Service
abstract class Shop[T <: O](val store: Store, name: String = "shop")(implicit clock: Clock)
    extends Base[T](store)
    with Named {
  private val orders: ListBuffer[O] = ListBuffer.empty
  lazy val client = new Client(name)
  var count = 0
  val (left, right) = split(name)
  val double = (n: Int) => n * 2
  type Orders = List[O]

  def this(store: Store) = this(store, "shop")

  // Adds it.
  @throws[IOException]
  def add(name: String, lines: Line*): Option[O] = {
    val order = new O(name, Shop.Limit)
    order.lines.head.check
    client.send[Receipt](order).confirm()
    this.store.put(order)
    super.add(name)
    orders.foreach(o => o.print(name))
    orders filter isOpen
    orders.map(_.price).sum
    for {
      one <- orders
      price = one.price
      (key, value) <- Shop.cache
    } yield price.of(key)
    order match {
      case s: Special => s.close()
      case Point(x, line) => line.draw(x)
      case found @ O(_) => found.open()
      case Nothing => log(s"$name ${order.describe}")
    }
    def local(other: O): Int = twice(other.count) + count
    local(order)
    Some(order)
  }

  protected def print(order: O): Unit

  def listen(): Unit = store.listen(new Listener {
    private var heard = 0
    override def hear(order: O): Unit = {
      heard += 1
      print(order)
    }
  })
}

object Shop {
  val Limit = 10
  private val cache = Map.empty[String, O]
  def apply(store: Store): Shop[O] = new SmallShop(store)
  private def twice(n: Int): Int = n * 2

  object Nested {
    val size = 1
  }
}

sealed trait Shape extends Named {
  def area: Double
}
case class Point(x: Int, line: Line) extends Shape {
  def area = 0.0
}
case object Empty extends Shape

enum State(val code: String):
  case Open extends State("o")
  case Paid(by: String)
  def isFinal: Boolean = this == State.Open

extension (order: O)
  def total(rate: Rate): Money = rate.of(order.price)

given ordering: Ordering[O] = Ordering.by(_.price)

val version: String = "1"
def helper(n: Int) = Shop.apply(null).add("x")

class ShopSuite extends FunSuite {
  test("adds an order") {
    val shop = Shop(new Store)
    shop.add("a").get.total(Rate())
    assert(shop.count == 1)
  }
}
