// Asks before the browser leaves a page with changes that are not saved.
import { useEffect } from 'preact/hooks';

/** @param isDirty true while something would be lost */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty]);
}
