// Profiles and users by the text that values show them as: the name of a profile, `Name (email)` of
// a user. What was read from an API can so be written again, as far as the text belongs to one
// record alone.
// Invariant: a text that several records share finds none of them.

import type { Shown } from '../../ports/profile-records.ts';
import type { Records } from '../../ports/store.ts';
import { foldText } from './fold-text.ts';

/** Records of one folded name that are looked through; of more than that none is meant. */
const NAMESAKES_MAX = 100;
const USER = /^(.+) \(([^()]*)\)$/s;

export class ShownNames {
  readonly #records: Records;
  readonly #tenantId: string;

  constructor(records: Records, tenantId: string) {
    this.#records = records;
    this.#tenantId = tenantId;
  }

  /** Adds to `found`, by text, what is not there yet under its id or uid. */
  async load(
    referent: 'profile' | 'user',
    texts: Iterable<string>,
    found: Map<string, Shown>,
  ): Promise<void> {
    for (const text of texts) {
      if (text === '' || found.has(text)) continue;
      const ids = await (referent === 'profile' ? this.#profiles(text) : this.#users(text));
      const [id, another] = ids;
      if (id !== undefined && another === undefined) found.set(text, { id, text });
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
      ...{ order: null, limit: NAMESAKES_MAX, offset: 0, total: false },
    });
    return rows.flatMap((user) => (user.name === name && user.email === email ? [user.id] : []));
  }
}
