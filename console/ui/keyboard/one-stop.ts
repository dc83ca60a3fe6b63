// Makes the controls of a container one stop of the Tab key, as in a toolbar or a group of values:
// arrow keys, Home and End move between them, and Tab returns to the one that had the focus last.
// Invariant: exactly one visible control of the container can be reached by Tab.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface OneStop<E extends HTMLElement> {
  readonly ref: RefObject<E | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocusIn: (event: FocusEvent) => void;
}

/**
 * Handles the focus of a container; its parts are the attributes of the container.
 * @param controls selects the controls
 * @param rows selects the parts that the vertical arrow keys move between; each has one control or
 *   several, between which the horizontal ones move. Without it, both move between all controls
 */
export function useOneStop<E extends HTMLElement>(
  controls: string,
  rows: string | null = null,
): OneStop<E> {
  const ref = useRef<E>(null);
  const current = useRef<HTMLElement | null>(null);
  const all = (within: Element | null = ref.current) =>
    [...(within?.querySelectorAll<HTMLElement>(controls) ?? [])].filter(
      (control) => !control.matches(':disabled'),
    );
  const choose = (stop: HTMLElement | null) => {
    current.current = stop;
    for (const control of all()) control.tabIndex = control === stop ? 0 : -1;
  };
  // The controls are those of the last rendering.
  useLayoutEffect(() => {
    const present = all();
    const kept = present.find((control) => control === current.current);
    choose(kept ?? present[0] ?? null);
  });
  return {
    ref,
    onFocusIn: ({ target }) => {
      const control = all().find((one) => one === target);
      if (control !== undefined) choose(control);
    },
    onKeyDown: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const control = all().find((one) => one === event.target);
      if (control === undefined) return;
      const parts = rows === null ? null : [...(ref.current?.querySelectorAll(rows) ?? [])];
      const next =
        parts === null
          ? nextOf(all(), control, event.key)
          : nextInRows(
              parts.map((part) => (part.matches(controls) ? [part as HTMLElement] : all(part))),
              control,
              event.key,
            );
      if (next === null) return;
      event.preventDefault();
      next?.focus();
    },
  };
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
};

/** The control that a key leads to; undefined at an end; null if the key means nothing here. */
function nextOf(
  controls: readonly HTMLElement[],
  from: HTMLElement,
  key: string,
): HTMLElement | undefined | null {
  if (key === 'Home') return controls[0];
  if (key === 'End') return controls.at(-1);
  const step = STEPS[key];
  return step === undefined ? null : controls[controls.indexOf(from) + step];
}

function nextInRows(
  rows: readonly (readonly HTMLElement[])[],
  from: HTMLElement,
  key: string,
): HTMLElement | undefined | null {
  const filled = rows.filter((row) => row.length > 0);
  const row = filled.find((one) => one.includes(from));
  if (row === undefined) return null;
  if (key === 'ArrowLeft' || key === 'ArrowRight') return nextOf(row, from, key);
  const next = nextOf(
    filled.map(([first]) => first as HTMLElement),
    row[0] as HTMLElement,
    key,
  );
  if (next === undefined || next === null) return next;
  const nextRow = filled.find(([first]) => first === next) ?? [];
  return nextRow[Math.min(row.indexOf(from), nextRow.length - 1)];
}
