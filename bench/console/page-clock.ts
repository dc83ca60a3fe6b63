// The clock inside a page of the console: the time from an input to the frame in which everything
// that the input changes is painted.
// Invariant: an answer counts only once it is painted, and a later change of the page counts, too.
import type { Page } from 'playwright-core';

/** Milliseconds from the time stamp of the input event. */
export interface Timing {
  /** Until the next frame: how long the page gave no sign. */
  readonly feedbackMs: number;
  /** Until the first request was sent, which includes a pause for further typing; null: none. */
  readonly requestMs: number | null;
  /** Until the last frame that changed the page; the next frame if only the field changed. */
  readonly paintedMs: number;
}

/**
 * The page has come to rest when it had no request and no change for this long, which is more than
 * any pause of the console for further typing.
 */
const REST_MS = 250;
const REST_MAX_MS = 20_000;

// In a frame, callbacks of requestAnimationFrame run before layout and painting, and a message that
// they send is received afterwards.
const CLOCK = `(() => {
  const REST_MS = ${REST_MS};
  const REST_MAX_MS = ${REST_MAX_MS};
  let pending = 0;
  let changedAt = performance.now();
  let run = {};
  let isFrameRequested = false;
  const afterPaint = (done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(performance.now()); };
    requestAnimationFrame(() => port2.postMessage(null));
  };
  const send = window.fetch;
  window.fetch = async (...args) => {
    pending += 1;
    changedAt = performance.now();
    run.requestAt ??= changedAt;
    try {
      return await send(...args);
    } finally {
      pending -= 1;
      changedAt = performance.now();
    }
  };
  new MutationObserver(() => {
    changedAt = performance.now();
    if (isFrameRequested) return;
    isFrameRequested = true;
    afterPaint((at) => { isFrameRequested = false; changedAt = run.paintedAt = at; });
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const begin = ({ timeStamp }) => {
    if (run.inputAt !== null) return;
    run.inputAt = changedAt = timeStamp;
    const own = run;
    afterPaint((at) => { own.feedbackAt = at; });
  };
  for (const type of ['keydown', 'pointerdown', 'input', 'change'])
    addEventListener(type, begin, { capture: true, passive: true });
  const rest = async (isBegun) => {
    const until = performance.now() + REST_MAX_MS;
    while (!isBegun() || pending > 0 || performance.now() - changedAt < REST_MS) {
      if (performance.now() > until) throw new Error('The page did not come to rest');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  window.clock = {
    rest: () => rest(() => true),
    start() { run = { inputAt: null }; },
    async stop() {
      const own = run;
      await rest(() => own.inputAt !== null);
      return {
        feedbackMs: own.feedbackAt - own.inputAt,
        requestMs: own.requestAt === undefined ? null : own.requestAt - own.inputAt,
        paintedMs: Math.max(own.feedbackAt, own.paintedAt ?? 0) - own.inputAt,
      };
    },
  };
})()`;

/** Adds the clock to every document of a page that is loaded from now on. */
export async function addClock(page: Page): Promise<void> {
  await page.addInitScript({ content: CLOCK });
}

/** Waits until the page has no request and does not change. @throws Error after 20 s */
export async function untilRest(page: Page): Promise<void> {
  await page.evaluate('clock.rest()');
}

/**
 * Measures one input.
 * @param act sends the input, and none before it
 * @throws Error if there is none, or the page does not come to rest in 20 s
 */
export async function timed(page: Page, act: () => Promise<unknown>): Promise<Timing> {
  await page.evaluate('clock.start()');
  await act();
  return (await page.evaluate('clock.stop()')) as Timing;
}
