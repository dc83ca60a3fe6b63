// The examples of a page of docs/, as data. Two kinds of fenced blocks are examples: ```query INDEX, with one query
// text a line, and ```http, with a request as it goes over the wire. What is claimed stands behind a `#`.
// Invariant: a line of such a block that is not understood is an error, so no example goes untested.

/** What an example says of its answer. */
export interface Claim {
  /** 400 where a refusal is claimed. */
  readonly status: number;
  /** How many documents match, whatever the page. */
  readonly total: number | null;
  /** How many are answered. */
  readonly rows: number | null;
  /** Where a query text is at fault. */
  readonly offset: number | null;
  /** Texts that stand in this order in the answer. */
  readonly texts: readonly string[];
}

export interface Example {
  /** One-based line of the page. */
  readonly line: number;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** Parsed JSON, null where there is none. */
  readonly body: Record<string, unknown> | null;
  readonly claim: Claim;
}

const FENCE = /^```(\w*) ?(.*)$/;
const SEARCH = '/v2024/search?count=true&limit=10000';

/** All examples of a page, in order. */
export function examplesOf(page: string): Example[] {
  const lines = page.split('\n');
  const examples: Example[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, kind, argument = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (kind === undefined) continue;
    const first = at + 1;
    at = lines.indexOf('```', first);
    if (at === -1) throw new Error(`line ${first}: this block does not end`);
    const block = lines.slice(first, at);
    if (kind === 'query') {
      block.forEach((text, n) => {
        if (text.trim() !== '') examples.push(queryExample(text, argument, first + n + 1));
      });
    } else if (kind === 'http') {
      examples.push(httpExample(block, first + 1));
    }
  }
  return examples;
}

/** `QUERY   # CLAIM`: at least two blanks before the `#`. */
function queryExample(text: string, index: string, line: number): Example {
  const [, query = text, claim = ''] = /^(.*?) {2,}# (.*)$/.exec(text) ?? [];
  if (/ # /.test(query)) throw new Error(`line ${line}: two blanks must stand before the #`);
  const indices = index === '' ? [] : [index];
  const body = { indices, query: { query: query.trimEnd() } };
  return { line, method: 'POST', path: SEARCH, body, claim: claimOf(claim, line) };
}

/** `METHOD PATH`, a blank line, a JSON body, and a claim in lines that begin with `#`. */
function httpExample(block: readonly string[], line: number): Example {
  const [, method, path] = /^(GET|POST) (\/\S+)$/.exec(block[0] ?? '') ?? [];
  if (method === undefined || path === undefined) throw new Error(`line ${line}: no request line`);
  const json = block.slice(1).filter((text) => !text.startsWith('#'));
  const claims = block.filter((text) => text.startsWith('#')).map((text) => text.slice(1).trim());
  const body = json.join('').trim() === '' ? null : JSON.parse(json.join('\n'));
  return { line, method, path, body, claim: claimOf(claims.join(', '), line) };
}

/**
 * Parts behind commas: `12`, `12 in all`, `3 rows`, `refused`, `offset 7`, `first "Ada", then "Bob"`. A `?` is a count that
 * nobody has made yet, and never right.
 */
function claimOf(text: string, line: number): Claim {
  let status = 200;
  let [total, rows, offset]: (number | null)[] = [null, null, null];
  const texts: string[] = [];
  for (const part of text.match(/(?:"[^"]*"|[^,"])+/g) ?? []) {
    const words = part.trim();
    const number = Number(/\d+/.exec(words)?.[0] ?? -1);
    if (words === 'refused') status = 400;
    else if (/^(\d+|\?)( in all)?$/.test(words)) total = number;
    else if (/^(\d+|\?) rows?$/.test(words)) rows = number;
    else if (/^offset \d+$/.test(words)) offset = number;
    else if (/^(first|then) "[^"]+"$/.test(words))
      texts.push(words.slice(words.indexOf('"') + 1, -1));
    else if (words !== '') throw new Error(`line ${line}: "${words}" claims nothing known`);
  }
  return { status, total: total ?? null, rows: rows ?? null, offset: offset ?? null, texts };
}
