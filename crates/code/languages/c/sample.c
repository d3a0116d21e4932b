/* A shop. */
#include <stdio.h>
#include "store/order.h"

#ifndef LIMIT
#define LIMIT 10
#endif
#define EMPTY
/* The larger one. */
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SEAL(o) do { \
    order_seal((o), LIMIT); \
    log_line(#o); \
  } while (0)
#define DEFINE(name) static int name##_get(void) { return fetch(name); }

/** How an order is kept. */
struct order {
  int id;
  struct line *lines, first;
  int (*check)(struct order *self, int strict);
  union { long whole; char parts[8]; } bits;
  unsigned open : 1;
  struct { int x; } at;
};

typedef struct order order_t;
typedef struct store {
  order_t *orders[LIMIT];
  const struct clock *clock;
} store_t, *store_ref;
typedef struct { int x, y; } point;
typedef enum { RED, GREEN = 4 } color;
typedef int (*visit_fn)(order_t *, void *);
enum state { OPEN, /* no more */ CLOSED };
union value { int number; char *text; };

extern int count;
static int hidden = 3, *other;
const char *const names[] = { "a", "b" };
static visit_fn visitors[] = { visit_one, &visit_two };
static const struct ops ops = { .open = store_open, .close = NULL };

int order_seal(order_t *order, int strict);
static inline void log_line(const char *text, ...) __attribute__((format(printf, 1, 2)));
void (*on_signal(int sig, void (*handler)(int)))(int);

#ifdef HAVE_CLOCK
// The time now.
static long now(void) { return clock_read()->seconds; }
#else
static long now(void) { return 0; }
#endif

/* Keeps it. */
int
order_seal(order_t *order, int strict)
{
  struct line *line = order->lines;
  store_t store = { 0 }, *ref = store_open("a", LIMIT);
  visit_fn visit = visitors[0];
  static int calls;
  extern int late(void);

  calls++;
  for (int i = 0; i < LIMIT; i++) {
    line[i].price = MAX(price_of(&line[i]), hidden);
    ref->orders[i]->check(order, strict);
  }
  SEAL(order);
  if (order->at.x == RED && (*order->check)(order, 1))
    goto out;
  switch (store.orders[0]->id) {
  case GREEN: visit(order, (void *)ref->clock); break;
  }
  qsort(order->lines, 3, sizeof(struct line), compare_lines);
  ((struct order *)ref)->check(order, now());
out:
  return late() + ((point){ 1, 2 }).x;
}

/* As it was written once. */
static int
old_style(a, b)
  int a;
  char *b;
{
  return b[a];
}

struct node *make_node(void) { return NULL; }

static void test_orders(void) { order_seal(0, 1); }
