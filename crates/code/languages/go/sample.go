// Package shop keeps orders.
package shop

import (
	"context"
	"fmt"
	. "strings"

	_ "example.com/shop/drivers"
	money "example.com/shop/internal/currency"
	"example.com/shop/store/v2"
)

import "testing"

// Limit is how many orders fit.
const Limit = 10

// States of an order.
const (
	// Open is new.
	Open State = iota
	Paid // has been paid
	Sent
	_
	low, high = 1, 2
)

var Default = &Client{Base: Base{}, name: "x"}

var (
	// registry knows the handlers.
	registry = map[string]Handler{
		"open": HandlerFunc(openOrder),
	}
	errClosed, errFull error
	double             = func(n int) int { return n * 2 }
	hooks              struct {
		before func()
	}
)

type State int

type Orders []*Order

// Handler handles.
type Handler interface {
	fmt.Stringer
	Closer
	// Handle does it.
	Handle(ctx context.Context, o *Order) (*Receipt, error)
	reset()
}

type HandlerFunc func(ctx context.Context, o *Order) (*Receipt, error)

type Number interface {
	~int | ~float64
}

type (
	// Base is embedded.
	Base struct {
		ID   string `json:"id"`
		x, y int
	}
	Closer interface{ Close() error }
	Alias  = store.Store
	List[T any] struct {
		items []T
		next  *List[T]
	}
)

// Client talks to a shop.
type Client struct {
	Base
	*store.Store
	List[Order]
	name     string
	lines    map[string][]*Line // by name
	onClose  func() error
	settings struct {
		Retry int
	}
}

// New makes a client.
func New(name string, options ...Option) (*Client, error) {
	c := &Client{name: name}
	for _, option := range options {
		option(c)
	}
	if err := c.open(); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return c, nil
}

func assembly(a, b *int) bool

func (c *Client) open() error {
	type pair struct {
		left, right string
	}
	p := pair{"a", "b"}
	var visit func(o *Order)
	visit = func(o *Order) {
		visit(o.Parent)
		c.lines[p.left][0].Print()
	}
	c.onClose = func() error { return errClosed }
	c.settings.Retry++
	go visit(nil)
	defer c.Base.Touch(Limit)
	return nil
}

// Add adds to the front.
func (l *List[T]) Add(item T) *List[T] {
	l.items = append(l.items, item)
	return l.Add(item).Add(item)
}

func (Client) Close() error { return nil }

func openOrder(ctx context.Context, o *Order) (receipt *Receipt, err error) {
	client, err := New("shop", WithName(o.Name))
	found, ok := registry["open"]
	closer, ok := found.(Closer)
	left, right := store.Open(), new(money.Amount)
	events := make(chan *Event, high)
	event := <-events
	event.Fire()
	queue := []Order{{Name: "a"}, {Name: "b"}}
	named := map[State]*Order{Open: {Name: "c"}, Paid: nil}
	table := []struct{ Limit int }{{Limit: 1}}
	for i, order := range queue {
		order.Check(i)
	}
	for e := range events {
		e.Fire()
	}
	var total, rest = o.Total(), 1
	var cache *Cache
	switch v := any(o).(type) {
	case *Order:
		v.Check(0)
	case Closer, Handler:
		v.Close()
	default:
		_ = v
	}
	select {
	case e, open := <-client.Events():
		e.Fire()
		_ = open
	case events <- event:
	}
	handler := client.Handle
	sum := Map[int](queue, func(o Order) int { return o.Size })
	sum.Each(handler)
	Sort(queue, less)
	if total > Limit && ok {
		closer.Close()
	}
	left.Put(right, cache.Get(rest), ToUpper("x"))
	wrapped := HandlerFunc(openOrder)
	return wrapped.Handle(ctx, (*Order)(nil))
}

// Map maps.
func Map[T any, R any](in []T, f func(T) R) []R {
	var out []R
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

func TestOpen(t *testing.T) {
	for _, test := range []struct{ name string }{{"a"}} {
		t.Run(test.name, func(t *testing.T) {
			c, err := New(test.name)
			c.open()
			_ = err
		})
	}
}

func BenchmarkOpen(b *testing.B) {}
func ExampleNew()                {}
func Testify(t *testing.T)       {}

type shopSuite struct{}

func (s *shopSuite) TestAll() {}

const (
	first, second = iota, "a"
	third
)

type (
	one struct{ name string }
	two one
)

type point = struct{ x, y int }
