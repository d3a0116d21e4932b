// A small greenhouse.
import fs from "node:fs";
import * as path from "node:path";
import type { Sensor, Reading as R } from "./sensor";
import { water, type Valve } from "@green/pipes";
import legacy = require("./legacy");
import Units = path.posix.Units;
import "./polyfills";

export * from "./plants";
export * as soil from "./soil";
export { grow as raise, type Plan } from "./plan";
export { default as Lamp } from "./lamp";
export { R, tick as tock };

/** How warm it may get. */
export const MAX_HEAT = 40;
const limits = {
  low: MAX_HEAT,
  check(value: number): boolean {
    return value < limits.low;
  },
  report: async (r: R) => water(r),
} as const;
let started = false,
  count = 0;
export const { first, second: other } = legacy.pair();
export const handlers = {
  open: water,
  close(valve: Valve) {
    valve.shut();
  },
  fail: function onFail(error: Error) {
    onFail(error);
  },
};

// eslint-disable-next-line no-use-before-define
declare const VERSION: string;
declare function beep(times: number): void;
declare global {
  interface Window {
    house: Greenhouse;
  }
}
declare module "seeds" {
  export function sow(kind: string): Plant;
}

export namespace Rules {
  export const strict = true;
  export function allow(plant: Plant): boolean {
    return strict && plant.alive();
  }
}

export enum Season {
  Spring,
  Summer = "summer",
}

type Id = string | number;
export type Box<T extends Plant> = Shelf<T> & {
  label: string;
  open?(key: Id): T;
};

export interface Plant extends Living, botany.Named<string> {
  readonly id: Id;
  onDry?: (level: number) => void;
  alive(): boolean;
  new (seed: string): Plant;
}

/**
 * Everything that is common.
 * @public
 */
@register("house")
@sealed
export abstract class House<T> extends Base<T> implements Openable, botany.Kept {
  static #count = 0;
  protected readonly plants: Plant[] = [];
  private cache = new Map<string, Plant>();
  declare owner: Person;

  constructor(private readonly valve: Valve, public name = "house", size?: number) {
    super(size);
    this.heater = new Heater(name);
    House.#count++;
  }

  get size(): number {
    return this.plants.length;
  }
  set size(value: number) {
    this.resize(value);
  }

  @logged()
  static async open<U>(file: string, options?: { deep: boolean }): Promise<House<U>> {
    const text = await fs.promises.readFile(path.join("a", file));
    return JSON.parse(text as string) as House<U>;
  }

  find(id: number): Plant;
  find(id: string): Plant | undefined;
  find(id: Id): Plant | undefined {
    return this.plants.find((plant) => plant.id === id);
  }

  abstract close(): void;
  protected abstract reserve: number;

  handle = async (event: CustomEvent<Plant>): Promise<void> => {
    const { detail, type: kind = "none", ...rest } = event;
    await this.#grow(detail!, kind);
    this.valve.open?.(rest);
  };

  #grow(plant: Plant, kind: string) {
    super.grow(plant);
    for (const leaf of plant.leaves) {
      leaf.turn()!.shine(Season.Summer);
    }
    for (const key in plant) log(key);
    try {
      (plant as Tree).bark();
      (<Bush>plant).trim(limits satisfies object);
    } catch (error) {
      beep.call(this, error);
    }
    return [plant].map(describePlant);
  }
}

export class Greenhouse extends mixin(House) {
  private helpers: { clean(): void } = makeHelpers();
}

export const Small = class extends House<Plant> implements Openable {};

const describePlant = (plant: Plant): string => `${plant.id}: ${Season[0]}`;
const slow = debounce((ms: number) => tick(ms), 10);

function* walk(house: House<Plant>): Generator<Plant> {
  yield* house["all"]();
}

/** One step. */
async function tick(ms: number, ...more: number[]): Promise<void> {
  let timer: Timer;
  let heater;
  function inner({ deep, wide: w }: Options, [a, b] = [1, 2]) {
    heater = new Heater();
    started = true;
    return deep(w, a);
  }
  timer = startTimer(inner);
  const { sow } = await import("seeds");
  const lazy = () => import("./lazy");
  if (ms in limits) new botany.Seed(sow, lazy);
  function assertPlant(x: unknown): asserts x is Plant {}
  type Local = typeof limits;
}

export default class {
  run() {}
}

describe("a greenhouse", () => {
  let house: Greenhouse;
  beforeEach(() => {
    house = new Greenhouse();
  });
  it("opens", async () => {
    expect(await house.open("x")).toBe(true);
  });
  it.each([1, 2])("holds %d", (n) => {
    handlers.close(n);
  });
});
