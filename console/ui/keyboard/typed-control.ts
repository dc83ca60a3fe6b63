// Which controls take letters and arrow keys themselves.

/** True for a text field, a select box and the like, but not for a checkbox. */
export function isTyped(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(target.type))
  );
}
