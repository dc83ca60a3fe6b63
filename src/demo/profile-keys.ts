// The keys of profile management records: readable uids, and ids derived from them.
import { Ids, uuidOf } from './random.ts';

/** A record of profile management in its wire form. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** Kinds of records, as in the use cases, and saved searches. */
export type DemoKind =
  | 'role'
  | 'user'
  | 'userRole'
  | 'userManager'
  | 'profileType'
  | 'attribute'
  | 'option'
  | 'riskLevel'
  | 'riskScore'
  | 'search';

/** Derives ids from uids. */
export class ResourceKeys {
  readonly #ids: Ids;

  constructor(seed: number) {
    this.#ids = new Ids(seed, 'resource');
  }

  /** The keys of a record; uids must be unique within a kind. */
  of(kind: DemoKind, uid: string): { readonly id: string; readonly uid: string } {
    return { id: this.id(kind, uid), uid };
  }

  /** The id of a uid: two hashes of the text, so that ids do not collide. */
  id(kind: DemoKind, uid: string): string {
    const text = `${kind} ${uid}`;
    const first = this.#ids.id(hashOf(text, 0x811c9dc5));
    const second = this.#ids.id(hashOf(text, 0x2c1b3c6d));
    return uuidOf(first.slice(0, 16) + second.slice(16));
  }
}

/** FNV-1a over UTF-16 units, with a custom basis. */
function hashOf(text: string, basis: number): number {
  let hash = basis;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}
