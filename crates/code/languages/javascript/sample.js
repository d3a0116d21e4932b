#!/usr/bin/env node
"use strict";
// A small harbor.
const fs = require("fs");
const { join, sep: slash } = require("node:path");
const dock = require("./dock").default;
require("./register");
import Radio, { call as hail } from "./radio.js";
import * as tides from "./tides.mjs";

/**
 * A ship of the old school.
 * @param {string} name
 */
function Ship(name, crew = [], ...cargo) {
  Hull.call(this, name);
  this.name = name;
  this.log = new Log(name);
  this.signal = function () {
    return this.log.last();
  };
}
Ship.count = 0;
Ship.build = function build(name) {
  return build.cache[name] || new Ship(name);
};
Ship.prototype.sail = async function sail(to) {
  const { wind, tide: t = 0 } = await tides.read(to);
  for (const sailor of this.crew) sailor.work(wind, t);
  return this.sail.bind(this);
};
Ship.prototype.speed = 0;
Object.assign(Ship.prototype, {
  turn(degrees) {
    helm[degrees]();
  },
  stop: () => drop("anchor"),
});
Boat.prototype = {
  row: function (strokes) {},
};

class Harbor extends docks.Base {
  #berths = new Map();
  static open = true;
  name;
  onArrive = (ship) => this.#moor(ship);

  constructor(name, { size = 10, pilots } = {}) {
    super(name);
    this.radio = new Radio(name);
    this.size = size;
    pilots.forEach(wake);
  }

  static #count = 0;
  static of(name) {
    return new this(name);
  }
  get busy() {
    return this.#berths.size > this.size;
  }
  set busy(value) {}
  async *ships() {
    yield* this.#berths.values();
  }
  #moor(ship) {
    super.moor(ship);
    this.radio?.hail?.(ship.name);
    this.#berths.get(ship.name)?.free();
  }
  ["call" + 1]() {}
  static {
    Harbor.#count = 1;
  }
}

const signals = {
  red: "stop",
  green: hail,
  wave,
  blink(times) {
    return signals.red + times;
  },
  async shout() {},
  "long-horn": function () {},
  get last() {
    return this.red;
  },
};
var loud = true,
  whistle = (n) => n * 2;
let wave;
wave = () => hail(whistle);
export const quiet = memo(function Quiet({ on, children }) {
  const [open, setOpen] = useState(false);
  const toggle = useCallback(() => setOpen(!open), [open]);
  return (
    <Panel.Head title={slash} onClick={toggle} {...on}>
      <Harbor.Icon />
      {children.map((child) => <Berth key={child.id} render={wave} />)}
      <div className="x">{open && <Lamp />}</div>
    </Panel.Head>
  );
});

export function* ports(list) {
  const local = { close() {} };
  if (list.length) {
    function inner() {}
    inner();
  }
  fs.readFile(join(list[0], "a"), function onRead(error, text) {
    if (error) throw new Error(`${error.message} in ${local}`);
    tides.parse(text);
  });
  import("./late.js").then((late) => late.start());
}

exports.LIMIT = 3;
exports.hail = hail;
exports.moor = function (ship) {};
exports.Tug = class extends Ship {};
exports.charts = require("./charts");
module.exports.north = (require("./compass"), 1);
module.exports = {
  Ship,
  harbor: Harbor,
  load(cargo) {
    return dock(cargo);
  },
  unload: async (cargo) => cargo,
  maps: require("./maps"),
  ...require("./more"),
};
export { whistle as default };

test("a ship sails", async (t) => {
  const ship = new Ship("Ann");
  await t.test("and stops", () => ship.stop());
});
