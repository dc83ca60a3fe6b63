// A button that keeps its place in the order of Tab, and the focus, while it has nothing to do: a
// disabled one would lose both.
// Invariant: an idle button does nothing, neither at a click nor at Enter in a field of its form.
import type { ButtonHTMLAttributes } from 'preact';

export interface ButtonProps extends ButtonHTMLAttributes {
  /** True while a click has no effect, as while an answer is on its way. */
  readonly isIdle: boolean;
}

/** A button of type `button`, unless another is given. */
export function Button({ isIdle, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isIdle}
      // Enter in a field clicks the submit button, so this stops the form, too.
      onClick={(event) => (isIdle ? event.preventDefault() : onClick?.(event))}
    />
  );
}
