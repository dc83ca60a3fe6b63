// Measures the read-only lists over HTTP: pages of 250 at growing offsets, and walks from the first
// page to the last, over the accounts of the demo company and many entitlements. `--quick` is a small
// run for CI; `--save` writes results/.
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demoDocuments } from '../src/demo/documents.ts';
import { Cardea } from './cardea.ts';
import { type Address, Connection, wireRequest } from './client.ts';
import { cpuSeconds, measuredOn, residentMib } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    identities: { type: 'string' },
    entitlements: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
/** About 3.9 accounts each. */
const identities = Number(flags.identities ?? (flags.quick ? 50 : 26_000));
const entitlements = Number(flags.entitlements ?? (flags.quick ? 300 : 1_000_000));
const repeats = flags.quick ? 2 : 60;
/** Pages of a list before it is measured, so that its code is compiled. */
const warmUp = flags.quick ? 2 : 100;
const PAGE = 250;
const NOW = Date.UTC(2026, 0, 1);

const LISTS = [
  { path: '/v3/accounts', sorters: '' },
  { path: '/v3/accounts', sorters: 'name' },
  { path: '/v3/accounts', sorters: 'sourceId,-created' },
  { path: '/v3/identities', sorters: '' },
  { path: '/v3/identities', sorters: 'name' },
  { path: '/v3/entitlements', sorters: '' },
  { path: '/v3/entitlements', sorters: '-created' },
];
const OFFSETS = [0, 2_500, 9_750, 50_000, 90_000, 900_000];
/** Most pages of a walk. */
const WALK_MAX = 500;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-bench-lists-'));

try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const cardea = await Cardea.create({ root, folder: join(work, 'data'), nodeFlags: [] });
  const file = join(work, 'documents.ndjson');
  await writeDocuments(file);
  await cardea.import(file);
  rmSync(file);
  cardea.spawn();
  try {
    await cardea.untilReady();
    const text = [...about(), '', ...(await measure(cardea)), ''].join('\n');
    process.stdout.write(text);
    const date = new Date().toISOString().slice(0, 10);
    if (flags.save) writeFileSync(join(root, 'bench', 'results', `${date}-lists.md`), text);
  } finally {
    await cardea.stop();
  }
}

async function writeDocuments(file: string): Promise<void> {
  const out = createWriteStream(file);
  for (const document of documents()) {
    if (!out.write(`${JSON.stringify(document)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

function* documents(): Generator<object> {
  yield* demoDocuments({ seed: 7, identities, now: NOW });
  for (let n = 0; n < entitlements; n++) {
    const scattered = (n * 7919) % entitlements;
    yield {
      _type: 'entitlement',
      id: `bench-${scattered.toString(16).padStart(8, '0')}`,
      name: `Group ${scattered}`,
      attribute: 'memberOf',
      value: `CN=group-${scattered},OU=bench`,
      schema: 'group',
      source: { id: `source-${n % 40}`, name: `Source ${n % 40}` },
      created: new Date(NOW - scattered * 60_000).toISOString(),
      privileged: n % 50 === 0,
      requestable: n % 2 === 0,
    };
  }
}

async function measure(cardea: Cardea): Promise<string[]> {
  const lines = [
    '| List | sorters | objects | offset | p50 ms | longest ms | CPU ms |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const { path, sorters } of LISTS.filter((list) => list.path.includes(flags.only))) {
    const to = await cardea.address();
    const connection = await Connection.open(to.port);
    try {
      const list: List = { to, connection, path, sorters, pid: cardea.pid };
      const total = await totalOf(list);
      await jumps(list, 1_000, warmUp);
      const row = (where: string, figures: Figures) => {
        const shown = [figures.p50, figures.longest, figures.cpu].map((ms) => ms.toFixed(1));
        lines.push(`| ${[path, sorters, grouped(total), where, ...shown].join(' | ')} |`);
        process.stderr.write(`${lines.at(-1)}\n`);
      };
      for (const offset of OFFSETS.filter((each) => each < total)) {
        row(`to ${grouped(offset)}`, await jumps(list, offset));
      }
      row('walk', await walk(list, total));
    } finally {
      connection.close();
    }
  }
  return [...lines, '', `Resident memory at the end: ${residentMib(cardea.pid).toFixed(0)} MiB.`];
}

interface List {
  readonly to: Address;
  readonly connection: Connection;
  readonly path: string;
  readonly sorters: string;
  readonly pid: number;
}

/** Milliseconds of a page. */
interface Figures {
  readonly p50: number;
  readonly longest: number;
  readonly cpu: number;
}

async function page(
  { to, connection, path, sorters }: List,
  offset: number,
  more = '',
): Promise<string> {
  const sort = sorters === '' ? '' : `&sorters=${sorters}`;
  const target = `${path}?limit=${PAGE}&offset=${offset}${sort}${more}`;
  const { head } = await connection.send(wireRequest(to, { method: 'GET', path: target }), false);
  return head;
}

async function totalOf(list: List): Promise<number> {
  const head = await page(list, 0, '&count=true');
  return Number(/x-total-count: (\d+)/i.exec(head)?.[1]);
}

/** A page that no other one came before. */
function jumps(list: List, offset: number, count = repeats): Promise<Figures> {
  // An offset that no page ended at.
  return timed(list.pid, count, (n) => page(list, Math.max(0, offset - (n % 7)), ''));
}

/** The pages from the first one on. */
async function walk(list: List, total: number): Promise<Figures> {
  const pages = Math.min(WALK_MAX, Math.ceil(total / PAGE));
  return timed(list.pid, pages, (n) => page(list, n * PAGE));
}

async function timed(
  pid: number,
  count: number,
  ask: (n: number) => Promise<unknown>,
): Promise<Figures> {
  const times: number[] = [];
  const before = cpuSeconds(pid);
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await ask(n);
    times.push(performance.now() - start);
  }
  const cpu = ((cpuSeconds(pid) - before) * 1_000) / count;
  times.sort((a, b) => a - b);
  return { p50: times[times.length >> 1] ?? 0, longest: times.at(-1) ?? 0, cpu };
}

function about(): string[] {
  return [
    '# Lists',
    '',
    ...measuredOn(root),
    `- ${grouped(identities)} identities and ${grouped(entitlements)} entitlements beside theirs`,
    `- pages of ${PAGE} over one connection. *to N*: ${repeats} pages near that offset, none of which continues another; *walk*: from the first page on, at most ${WALK_MAX} pages; each list is read ${warmUp} times before`,
    '- CPU of all threads of the server',
  ];
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
