// The frame around a table, which scrolls if the table is wider than the screen and can then be
// focused, and the head of a table. Arrow keys move between the rows.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { moveInTable } from './keyboard/table-keys.ts';

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
  const frame = useRef<HTMLElement>(null);
  const isWide = useOverflow(frame);
  return (
    <section
      class="table-frame"
      ref={frame}
      tabIndex={isWide ? 0 : undefined}
      aria-label={label}
      onKeyDown={moveInTable}
    >
      <table class={size === 'short' ? 'table table-short' : 'table'}>{children}</table>
    </section>
  );
}

/** True while the content is wider than the frame. */
function useOverflow(frame: { readonly current: HTMLElement | null }): boolean {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const update = () => setWide(element.scrollWidth > element.clientWidth);
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [frame]);
  return isWide;
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
