// Buttons to the previous and the next page of a table.

export interface PageButtonsProps {
  /** What the rows are, such as `profiles`. */
  readonly noun: string;
  readonly offset: number;
  /** Rows on this page. */
  readonly count: number;
  readonly total: number;
  /** Rows of a full page. */
  readonly size: number;
  readonly onOffset: (offset: number) => void;
}

export function PageButtons({ noun, offset, count, total, size, onOffset }: PageButtonsProps) {
  // A disabled button would lose the focus on the first or the last page.
  const isFirst = offset === 0;
  const isLast = offset + count >= total;
  if (isFirst && isLast) return null;
  return (
    <nav class="buttons" aria-label={`Pages of ${noun}`}>
      <button
        type="button"
        class="button"
        aria-disabled={isFirst}
        onClick={() => {
          if (!isFirst) onOffset(Math.max(0, offset - size));
        }}
      >
        Previous
      </button>
      <span class="page-range quiet">
        {(offset + 1).toLocaleString('en')}–{(offset + count).toLocaleString('en')}
      </span>
      <button
        type="button"
        class="button"
        aria-disabled={isLast}
        onClick={() => {
          if (!isLast) onOffset(offset + size);
        }}
      >
        Next
      </button>
    </nav>
  );
}
