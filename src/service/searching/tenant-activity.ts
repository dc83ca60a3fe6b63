// Counts the requests, searches and writes of each tenant in the last minute, in a ring of time
// slots. The ring advances on counting and reading, so no timer runs and a request costs one map
// look-up and one addition.
// Invariant: counts are separate per tenant; memory grows only with the number of tenants.

/** Counted kinds of activity; `requests` includes the others. */
export type Activity = 'requests' | 'searches' | 'writes';

/** Sums over a number of seconds. */
export type ActivitySums = Readonly<Record<Activity, number>> & { readonly seconds: number };

const SLOT_MS = 5_000;
const SLOTS = 12;
const OFFSETS: Readonly<Record<Activity, number>> = { requests: 0, searches: 1, writes: 2 };
const WIDTH = 3;

interface Ring {
  readonly counts: Uint32Array;
  /** The number of the slot counted into last. */
  slot: number;
}

export class TenantActivity {
  readonly #clock: { now(): number };
  readonly #since: number;
  readonly #rings = new Map<string, Ring>();

  /** @param clock monotonic milliseconds */
  constructor(clock: { now(): number } = performance) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Counts a request, and its kind. */
  count(tenantId: string, activity: Activity): void {
    const slot = Math.floor(this.#clock.now() / SLOT_MS);
    let ring = this.#rings.get(tenantId);
    if (ring === undefined) {
      ring = { counts: new Uint32Array(SLOTS * WIDTH), slot };
      this.#rings.set(tenantId, ring);
    }
    if (ring.slot !== slot) advanceTo(ring, slot);
    const { counts } = ring;
    const at = (slot % SLOTS) * WIDTH;
    counts[at] = (counts[at] ?? 0) + 1;
    if (activity === 'requests') return;
    const index = at + OFFSETS[activity];
    counts[index] = (counts[index] ?? 0) + 1;
  }

  /** Sums of the kept slots: 55 to 60 seconds, less after a start. */
  lastMinute(tenantId: string): ActivitySums {
    const now = this.#clock.now();
    const keptMs = (SLOTS - 1) * SLOT_MS + (now % SLOT_MS);
    const sums = { requests: 0, searches: 0, writes: 0 };
    const ring = this.#rings.get(tenantId);
    if (ring !== undefined) {
      advanceTo(ring, Math.floor(now / SLOT_MS));
      for (let at = 0; at < ring.counts.length; at += WIDTH) {
        for (const name of ['requests', 'searches', 'writes'] as const) {
          sums[name] += ring.counts[at + OFFSETS[name]] ?? 0;
        }
      }
    }
    return { seconds: Math.round(Math.min(keptMs, now - this.#since)) / 1_000, ...sums };
  }
}

/** The activity of several threads together, over the seconds of the longest. */
export function sumOfActivity(all: readonly ActivitySums[]): ActivitySums {
  const sum = { seconds: 0, requests: 0, searches: 0, writes: 0 };
  for (const { seconds, requests, searches, writes } of all) {
    sum.seconds = Math.max(sum.seconds, seconds);
    sum.requests += requests;
    sum.searches += searches;
    sum.writes += writes;
  }
  return sum;
}

/** Clears the slots after the last one used, up to this one. */
function advanceTo(ring: Ring, slot: number): void {
  const first = Math.max(ring.slot + 1, slot - SLOTS + 1);
  for (let next = first; next <= slot; next++) {
    const at = (next % SLOTS) * WIDTH;
    ring.counts.fill(0, at, at + WIDTH);
  }
  ring.slot = Math.max(ring.slot, slot);
}
