// Polls the service while the page is visible. A hidden page pauses, and polls at once when it is
// visible again; the last value stays while a request fails.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../api/fault.ts';

export interface Polled<T> {
  /** The last value; undefined before the first. */
  readonly value: T | undefined;
  /** Why the last request failed. */
  readonly fault: ApiFault | null;
  reload(): void;
}

/**
 * Loads at once, and then `everyMs` after each response.
 * @param load stops the polling with a fault of kind `forbidden`
 */
export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, 'reload'>>({ value: undefined, fault: null });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let running: AbortController | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      running?.abort();
    };
    const poll = async () => {
      stop();
      if (document.hidden) return;
      const controller = new AbortController();
      running = controller;
      let fault: ApiFault | null = null;
      try {
        const value = await latest.current(controller.signal);
        if (!controller.signal.aborted) setState({ value, fault });
      } catch (error) {
        fault = asFault(error);
        if (!controller.signal.aborted) setState(({ value }) => ({ value, fault }));
      }
      if (controller.signal.aborted || fault?.kind === 'forbidden') return;
      timer = setTimeout(poll, everyMs);
    };
    document.addEventListener('visibilitychange', poll);
    void poll();
    return () => {
      document.removeEventListener('visibilitychange', poll);
      stop();
    };
  }, [everyMs, attempt]);
  const reload = useCallback(() => setAttempt((n) => n + 1), []);
  return { ...state, reload };
}
