// Measures the time from write to searchable. Documents are written at a steady rate; some of them
// with `refresh=wait`, whose response comes when the document is searchable. The figure is the time
// from request to response, so it includes the write itself. See README.md for the flags.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startOpenSearch } from '../test/support/opensearch.ts';
import { Cardea } from './cardea.ts';
import { type Address, Connection, wireRequest } from './client.ts';
import { percentile } from './load.ts';

const { values: flags } = parseArgs({
  options: {
    save: { type: 'boolean', default: false },
    opensearch: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    writes: { type: 'string', default: '500' },
  },
});
const seconds = Number(flags.seconds);
const writesPerSecond = Number(flags.writes);
const WRITERS = 8;
/** Connections that write with `refresh=wait`, one document after the other. */
const WATCHERS = 8;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = mkdtempSync(join(tmpdir(), 'cardea-lag-'));
const openSearch = flags.opensearch ? await startOpenSearch() : null;
// The server inherits this environment.
if (openSearch !== null) process.env['CARDEA_SEARCH_URL'] = openSearch.url;
try {
  const cardea = await Cardea.create({ root, folder: join(work, 'data'), nodeFlags: [] });
  cardea.spawn();
  await cardea.untilReady();
  const text = report(await measure(await cardea.address()));
  await cardea.stop();
  console.log(text);
  if (flags.save) save(text);
} finally {
  await openSearch?.stop();
  rmSync(work, { recursive: true, force: true });
}

interface Lag {
  /** Time of sending, from the start. */
  readonly sentMs: number;
  readonly tookMs: number;
}

interface Measurement {
  readonly written: number;
  readonly lags: readonly Lag[];
}

async function measure(to: Address): Promise<Measurement> {
  const start = performance.now();
  const until = start + seconds * 1000;
  let written = 0;
  const lags: Lag[] = [];
  const write = async (connection: Connection) => {
    for (;;) {
      const dueMs = start + (written / writesPerSecond) * 1000;
      const at = written++;
      if (dueMs >= until) return;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      await connection.send(document(to, `w${at}`, ''));
    }
  };
  const watch = async (connection: Connection) => {
    while (performance.now() < until) {
      const began = performance.now();
      await connection.send(document(to, `x${lags.length}-${began}`, '?refresh=wait'));
      lags.push({ sentMs: began - start, tookMs: performance.now() - began });
    }
  };
  const connections = await Promise.all(
    Array.from({ length: WRITERS + WATCHERS }, () => Connection.open(to.port)),
  );
  await Promise.all(
    connections.map((connection, at) => (at < WRITERS ? write : watch)(connection)),
  );
  for (const connection of connections) connection.close();
  return { written, lags };
}

function document(to: Address, id: string, query: string): Buffer {
  const body = `${JSON.stringify({ _type: 'role', id, name: `Role ${id}`, description: 'written at a steady rate' })}\n`;
  return wireRequest(to, { method: 'POST', path: `/admin/v1/documents${query}`, body });
}

function report({ written, lags }: Measurement): string {
  const lagMs = lags.map(({ tookMs }) => tookMs);
  const at = (share: number) => percentile(lagMs, share).toFixed(0);
  const { sentMs } = lags.reduce((longest, lag) => (lag.tookMs > longest.tookMs ? lag : longest));
  const aim = openSearch === null ? 1 : 2;
  return [
    `# From write to searchable, ${openSearch === null ? 'embedded' : 'OpenSearch'}`,
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, load ${loadavg()[0]?.toFixed(1)}: client, Cardea and other programs on one machine`,
    `- ${((written + lags.length) / seconds).toFixed(0)} writes/s for ${seconds} s (requested: ${writesPerSecond}, plus the measured ones), one document each`,
    '',
    `From sending to searchable, ${lags.length} writes: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms (sent after ${(sentMs / 1000).toFixed(1)} s); aim: p99 under ${aim} s.`,
    '',
  ].join('\n');
}

function save(text: string): void {
  const folder = join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const name = openSearch === null ? 'embedded' : 'opensearch';
  writeFileSync(join(folder, `${date}-lag-${name}.md`), text);
}
