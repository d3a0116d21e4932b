-- A shop.
local json = require("json")
local util = require "shop.util"
local split = require("shop.text").split
require("shop.patches")

local LIMIT <const>, depth = 10, 2
local cache
count = 0

--- Where orders are kept.
local Store = {}
Store.__index = Store
Store.version = "1.0"

local Special = setmetatable({}, { __index = Store })

local options = {
  strict = true,
  retries = { 1, 2 },
  on_error = function(err) util.log(err) end,
  ["on done"] = function() end,
  nested = { go = function(self) return self end },
}

--- Adds.
-- Nothing more.
local function add(a, b, ...)
  local sum = a + b
  return sum
end

function Store.new(name, client)
  local self = setmetatable({}, Store)
  self.name = name
  self.client = client or util.Client()
  self.items = {}
  return self
end

-- Saves one.
function Store:save(order)
  for i, line in ipairs(order.lines) do
    line:check(i, LIMIT)
  end
  for i = 1, #self.items do
    add(i, 1)
  end
  self.client:put(order)
  Store.log(self.name)
  count = count + 1
  local double = function(x) return x * 2 end
  local function inner(y) return double(y) end
  return self:close(inner)
end

function Store.pages.first(x)
  return x
end

Store.log = function(text)
  print(json.encode { text = text })
end

function Special:save(order)
  return Store.save(self, order)
end

if util then
  function helper() return add end
end

local store, other = Store.new("a"), util.make()
store.items[1]:go().now()
store:save(options.nested.go)
pcall(add, 1, 2)
table.sort(store.items, function(a, b) return a < b end)

describe("a store", function()
  before_each("each", function() store = Store.new("b") end)
  it("saves", function()
    assert.equal(1, store:save({}))
  end)
end)

return Store
