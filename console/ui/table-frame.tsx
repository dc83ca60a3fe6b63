// The frame around a table, which scrolls if the table is wider than the screen and can be focused, and
// the head of a table.
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

export interface TableHeadProps {
  /** The columns in order, each once. */
  readonly labels: readonly string[];
  /** Those of numbers, which are aligned at the end. */
  readonly numbers?: readonly string[];
  /** What the buttons in a last column do; only screen readers have it. */
  readonly actions?: string;
}

/** The head of a table that is not sorted by its columns. */
export function TableHead({ labels, numbers = [], actions }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {labels.map((label) => (
          <th scope="col" key={label} class={numbers.includes(label) ? 'cell-number' : undefined}>
            {label}
          </th>
        ))}
        {actions !== undefined && (
          <th scope="col">
            <span class="unseen">{actions}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
