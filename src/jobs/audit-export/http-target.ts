// Exports by HTTP: each delivery is a POST of newline-delimited JSON, and any 2xx confirms it. The
// address is checked like every outbound address (auth/outbound.ts).
// Invariant: its name, which the store, its backups and the log have, tells the origin alone, as the
// path of an address may be a secret.
import { createHash } from 'node:crypto';
import type { PostBody } from '../../auth/outbound.ts';
import type { ExportTarget } from './export-target.ts';

/** Enough to tell two addresses of an origin apart. */
const HASH_DIGITS = 16;

/** Posts to a collector. */
export class HttpTarget implements ExportTarget {
  readonly name: string;
  readonly #url: URL;
  readonly #post: PostBody;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param authorization value of the Authorization header; null: none */
  constructor(url: string, authorization: string | null, post: PostBody) {
    this.#url = new URL(url);
    const hash = createHash('sha256').update(url).digest('hex').slice(0, HASH_DIGITS);
    this.name = `http ${this.#url.origin} ${hash}`;
    this.#post = post;
    this.#headers = {
      'content-type': 'application/x-ndjson',
      ...(authorization === null ? {} : { authorization }),
    };
  }

  deliver(lines: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#post(this.#url, `${lines.join('\n')}\n`, this.#headers, signal);
  }
}
