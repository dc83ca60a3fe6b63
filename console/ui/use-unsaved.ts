// Forms with changes that are not saved: the browser asks before it leaves the console, and the
// console before it shows another page (use-route.ts).
import { useLayoutEffect, useRef } from 'preact/hooks';

type Question = (event: BeforeUnloadEvent) => void;
/** One for each form with changes. */
const questions = new Set<Question>();

/** True while the page has changes that are not saved. */
export function hasUnsaved(): boolean {
  return questions.size > 0;
}

/**
 * Asks before a form with changes is left.
 * @param isDirty true while something would be lost
 * @returns lets the form be left without a question, once its changes are saved or discarded
 */
export function useUnsaved(isDirty: boolean): () => void {
  const release = useRef(() => {});
  useLayoutEffect(() => {
    if (!isDirty) return;
    const ask: Question = (event) => event.preventDefault();
    questions.add(ask);
    addEventListener('beforeunload', ask);
    release.current = () => {
      questions.delete(ask);
      removeEventListener('beforeunload', ask);
    };
    return release.current;
  }, [isDirty]);
  return () => release.current();
}
