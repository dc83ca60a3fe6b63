// Resolves profiles and users by the text that values show: the name of a profile, `Name (email)`
// of a user. So values read from an API can be written again, unless the text is ambiguous.
// Invariant: a text that several records share resolves to none of them.
import { setImmediate as turn } from 'node:timers/promises';
import type { Shown } from '../../ports/profile-records.ts';
import type { Records } from '../../ports/store.ts';
import { foldText } from './fold-text.ts';

/** Most records of one folded name to compare; if there are more, the name is ambiguous. */
const NAMESAKES_MAX = 100;
/** Texts that are looked up between two turns of the event loop. */
const TURN_EVERY = 20;
const USER = /^(.+) \(([^()]*)\)$/s;

/** Looks up texts while no record changes. */
export class ShownNames {
  readonly #records: Records;
  readonly #tenantId: string;
  /** Texts that resolve to no record. */
  readonly #misses = { profile: new Set<string>(), user: new Set<string>() };
  #lookups = 0;

  constructor(records: Records, tenantId: string) {
    this.#records = records;
    this.#tenantId = tenantId;
  }

  /** Adds records by text to `byKey`, for texts that are not an id or uid in it. */
  async load(
    referent: 'profile' | 'user',
    texts: Iterable<string>,
    byKey: Map<string, Shown>,
  ): Promise<void> {
    const misses = this.#misses[referent];
    for (const text of texts) {
      if (text === '' || byKey.has(text) || misses.has(text)) continue;
      this.#lookups += 1;
      if (this.#lookups % TURN_EVERY === 0) await turn();
      const ids = await (referent === 'profile' ? this.#profiles(text) : this.#users(text));
      const [id, another] = ids;
      if (id !== undefined && another === undefined) byKey.set(text, { id, text });
      else misses.add(text);
    }
  }

  async #profiles(text: string): Promise<readonly string[]> {
    const filters = { name: foldText(text) };
    const window = { order: 'id', offset: 0, limit: NAMESAKES_MAX } as const;
    const page = await this.#records.profilePage(this.#tenantId, filters, window);
    if (page.length === NAMESAKES_MAX) return [];
    return page.flatMap(({ id, name }) => (name === text ? [id] : []));
  }

  async #users(text: string): Promise<readonly string[]> {
    const [, name, email] = USER.exec(text) ?? [];
    if (name === undefined || email === undefined) return [];
    const { rows } = await this.#records.resourcePage(this.#tenantId, 'user', {
      where: [
        { member: 'name', equals: name },
        { member: 'email', equals: email },
      ],
      order: null,
      limit: NAMESAKES_MAX,
      offset: 0,
      total: false,
    });
    return rows.flatMap((user) => (user.name === name && user.email === email ? [user.id] : []));
  }
}
