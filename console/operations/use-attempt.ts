// A deed on a list: what refused it is kept to be shown, and the list is loaded anew whatever came of it.
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../api/fault.ts';

export interface Attempts {
  /** Why the last deed was refused. */
  readonly refusal: ApiFault | null;
  /** @returns whether it was done */
  attempt(work: () => Promise<void>): Promise<boolean>;
}

/** @param again loads the list anew */
export function useAttempt(again: () => void): Attempts {
  const [refusal, setRefusal] = useState<ApiFault | null>(null);
  return {
    refusal,
    async attempt(work) {
      setRefusal(null);
      try {
        await work();
        return true;
      } catch (error) {
        setRefusal(asFault(error));
        return false;
      } finally {
        again();
      }
    },
  };
}
