import { useRef } from 'preact/hooks';

/** The time between the clicks of a double click, in ms. */
export const DOUBLE_CLICK_MS = 500;

/**
 * Runs one call at a time: those that begin before it has ended are ignored.
 * @param restMs how long they are ignored after it, where a second call would do the same again
 */
export function useSingleCall<Arguments extends readonly unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
  restMs = 0,
): (...args: Arguments) => void {
  const isRunning = useRef(false);
  const end = () => {
    isRunning.current = false;
  };
  return (...args) => {
    if (isRunning.current) return;
    isRunning.current = true;
    void work(...args).finally(() => (restMs === 0 ? end() : setTimeout(end, restMs)));
  };
}
