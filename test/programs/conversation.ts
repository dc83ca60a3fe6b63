// Conversations of published programs, as data, and their player. A row says what a program sends,
// in the order in which it does, and what it needs of each answer; values of earlier answers are
// inserted for names in braces. The programs were read, nothing of them was copied.
// Invariant: a conversation needs nothing but an address and credentials, so it plays on any server.
import assert from 'node:assert/strict';

/** Values by name: those given at first, and those that calls keep. */
export type Values = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; null without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: each row knows the shape
  readonly body: any;
}

/** One request of a program. */
export interface Call {
  /** Sentence about what the program does with it. */
  readonly does: string;
  /**
   * Method, path and query, such as `GET /v3/accounts?filters=name eq "{account}"`. Values are
   * encoded, but as `{+next}` they stand as they are.
   */
  readonly request: string;
  /** Beside `Authorization: Bearer {token}`, which is sent as soon as a token is kept. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body as JSON, as a form, or as it stands. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** 200 if omitted, one of several where the program takes either; 404 or 405 with `lacks`. */
  readonly status?: number | readonly number[];
  /** What Cardea does not have: the answer is a 404, or a 405 where it only reads, and names it. */
  readonly lacks?: string;
  /** Paths that exist in the answer or, for a list, in each of its objects; null is a value. */
  readonly members?: readonly string[];
  /** The fewest objects in the list that the answer is. */
  readonly least?: number;
  /** True if X-Total-Count is needed, and the least it must be is the length of the list. */
  readonly counts?: boolean;
  /** Pages of this many: the program asks again until a page is shorter, and has each id once. */
  readonly pages?: Pages;
  /** Anything else that must hold. */
  readonly holds?: (answer: Answer, values: Values) => void;
  /** Values for later calls by name, as paths into the answer such as `-1.created`. */
  readonly keep?: Readonly<Record<string, string>>;
}

export interface Pages {
  /** How `{offset}` rises, and how long a full page is. */
  readonly limit: number;
  /** With these paths of the last object as `{after}` instead of an offset. */
  readonly after?: readonly string[];
  /** The member of the answer with the list, if the answer is no list. */
  readonly key?: string;
  /** Ends at a 400 instead of a short page. */
  readonly endsAt400?: boolean;
}

/** One program. */
export interface Program {
  readonly name: string;
  readonly kind: string;
  /** The public repository or package in which it was read. */
  readonly readIn: string;
  /** How it is pointed at Cardea, for docs/decisions/programs.md. */
  readonly pointedBy: string;
  readonly calls: readonly Call[];
}

/** A served tenant. */
export interface Target {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Key of profile management. */
  readonly apiKey: string;
  /** Checks each answer, unread; by default nothing. */
  readonly check?: (method: string, path: string, answer: Response) => Promise<unknown>;
}

const HOUR_MS = 3_600_000;
/** A program that asks for more never ends. */
const PAGES_MAX = 50;

/** What a person has put into the settings of a program, or a program takes from its clock. */
export function firstValues(target: Target, now = Date.now()): Values {
  const { clientId, clientSecret, apiKey } = target;
  const ago = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  const escaped = (text: string) => text.replace(/[-:.]/g, '\\$&');
  return {
    ...{ clientId, clientSecret, apiKey },
    basic: Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
    ...{ now: ago(0), hourAgo: ago(1), dayAgo: ago(24), monthAgo: ago(720) },
    ...{ hourAgoEscaped: escaped(ago(1)), monthAgoEscaped: escaped(ago(720)) },
  };
}

/** Plays all calls of a program. @throws AssertionError that says which call failed, and its answer */
export async function play(program: Program, target: Target, given: Values): Promise<void> {
  const values = { ...given };
  for (const [at, call] of program.calls.entries()) {
    const title = `${program.name}, call ${at + 1}: ${call.does} (${call.request})`;
    try {
      const answer = call.pages
        ? await playPages(call, call.pages, target, values)
        : await ask(call, target, values);
      check(call, answer, values);
      for (const [name, path] of Object.entries(call.keep ?? {})) {
        values[name] = valueAt(answer.body, path);
        assert.notEqual(values[name], undefined, `there is no ${path}`);
      }
    } catch (error) {
      if (error instanceof Error) error.message = `${title}: ${error.message}`;
      throw error;
    }
  }
}

/** Asks for pages until one is short. @returns the last answer, with the objects of all pages */
async function playPages(
  call: Call,
  { limit, after, key, endsAt400 }: Pages,
  target: Target,
  values: Values,
): Promise<Answer> {
  const all: unknown[] = [];
  values['after'] = [];
  for (let offset = 0; ; offset += limit) {
    assert.ok(offset <= limit * PAGES_MAX, `it has asked for ${PAGES_MAX} pages`);
    values['offset'] = offset;
    const answer = await ask(call, target, values);
    if (endsAt400 === true && offset > 0 && answer.status === 400) {
      assert.equal(typeof answer.body.error, 'string');
      return { ...answer, status: 200, body: all };
    }
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const page = key === undefined ? answer.body : answer.body[key];
    assert.ok(Array.isArray(page) && page.length <= limit, JSON.stringify(answer.body));
    all.push(...page);
    if (page.length < limit && endsAt400 !== true) {
      const ids = all.map((object) => valueAt(object, 'id'));
      assert.equal(new Set(ids).size, ids.length, 'an object came twice');
      return { ...answer, body: all };
    }
    if (after !== undefined) values['after'] = after.map((path) => valueAt(page.at(-1), path));
  }
}

async function ask(call: Call, target: Target, values: Values): Promise<Answer> {
  const [method = '', ...rest] = call.request.split(' ');
  // The URL class encodes what is left, such as spaces and quotes in filters.
  const { pathname, search } = new URL(
    filled(rest.join(' '), values, encodeURIComponent),
    'http://host',
  );
  const path = pathname + search;
  const headers: Record<string, string> = {};
  if (values['token'] !== undefined) headers['authorization'] = `Bearer ${values['token']}`;
  let body: string | undefined;
  if (call.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(filledDeep(call.json, values));
  } else if (call.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(filledDeep(call.form, values) as Record<string, string>).toString();
  } else if (call.text !== undefined) {
    body = filled(call.text, values);
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    headers[name.toLowerCase()] = filled(value, values);
  }
  const answer = await fetch(target.url + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  // A repeated /api is served as one, and documented as one.
  await target.check?.(method, path.replace(/^\/api\/api\//, '/api/'), answer);
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  const parsed = text === '' ? null : isJson ? JSON.parse(text) : text;
  return { status: answer.status, headers: answer.headers, body: parsed };
}

function check(call: Call, answer: Answer, values: Values): void {
  const { status, body, headers } = answer;
  const shown = JSON.stringify(body)?.slice(0, 600);
  if (call.lacks !== undefined) {
    assert.ok(status === 404 || status === 405, `${status} ${shown}`);
    assert.ok(JSON.stringify(body).includes(call.lacks), `${call.lacks} is not named: ${shown}`);
    return;
  }
  assert.ok([call.status ?? 200].flat().includes(status), `${status} ${shown}`);
  const objects: unknown[] = Array.isArray(body) ? body : [body];
  if (call.least !== undefined) {
    assert.ok(Array.isArray(body) && body.length >= call.least, `${body?.length} are too few`);
  }
  for (const path of call.members ?? []) {
    for (const object of objects) {
      const text = JSON.stringify(object)?.slice(0, 600);
      assert.notEqual(valueAt(object, path), undefined, `there is no ${path} in ${text}`);
    }
  }
  if (call.counts === true) {
    const total = Number(headers.get('x-total-count') ?? Number.NaN);
    assert.ok(total >= objects.length, `X-Total-Count is ${headers.get('x-total-count')}`);
  }
  call.holds?.(answer, values);
}

/** The value at a path such as `-1.source.id`; a negative number counts from the end. */
export function valueAt(value: unknown, path: string): unknown {
  let here = value;
  for (const name of path.split('.')) {
    if (Array.isArray(here)) here = here.at(Number(name));
    else if (typeof here === 'object' && here !== null) here = Reflect.get(here, name);
    else return undefined;
  }
  return here;
}

/** Replaces names in braces, which must be kept by an earlier call. */
function filled(text: string, values: Values, encode = (value: string) => value): string {
  return text.replace(/\{(\+?)([a-z]\w*)\}/gi, (whole, asItIs: string, name: string) => {
    assert.ok(name in values, `no earlier answer has kept ${whole}`);
    const value = String(values[name]);
    return asItIs === '' ? encode(value) : value;
  });
}

/** As `filled`, in all strings; one that is nothing but a name becomes its value, of any type. */
function filledDeep(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const [, name] = /^\{(\w+)\}$/.exec(value) ?? [];
    if (name !== undefined && name in values) return values[name];
    return filled(value, values);
  }
  if (Array.isArray(value)) return value.map((item) => filledDeep(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, filledDeep(item, values)]),
  );
}
