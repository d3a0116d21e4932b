// A shop.
import Foundation
import struct Shop.Order
@testable import Core

/// How many orders fit.
let limit = 10
private var hidden: [String: Order] = [:]
typealias Orders = [Int: Order]

/// Keeps orders.
///
/// For good.
@MainActor
public final class Store<T: Keep>: Base, Codable {
  static let shared = Store()
  private(set) var items: [Item] = []
  let clock: Clock?
  lazy var queue: Queue = { Queue(label: "a") }()
  var count: Int { items.count }
  var name: String {
    get { hiddenName }
    set { hiddenName = newValue }
  }
  @Published private var state = State.open

  init(root: URL, items: [Item] = []) throws {
    self.root = root
    super.init()
  }
  convenience init?(id: Int) { self.init(root: id) }
  deinit { close() }

  // Keeps one.
  public func save(_ order: Order, to path: String) async throws -> Outcome {
    guard let found = find(order.id) else { throw StoreError.missing(limit) }
    if let next = self.next, next.isOpen { next.forward(order) }
    for item in items where item.ok { item.check(limit) }
    let line = order.lines.first!.price
    let client = Client(name: "x")
    let other: Client = Store<Cake>(id: 1).client
    try await client.send(order)
    items[0].touch()
    items.map { $0.id }.forEach { id in use(id) }
    let double = { (x: Int) -> Int in x * 2 }
    switch state {
    case .open(let reason): reason.explain()
    case let .closed(why): why.explain()
    default: break
    }
    (found as! Derived).derive(with: double(line), handler: onDone)
    let chosen = cache?.value(for: path) ?? make()
    func inner(value: Int) -> Int { value + 1 }
    do { try risky() } catch let problem { report(problem, inner(value: 1)) }
    return Outcome.kept
  }

  class func make() -> Store { Self.shared }
  static func open(id: Int) -> Store? { nil }
  subscript(index: Int) -> Item { items[index] }
  static func == (a: Store, b: Store) -> Bool { a.name == b.name }

  enum State {
    case open, closed(Int)
    case late(by: Int)
  }
  private struct Inner { var x = 0, y: Int }
  typealias ID = Int
}

extension Store: Equatable where T: Hashable {
  func extra() { save(hidden, to: limit) }
  static var empty: Store { shared }
}

protocol Keep: AnyObject {
  associatedtype Failure
  var key: Int { get }
  func label() -> String
  init(x: Int)
  static func of() -> Self
}

actor Counter { var n = 0 }
fileprivate func free(a: Int..., b: inout Int) {}

#if DEBUG
func debug() { print("\(limit)") }
#endif

class StoreTests: XCTestCase {
  func testSave() { XCTAssertEqual(Store.open(id: 1), nil) }
}

@Test func keeps() { #expect(limit == 10) }
