// Loads data for a component. The last value stays while a newer one loads; a request is aborted
// when its component unmounts or its key changes; a request that failed because the service was
// unreachable is repeated on reconnection.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { reconnections } from '../api/connection.ts';
import { type ApiFault, asFault } from '../api/fault.ts';
import { useCell } from './use-cell.ts';

export interface Load<T> {
  /** The last loaded value; undefined before the first. */
  readonly value: T | undefined;
  /** The key of the value; the previous key while a newer value loads. */
  readonly key: string | null;
  readonly fault: ApiFault | null;
  readonly loading: boolean;
  reload(): void;
}

/**
 * Loads whenever the key changes.
 * @param key identifies what to load; null loads nothing
 */
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Load<T> {
  const [state, setState] = useState<Omit<Load<T>, 'reload'>>(EMPTY);
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const fault = useRef<ApiFault | null>(null);
  fault.current = state.fault;
  const connection = useCell(reconnections);
  const lastConnection = useRef(connection);
  useEffect(() => {
    const isBack = lastConnection.current !== connection;
    lastConnection.current = connection;
    if (isBack && fault.current?.kind === 'unavailable') setAttempt((n) => n + 1);
  }, [connection]);
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
  const reload = useCallback(() => setAttempt((n) => n + 1), []);
  return { ...state, reload };
}

const EMPTY = { value: undefined, key: null, fault: null, loading: false };
