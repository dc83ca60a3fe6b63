import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';

/** What a date field needs to have. */
export interface TypedDay {
  readonly value: string;
  readonly onChange: (event: TargetedEvent<HTMLInputElement>) => void;
  readonly onBlur: () => void;
}

/** Years before it are those of which not every digit is typed yet. */
const FIRST_DAY = '1000';

/**
 * A date field whose day is taken when it is complete: browsers report a change with each key, such as the
 * year 2 for the first digit of 2026. What is typed so far stays when the page renders meanwhile.
 * @param day as `2026-01-31`; '' for none
 */
export function useTypedDay(day: string, onDay: (day: string) => void): TypedDay {
  const [partial, setPartial] = useState<string | null>(null);
  return {
    value: partial ?? day,
    onChange: ({ currentTarget: { value, validity } }) => {
      const isPartial = validity.badInput || (value !== '' && value < FIRST_DAY);
      setPartial(isPartial ? value : null);
      if (!isPartial) onDay(value);
    },
    onBlur: () => setPartial(null),
  };
}
