// What would be lost with the page, such as the changes of a form, an import or a new secret: the
// browser asks before it leaves the console, and the console before it shows another page
// (use-route.ts).
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Cell } from '../model/cell.ts';

type Question = (event: BeforeUnloadEvent) => void;
/** One for each form, import or secret that would be lost. */
const questions = new Set<Question>();
/** How many there are. */
export const unsaved = new Cell(0);

/** True while the page has changes that are not saved. */
export function hasUnsaved(): boolean {
  return unsaved.get() > 0;
}

/**
 * Asks before a page is left on which something would be lost.
 * @param isDirty true while something would be lost
 * @returns lets the page be left without a question, once changes are saved or discarded
 */
export function useUnsaved(isDirty: boolean): () => void {
  const release = useRef(() => {});
  useLayoutEffect(() => {
    if (!isDirty) return;
    const ask: Question = (event) => event.preventDefault();
    questions.add(ask);
    unsaved.set(questions.size);
    addEventListener('beforeunload', ask);
    release.current = () => {
      questions.delete(ask);
      removeEventListener('beforeunload', ask);
      unsaved.set(questions.size);
    };
    return release.current;
  }, [isDirty]);
  return () => release.current();
}
