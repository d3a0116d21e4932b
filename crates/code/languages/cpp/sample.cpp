// A shop.
#include <memory>
#include "store/order.hpp"

#define SHOP_CHECK(order) shop::check((order), LIMIT)

namespace fs = std::filesystem;
using namespace std::literals;
using std::vector;

namespace shop::core {

constexpr int kLimit = 10;
static int hidden = 3;
using Orders = std::map<int, Order>;
typedef struct { int x, y; } Point;

/// Keeps orders.
template <typename T>
class Store : public Base<T>, private detail::Lock {
public:
  Store() : root_("a"), Base<T>(2) {}
  explicit Store(const std::string &root);
  virtual ~Store();
  Store &operator=(const Store &other) = default;
  bool operator==(const Store &other) const { return root_ == other.root_; }
  operator bool() const;
  static Store open(int id);
  // What it is worth.
  virtual Money worth(const Order &order, int depth = 1) const = 0;
  template <class U>
  void each(U visit) { visit(*this); this->lock(); check(first()); }

  enum class State { Open, Closed };
  struct Inner { int z = 3; };
  using value_type = T;

private:
  int *count_ = nullptr;
  std::string root_;
  std::unique_ptr<Client> client_;
  std::vector<Order *> orders_;
  static constexpr int kMax = 5;
  std::function<void(int)> done_;
};

template <typename T>
Store<T>::Store(const std::string &root) : root_(root) { init<T>(root_); }

template <typename T>
Money Store<T>::worth(const Order &order, int depth) const {
  auto client = std::make_unique<Client>(order.id);
  Client other(3), third{4};
  Order *made = new Order(depth);
  auto line = order.lines().front();
  client->send(made, &hidden, other.get<int>(1));
  detail::inner::audit(*made);
  Order::create(1).seal();
  static_cast<Derived *>(made)->derive();
  for (const auto &order : orders_) order->check(kLimit);
  for (int i = 0; i < kMax; ++i) client_->ping(i);
  auto [low, high] = range();
  if (auto found = find(3); found) found->touch();
  auto twice = [&, n = made->id](Money money) -> Money { return money * n; };
  std::sort(orders_.begin(), orders_.end(), [](auto &a, auto &b) { return a.less(b); });
  try {
    throw Error("late");
  } catch (const std::exception &error) {
    error.what();
  }
  on_done(&Store::close, twice, on_change);
  return done_ ? twice(line.price) : Money{};
}

shop::Client::~Client() { close(); }

bool operator<(const Order &a, const Order &b) { return a.id < b.id; }

#ifdef SHOP_DEBUG
void dump(const Store<int> &store);
#endif

} // namespace shop::core

extern "C" int shop_open(const char *path) { return open(path); }

TEST(StoreTest, KeepsOrders) {
  EXPECT_EQ(shop::core::Store<int>::open(1), 2);
}
