// Measures searches while the documents of a field are indexed by another kind: many documents hold a
// number, one with text comes, and all others are fed again. A word without a field tells when it is done.
// See README.md for the flags.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Cardea } from './cardea.ts';
import { type Address, ask, Connection, wireRequest } from './client.ts';
import { percentile } from './load.ts';

const { values: flags } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '20' },
    save: { type: 'boolean', default: false },
  },
});
const documents = Number(flags.documents);
const FIRST = 1_000_000;
const CLIENTS = 4;
const DEADLINE_MS = 600_000;

interface Searches {
  readonly timesMs: readonly number[];
  readonly errors: number;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-kinds-'));
try {
  const cardea = await Cardea.create({ root, folder: join(work, 'data'), nodeFlags: [] });
  const file = join(work, 'people.ndjson');
  await writePeople(file);
  await cardea.import(file);
  cardea.spawn();
  await cardea.untilReady();
  const to = await cardea.address();
  const before = await search(to, async () => {
    await new Promise((resolve) => setTimeout(resolve, Number(flags.seconds) * 1_000));
  });
  await put(to, { id: 'text', attributes: { number: 'A-7' } });
  const isRightAtOnce = (await count(to, '_exists_:attributes.number')) === documents + 1;
  const began = performance.now();
  const during = await search(to, () => fedAgain(to));
  const seconds = (performance.now() - began) / 1_000;
  await cardea.stop();
  const text = [
    '# Searches while a field gets another kind',
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${loadavg()[0]?.toFixed(1)}: client and Cardea on one machine`,
    `- ${documents} identities with a number; one with text comes; ${CLIENTS} connections ask new questions`,
    `- \`_exists_\` right at once: ${isRightAtOnce ? 'yes' : 'NO'}; all documents fed again after ${seconds.toFixed(1)} s`,
    '',
    '| | searches | errors | p50 ms | p99 ms | longest ms |',
    '|---|---|---|---|---|---|',
    row('before', before),
    row('while documents are fed again', during),
    '',
  ].join('\n');
  console.log(text);
  if (flags.save) {
    const folder = join(root, 'bench', 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${new Date().toISOString().slice(0, 10)}-kinds.md`), text);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

function row(name: string, { timesMs, errors }: Searches): string {
  const at = (share: number) => percentile(timesMs, share).toFixed(1);
  return `| ${name} | ${timesMs.length} | ${errors} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`;
}

async function writePeople(file: string): Promise<void> {
  const out = createWriteStream(file);
  for (let n = 0; n < documents; n++) {
    const person = {
      ...{ _type: 'identity', id: `p${n}`, name: `person.${n}`, displayName: `Person ${n}` },
      attributes: {
        number: FIRST + n,
        department: `Department ${n % 97}`,
        city: `City ${n % 301}`,
      },
    };
    if (!out.write(`${JSON.stringify(person)}\n`))
      await new Promise((resolve) => out.once('drain', () => resolve(null)));
  }
  await new Promise((resolve) => out.end(() => resolve(null)));
}

/** Asks new questions over some connections until `ended`. */
async function search(to: Address, ended: () => Promise<void>): Promise<Searches> {
  const timesMs: number[] = [];
  let errors = 0;
  let goesOn = true;
  const ask = async (connection: Connection, client: number) => {
    for (let n = client; goesOn; n += CLIENTS) {
      const body = {
        indices: ['identities'],
        query: {
          query: `attributes.city:"City ${(n * 7) % 301}" AND name:person.${n % documents}*`,
        },
      };
      const sent = performance.now();
      try {
        await connection.send(wireRequest(to, { method: 'POST', path: '/v2025/search', body }));
        timesMs.push(performance.now() - sent);
      } catch {
        errors += 1;
      }
    }
  };
  const connections = await Promise.all(
    Array.from({ length: CLIENTS }, () => Connection.open(to.port)),
  );
  const asking = Promise.all(connections.map(ask));
  await ended();
  goesOn = false;
  await asking;
  for (const connection of connections) connection.close();
  return { timesMs, errors };
}

/** Waits until words without a field find all numbers by their first digits. */
async function fedAgain(to: Address): Promise<void> {
  const until = performance.now() + DEADLINE_MS;
  const words = Array.from({ length: 10 }, (_, n) => `${FIRST / 10 ** 6}${n}*`).join(' OR ');
  while ((await count(to, `(${words})`)) < documents) {
    if (performance.now() > until) throw new Error('Documents were not fed again in ten minutes');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function count(to: Address, query: string): Promise<number> {
  const { head } = await ask(to, {
    method: 'POST',
    path: '/v2025/search/count',
    body: { indices: ['identities'], query: { query } },
  });
  return Number(/x-total-count: (\d+)/i.exec(head)?.[1]);
}

async function put(to: Address, document: object): Promise<void> {
  const body = `${JSON.stringify({ _type: 'identity', ...document })}\n`;
  await ask(to, { method: 'POST', path: '/admin/v1/documents?refresh=wait', body });
}
