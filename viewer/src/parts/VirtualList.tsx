// A list of any length that draws only what is seen. Rows have heights known before they are drawn, so a jump to row
// 90,000 measures nothing. One row is in the tab order (roving focus) and stays drawn while it has the focus, however far
// the list is scrolled.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { typing } from "../keys";

/** Rows drawn beyond each edge, so that a flick of the wheel meets drawn rows. */
const BEYOND = 8;
/** Browsers stop laying out boxes somewhere above 16 million pixels; a longer list is scrolled proportionally. */
const TALLEST_PX = 8_000_000;
/** Drawn before the list knows its own height. */
const FIRST_HEIGHT_PX = 900;

export interface VirtualListProps<T> {
  /** What the list is, for those who hear it. */
  label: string;
  count: number;
  /** Row height in pixels; a function for lists of mixed rows (kept in an array, so for some ten thousand rows). */
  height: number | ((index: number) => number);
  at: (index: number) => T | undefined;
  id: (item: T, index: number) => string;
  row: (item: T, index: number) => ComponentChildren;
  /** A row with an address is a link; without one it is a button that calls `open`. `null` makes it plain text. */
  href?: (item: T, index: number) => string | null;
  open?: (item: T, index: number) => void;
  /** Beside the link or button, for controls of their own (a checkbox, a menu). */
  lead?: (item: T, index: number) => ComponentChildren;
  trail?: (item: T, index: number) => ComponentChildren;
  /** The chosen row, where the list shows details of one. */
  chosen?: number | undefined;
  /** Called when the keyboard or a click moves to a row. */
  moved?: (item: T, index: number) => void;
  look?: (from: number, to: number) => void;
  /** Stays at the end while rows are added there. */
  follow?: boolean;
  /** The person scrolled; `end` says whether the end is seen. */
  scrolled?: (end: boolean) => void;
  /** Takes j and k from the whole window, not only from a focused row. */
  global?: boolean;
  class?: string;
  /** Given a way to scroll the list from outside. */
  handle?: (list: ListHandle) => void;
}

export interface ListHandle {
  /** Scrolls a row into the middle and makes it the one in the tab order. */
  show: (index: number, focus?: boolean) => void;
  end: () => void;
}

interface View {
  top: number;
  height: number;
}

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { count, height, look, follow = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ top: 0, height: FIRST_HEIGHT_PX });
  const [active, setActive] = useState(0);
  const [, redraw] = useState(0);
  const focusing = useRef(false);
  const atEnd = useRef(true);
  const ours = useRef(-1);

  const tops = useTops(count, height);
  const full = tops.top(count);
  const canvas = Math.min(full, TALLEST_PX);
  const scale = full > canvas ? (full - view.height) / Math.max(1, canvas - view.height) : 1;
  const from = view.top * scale;
  const first = Math.max(0, tops.row(from) - BEYOND);
  const last = Math.min(count - 1, tops.row(from + view.height) + BEYOND);
  const current = Math.min(props.chosen ?? active, Math.max(0, count - 1));

  const read = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const top = element.scrollTop;
    setView((old) => (old.top === top && old.height === element.clientHeight ? old : { top, height: element.clientHeight }));
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    read();
    const observer = new ResizeObserver(() => {
      read();
      if (follow && atEnd.current) toEnd();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [read, follow]);

  useEffect(() => look?.(first, last + 1), [first, last, count, look]);

  const toEnd = () => {
    const element = box.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    ours.current = element.scrollTop;
    read();
  };
  useLayoutEffect(() => {
    if (follow) toEnd();
  }, [follow, count, full]);

  const reveal = (index: number, middle = false) => {
    const element = box.current;
    if (!element) return;
    const start = tops.top(index) / scale;
    const end = tops.top(index + 1) / scale;
    if (middle) element.scrollTop = start - (element.clientHeight - (end - start)) / 2;
    else if (start < element.scrollTop) element.scrollTop = start;
    else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
    read();
  };

  const move = (index: number, focus = true) => {
    const next = Math.max(0, Math.min(count - 1, index));
    if (count === 0) return;
    setActive(next);
    focusing.current = focus;
    // The row may be the active one already and still lack the focus.
    redraw((n) => n + 1);
    reveal(next);
    const item = props.at(next);
    if (item !== undefined) props.moved?.(item, next);
  };

  // The row that was moved to exists after drawing; only then can it take the focus.
  useLayoutEffect(() => {
    if (!focusing.current) return;
    const target = box.current?.querySelector<HTMLElement>(`[data-index="${current}"] .row-main`);
    if (!target) return;
    focusing.current = false;
    target.focus({ preventScroll: true });
  });

  useEffect(() => {
    props.handle?.({
      show: (index, focus = false) => {
        setActive(index);
        focusing.current = focus;
        reveal(index, true);
      },
      end: toEnd,
    });
  });

  const page = Math.max(1, Math.floor(view.height / Math.max(1, full / Math.max(1, count))) - 1);
  const steps: Record<string, (now: number) => number> = {
    ArrowDown: (at) => at + 1,
    ArrowUp: (at) => at - 1,
    j: (at) => at + 1,
    k: (at) => at - 1,
    PageDown: (at) => at + page,
    PageUp: (at) => at - page,
    Home: () => 0,
    End: () => count - 1,
  };
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const inside = box.current?.contains(document.activeElement) ?? false;
    move(inside || props.chosen !== undefined ? step(current) : entry());
  };
  /** Where the keyboard enters the list: at the row it left, if that is still seen, else at the first one that is. */
  const entry = () => {
    if (follow) return count - 1;
    const [top, bottom] = [tops.top(current), tops.top(current + 1)];
    return top >= from && bottom <= from + view.height ? current : tops.row(from + tops.top(1));
  };
  const pressed = useRef(press);
  pressed.current = press;
  useEffect(() => {
    if (!props.global) return;
    const window_ = (event: KeyboardEvent) => {
      if (!["j", "k", "ArrowDown", "ArrowUp"].includes(event.key) || document.querySelector("dialog[open]")) return;
      const target = event.target;
      // Arrow keys belong to whatever has the focus, unless nothing has.
      if (event.key.startsWith("Arrow") && target !== document.body && target !== document.documentElement) return;
      pressed.current(event);
    };
    window.addEventListener("keydown", window_);
    return () => window.removeEventListener("keydown", window_);
  }, [props.global]);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    read();
    atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    // Our own scrolling to the end is no wish of the person.
    if (Math.abs(element.scrollTop - ours.current) > 1) props.scrolled?.(atEnd.current);
    ours.current = -1;
  };

  const shown: number[] = [];
  for (let index = first; index <= last; index += 1) shown.push(index);
  if (count > 0 && (current < first || current > last)) shown.push(current);

  return (
    <div
      class={`list ${props.class ?? ""}`}
      ref={box}
      role="list"
      aria-label={props.label}
      tabIndex={count === 0 ? undefined : -1}
      onScroll={onScroll}
      onKeyDown={press}
    >
      <div class="list-canvas" role="presentation" style={{ height: `${canvas}px` }}>
        {shown.map((index) => (
          <Row
            key={index}
            list={props}
            index={index}
            top={tops.top(index) - from + view.top}
            height={tops.top(index + 1) - tops.top(index)}
            current={index === current}
            chosen={index === props.chosen}
            choose={() => {
              setActive(index);
              const item = props.at(index);
              if (item !== undefined) props.moved?.(item, index);
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps<T> {
  list: VirtualListProps<T>;
  index: number;
  top: number;
  height: number;
  current: boolean;
  chosen: boolean;
  choose: () => void;
}

function Row<T>({ list, index, top, height, current, chosen, choose }: RowProps<T>) {
  const style = { transform: `translateY(${top}px)`, height: `${height}px` };
  const item = list.at(index);
  const place = { "aria-setsize": list.count, "aria-posinset": index + 1 };
  if (item === undefined) {
    return (
      <div class="row" role="listitem" style={style} data-index={index} {...place}>
        <span class="row-main row-waiting" tabIndex={current ? 0 : -1} aria-label="loading">
          <span class="bone" />
        </span>
      </div>
    );
  }
  const href = list.href?.(item, index);
  const main = { class: "row-main", tabIndex: current ? 0 : -1, "aria-current": chosen ? ("true" as const) : undefined };
  const plain = href === null || (href === undefined && !list.open);
  return (
    <div class={`row ${chosen ? "row-chosen" : ""}`} role="listitem" style={style} data-index={index} data-id={list.id(item, index)} {...place}>
      {list.lead?.(item, index)}
      {href ? (
        <a {...main} href={href} onClick={choose} onFocus={choose}>
          {list.row(item, index)}
        </a>
      ) : plain ? (
        <div {...main}>{list.row(item, index)}</div>
      ) : (
        <button
          {...main}
          type="button"
          onClick={() => {
            choose();
            list.open?.(item, index);
          }}
        >
          {list.row(item, index)}
        </button>
      )}
      {list.trail?.(item, index)}
    </div>
  );
}

interface Tops {
  top: (index: number) => number;
  row: (offset: number) => number;
}

function useTops(count: number, height: number | ((index: number) => number)): Tops {
  return useMemo(() => {
    if (typeof height === "number") {
      return { top: (index: number) => index * height, row: (offset: number) => Math.floor(offset / height) };
    }
    const sums = new Float64Array(count + 1);
    for (let index = 0; index < count; index += 1) sums[index + 1] = (sums[index] ?? 0) + height(index);
    return {
      top: (index: number) => sums[Math.min(index, count)] ?? 0,
      row: (offset: number) => {
        let low = 0;
        let high = count;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if ((sums[middle] ?? 0) <= offset) low = middle;
          else high = middle - 1;
        }
        return Math.min(low, Math.max(0, count - 1));
      },
    };
  }, [count, height]);
}
