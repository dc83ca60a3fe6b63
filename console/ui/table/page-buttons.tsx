// Buttons to the previous and the next page of a table.
import { Button } from '../forms/button.tsx';

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
  const isFirst = offset === 0;
  const isLast = offset + count >= total;
  if (total === 0 || (isFirst && isLast)) return null;
  // The page may be past the end, after rows were deleted.
  const lastOffset = (Math.ceil(total / size) - 1) * size;
  const previous = Math.max(0, Math.min(offset - size, lastOffset));
  return (
    <nav class="buttons" aria-label={`Pages of ${noun}`}>
      <Button class="button" isIdle={isFirst} onClick={() => onOffset(previous)}>
        Previous
      </Button>
      <span class="page-range quiet">
        {count === 0
          ? 'No rows on this page'
          : `${(offset + 1).toLocaleString('en')}–${(offset + count).toLocaleString('en')}`}
      </span>
      <Button class="button" isIdle={isLast} onClick={() => onOffset(offset + size)}>
        Next
      </Button>
    </nav>
  );
}
