-- Everything about a shop.
CREATE SCHEMA shop;

-- Orders that were placed.
CREATE TABLE IF NOT EXISTS shop.orders (
  id bigint PRIMARY KEY,
  name text NOT NULL DEFAULT 'x', -- what it is called
  paid_at timestamp,
  UNIQUE (name)
);

CREATE VIEW open_orders AS
SELECT *
FROM orders
WHERE paid_at IS NULL;

CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM orders;

CREATE UNIQUE INDEX orders_by_name ON orders (name);

CREATE TYPE state AS ENUM ('open', 'paid');

CREATE SEQUENCE ids;

/* What an order costs. */
CREATE OR REPLACE FUNCTION total(o orders, rate numeric) RETURNS numeric AS $$
BEGIN
  RETURN o.price * rate;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER touch BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();

INSERT INTO orders VALUES (1, 'a');
