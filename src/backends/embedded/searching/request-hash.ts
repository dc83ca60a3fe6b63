// Walks a request once before it runs, to tell whether it came before and whether it is large.
import { HASH_START, hashNumber, hashText } from '../../../query/fnv-hash.ts';
import type { QueryRequest } from './query-request.ts';

/** Characters of a text that the hash includes. */
const HASHED_CHARACTERS = 64;
/**
 * Most values that the hash includes. A plan with more is large: walking all of it, or making its text,
 * takes longer than one step of the event loop should.
 */
const VALUES_MAX = 4_096;

export interface RequestHash {
  /** Equal requests of the same tenant share it, and few others. */
  readonly hash: number;
  /** True if the plan is too large to process in one step, by its clauses and values. */
  readonly isLarge: boolean;
}

export function requestHash(tenantId: string, { kind, plan }: QueryRequest): RequestHash {
  const { targets, sort, size, from, trackTotal } = plan;
  const walk = new HashWalk();
  for (const value of [tenantId, kind, size, from, trackTotal, sort, targets]) walk.value(value);
  return { hash: walk.hash, isLarge: walk.remaining < 0 };
}

/** Hashes plain JSON, up to VALUES_MAX values. */
class HashWalk {
  hash = HASH_START;
  remaining = VALUES_MAX;

  value(value: unknown): void {
    this.remaining -= 1;
    if (this.remaining < 0) return;
    if (typeof value !== 'object' || value === null) this.#text(String(value));
    else if (Array.isArray(value)) {
      this.hash = hashNumber(this.hash, value.length);
      for (const one of value) {
        if (this.remaining < 0) return;
        this.value(one);
      }
    } else this.#members(value as Readonly<Record<string, unknown>>);
  }

  #members(members: Readonly<Record<string, unknown>>): void {
    // Plain JSON: it inherits nothing. `for … in` makes no arrays, as each search takes this walk.
    for (const name in members) {
      this.hash = hashText(this.hash, name);
      this.value(members[name]);
    }
  }

  #text(text: string): void {
    const start = text.slice(0, HASHED_CHARACTERS);
    this.hash = hashText(hashNumber(this.hash, text.length), start);
  }
}
