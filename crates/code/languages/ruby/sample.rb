# frozen_string_literal: true

require "json"
require_relative "../lib/audit"
autoload :Ledger, "shop/ledger"

# A shop.
module Shop
  VERSION = "1.0"
  MAJOR, MINOR, *REST = VERSION.split(".")

  # What is wrong with an order.
  class Failure < StandardError; end
  Missing = Class.new(Failure)

  Line = Struct.new(:item, :count) do
    def price = item.price * count
  end

  # Keeps orders.
  class Store < Base::Thing
    include Comparable
    extend Forwardable, Audit::Trail

    LIMIT = 10
    DOUBLE = ->(x) { x * 2 }

    attr_accessor :name, :size
    attr_reader "path"
    has_many :orders, dependent: :destroy
    scope :recent, -> { where(fresh: true) }
    delegate :total, :tax, to: :ledger
    before_save :check_limit, if: :strict?

    # Made of a name.
    def initialize(name, *rest, client: nil, **options, &done)
      super()
      @name = name
      @client = client || Client.new(name)
      @ledger ||= Ledger::Book.new
      @@count = 0
      $shop = self
      low, (high, *others) = rest
      self.size = others.size
    end

    def self.open(path)
      new(path).tap { |store| store.load! }
    end

    class << self
      attr_accessor :config

      def build(items:)
        items.each { |item, (a, b)| item.check!(a, b) }
        items.map(&:name)
      end
    end

    def save(order)
      order.lines.each do |line|
        @client.put(line)
      end
      prices = Shop::Prices.total(order, LIMIT)
      double = lambda { |x| x * 2 }
      handler = method(:check_limit)
      notify prices, handler
      begin
        @client.flush
      rescue Failure, Audit::Broken => e
        raise Missing.new("no #{e.message} of #{path}")
      end
      for row in rows do row.write end
      case order
      in {state: Symbol => state, lines: [first, *]} then first.item
      in Line then order.price
      end
      yield order if block_given?
      super
    end

    def <=>(other)
      size <=> other.size
    end

    def path=(value)
      @path = value
    end

    alias to_str path
    alias_method :store!, :save
    define_method(:rows) { |from = 0| client.rows[from].all }

    private

    def check_limit?
      size > LIMIT
    end

    public def total_of(order) = order.total
    private def hidden; end
  end
end

class Shop::Prices
  def self.total(order, limit) = order.lines.sum(&:price)
end

def greet(person = "you")
  puts "hello, #{person}"
end

task :import, [:path] => :environment do |_, args|
  Shop::Store.open(args.path).save(greet)
end

task deploy: :import do
  greet
end

RSpec.describe Shop::Store do
  let(:store) { described_class.new("a") }

  context "when it is empty" do
    it "has no size" do
      expect(store.size).to eq(0)
    end
  end
end

class StoreTest < Minitest::Test
  def setup
    @store = Shop::Store.new("b")
  end

  def test_save
    assert @store.save(nil)
  end

  test "saves" do
    greet
  end
end
