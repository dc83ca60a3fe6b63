// The keys of records of profile management: readable uids, and ids that follow from them.
import { Ids, uuidOf } from './random.ts';

/** A record of profile management, by the names of the wire. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** Kinds of records, as the use cases call them, and the searches that are kept. */
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

/** Gives a record its id and uid. */
export class ResourceKeys {
  readonly #ids: Ids;

  constructor(seed: number) {
    this.#ids = new Ids(seed, 'resource');
  }

  /** The same for the same uid; the uids of a kind are distinct. */
  of(kind: DemoKind, uid: string): { readonly id: string; readonly uid: string } {
    return { id: this.id(kind, uid), uid };
  }

  /** Two lanes of the id follow from the text, so that no two uids of a demo meet. */
  id(kind: DemoKind, uid: string): string {
    const text = `${kind} ${uid}`;
    const first = this.#ids.id(hashOf(text, 0x811c9dc5));
    const second = this.#ids.id(hashOf(text, 0x2c1b3c6d));
    return uuidOf(first.slice(0, 16) + second.slice(16));
  }
}

/** FNV-1a over UTF-16 units, from a basis of one's own. */
function hashOf(text: string, basis: number): number {
  let hash = basis;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}
