// The OpenSearch side of the comparison: an index as an OpenSearch user would create it. It has the
// fields of our mapping, each text with an `.exact` keyword; nested paths are nested; `all` is the
// catch-all for free words. Documents are stored unchanged and returned as `_source`, which is
// OpenSearch's fastest way.
// Invariant: nothing of our own OpenSearch backend is used, neither its columns nor its stored
// parts.
import { INDEX_NAMES, indexOfType, staticMapping } from '../src/query/mapping/document-types.ts';
import type { FieldType } from '../src/query/mapping/mapping.ts';
import { type Address, ask, Connection, type HttpRequest, wireRequest } from './client.ts';
import { type Corpus, corpusLines } from './corpus.ts';

const BULK_CHARS = 5 * 1024 * 1024;
/** For two cores; more concurrent requests only queue. */
const BULKS_AT_A_TIME = 2;

type Properties = Record<string, Property>;

interface Property {
  readonly [parameter: string]: unknown;
  readonly properties?: Properties;
}

const KEYWORD: Property = { type: 'keyword' };
const COPIED = { copy_to: 'all' };
const TEXT: Property = { type: 'text', fields: { exact: KEYWORD }, ...COPIED };

const PROPERTIES: Readonly<Record<FieldType, Property>> = {
  text: TEXT,
  keyword: { ...KEYWORD, ...COPIED },
  date: { type: 'date' },
  long: { type: 'long' },
  double: { type: 'double' },
  boolean: { type: 'boolean' },
};

/**
 * Creates an index with one shard for each document type.
 * @param prefix of the index names
 */
export async function createIndexes(to: Address, prefix: string): Promise<void> {
  for (const index of INDEX_NAMES) {
    await ask(to, { method: 'PUT', path: `/${prefix}${index}`, body: indexBody(index) });
  }
}

function indexBody(index: (typeof INDEX_NAMES)[number]): object {
  const mapping = staticMapping(index, { name: 'bench', pod: 'bench' });
  const properties: Properties = { all: { type: 'text' } };
  for (const path of mapping.nestedPaths) put(properties, path, { type: 'nested', properties: {} });
  for (const { path, type } of mapping.fields.values()) put(properties, path, PROPERTIES[type]);
  return {
    settings: {
      number_of_shards: 1,
      number_of_replicas: 0,
      refresh_interval: '-1', // no refresh during indexing, which is faster
      'mapping.total_fields.limit': 10_000,
    },
    mappings: {
      date_detection: false,
      dynamic_templates: [{ texts: { match_mapping_type: 'string', mapping: TEXT } }],
      properties,
    },
  };
}

/** Sets a property at a dotted path, and creates the objects on the way. */
function put(properties: Properties, path: string, property: Property): void {
  const names = path.split('.');
  const last = names.pop() ?? path;
  let level = properties;
  for (const name of names) {
    const below = level[name]?.properties ?? {};
    level[name] ??= { properties: below };
    level = below;
  }
  level[last] = property;
}

/** Indexes all documents with bulk requests, and refreshes; from then on, once a second. */
export async function feed(to: Address, corpus: Corpus, prefix: string): Promise<void> {
  const free = await Promise.all(
    Array.from({ length: BULKS_AT_A_TIME }, () => Connection.open(to.port)),
  );
  const all = [...free];
  const sent = new Set<Promise<void>>();
  const flush = async (text: string): Promise<void> => {
    while (free.length === 0) await Promise.race(sent);
    const connection = free.pop();
    if (connection === undefined) return;
    const done = bulk(connection, to, text).finally(() => {
      free.push(connection);
      sent.delete(done);
    });
    sent.add(done);
  };
  let text = '';
  for await (const line of corpusLines(corpus)) {
    const { _type: type, id } = JSON.parse(line) as { _type: string; id: string };
    text += `{"index":{"_index":"${prefix}${indexOfType(type)}","_id":"${id}"}}\n${line}\n`;
    if (text.length < BULK_CHARS) continue;
    await flush(text);
    text = '';
  }
  if (text !== '') await flush(text);
  await Promise.all(sent);
  for (const connection of all) connection.close();
  await ask(to, { method: 'POST', path: '/_refresh' });
  const body = { index: { refresh_interval: '1s' } };
  for (const index of INDEX_NAMES) {
    await ask(to, { method: 'PUT', path: `/${prefix}${index}/_settings`, body });
  }
}

/** The request that writes a document of the corpus again. */
export function writeRequest(document: Readonly<Record<string, unknown>>): HttpRequest {
  const { _type: type, id } = document;
  return {
    ...{ method: 'PUT', path: `/${indexOfType(String(type))}/_doc/${String(id)}` },
    body: document,
  };
}

async function bulk(connection: Connection, to: Address, text: string): Promise<void> {
  const path = '/_bulk?filter_path=errors,items.*.error';
  const request = wireRequest(to, { method: 'POST', path, body: text });
  const { body } = await connection.send(request, true);
  const answer = String(body);
  if (!answer.includes('"errors":false'))
    throw new Error(`OpenSearch refused: ${answer.slice(0, 500)}`);
}

/**
 * Merges every index to one segment, which is found by the next search: indexes that are compared
 * must not differ by when their merges happened to run.
 */
export async function mergeAll(to: Address): Promise<void> {
  await settle(to);
  await ask(to, { method: 'POST', path: '/_forcemerge?max_num_segments=1' });
  await ask(to, { method: 'POST', path: '/_refresh' });
}

/**
 * Size of the segments of the indexes whose names match a pattern, in MiB: files of merged segments may
 * stay for a while.
 */
export async function indexMib(to: Address, pattern: string): Promise<number> {
  const path = `/_cat/segments/${pattern}?h=size&bytes=b`;
  const { body } = await ask(to, { method: 'GET', path });
  const sizes = String(body).trim().split('\n').map(Number);
  return sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
}

/** Waits until all merges are done. */
export async function settle(to: Address): Promise<void> {
  await ask(to, { method: 'POST', path: '/_flush' });
  for (;;) {
    const { body } = await ask(to, { method: 'GET', path: '/_stats/merge' });
    const { _all: all } = JSON.parse(String(body)) as {
      _all: { total: { merges: { current: number } } };
    };
    if (all.total.merges.current === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
