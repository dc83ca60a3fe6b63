// Work that its caller, a time limit or the work itself may abort. AbortSignal.any leaves a reference
// at a long-lived signal for each piece of work. Where an AbortSignal.timeout is only a part of it,
// Node may collect that one as garbage, and the work is never aborted (nodejs/node#57736).

/** What may abort work from outside. */
export interface AbortCauses {
  /** Of the caller. */
  readonly signal?: AbortSignal | undefined;
  /** Most milliseconds that the work may take. */
  readonly timeoutMs?: number;
}

/**
 * Runs work with a controller that also aborts with the signal of the caller, and with a
 * `TimeoutError` after the time. No listener and no timer is left when the work has ended.
 */
export async function withAbort<Result>(
  { signal, timeoutMs }: AbortCauses,
  work: (controller: AbortController) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  const late = () => controller.abort(new DOMException('It took too long', 'TimeoutError'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  signal?.addEventListener('abort', follow);
  if (signal?.aborted === true) follow();
  try {
    return await work(controller);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}

/** The result of some work, or that of `late` if it takes longer; then the work's own is ignored. */
export async function within<T, Late>(
  timeoutMs: number,
  work: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** The longest delay of a timer, 24.8 days; a longer one would end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Waits, which keeps no process alive. @returns false if the signal aborted meanwhile */
export async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs -= TIMER_MS_MAX) {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(leftMs, TIMER_MS_MAX)).unref();
      signal.addEventListener('abort', end);
    });
  }
  return !signal.aborted;
}
