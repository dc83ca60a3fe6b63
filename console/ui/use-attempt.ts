// Runs changes to a list. Keeps the fault of the last one for display, and reloads the list whether
// it succeeded or not.
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../api/fault.ts';

export interface Attempts {
  /** Why the last change failed. */
  readonly refusal: ApiFault | null;
  /** @returns true if the change succeeded */
  attempt(work: () => Promise<void>): Promise<boolean>;
}

/** @param reload reloads the list */
export function useAttempt(reload: () => void): Attempts {
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
        reload();
      }
    },
  };
}
