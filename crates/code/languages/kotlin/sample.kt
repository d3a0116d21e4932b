@file:JvmName("Shops")

package com.example.shop

import com.example.shop.model.Order
import com.example.shop.model.Line as OrderLine
import com.example.shop.limits.*

/** How many orders fit. */
const val LIMIT = 10
private val cache = HashMap<String, Order>()
val double = { n: Int -> n * 2 }

typealias Orders = List<Order>

/**
 * Keeps orders.
 */
@Service("shop")
abstract class Shop<T : Order>(
    private val store: Store,
    var name: String = "shop",
    size: Int,
) : Base<T>(store), Closeable, Named by store {
    private val orders: MutableList<Order> = mutableListOf()
    val count: Int
        get() = orders.size
    lateinit var clock: Clock
    val lazyStore by lazy { Store() }

    init {
        register(size)
    }

    constructor(store: Store) : this(store, "shop", 1) {
        clock = Clock()
    }

    // Adds it.
    @Throws(IOException::class)
    suspend fun add(name: String, vararg lines: OrderLine): Order {
        val order = Order(name, LIMIT)
        val line: OrderLine? = order.lines[0].check()
        line?.save()
        store.orders.put(order)
        this.store.put(order).flush()
        super.add(name)
        orders.forEach { it.print() }
        orders.filter { o -> o.isOpen(name) }.map(Order::price)
        for (one in orders) {
            one.sort(::byPrice)
        }
        for ((key, value) in cache) {
            value.check(key)
        }
        when (val found = store.find(name)) {
            is Special -> found.close()
            in orders -> print(found!!.name)
            else -> log("nothing: $name ${order.describe()}")
        }
        if (order is Special) {
            order.close()
        }
        val special = order as Special
        special.open()
        (order as? Special)?.close()
        try {
            store.open().use { session -> session.commit() }
        } catch (e: StoreException) {
            log(e.message)
        }
        val (left, right) = split(order)
        val twice = fun(n: Int): Int { return n * 2 }
        fun local(other: Order) = other.price + twice(2)
        local(order) to line
        return order
    }

    protected abstract fun print(order: Order)

    fun listen() = store.listen(object : Listener {
        private var heard = 0

        override fun hear(order: Order) {
            heard++
            print(order)
        }
    })

    companion object {
        const val NAME = "shop"
        private val log = Logger()

        @JvmStatic
        fun create(store: Store): Shop<Order> = SmallShop(store)
    }

    enum class State(val code: String) : Coded {
        OPEN("o"),
        PAID("p") {
            override fun isFinal() = true
        };

        open fun isFinal(): Boolean = this == PAID
    }

    interface Visitor<R> : Named {
        val depth: Int
        fun visit(order: Order): R
        fun twice(order: Order) = visit(order)
    }

    inner class Nested {
        val size = count
    }
}

data class Point(val x: Int, val line: OrderLine)

object Registry : Named {
    fun register(size: Int) = Unit
}

fun Order.total(rate: Rate): Money = rate.of(price)

val Order?.isOpen: Boolean
    get() = this != null

class ShopTest {
    @Test
    fun `adds an order`() {
        val shop = Shop.create(Store())
        shop.add("a").total(Rate())
        assertEquals(1, shop.count)
        Registry.register(1)
    }
}
