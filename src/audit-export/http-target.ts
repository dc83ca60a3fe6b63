// Exports by HTTP: each delivery is a POST of newline-delimited JSON, and any 2xx confirms it. The
// address is checked like every outbound address (auth/outbound.ts).
import type { PostBody } from '../auth/outbound.ts';
import type { ExportTarget } from './export-target.ts';

/** Posts to a collector. */
export class HttpTarget implements ExportTarget {
  readonly name: string;
  readonly #url: URL;
  readonly #post: PostBody;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param authorization value of the Authorization header; null: none */
  constructor(url: string, authorization: string | null, post: PostBody) {
    this.name = `http ${url}`;
    this.#url = new URL(url);
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
