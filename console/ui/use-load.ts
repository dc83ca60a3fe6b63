// What a page asks the service for, with the state it is in. What was there stays while something newer is on its
// way; a request nobody waits for any more is given up; what failed because the service was away is asked again when
// it is back.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { returns } from '../api/connection.ts';
import { type ApiFault, asFault } from '../api/fault.ts';
import { useCell } from './use-cell.ts';

export interface Load<T> {
  /** The last answer; undefined: there has been none. */
  readonly value: T | undefined;
  /** What the value was loaded for; lags behind while something newer is on its way. */
  readonly key: string | null;
  readonly fault: ApiFault | null;
  readonly loading: boolean;
  again(): void;
}

/**
 * Loads whenever the key changes.
 * @param key says what is asked for; null: nothing
 */
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Load<T> {
  const [state, setState] = useState<Omit<Load<T>, 'again'>>(EMPTY);
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const fault = useRef<ApiFault | null>(null);
  fault.current = state.fault;
  const returned = useCell(returns);
  const seen = useRef(returned);
  useEffect(() => {
    const isBack = seen.current !== returned;
    seen.current = returned;
    if (isBack && fault.current?.kind === 'away') setAttempt((n) => n + 1);
  }, [returned]);
  useEffect(() => {
    if (key === null) {
      setState(EMPTY);
      return;
    }
    const controller = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    latest.current(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, key, fault: null, loading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState((before) => ({ ...before, fault: asFault(error), loading: false }));
      },
    );
    return () => controller.abort();
  }, [key, attempt]);
  const again = useCallback(() => setAttempt((n) => n + 1), []);
  return { ...state, again };
}

const EMPTY = { value: undefined, key: null, fault: null, loading: false };
