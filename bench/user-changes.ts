// Changes of auth users: PATCH requests that each change another user, with its event of the audit
// trail.
import { type Address, ask, wireRequest } from './client.ts';

export const USERS = 2_000;
/** Two sets of levels: each request changes its user from one to the other. */
const LEVELS = [['HELPDESK'], ['HELPDESK', 'CERT_ADMIN']] as const;

/** Creates all users, or gives them the first set of levels again. */
export async function resetUsers(to: Address): Promise<void> {
  const users = Array.from({ length: USERS }, (_, at) =>
    JSON.stringify({ id: userId(at), uid: `user${at}`, capabilities: LEVELS[0] }),
  );
  await ask(to, { method: 'POST', path: '/admin/v1/auth-users', body: users.join('\n') });
}

/** How often each user was changed since `resetUsers`. */
export type ChangeCounts = Uint32Array;

export const noChanges = (): ChangeCounts => new Uint32Array(USERS);

/** The changes that one of several connections sends: no two connections change the same user. */
export class UserChanges {
  readonly #first: number;
  readonly #users: number;
  readonly #counts: ChangeCounts;
  #sent = 0;

  /** @param counts of earlier changes, which it increments so that no request repeats the stored value */
  constructor(connection: number, connections: number, counts = noChanges()) {
    this.#counts = counts;
    this.#users = Math.floor(USERS / connections);
    this.#first = connection * this.#users;
  }

  next(to: Address): Buffer {
    const turn = this.#sent++;
    const at = this.#first + (turn % this.#users);
    const count = (this.#counts[at] ?? 0) + 1;
    this.#counts[at] = count;
    return wireRequest(to, {
      method: 'PATCH',
      path: `/v3/auth-users/${userId(at)}`,
      type: 'application/json-patch+json',
      body: [{ op: 'replace', path: '/capabilities', value: LEVELS[count % 2] }],
    });
  }
}

function userId(at: number): string {
  return String(at).padStart(32, '0');
}
