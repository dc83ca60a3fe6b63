import { useRef } from 'preact/hooks';

/** The time between the clicks of a double click, in ms. */
const DOUBLE_CLICK_MS = 500;

/** Runs one call at a time: those that begin before it has ended, or by a double click, are ignored. */
export function useSingleCall<Arguments extends readonly unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
): (...args: Arguments) => void {
  const isRunning = useRef(false);
  return (...args) => {
    if (isRunning.current) return;
    isRunning.current = true;
    void work(...args).finally(() => {
      setTimeout(() => {
        isRunning.current = false;
      }, DOUBLE_CLICK_MS);
    });
  };
}
