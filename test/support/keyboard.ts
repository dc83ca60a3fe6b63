// A user of the console who has only a keyboard. Every control that Tab reaches must have a name, be
// visible, and show a focus ring; a control that is not reached within a number of presses fails
// with the names of those that were.
// Invariant: nothing here clicks, fills or moves the focus other than by a key.
import assert from 'node:assert/strict';
import type { CDPSession, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** The control that has the focus, as assistive technology announces it. */
export interface FocusedControl {
  readonly role: string;
  readonly name: string;
}

/** How to move to a control. */
export interface Reach {
  /** Backwards, by Shift+Tab. */
  readonly back?: boolean;
  /** Most presses; 20 by default. */
  readonly presses?: number;
}

const PRESSES = 20;
/** More stops than any page has. */
const STOPS_MAX = 200;
/** How long the page may scroll to a control, or draw what covered it. */
const SETTLED_MS_MAX = 60_000;
/** Roles without a control: the whole page, the place before its first control, or nothing. */
const NOWHERE = new Set(['RootWebArea', 'none', 'generic', 'main']);

export class Keyboard {
  readonly page: Page;
  readonly #devtools: CDPSession;

  private constructor(page: Page, devtools: CDPSession) {
    this.page = page;
    this.#devtools = devtools;
  }

  static async of(page: Page): Promise<Keyboard> {
    return new Keyboard(page, await page.context().newCDPSession(page));
  }

  /** Presses keys one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Replaces the text of the field with the focus. */
  async retype(text: string): Promise<void> {
    await this.press('Control+a');
    await this.type(text);
  }

  /**
   * Presses Tab until a control has the focus.
   * @throws AssertionError with the controls passed, if it is out of reach, or if one of them has no
   *   name, is hidden, or shows no focus ring
   */
  async reach(
    role: string,
    name: string | RegExp,
    { back = false, presses = PRESSES }: Reach = {},
  ): Promise<void> {
    const passed: string[] = [];
    while (passed.length < presses) {
      await this.press(back ? 'Shift+Tab' : 'Tab');
      const focused = await this.focused();
      passed.push(textOf(focused));
      if (matches(focused, role, name)) return;
    }
    assert.fail(`${role} ${name} is not within ${presses} stops: ${passed.join(', ')}`);
  }

  /** Presses Tab from the focused control to the end of the page. @returns the controls passed */
  async walk(): Promise<FocusedControl[]> {
    const passed: FocusedControl[] = [];
    for (;;) {
      await this.press('Tab');
      const focused = await this.focused();
      if (NOWHERE.has(focused.role)) return passed;
      passed.push(focused);
      assert.ok(passed.length < STOPS_MAX, `more than ${STOPS_MAX} stops`);
    }
  }

  /** Reaches a control and presses a key on it, Enter by default. */
  async use(
    role: string,
    name: string | RegExp,
    how: Reach & { key?: string } = {},
  ): Promise<void> {
    await this.reach(role, name, how);
    await this.press(how.key ?? 'Enter');
  }

  /** Waits until a control has the focus without a further key, such as after a dialog has closed. */
  async expectFocus(role: string, name: string | RegExp): Promise<void> {
    await eventually(async () => {
      const focused = await this.focused();
      assert.ok(matches(focused, role, name), `${textOf(focused)}, not ${role} ${name}`);
    });
  }

  /** @throws AssertionError if the focused control has no name, is hidden or shows no focus ring */
  async focused(): Promise<FocusedControl> {
    const control = await this.#control();
    if (NOWHERE.has(control.role)) return control;
    assert.notEqual(control.name, '', `a ${control.role} has no name: ${await this.#markup()}`);
    // A page may still scroll to the control.
    for (const end = performance.now() + SETTLED_MS_MAX; ; ) {
      const fault = await this.page.evaluate(faultOfFocus);
      if (fault === null) break;
      assert.ok(performance.now() < end, `${textOf(control)} ${fault}`);
    }
    return control;
  }

  async #control(): Promise<FocusedControl> {
    const { result } = await this.#devtools.send('Runtime.evaluate', {
      expression: 'document.activeElement',
    });
    const { objectId } = result;
    if (objectId === undefined) return { role: 'none', name: '' };
    const { nodes } = await this.#devtools.send('Accessibility.getPartialAXTree', {
      objectId,
      fetchRelatives: false,
    });
    const [node] = nodes;
    return { role: String(node?.role?.value ?? 'none'), name: String(node?.name?.value ?? '') };
  }

  #markup(): Promise<string> {
    return this.page.evaluate('document.activeElement.outerHTML.slice(0, 200)');
  }
}

function matches(focused: FocusedControl, role: string, name: string | RegExp): boolean {
  if (focused.role !== role) return false;
  return typeof name === 'string' ? focused.name === name : name.test(focused.name);
}

function textOf({ role, name }: FocusedControl): string {
  return name === '' ? role : `${role} “${name}”`;
}

/**
 * Runs in the page: what is wrong with how the focused element looks; null: nothing. A ring may be
 * drawn around a label or a neighbour of a control that is itself transparent.
 */
function faultOfFocus(): string | null {
  // biome-ignore lint/suspicious/noExplicitAny: the page has no types here
  const { document, innerWidth, innerHeight, getComputedStyle } = globalThis as any;
  const element = document.activeElement;
  const { parentElement } = element;
  const around = [element, ...parentElement.parentElement.children];
  for (const one of [...around, parentElement, parentElement.parentElement])
    around.push(...one.children, one);
  // biome-ignore lint/suspicious/noExplicitAny: an element of the page
  const hasRing = (one: any) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  };
  if (!around.some(hasRing)) return 'shows no focus ring';
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [from, to] = [Math.max(0, left), Math.min(innerWidth, right)];
  const [start, end] = [Math.max(0, top), Math.min(innerHeight, bottom)];
  if (from >= to || start >= end) return 'is outside the viewport';
  const takesPointer = getComputedStyle(element).pointerEvents !== 'none';
  const own = [takesPointer ? element : parentElement, ...(element.labels ?? [])];
  const hits = [0.5, 0.1, 0.9].map((part) =>
    document.elementFromPoint(from + (to - from) * part, start + (end - start) * part),
  );
  if (hits.some((hit) => hit !== null && own.some((one) => one.contains(hit)))) return null;
  return `is covered by ${hits[0]?.outerHTML.slice(0, 150)}`;
}
