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
  if (offset === 0 && count >= total) return null;
  return (
    <nav class="buttons" aria-label={`Pages of ${noun}`}>
      <button
        type="button"
        class="button"
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - size))}
      >
        Previous
      </button>
      <span class="page-range quiet">
        {(offset + 1).toLocaleString('en')}–{(offset + count).toLocaleString('en')}
      </span>
      <button
        type="button"
        class="button"
        disabled={offset + count >= total}
        onClick={() => onOffset(offset + size)}
      >
        Next
      </button>
    </nav>
  );
}
