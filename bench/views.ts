// Measures what views cost: the same kinds of questions without a view, through one that hides
// nothing, through 10 and 60 in turn, through one that hides fields, and through one with the time of
// each request in its query; then whether documents that are hidden take another time than ids that
// do not exist. `--quick` is a small run for CI; `--save` writes results/.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Cardea } from './cardea.ts';
import { type Address, ask, Connection, type HttpRequest, wireRequest } from './client.ts';
import { corpusLines, writeCorpus } from './corpus.ts';
import { percentile } from './load.ts';
import { measuredOn } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    documents: { type: 'string' },
    questions: { type: 'string' },
  },
});
const documents = Number(flags.documents ?? (flags.quick ? 600 : 100_000));
/** Of each kind, for each reader. */
const questions = Number(flags.questions ?? (flags.quick ? 5 : 200));
/** Of hidden documents, and as many of ids that do not exist. */
const gets = flags.quick ? 50 : 10_000;
const VIEWS = 60;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-bench-views-'));

/** What asks: with one token, or several in turn. */
interface Reader {
  readonly name: string;
  readonly tokens: readonly string[];
}

/** A kind of question; no two have the same text. */
interface Kind {
  readonly name: string;
  ask(word: string, n: number): HttpRequest;
}

const search = (path: string, body: object): HttpRequest => ({
  ...{ method: 'POST', path: `/v3/search${path}` },
  body: { indices: ['identities'], ...body },
});
const WORDS = ['engineer', 'manager', 'anna', 'sales', 'finance', 'analyst', 'maria', 'lee'];
const KINDS: readonly Kind[] = [
  {
    name: 'count of a term',
    ask: (word, n) => search('/count', { query: { query: `name:${word} OR name:x${n}` } }),
  },
  {
    name: 'page of 50 by name',
    ask: (word, n) =>
      search('?limit=50', { query: { query: `NOT name:${word}x${n}` }, sort: ['name', 'id'] }),
  },
  {
    name: 'free words, page of 10',
    ask: (word, n) => search('?limit=10', { query: { query: `${word} x${n}` } }),
  },
  {
    name: 'count of a wildcard',
    ask: (word, n) =>
      search('/count', { query: { query: `name:*${word.slice(1, 3)}* OR name:x${n}` } }),
  },
  {
    name: 'buckets of departments',
    ask: (word, n) =>
      search('/aggregate?limit=0', {
        query: { query: `NOT name:${word}x${n}` },
        aggregationsDsl: { of: { terms: { field: 'attributes.department' } } },
      }),
  },
  {
    name: 'count of elements of access',
    ask: (word, n) => search('/count', { query: { query: `@access(name:${word} OR name:x${n})` } }),
  },
  {
    name: 'completed names',
    ask: (word, n) =>
      search('', {
        queryType: 'TYPEAHEAD',
        typeAheadQuery: { query: word.slice(0, 2), field: 'name', size: 5 + (n % 20) },
      }),
  },
];

try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const cardea = await Cardea.create({ root, folder: join(work, 'data'), nodeFlags: [] });
  const corpus = await writeCorpus(join(work, 'documents.ndjson'), documents);
  const ids: string[] = [];
  for await (const line of corpusLines(corpus)) {
    const { _type: type, id } = JSON.parse(line) as { _type: string; id: string };
    if (type === 'identity') ids.push(id);
  }
  await cardea.import(corpus.file);
  rmSync(corpus.file);
  cardea.spawn();
  try {
    await cardea.untilReady();
    const readers = await readersOf(cardea);
    const costs = await costTable(await cardea.address(), readers);
    const times = await timeTable(await cardea.address(), await hiding(cardea), ids);
    const text = [...about(), '', ...costs, '', ...times, ''].join('\n');
    process.stdout.write(text);
    const date = new Date().toISOString().slice(0, 10);
    if (flags.save) writeFileSync(join(root, 'bench', 'results', `${date}-views.md`), text);
  } finally {
    await cardea.stop();
  }
}

async function readersOf(cardea: Cardea): Promise<readonly Reader[]> {
  // Each shows all identities, by a query of its own.
  const shows = (from: string) => `created:[${from} TO now/d]`;
  const many: string[] = [];
  for (let n = 0; n < VIEWS; n++) {
    const from = `20${String(n % 10).padStart(2, '0')}-01-${String(1 + (n % 28)).padStart(2, '0')}`;
    many.push(await tokenThrough(cardea, `v${n}`, `${shows(from)} AND NOT name:v${n}`, []));
  }
  const [one = ''] = many;
  const hide = ['phone', 'attributes.phone'];
  return [
    { name: 'no view', tokens: [(await cardea.address()).token] },
    { name: '1 view', tokens: [one] },
    { name: '10 views', tokens: many.slice(0, 10) },
    { name: `${VIEWS} views`, tokens: many },
    {
      name: 'hidden fields',
      tokens: [await tokenThrough(cardea, 'hides', shows('2000-01-01'), hide)],
    },
    { name: 'with `now`', tokens: [await tokenThrough(cardea, 'now', 'created:[* TO now]', [])] },
  ];
}

/** A token of half of the identities: those whose id begins with a digit below 8. */
async function hiding(cardea: Cardea): Promise<string> {
  return tokenThrough(cardea, 'half', 'id:/[0-7].*/', []);
}

/** A token of a new client that is restricted to a new view. */
async function tokenThrough(
  cardea: Cardea,
  name: string,
  identities: string,
  hide: readonly string[],
): Promise<string> {
  const to = await cardea.address();
  const view = { name, indices: { identities }, hide };
  await posted(to, '/admin/v1/views', view);
  const client = JSON.parse(await posted(to, '/v3/oauth-clients', { name, view: name })) as {
    readonly id: string;
    readonly secret: string;
  };
  return (await cardea.address(to.port, client)).token;
}

async function posted(to: Address, path: string, body: object): Promise<string> {
  return String((await ask(to, { method: 'POST', path, body })).body);
}

async function costTable({ port }: Address, readers: readonly Reader[]): Promise<string[]> {
  const lines = [
    `| p50 in ms (times that without a view) | ${readers.map(({ name }) => name).join(' | ')} |`,
    `|---|${readers.map(() => '---|').join('')}`,
  ];
  const connection = await Connection.open(port);
  let n = 0;
  const timed = async (kind: Kind, token: string) => {
    n += 1;
    const request = wireRequest({ port, token }, kind.ask(WORDS[n % WORDS.length] ?? '', n));
    const start = performance.now();
    await connection.send(request);
    return performance.now() - start;
  };
  for (const kind of KINDS) {
    const times = readers.map((): number[] => []);
    for (let round = -Math.ceil(questions / 2); round < questions; round++) {
      for (const [at, { tokens }] of readers.entries()) {
        // Views come in an order of their own, so that each is asked again after all others.
        const time = await timed(kind, tokens[(round + questions) % tokens.length] ?? '');
        if (round >= 0) times[at]?.push(time);
      }
    }
    const medians = times.map((all) => percentile(all, 0.5));
    const [base = 1] = medians;
    const cells = medians.map((one, at) =>
      at === 0 ? one.toFixed(2) : `${one.toFixed(2)} (${(one / base).toFixed(2)})`,
    );
    lines.push(`| ${[kind.name, ...cells].join(' | ')} |`);
    process.stderr.write(`${lines.at(-1)}\n`);
  }
  connection.close();
  return lines;
}

async function timeTable(
  { port }: Address,
  token: string,
  ids: readonly string[],
): Promise<string[]> {
  const hidden = ids.filter((id) => !/^[0-7]/.test(id));
  const connection = await Connection.open(port);
  const get = async (id: string) => {
    const request = { method: 'GET', path: `/v3/search/identities/${id}` } as const;
    const sent = wireRequest({ port, token }, request);
    const start = performance.now();
    await assert.rejects(connection.send(sent), /answered 404/);
    return performance.now() - start;
  };
  const times = { hidden: [] as number[], none: [] as number[] };
  for (let n = -gets / 10; n < gets; n++) {
    const id = hidden[(n + gets) % hidden.length] ?? '';
    // The same characters, and as many.
    const none = [...id].reverse().join('');
    const [one, other] = n % 2 === 0 ? [id, none] : [none, id];
    const [first, second] = [await get(one), await get(other)];
    if (n < 0) continue;
    times.hidden.push(one === id ? first : second);
    times.none.push(one === id ? second : first);
  }
  connection.close();
  const row = (name: string, all: number[]) => {
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(all, share).toFixed(3));
    return `| ${name} | ${all.length} | ${p50} | ${p90} | ${p99} |`;
  };
  return [
    '| Documents by id through a view | requests | p50 ms | p90 ms | p99 ms |',
    '|---|---|---|---|---|',
    row('hidden', times.hidden),
    row('not existing', times.none),
  ];
}

function about(): string[] {
  return [
    '# Views',
    '',
    ...measuredOn(root),
    `- ${documents.toLocaleString('en-US')} documents of the demo company on the embedded engine`,
    `- each view shows all identities, so that all readers find the same; ${questions} new questions of each kind and reader over one connection, in turn, after half as many others`,
    '- free words through views are not scored by the statistics of the index, so that they may be faster than without',
    `- ids: ${gets.toLocaleString('en-US')} requests for identities that the view hides, and as many for ids that do not exist, in turn`,
  ];
}
