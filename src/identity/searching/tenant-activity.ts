// How many requests, searches and writes each tenant made in the last minute: a ring of slots that is moved on when
// somebody counts or looks, so that no timer runs and a request costs a look into a map and an addition.
// Invariant: a tenant's figures are its own; memory grows with the number of tenants alone.

/** What is counted apart; `requests` are all. */
export type Activity = 'requests' | 'searches' | 'writes';

/** Sums over so many seconds. */
export type ActivitySums = Readonly<Record<Activity, number>> & { readonly seconds: number };

const SLOT_MS = 5_000;
const SLOTS = 12;
const PLACES: Readonly<Record<Activity, number>> = { requests: 0, searches: 1, writes: 2 };
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

  /** Counts a request, and what it is besides. */
  count(tenantId: string, activity: Activity): void {
    const slot = Math.floor(this.#clock.now() / SLOT_MS);
    let ring = this.#rings.get(tenantId);
    if (ring === undefined) {
      ring = { counts: new Uint32Array(SLOTS * WIDTH), slot };
      this.#rings.set(tenantId, ring);
    }
    if (ring.slot !== slot) moveTo(ring, slot);
    const { counts } = ring;
    const at = (slot % SLOTS) * WIDTH;
    counts[at] = (counts[at] ?? 0) + 1;
    if (activity === 'requests') return;
    const place = at + PLACES[activity];
    counts[place] = (counts[place] ?? 0) + 1;
  }

  /** Of the slots that are kept: 55 to 60 seconds, fewer after a start. */
  lastMinute(tenantId: string): ActivitySums {
    const now = this.#clock.now();
    const kept = (SLOTS - 1) * SLOT_MS + (now % SLOT_MS);
    const sums = { requests: 0, searches: 0, writes: 0 };
    const ring = this.#rings.get(tenantId);
    if (ring !== undefined) {
      moveTo(ring, Math.floor(now / SLOT_MS));
      for (let at = 0; at < ring.counts.length; at += WIDTH) {
        for (const name of ['requests', 'searches', 'writes'] as const) {
          sums[name] += ring.counts[at + PLACES[name]] ?? 0;
        }
      }
    }
    return { seconds: Math.round(Math.min(kept, now - this.#since)) / 1_000, ...sums };
  }
}

/** Empties the slots between the one counted into last and this one. */
function moveTo(ring: Ring, slot: number): void {
  const first = Math.max(ring.slot + 1, slot - SLOTS + 1);
  for (let one = first; one <= slot; one++) {
    const at = (one % SLOTS) * WIDTH;
    ring.counts.fill(0, at, at + WIDTH);
  }
  ring.slot = Math.max(ring.slot, slot);
}
