defmodule Shop.Store do
  @moduledoc """
  Keeps orders.

  For good.
  """
  use GenServer, restart: :temporary
  import Ecto.Query, only: [from: 2]
  alias Shop.{Item, Order}
  alias Shop.Prices, as: P
  alias Shop.Util
  require Logger

  @behaviour Shop.Keeps
  @limit 10

  @typedoc "A store."
  @type t :: %__MODULE__{name: String.t()}
  @typep key(a) :: {atom(), a}
  @callback keep(item :: Item.t()) :: :ok

  defstruct [:name, size: 0]

  schema "stores" do
    field :path, :string
    belongs_to :owner, Shop.Owner
  end

  @doc "Opens it."
  @spec open(String.t(), keyword()) :: t()
  def open(path, opts \\ []) when is_binary(path) do
    store = %__MODULE__{name: path}
    order = Order.new(store)
    {:ok, pid} = start_link(opts)
    double = fn x -> x * 2 end

    path
    |> Util.clean()
    |> save(@limit)
    |> hidden

    Enum.map([1], &hidden/1)
    Enum.each(opts, fn {k, v} -> P.total(k, v) end)

    case order do
      %Order{} = found -> found.name
      nil -> raise ArgumentError, "no #{inspect(order)}"
    end

    with {:ok, a} <- fetch(pid), item <- P.find(a), do: item.price
    for line <- order.lines, do: Util.check(line, double)
    send(self(), {:done, &Util.done/2})
    Shop.Prices.total(1, 2)
    __MODULE__.save(store, 1)
    Logger.info("opened")
  end

  # Nobody's business.
  defp hidden(x), do: x

  def save(item, count)
  def save(%Item{} = item, _count), do: Item.put(item)
  def save(other, count), do: {other, count}

  defmacro debug(expr) do
    quote do: IO.inspect(unquote(expr))
  end

  defguard is_small(x) when x < @limit
  defguardp is_large(x) when not is_small(x)
  defdelegate count(items), to: Util
  def left ++ right, do: Util.join(left, right)

  @impl true
  def handle_call(:size, _from, state), do: {:reply, state.size, state}

  defmodule Failure do
    defexception [:message]

    def exception(_), do: %Failure{message: "failed"}
  end
end

defprotocol Shop.Size do
  @doc "How large it is."
  def size(thing)
end

defimpl Shop.Size, for: Shop.Store do
  def size(store), do: store.size
end

defmodule Shop.StoreTest do
  use ExUnit.Case, async: true

  setup do
    {:ok, store: Shop.Store.open("a")}
  end

  describe "open/2" do
    test "opens it", %{store: store} do
      assert Shop.Size.size(store) == 0
    end
  end
end
