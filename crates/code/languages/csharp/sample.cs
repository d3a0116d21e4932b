using System;
using System.Collections.Generic;
using static Shop.Core.Limits;
using Money = Shop.Core.Currency;

namespace Shop.Orders
{
    /// <summary>Keeps orders.</summary>
    [Serializable]
    public abstract partial class Store<T> : Base<T>, IStore, IDisposable where T : Order
    {
        public const int Limit = 10;
        private static readonly Dictionary<string, Order> cache = new() { ["a"] = null };
        private readonly IClient client;
        protected List<Order> orders = new List<Order>(), old;
        public event EventHandler<Order> Added;
        public Func<Order, decimal> Price = o => o.Price;

        /// <summary>How many.</summary>
        public int Count => orders.Count;
        public string Name { get; private set; } = "store";
        internal Order this[int at] => orders[at];

        static Store() { Register("store"); }

        // Makes one.
        public Store(IClient client, params string[] names) : base(client)
        {
            this.client = client;
            foreach (var name in names)
            {
                Add(name);
            }
        }

        public Store() : this(new Client()) { }

        ~Store() { Dispose(); }

        [Transaction(ReadOnly = false)]
        public async Task<Order> Add(string name, int count = Limit)
        {
            var order = new Order(name) { Count = count, Owner = this };
            Order line = order.Lines[0].Check()!;
            var sent = await client.SendAsync<Receipt>(order);
            sent.Confirm();
            base.Add(name);
            this.client.Flush(cache, Convert);
            orders.ForEach(o => o.Check(Twice(o.Count)));
            if (order is Special { IsOpen: true } special && special.Open())
                special.Close();
            if (cache.TryGetValue(name, out var found) || Parse(name, out Order parsed))
                found?.Owner?.Notify(found.Name);
            using (var session = client.Open())
            using (Transaction tx = session.Begin())
            {
                tx.Commit();
            }
            try { order.Save(); }
            catch (StoreException e) when (e.IsFatal) { Log(e.Message); }
            var prices = from o in orders where o.IsPaid select o.Price;
            Func<int, int> twice = n => n * 2;
            int Local(Order other) => other.Count + twice(2);
            var text = order switch
            {
                Special s => s.Name,
                { Count: > 3 } => nameof(Add),
                _ => $"{order.Describe()} {Limit}",
            };
            var (left, right) = Split(order);
            ((Special)order).Close();
            (order as Special)?.Close();
            Added?.Invoke(this, order);
            new Store.Nested().Go();
            Local(line);
            return order;
        }

        protected abstract void Print(Order order);

        public static int Twice(int n) => n * 2;

        public static Store<T> operator +(Store<T> a, Store<T> b) => a;

        void IDisposable.Dispose() { client?.Dispose(); }

        private class Nested
        {
            public int Size;
            public void Go() { }
        }
    }

    public static class OrderExtensions
    {
        public static decimal Total(this Order order, Money.Rate rate) => order.Price * rate.Value;
    }

    public interface IStore : IReadable, IWritable
    {
        int Count { get; }
        Task<Order> Add(string name, int count = 1);
    }

    public enum State : byte
    {
        Open = 1,
        [Obsolete] Paid,
    }

    public record Point(int X, Line Line) : Shape(X), INamed;

    public readonly struct Pair<TLeft>
    {
        public readonly TLeft Left;
    }

    public delegate void Handler(object sender, Order order);

    public class Service(IClient client)
    {
        public void Run() => client.Flush();
    }

    public class StoreTests
    {
        [Fact]
        public void Adds()
        {
            var store = new Store<Order>(null);
            Assert.Equal(1, store.Count);
        }

        [Theory, InlineData(1)]
        public void Twice(int n) { }
    }
}
