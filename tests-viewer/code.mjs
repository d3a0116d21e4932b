// The sources of the made-up project: enough that the map of its modules has something to draw. They need not compile; they
// are read by the code map alone.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const lines = (...text) => `${text.join("\n")}\n`;
/** A body, so that files differ in size. */
const body = (name, count) =>
  lines(...Array.from({ length: count }, (_, at) => [`pub fn ${name}_${at}(day: u32) -> u32 {`, `    day + ${at}`, "}"].join("\n")));

const SOURCES = {
  "Cargo.toml": lines("[package]", 'name = "tidewater"', 'version = "0.7.0"', 'edition = "2024"'),
  "src/main.rs": lines("mod booking;", "mod calendar;", "mod db;", "mod mail;", "mod payments;", "mod tides;", "mod waiting;", "mod web;", "", "fn main() {", "    crate::web::routes::serve();", "}"),
  "src/booking/mod.rs": lines("pub mod rules;", "use crate::calendar::days::night;", "use crate::db::berths::lock;", "use crate::payments::client::charge;", "", "/// Takes the berth's lock first.", "pub fn book(berth: u32) -> u32 {", "    rules::allowed(berth);", "    charge(lock(berth) + night(1))", "}") + body("price", 20),
  "src/booking/rules.rs": lines("use crate::tides::table::high_water;", "", "pub fn allowed(berth: u32) -> bool {", "    high_water(berth) > 3", "}") + body("rule", 12),
  "src/calendar/mod.rs": lines("pub mod days;"),
  "src/calendar/days.rs": lines("/// In the harbor's time zone.", "pub fn night(day: u32) -> u32 {", "    day", "}") + body("day", 14),
  "src/db/mod.rs": lines("pub mod berths;", "pub mod pool;"),
  "src/db/berths.rs": lines("use super::pool::connection;", "", "pub fn lock(berth: u32) -> u32 {", "    connection() + berth", "}") + body("berth", 18),
  "src/db/pool.rs": lines("pub fn connection() -> u32 {", "    1", "}") + body("pool", 8),
  "src/mail/mod.rs": lines("pub mod outbox;"),
  "src/mail/outbox.rs": lines("pub fn send(to: u32) -> u32 {", "    to", "}") + body("letter", 9),
  "src/payments/mod.rs": lines("pub mod client;"),
  "src/payments/client.rs": lines("use crate::db::pool::connection;", "", "/// Never without the booking's id.", "pub fn charge(amount: u32) -> u32 {", "    amount + connection()", "}") + body("invoice", 16),
  "src/tides/mod.rs": lines("pub mod table;"),
  "src/tides/table.rs": lines("use crate::calendar::days::night;", "", "pub fn high_water(day: u32) -> u32 {", "    night(day)", "}") + body("tide", 22),
  "src/waiting/mod.rs": lines("use crate::booking::book;", "use crate::mail::outbox::send;", "", "pub fn next(berth: u32) -> u32 {", "    send(book(berth))", "}") + body("entry", 10),
  "src/web/mod.rs": lines("pub mod routes;", "pub mod week;"),
  "src/web/routes.rs": lines("use super::week::table;", "use crate::booking::book;", "use crate::waiting::next;", "", "pub fn serve() -> u32 {", "    book(1) + next(2) + table()", "}") + body("route", 15),
  "src/web/week.rs": lines("use crate::calendar::days::night;", "use crate::db::berths::lock;", "use crate::tides::table::high_water;", "", "pub fn table() -> u32 {", "    lock(1) + night(2) + high_water(3)", "}") + body("cell", 24),
  "page/app.ts": lines('import { week } from "./week/table";', 'import { ask } from "./api/client";', "export const start = () => week(ask());"),
  "page/api/client.ts": lines('import { week } from "../week/table";', "export function ask(): number {", "  return 1;", "}", "export const refresh = () => week(ask());"),
  "page/week/table.ts": lines('import { ask } from "../api/client";', "export function week(of: number): number {", "  return of + ask();", "}"),
};

export async function lay(house) {
  for (const [path, text] of Object.entries(SOURCES)) {
    const whole = join(house.project, path);
    await mkdir(dirname(whole), { recursive: true });
    await writeFile(whole, text);
  }
}
