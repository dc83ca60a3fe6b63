// Hints about members of a search that nothing reads: members of another object of the body, with
// another spelling, or with the name that another search API has for them. Programs send them, and
// they are ignored (contract/search.md section 1), so a program may not get what it expects.
// Invariant: a hint changes neither the plan nor its answer.

import { isObject } from '../body.ts';
import { type Meaning, meaningOf } from './parameter-words.ts';

/** What to send instead of a member or parameter. */
export interface Mend {
  /** Follows "send ": `limit in the URL, such as ?limit=250`. */
  readonly send: string;
  /** True for a parameter of pages, which a count does not have. */
  readonly ofPages: boolean;
}

/** A member that nothing reads. */
export interface Misplaced extends Mend {
  readonly text: string;
}

/** Most hints of one body, and the characters of a name that they show. */
const HINTS_MAX = 8;
const SHOWN_CHARACTERS = 60;

/** The members of a search and of rows, by the object that has them; `` is the body. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['indices', 'queryType', 'query', 'queryDsl', 'textQuery', 'typeAheadQuery', 'filters'],
    ...['queryVersion', 'includeNested', 'queryResultFilter', 'sort', 'searchAfter'],
    ...['aggregationType', 'aggregationsVersion', 'aggregationsDsl', 'aggregations'],
    ...['accessPaths', 'rows', 'elements', 'columns', 'limit', 'offset'],
  ],
  query: ['query', 'fields', 'timeZone', 'innerHit'],
  queryResultFilter: ['includes', 'excludes'],
};

/** Values of members of the body, as they are sent. */
const EXAMPLES: Readonly<Record<string, string>> = {
  indices: '["identities"]',
  query: '{"query": "name:a*"}',
  queryDsl: '{"match": {"name": "ada"}}',
  textQuery: '{"terms": ["ada"], "fields": ["name"]}',
  typeAheadQuery: '{"query": "ad", "field": "name"}',
  queryResultFilter: '{"includes": ["id", "name"]}',
  filters: '{"source.name": {"type": "TERMS", "terms": ["HR"]}}',
  sort: '["name", "-created"]',
  searchAfter: '["the value of the last row"]',
  aggregationsDsl: '{"by_city": {"terms": {"field": "attributes.city"}}}',
  aggregations: '{"bucket": {"name": "by_city", "field": "attributes.city"}}',
  includeNested: 'false',
};

const inBody = (member: string): Mend => {
  const example = EXAMPLES[member];
  const send = example === undefined ? `"${member}"` : `"${member}": ${example}`;
  return { send, ofPages: false };
};
const inUrl = (name: string, example: string): Mend => ({
  send: `${name} in the URL, such as ?${example}`,
  ofPages: true,
});
/** What to send for what other APIs have parameters for. */
const MENDS: Readonly<Record<Meaning, Mend>> = {
  filters: inBody('filters'),
  query: inBody('query'),
  order: inBody('sort'),
  limit: inUrl('limit', 'limit=250'),
  offset: inUrl('offset', 'offset=250'),
  page: inUrl('limit and offset', 'limit=250&offset=250'),
  count: inUrl('count', 'count=true'),
};
const NAMES: Mend = {
  send: '"queryResultFilter": {"includes": ["id", "name"]} for what documents have in the answer, or "fields" in "query" for where words are searched',
  ofPages: false,
};

/** What programs mean by other names that are no member, without case, `_`, `-` and `$`. */
const OTHER_NAMES: Readonly<Record<string, Mend>> = {
  ...{ fields: NAMES, source: NAMES, select: NAMES, attributes: NAMES, include: NAMES },
  ...{ exclude: { send: '"queryResultFilter": {"excludes": ["access"]}', ofPages: false } },
  ...{ excludenested: inBody('includeNested') },
  ...{ index: inBody('indices'), indexes: inBody('indices') },
  ...{ aggs: inBody('aggregationsDsl'), aggregation: inBody('aggregationsDsl') },
};

/** By the type of a query: the member that has it. */
const QUERY_MEMBERS: Readonly<Record<string, string>> = {
  ...{ SAILPOINT: 'query', DSL: 'queryDsl', TEXT: 'textQuery', TYPEAHEAD: 'typeAheadQuery' },
};

/** `expected` with an example of the member of a body, if there is one. */
export function withExample(path: string, expected: string): string {
  const example = EXAMPLES[path];
  return example === undefined ? expected : `${expected}, such as ${example}`;
}

/** The members of the body that nothing reads, those of the objects in it included. */
export function misplacedMembers(body: unknown): readonly Misplaced[] {
  if (!isObject(body)) return [];
  const misplaced = [...unselected(body), ...unreadIn(body, '')];
  for (const place of ['query', 'queryResultFilter']) {
    const inner = body[place];
    if (isObject(inner) && (place !== 'query' || queryTypeOf(body) === 'SAILPOINT'))
      misplaced.push(...unreadIn(inner, place));
  }
  return misplaced.slice(0, HINTS_MAX);
}

/** What to send instead of a parameter of the URL that searches do not have; null: unknown. */
export function misplacedParameter(name: string): Mend | null {
  const mend = otherName(foldedName(name)) ?? elsewhere(foldedName(name));
  if (mend === null || mend.ofPages) return mend;
  return { ...mend, send: `${mend.send} in the body` };
}

function* unreadIn(object: Sent, place: string): Iterable<Misplaced> {
  const known = MEMBERS[place] ?? [];
  for (const [name, value] of Object.entries(object)) {
    if (known.includes(name) || value === null) continue;
    const mend = mendOf(foldedName(name), place);
    if (mend === null) continue;
    const where = place === '' ? 'the body' : `"${place}"`;
    const text = `"${name.slice(0, SHOWN_CHARACTERS)}" in ${where} is not read; send ${mend.send}`;
    yield { text, ...mend };
  }
}

function mendOf(name: string, place: string): Mend | null {
  const spelled = (MEMBERS[place] ?? []).find((member) => foldedName(member) === name);
  if (spelled !== undefined) return mendAt(place, spelled);
  return otherName(name) ?? elsewhere(name);
}

function otherName(name: string): Mend | null {
  const meaning = meaningOf(name);
  if (meaning !== null) return MENDS[meaning];
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null;
}

/** The member of any object with this name. */
function elsewhere(name: string): Mend | null {
  for (const [place, members] of Object.entries(MEMBERS)) {
    const known = members.find((member) => foldedName(member) === name);
    if (known !== undefined) return mendAt(place, known);
  }
  return null;
}

function mendAt(place: string, member: string): Mend {
  if (place === '') return inBody(member);
  return { send: `"${member}" in "${place}"`, ofPages: false };
}

/** Queries and aggregations of another type than the selected one, if that one is not there. */
function* unselected(body: Sent): Iterable<Misplaced> {
  const queryType = queryTypeOf(body);
  const selected = QUERY_MEMBERS[queryType];
  if (selected !== undefined && isEmpty(body[selected])) {
    for (const [type, member] of Object.entries(QUERY_MEMBERS)) {
      if (!isEmpty(body[member])) yield unread(member, 'queryType', queryType, type);
    }
  }
  const type = body['aggregationType'];
  if (type === 'DSL' && isEmpty(body['aggregationsDsl']) && !isEmpty(body['aggregations']))
    yield unread('aggregations', 'aggregationType', 'DSL', 'SAILPOINT');
  if (type === 'SAILPOINT' && isEmpty(body['aggregations']) && !isEmpty(body['aggregationsDsl']))
    yield unread('aggregationsDsl', 'aggregationType', 'SAILPOINT', 'DSL');
}

function unread(member: string, selector: string, selected: string, type: string): Misplaced {
  const send = `"${selector}": "${type}"`;
  const text = `"${member}" is not read, as ${selector} is ${selected}; send ${send}`;
  return { text, send, ofPages: false };
}

function queryTypeOf(body: Sent): string {
  return typeof body['queryType'] === 'string' ? body['queryType'] : 'SAILPOINT';
}

type Sent = Readonly<Record<string, unknown>>;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A name as its other spellings have it: without case, `_`, `-` and `$`. */
export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[-_$]/g, '');
}
