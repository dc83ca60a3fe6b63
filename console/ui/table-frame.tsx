// The frame around a table. It scrolls if the table is wider than the screen, and can be focused.
import type { ComponentChildren } from 'preact';

/** @param size `short`: has few columns and does not fill the width */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable
    <section class="table-frame" tabIndex={0} aria-label={label}>
      <table class={size === 'short' ? 'table table-short' : 'table'}>{children}</table>
    </section>
  );
}
