// Measures the served product from outside: durable import, start to first search, and each workload over HTTP.
// `--quick` does it small, so that CI sees that the bench runs; `--documents N`; `--save` writes bench/results/.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demoDocuments } from '../src/demo/documents.ts';
import { type Holds, holdLines, measureHolds } from './hold.ts';

interface Workload {
  readonly name: string;
  readonly indices?: readonly string[];
  readonly query: string;
  readonly sort?: readonly string[];
  readonly searchAfter?: readonly string[];
  readonly offset?: number;
  readonly limits?: readonly number[];
}

interface Figure {
  readonly name: string;
  readonly limit: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requestsPerSecond: number;
  readonly rows: number;
}

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    documents: { type: 'string' },
  },
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const cli = join(root, 'dist', 'src', 'cli', 'main.js');
const wanted = Number(flags.documents ?? (flags.quick ? 3000 : 100_000));
const rounds = flags.quick ? 20 : 300;
const loadMs = flags.quick ? 200 : 2000;

/** What others do on the machine; figures of a busy one are upper bounds. */
const load = loadavg()[0]?.toFixed(0);

const work = mkdtempSync(join(tmpdir(), 'cardea-bench-'));
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
try {
  await main();
} finally {
  agent.destroy();
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const file = join(work, 'documents.ndjson');
  const { count, bytes } = await writeDocuments(file);
  const env = {
    ...process.env,
    CARDEA_DATA_DIR: join(work, 'data'),
    CARDEA_PORT: String(await freePort()),
  };
  // The tenant and its administrator, with hardly any data of their own.
  const secret = await provision(env);

  const importStart = performance.now();
  await run(env, 'import', file);
  const importSeconds = (performance.now() - importStart) / 1000;

  const startedAt = performance.now();
  const server = spawn(process.execPath, [cli, 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let served: { startSeconds: number; figures: Figure[]; residentMb: number };
  try {
    const base = `http://127.0.0.1:${env.CARDEA_PORT}`;
    await ready(base, server);
    const token = await accessToken(base, secret);
    await post(base, token, { query: { query: '*' } }, 10, 0);
    const startSeconds = (performance.now() - startedAt) / 1000;
    const figures = await measure(base, token);
    const residentMb = residentMegabytes(server.pid);
    served = { startSeconds, figures, residentMb };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  const holds = await measureHolds(root, env.CARDEA_DATA_DIR, (url) => accessToken(url, secret));
  report({ count, bytes, importSeconds, ...served, holds });
}

async function writeDocuments(file: string): Promise<{ count: number; bytes: number }> {
  const out = createWriteStream(file);
  let count = 0;
  let bytes = 0;
  // Identities are about six documents in ten; the generator stops where enough are written.
  for (const document of demoDocuments({
    seed: 7,
    identities: Math.ceil(wanted * 0.62),
    now: Date.now(),
  })) {
    const line = `${JSON.stringify(document)}\n`;
    bytes += Buffer.byteLength(line);
    if (!out.write(line)) await once(out, 'drain');
    if (++count >= wanted) break;
  }
  out.end();
  await once(out, 'finish');
  return { count, bytes };
}

async function measure(base: string, token: string): Promise<Figure[]> {
  const workloads: Workload[] = JSON.parse(
    readFileSync(join(root, 'bench', 'workloads', 'search.json'), 'utf8'),
  );
  const figures: Figure[] = [];
  for (const workload of workloads) {
    for (const limit of workload.limits ?? [10, 250])
      figures.push(await one(base, token, workload, limit));
  }
  return figures;
}

async function one(
  base: string,
  token: string,
  workload: Workload,
  limit: number,
): Promise<Figure> {
  const body = {
    ...(workload.indices ? { indices: workload.indices } : {}),
    query: { query: workload.query },
    ...(workload.sort ? { sort: workload.sort } : {}),
    ...(workload.searchAfter ? { searchAfter: workload.searchAfter } : {}),
  };
  const ask = () => post(base, token, body, limit, workload.offset ?? 0);
  const rows = (JSON.parse(await ask()) as unknown[]).length;
  for (let n = 0; n < rounds / 10; n++) await ask();
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const at = performance.now();
    await ask();
    times.push(performance.now() - at);
  }
  times.sort((a, b) => a - b);
  const until = performance.now() + loadMs;
  let done = 0;
  const loadStart = performance.now();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (performance.now() < until) {
        await ask();
        done++;
      }
    }),
  );
  const seconds = (performance.now() - loadStart) / 1000;
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    name: workload.name,
    limit,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    requestsPerSecond: done / seconds,
    rows,
  };
}

function report(result: {
  count: number;
  bytes: number;
  importSeconds: number;
  startSeconds: number;
  residentMb: number;
  figures: Figure[];
  holds: Holds;
}): void {
  const lines = [
    `documents           ${result.count} (${(result.bytes / 2 ** 20).toFixed(0)} MiB)`,
    `import, durable     ${result.importSeconds.toFixed(1)} s (${(result.count / result.importSeconds).toFixed(0)} documents/s)`,
    `start, first search ${result.startSeconds.toFixed(2)} s`,
    `resident            ${result.residentMb.toFixed(0)} MB`,
    '',
    `${'query'.padEnd(32)}${'limit'.padStart(6)}${'rows'.padStart(6)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'req/s'.padStart(9)}`,
    ...result.figures.map(
      (figure) =>
        `${figure.name.padEnd(32)}${String(figure.limit).padStart(6)}${String(figure.rows).padStart(6)}` +
        `${figure.p50Ms.toFixed(2).padStart(9)}${figure.p99Ms.toFixed(2).padStart(9)}${figure.requestsPerSecond.toFixed(0).padStart(9)}`,
    ),
    '',
    ...holdLines(result.holds),
  ];
  console.log(lines.join('\n'));
  if (flags.save) {
    const date = new Date().toISOString().slice(0, 10);
    const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}`;
    const folder = join(root, 'bench', 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `${date}-${result.count}.md`),
      `# ${result.count} documents, ${date}\n\n${machine}. Server and client on the same machine, load ${load} before it began, one run.\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`,
    );
  }
}

async function provision(env: NodeJS.ProcessEnv): Promise<{ id: string; secret: string }> {
  const made = JSON.parse(await run(env, 'tenant', 'create', 'bench', '--json'));
  return { id: made.clientId, secret: made.clientSecret };
}

async function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [cli, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`cardea ${args.join(' ')} ended with ${code}: ${out}`);
  return out;
}

async function ready(base: string, server: ReturnType<typeof spawn>): Promise<void> {
  while (server.exitCode === null) {
    const answer = await fetch(`${base}/ready`).catch(() => null);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`the server ended with ${server.exitCode}`);
}

async function accessToken(base: string, pat: { id: string; secret: string }): Promise<string> {
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: pat.id,
      client_secret: pat.secret,
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

function post(
  base: string,
  token: string,
  body: unknown,
  limit: number,
  offset: number,
): Promise<string> {
  const payload = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(
      `${base}/v2024/search?limit=${limit}&offset=${offset}`,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      },
    );
    call.on('error', reject);
    call.end(payload);
  });
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
