// What a person does with the viewer, story by story, and the world they do it in. Stories come in the order in which they
// are told: those that look come before those that change.

import { Browser } from "./browser.mjs";
import * as world from "./world.mjs";
import { House } from "./house.mjs";
import * as changing from "./stories/changing.mjs";
import * as hostility from "./stories/hostility.mjs";
import * as looking from "./stories/looking.mjs";
import * as lasting from "./stories/lasting.mjs";
import * as together from "./stories/together.mjs";

export const STORIES = [
  looking.the_door,
  looking.every_view,
  looking.the_modules,
  looking.on_a_phone,
  looking.in_the_dark,
  looking.by_keyboard,
  looking.what_would_be_said,
  lasting.as_it_happens,
  lasting.the_daemon_comes_back,
  together.agents_together,
  changing.search_and_explain,
  changing.a_memory_is_corrected,
  changing.a_memory_is_forgotten,
  changing.settings,
  hostility.text_is_text,
];

/** What stories share. Houses are built when the first story needs them; every story has people of its own. */
export class World {
  #browser = null;
  #houses = new Map();
  #people = [];
  numbers = [];

  constructor(binary, program) {
    this.binary = binary;
    this.program = program;
  }

  /** A home with this content, and its daemon: the made-up project's day unless said otherwise. */
  async house(fill = world.live) {
    if (!this.#houses.has(fill)) {
      const house = await House.build(this.binary);
      this.#houses.set(fill, house);
      await fill(house);
    }
    return this.#houses.get(fill);
  }

  async #open() {
    this.#browser ??= await Browser.open(this.program);
    return this.#browser;
  }

  /** Somebody with a browser and nothing else. */
  async stranger(house, options) {
    const person = await (await this.#open()).person(await house.origin(), options);
    this.#people.push(person);
    return person;
  }

  /** Somebody who has run `throughline view`. */
  async person(house, options) {
    const person = await this.stranger(house, options);
    await person.page.goto(await house.link());
    await person.page.locator("[data-view]").first().waitFor();
    return person;
  }

  report(line) {
    this.numbers.push(line);
  }

  /** Everything that was seen and must not be; the people go. */
  async leaveStory() {
    const seen = this.#people.flatMap((person) => person.seen);
    await Promise.all(this.#people.map((person) => person.context.close()));
    this.#people = [];
    return seen;
  }

  async end(keep) {
    await this.#browser?.close();
    for (const house of this.#houses.values()) await house.leave(keep);
  }
}
