// What a page asks for again and again while it is looked at. A page in the background asks nothing, and asks at once
// when it is seen again; what was there stays while an answer fails.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../api/fault.ts';

export interface Polled<T> {
  /** The last answer; undefined: there has been none. */
  readonly value: T | undefined;
  /** Why the last question failed. */
  readonly fault: ApiFault | null;
  again(): void;
}

/**
 * Asks at once and then each time `everyMs` after an answer.
 * @param load a fault of kind `forbidden` ends the asking
 */
export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, 'again'>>({ value: undefined, fault: null });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let running: AbortController | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rest = () => {
      clearTimeout(timer);
      running?.abort();
    };
    const ask = async () => {
      rest();
      if (document.hidden) return;
      const mine = new AbortController();
      running = mine;
      let fault: ApiFault | null = null;
      try {
        const value = await latest.current(mine.signal);
        if (!mine.signal.aborted) setState({ value, fault });
      } catch (error) {
        fault = asFault(error);
        if (!mine.signal.aborted) setState(({ value }) => ({ value, fault }));
      }
      if (mine.signal.aborted || fault?.kind === 'forbidden') return;
      timer = setTimeout(ask, everyMs);
    };
    document.addEventListener('visibilitychange', ask);
    void ask();
    return () => {
      document.removeEventListener('visibilitychange', ask);
      rest();
    };
  }, [everyMs, attempt]);
  const again = useCallback(() => setAttempt((n) => n + 1), []);
  return { ...state, again };
}
