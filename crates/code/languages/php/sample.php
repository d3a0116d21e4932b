<?php

declare(strict_types=1);

namespace App\Shop;

use App\Contracts\Store as StoreContract;
use App\Models\{Item, Order as O};
use App\Util;
use function App\format;

require_once __DIR__ . '/helpers.php';
include 'legacy.php';

const LIMIT = 10, DEPTH = 2;
define('OLD_LIMIT', 3);
$shop = new Store(new Client());

/** Keeps items. */
interface Keeps extends Counts, \Base\Named
{
    const KIND = 'keeper';

    public function keep(Item $item): ?Item;
}

trait Logs
{
    protected array $lines = [];

    abstract public function name(): string;

    public static function make(): static
    {
        return new static();
    }
}

enum Color: string implements HasLabel
{
    case Red = 'r';
    case Green = 'g';
    const FIRST = self::Red;

    public function label(): string
    {
        return format($this->value);
    }
}

/**
 * Where orders are kept.
 */
#[Entity(table: 'stores')]
abstract class Store extends Base implements Keeps, StoreContract
{
    use Logs, \Audit\Trails;

    public const MAX = 5;
    private static ?Store $one = null;
    public readonly string $path;
    /** Counted by hand. */
    public int $low = 1, $high;

    // Made of its client.
    public function __construct(private readonly Client $client, protected int $size = 0, string ...$rest)
    {
        parent::__construct($size);
        $this->path = $rest[0];
        $this->items = new Items();
        self::$one = $this;
        static::make()->log();
        Util::run($this->client->get('x')->body());
    }

    public function save(O $order, ?callable $done = null): void
    {
        $double = fn (int $x): int => $x * 2;
        $each = function (Item $item) use ($double): void {
            $item->check($double);
        };
        [$first, [$second]] = $order->lines();
        ['key' => $value] = $order->rows;
        foreach ($this->items as $key => $item) {
            $item?->save(self::MAX);
        }
        foreach ($order->lines() as $line) {
            $line->price();
        }
        try {
            \App\flush($order);
        } catch (NotFound $missing) {
            throw new \App\Failure($missing->getMessage());
        } catch (Broken | Late $e) {
            log_it($e, LIMIT, Color::Red);
        }
        $client = $done ?? new Client();
        $client->put("{$this->path} of $value");
        $made = $order instanceof Special ? $order : (new Special())->of($order);
        array_map([$this, 'keep'], $this->items);
        $keeper = $this->keep(...);
        $listener = new class($client) extends Base {
            public function heard(): void
            {
                $this->client->put(1);
            }
        };
        global $shop;
        static $count = 0;
        if (($found = $this->find('a')) !== null) {
            $found->save($order);
        }
    }

    abstract protected function find(string $key = OLD_LIMIT): ?O;

    public static function open(string $path): static|null
    {
        return self::$one ??= new self(new Client($path));
    }
}

if (!function_exists('total')) {
    /** All of them. */
    function total(Item|O $of, iterable $lines): int
    {
        function inner() {}

        return inner() + $of->price;
    }
}

class StoreTest extends TestCase
{
    public function testSave(): void
    {
        $this->assertNull(Store::open('a')->save(new O()));
    }

    #[Test]
    public function itOpens(): void
    {
        $this->store->save(total(...));
    }
}
