"""A shop."""
from __future__ import annotations

import os.path
import json as j
from .models import Item, Order as O
from . import prices
from shop.util import *

if TYPE_CHECKING:
    from .audit import Auditor

try:
    import fast
    HAVE_FAST = True
except ImportError:
    fast = None
    HAVE_FAST = False

__all__ = ["Store", "orders"]
LIMIT = 10
_cache: dict[str, Item] = {}
double = lambda x: x * 2
low, (mid, *rest) = 1, (2, 3, 4)
first = second = Store("a")
Key = NewType("Key", str)
Pair: TypeAlias = tuple[Key, Item]
type Rows[T] = list[T]
Point = namedtuple("Point", "x y")

for _name in ("a", "b"):
    def _made(n=_name): return n


class Color(enum.Enum):
    RED = 1
    GREEN = 2


# How an order is kept.
class Store(Base[Item], mixins.Closing, metaclass=Meta):
    """Keeps orders.

    For good.
    """

    path: str = "orders"
    MAX = 5
    key = lambda self: self.path
    if LIMIT:
        extra: Auditor

        def conditional(self): return 1
    else:
        def conditional(self): return 2

    class Options:
        strict: bool = field(default_factory=bool)

    def __init__(self, root: str, items: list[Item] = None, client: "Client" = None, *args: int, **more):
        self.root = root
        self.client = client or Client(root)
        self.items: list[Item] = items or []
        self.low, self.high = 0, args[0]
        self.mode = Fast() if more else Slow()

    @property
    def size(self) -> int:
        return len(self.items)

    @size.setter
    def size(self, value: int) -> None:
        self.items = self.items[:value]

    @classmethod
    def open(cls, path: str) -> Store:
        return cls(path)

    @overload
    def find(self, key: str) -> Item: ...
    @typing.overload
    def find(self, key: int) -> O: ...
    def find(self, key):
        local = CONSTANT = key
        return local

    @abstractmethod
    def close(self): """Says nothing."""

    async def save(self, order: O, *, now: bool = False) -> None:
        def inner(value, depth=LIMIT):
            nonlocal order
            return self._write(value)

        with self.client.begin() as batch, lock() as (a, b):
            batch.put(order)
        async with self.pool as conn:
            await conn.run()
        for item in self.items:
            item.check(LIMIT)
        async for i, row in rows():
            row.check(i)
        names = {k: v.name for k, v in order.pairs() if v}
        await prices.total(order.lines[0].price, key=double, on_done=self._write, *names, **a)
        (await super().save(order)).done.wait()
        inner(order)

    def _write(self, value): ...


@app.route("/orders", methods=["GET"])
@login_required
def orders(request: Request, limit: Optional[Item] = None) -> Response | list[O]:
    """Lists them."""
    global _cache, low
    _cache = Cache()
    store = Store.open(os.path.join("a", "b"))
    handler = orders
    audited = cast("Auditor", store)
    try:
        pass
    except (ValueError, errors.Bad) as e:
        raise Wrapped(e) from e
    except errors.Worse as worse:
        raise worse
    match request:
        case Get(path=p, body=Body() as body): handle(p)
        case [head, *tail] | {"k": head, **tail}: handle(head)
        case Color.RED: pass
    label = f"{store.path} {LIMIT!r}"
    small = [x.size for x in store if x is not low]
    return j.dumps(store.save(request.order()), default=lambda v, *w: v.name)


def test_orders(store):
    if (found := store.find()) is not None:
        assert found.size
    class Local(Store):
        deep = 1
