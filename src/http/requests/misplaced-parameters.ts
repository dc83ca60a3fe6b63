// Warnings about query parameters that a route does not read, with what to send instead: an ignored
// filter would otherwise look like one that matches everything.
// Invariant: warnings change no answer, and show a bounded part of what was sent.
import type { FastifyRequest } from 'fastify';
import { foldedName, mendOfParameter } from '../../service/searching/search-hints.ts';
import type { Dialect, ServedEndpoint } from '../endpoint.ts';
import { writeWarnings } from '../responses/warning-header.ts';

/** Most unknown parameters that a warning names, and the characters it shows of each. */
const NAMED_MAX = 5;
const SHOWN_CHARACTERS = 60;
/** Characters of the known parameters that a warning names. */
const KNOWN_CHARACTERS = 400;

/** What a parameter means that other APIs have. */
type Meaning = 'filters' | 'order' | 'limit' | 'offset' | 'count';

/** By `foldedName`. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ...{ filter: 'filters', filters: 'filters', q: 'filters', query: 'filters', where: 'filters' },
  ...{ search: 'filters', sort: 'order', sorts: 'order', sorter: 'order', sorters: 'order' },
  ...{ sortby: 'order', orderby: 'order', order: 'order', sorting: 'order' },
  ...{
    limit: 'limit',
    offset: 'offset',
    size: 'limit',
    pagesize: 'limit',
    perpage: 'limit',
    top: 'limit',
    maxresults: 'limit',
  },
  ...{ page: 'offset', pagenumber: 'offset', currentpage: 'offset', from: 'offset' },
  ...{ start: 'offset', startat: 'offset', startindex: 'offset', skip: 'offset' },
  ...{ count: 'count', total: 'count', includetotal: 'count', includecount: 'count' },
};

interface Mend {
  /** The parameter that has this meaning; a list may not have it. */
  readonly parameter: string;
  readonly send: string;
}

/** What to send for each meaning: lists of the public API, and of profile management. */
const MENDS: Readonly<Record<'isc' | 'nerm', Readonly<Record<Meaning, Mend>>>> = {
  isc: {
    filters: { parameter: 'filters', send: 'filters, such as filters=name sw "A"' },
    order: { parameter: 'sorters', send: 'sorters, such as sorters=name,-modified' },
    limit: { parameter: 'limit', send: 'limit, such as limit=250' },
    offset: { parameter: 'offset', send: 'offset, the number of records to skip' },
    count: { parameter: 'count', send: 'count=true' },
  },
  nerm: {
    filters: { parameter: 'id', send: 'each attribute by its name, such as name=Ada' },
    order: { parameter: 'order', send: 'order, such as order=name, which is ascending' },
    limit: { parameter: 'limit', send: 'limit, such as limit=100' },
    offset: { parameter: 'offset', send: 'offset, the number of records to skip' },
    count: { parameter: 'metadata', send: 'metadata=true' },
  },
};

/** `filter[name]`, `attributes.name`: the name inside. */
const INNER = /^\w+(?:\[(\w+)\]|\.(\w+))$/;
const FIELD = /^[\w.]+$/;

/**
 * The warnings about parameters that are ignored: which, and what to send instead of some.
 * @param known all parameters of the route
 */
export function parameterWarnings(
  unknown: readonly string[],
  known: readonly string[],
  dialect: Dialect,
): readonly { readonly text: string }[] {
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, NAMED_MAX).map((name) => {
    const isLong = name.length > SHOWN_CHARACTERS;
    return { name, shown: `"${isLong ? `${name.slice(0, SHOWN_CHARACTERS)}...` : name}"` };
  });
  const rest = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : '';
  const listed: string[] = [];
  for (const name of known) {
    if (listed.join(', ').length + name.length > KNOWN_CHARACTERS) break;
    listed.push(name);
  }
  const others = known.length - listed.length;
  const all = `${listed.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  const names = named.map(({ shown }) => shown).join(', ');
  return [
    { text: `Ignored unknown parameters ${names}${rest}; known are ${all}` },
    ...named.flatMap(({ name, shown }) => {
      const send = mendOf(name, known, dialect);
      return send === null ? [] : [{ text: `Instead of ${shown} send ${send}` }];
    }),
  ];
}

/** What to send instead of a parameter; null if nothing is known of it. */
function mendOf(name: string, known: readonly string[], dialect: Dialect): string | null {
  if (dialect === 'search') return mendOfParameter(name);
  const area = dialect === 'nerm' ? 'nerm' : 'isc';
  const folded = foldedName(name);
  const same = known.find((one) => foldedName(one) === folded);
  if (same !== undefined) return same;
  const [, bracketed, dotted] = INNER.exec(name) ?? [];
  const inner = bracketed ?? dotted;
  if (inner !== undefined && area === 'nerm') return `${inner}=...`;
  const meaning = Object.hasOwn(MEANINGS, folded) ? MEANINGS[folded] : undefined;
  if (meaning !== undefined) {
    const { parameter, send } = MENDS[area][meaning];
    return known.includes(parameter) ? send : null;
  }
  const isField = area === 'isc' && known.includes('filters') && FIELD.test(name);
  return isField && name.length <= SHOWN_CHARACTERS ? `filters=${name} eq "..."` : null;
}

/** A route that warns of parameters it does not have, if it says which it has. */
export function withParameterWarnings(endpoint: ServedEndpoint): ServedEndpoint {
  const { parameters, dialect, handle } = endpoint;
  if (parameters === undefined) return endpoint;
  return {
    ...endpoint,
    handle(request, reply) {
      const unknown = unknownParameters(request, parameters);
      if (unknown.length > 0) writeWarnings(reply, parameterWarnings(unknown, parameters, dialect));
      return handle.call(endpoint, request, reply);
    },
  };
}

function unknownParameters(request: FastifyRequest, known: readonly string[]): readonly string[] {
  return Object.keys(request.query as object).filter((name) => !known.includes(name));
}
