// The frame of a table: it scrolls by itself where the table is wider than the screen, and can be reached by keyboard.
import type { ComponentChildren } from 'preact';

/** @param size `short`: of few columns, which need not be wide */
export function TableFrame({
  label,
  size = 'wide',
  children,
}: {
  label: string;
  size?: 'short' | 'wide';
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="table-frame" tabIndex={0} aria-label={label}>
      <table class={size === 'short' ? 'table table-short' : 'table'}>{children}</table>
    </section>
  );
}
