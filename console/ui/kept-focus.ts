// Keeps the focus on the page. When the focused control is removed or disabled, as by a deletion, a
// filter or "Show more", the focus moves to its neighbour, where browsers would begin at the top of
// the page. After the button Back, the link that was followed has the focus again, unless the user does
// something before it is there.
// Invariant: the focus moves only while nothing else has it.
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { forgetPlace, leavePlace, placeLeft } from './keyboard/left-place.ts';
import { pageOfAddress } from './route.ts';

const CONTROLS =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';

/** The control that had the focus last. */
interface Last {
  readonly control: HTMLElement;
  /** Its ancestors up to the main element, the nearest first. */
  readonly ancestors: readonly Element[];
  readonly page: string;
}

/** @param main the element of the page */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = main.current;
    if (element === null) return;
    let last: Last | null = null;
    /** Whether Tab was the last input: only then the page itself shows that it has the focus. */
    let byTab = false;
    const onFocus = ({ target }: FocusEvent) => {
      if (target === element) element.toggleAttribute('data-tabbed', byTab);
      if (!(target instanceof HTMLElement) || target === element) return;
      last = { control: target, ancestors: ancestorsOf(target, element), page: pageOfAddress() };
    };
    // A click beside all controls takes the focus away on purpose.
    const onPointer = () => {
      last = null;
      byTab = false;
      forgetPlace();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      byTab = key === 'Tab';
      forgetPlace();
    };
    const onWheel = ({ deltaX, deltaY }: WheelEvent) => {
      // A swipe to the side is how a touchpad goes back.
      if (Math.abs(deltaY) > Math.abs(deltaX)) forgetPlace();
    };
    const onClick = ({ target }: MouseEvent) => {
      const link = (target as Element | null)?.closest?.('a[href^="#"]');
      if (link != null && element.contains(link)) leavePlace(String(link.getAttribute('href')));
    };
    const observer = new MutationObserver((changes) => {
      // A page without controls is a stop itself, so that arrow keys scroll it.
      element.tabIndex = element.querySelector(CONTROLS) === null ? 0 : -1;
      const focused = document.activeElement;
      const isFree = focused === document.body || focused === null;
      const place = placeLeft();
      if (place !== null && (isFree || focused === element)) {
        const link = element.querySelector<HTMLElement>(`a[href="${CSS.escape(place)}"]`);
        if (link !== null) {
          forgetPlace();
          link.focus();
          return;
        }
      }
      if (last === null) return;
      const { control } = last;
      const isDisabled = focused === control && control.matches(':disabled');
      // While the focus moves from one control to the next, none has it.
      const isRemoved = isFree && (!control.isConnected || isMoved(control, changes));
      if (!isDisabled && !isRemoved) return;
      if (last.page === pageOfAddress()) (heirOf(last, changes, element) ?? element).focus();
      else element.focus({ preventScroll: true });
    });
    observer.observe(element, {
      ...{ childList: true, subtree: true },
      attributeFilter: ['disabled', 'hidden'],
    });
    element.addEventListener('focusin', onFocus);
    element.addEventListener('click', onClick, true);
    addEventListener('pointerdown', onPointer, true);
    addEventListener('keydown', onKey, true);
    addEventListener('wheel', onWheel, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('click', onClick, true);
      removeEventListener('pointerdown', onPointer, true);
      removeEventListener('keydown', onKey, true);
      removeEventListener('wheel', onWheel, true);
    };
  }, [main]);
}

function ancestorsOf(control: Element, main: Element): Element[] {
  const ancestors: Element[] = [];
  for (let one = control.parentElement; one !== null; one = one.parentElement) {
    ancestors.push(one);
    if (one === main) break;
  }
  return ancestors;
}

/** True if a control was taken out and put in at another place, as in a list with a new order. */
function isMoved(control: Element, changes: readonly MutationRecord[]): boolean {
  return changes.some((change) => removedWith(control, change) !== undefined);
}

/** The part of the page that a change removed with the control in it. */
function removedWith(control: Element, { removedNodes }: MutationRecord): Node | undefined {
  return [...removedNodes].find((node) => node.contains(control));
}

/** The control that takes the focus; null: none is left. */
function heirOf(
  { control, ancestors }: Last,
  changes: readonly MutationRecord[],
  main: HTMLElement,
): HTMLElement | null {
  // One that only changed its place.
  if (control.isConnected && isUsable(control)) return control;
  const scope = ancestors.find((one) => one.matches('dialog') && one.isConnected) ?? main;
  const all = [...scope.querySelectorAll<HTMLElement>(CONTROLS)].filter(isUsable);
  const removal = changes.find(
    (change) => change.target.isConnected && removedWith(control, change) !== undefined,
  );
  if (removal !== undefined) return afterRemoval(removal, control, all);
  const parent = ancestors.find((one) => one.isConnected) ?? main;
  const at = control.isConnected ? control : parent;
  return all.find((one) => parent.contains(one)) ?? after(at, all);
}

function afterRemoval(
  removal: MutationRecord,
  control: HTMLElement,
  all: readonly HTMLElement[],
): HTMLElement | null {
  const { target, nextSibling } = removal;
  const removed = removedWith(control, removal);
  if (!(removed instanceof Element)) return after(target, all);
  // The same control of the next row, or of the one before.
  const nth = [...removed.querySelectorAll(CONTROLS)].indexOf(control);
  const rows = [nextSibling, target.lastChild].filter(
    (node): node is Element =>
      node instanceof Element &&
      node.tagName === removed.tagName &&
      node.className === removed.className,
  );
  for (const row of rows) {
    const controls = all.filter((one) => row === one || row.contains(one));
    const heir = controls[Math.max(0, nth)] ?? controls[0];
    if (heir !== undefined) return heir;
  }
  return after(nextSibling ?? target, all);
}

/** The first control at or after a node, else the last one before it. */
function after(node: Node, all: readonly HTMLElement[]): HTMLElement | null {
  const isAfter = (one: Node) =>
    node === one ||
    node.contains(one) ||
    (node.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return all.find(isAfter) ?? all.at(-1) ?? null;
}

function isUsable(control: HTMLElement): boolean {
  return !control.matches(':disabled') && control.checkVisibility();
}
