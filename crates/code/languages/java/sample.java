/* Shops. */
package com.example.shop;

import static com.example.shop.Prices.total;
import static com.example.shop.Limits.*;
import com.example.shop.model.Order;
import java.util.*;
import java.util.function.Function;

/**
 * Keeps orders.
 */
@Service("shop")
public abstract class Shop<T extends Order> extends Base<T> implements Closeable, Comparable<Shop<T>> {
    public static final int LIMIT = 10;
    private static final String[] NAMES = {"a", "b"};
    static final Logger log = Logger.of(Shop.class);
    private final Store store;
    protected Map<String, List<Order>> orders = new HashMap<>(), old;
    private final Comparator<Order> byPrice = (a, b) -> a.price() - b.price();
    @Inject Clock clock;

    static {
        register("shop");
    }

    // Makes one.
    @Inject
    public Shop(Store store, @Named("x") String... names) {
        super(store);
        this.store = store;
        for (String name : names) {
            add(name);
        }
    }

    Shop() {
        this(new Store());
    }

    /** Adds it. */
    @Override
    @Transactional(readOnly = false)
    public <R> Optional<R> add(final String name) throws IOException {
        Order order = new Order(name, LIMIT);
        var line = order.lines().get(0).check();
        line.save();
        store.orders.put(order);
        this.store.put(order).flush();
        super.add(name);
        orders.get(name).forEach(this::print);
        Function<Order, Integer> price = o -> o.price() + total(o);
        List<String> names = order.stream().map(Order::getName).toList();
        for (var one : orders.values()) {
            one.sort(byPrice);
        }
        if (order instanceof Special special && special.isOpen()) {
            special.close();
        }
        try (Session session = store.open(); var tx = session.begin()) {
            tx.commit();
        } catch (StoreException | IOException e) {
            log.warn(e.getMessage(), NAMES[0].trim());
        }
        String text = switch (order) {
            case Special s when s.isOpen() -> s.name();
            case Point(int x, Line l) -> l.name();
            default -> null;
        };
        ((Special) order).close();
        store.find(name).orElseThrow().close();
        return Optional.empty();
    }

    protected abstract void print(Order order);

    static int twice(int n) {
        return n * 2;
    }

    public int compareTo(Shop<T> other) {
        Runnable task = new Runnable() {
            private int runs;

            @Override
            public void run() {
                runs++;
                print(null);
                Shop.twice(runs);
            }
        };
        task.run();
        Map.Entry<String, Order> entry = new AbstractMap.SimpleEntry<>("a", null);
        class Local {
            void go() {
                compareTo(null);
            }
        }
        new Local().go();
        return Integer.compare(LIMIT, other.size);
    }

    /** A state. */
    public enum State implements Named {
        OPEN("o"),
        PAID("p") {
            @Override
            boolean isFinal() {
                return true;
            }
        };

        private final String code;

        State(String code) {
            this.code = code;
        }

        boolean isFinal() {
            return this == PAID;
        }
    }

    record Point(int x, Line line) implements Named {
        Point {
            check(x);
        }

        static Point origin() {
            return new Point(0, null);
        }
    }

    private interface Visitor<R> extends Named, Closeable {
        int DEPTH = 3;

        R visit(Order order);

        default R twice(Order order) {
            visit(order);
            return visit(order);
        }
    }

    static class Nested {
        int size;
    }
}

@interface Named {
    String value() default "";
}

class ShopTest {
    @Test
    void adds() {
        var shop = new Shop.Nested();
        assertEquals(1, shop.size);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void twice(int n) {}
}
