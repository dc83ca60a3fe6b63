// The drill of sustained overload (robustness line 40): another tenant asks one node for far more than it can do, on more
// connections than it lets in at a time: queries that run long, bodies as large as they may be, imports. Its answers may be
// no's that come early; the node must stay small, alive, and well again by itself.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { residentMib } from '../../../bench/process-figures.ts';
import { demoDocuments } from '../../../src/demo/documents.ts';
import type { Settings } from '../../support/node-process.ts';
import type { DrillFigures, Drills } from './drill.ts';
import { eventually } from './eventually.ts';
import type { OneNode } from './one-node.ts';

/** What an overload came to, beside what the drill's own clients saw. */
export interface OverloadFigures extends DrillFigures {
  /** Answers to the crowd, by status. */
  readonly crowd: ReadonlyMap<number, number>;
  /** Memory in RAM before, and the most of it in each half of the overload. */
  readonly residentMib: readonly [before: number, first: number, second: number];
  /** The longest that /health took. */
  readonly healthMsMax: number;
}

/** Ceilings that a test can reach. */
export const OVERLOAD_SETTINGS: Settings = {
  CARDEA_MAX_SEARCHES: '4',
  CARDEA_MAX_WRITES: '8',
};

const SECONDS = 30;
const SEARCHERS = 96;
const LARGE_BODIES = 48;
const IMPORTERS = 48;
const AFTER_NO_MS = 20;
const LOOK_MS = 100;
/** Of the bodies that are to be large, below the limit of 1 MiB; imports have none. */
const LARGE_BYTES = 1_000_000;
const IMPORT_BYTES = 4_000_000;
/** What it may grow by from one half to the other: the caches that docs/run.md describes, which fill, and noise. */
const GROWTH_MIB = 384;
const RESIDENT_MIB_MAX = 1_024;
/** On a machine that does other things, too. */
const HEALTH_MS_MAX = 45_000;

/** @param one with OVERLOAD_SETTINGS */
export async function overload(one: OneNode, drills: Drills): Promise<OverloadFigures> {
  const crowd = await one.neighbour('crowd');
  await fill(one, crowd);
  const before = residentMib(one.node.pid);
  const statuses = new Map<number, number>();
  const watch = new Watch(one);
  const peaks: number[] = [];
  const figures = await drills.run('overload', async () => {
    const load = startCrowd(one, crowd, statuses);
    try {
      for (const _half of ['first', 'second']) peaks.push(await watch.residentMax(SECONDS / 2));
    } finally {
      await load.stop();
    }
  });
  await servedAgain(one, crowd);
  const [first = 0, second = 0] = peaks;
  const all: OverloadFigures = {
    ...figures,
    crowd: statuses,
    residentMib: [before, first, second],
    healthMsMax: watch.healthMsMax,
  };
  judgeOverload(all);
  return all;
}

function judgeOverload(all: OverloadFigures): void {
  const { crowd, faults, healthMsMax } = all;
  const [, first, second] = all.residentMib;
  const told = [overloadLine(all), ...all.reasons].join('\n');
  // A search that is let in may take as long as its deadline, which is longer than the drill's clients wait.
  const worse = [...faults.keys()].filter((fault) => fault !== '503' && fault !== 'no answer');
  assert.deepEqual(worse, [], told);
  assert.ok((crowd.get(503) ?? 0) > 0 && (crowd.get(200) ?? 0) > 0, told);
  const others = [...crowd.keys()].filter((status) => ![200, 400, 503].includes(status));
  assert.deepEqual(others, [], told);
  assert.ok(second <= RESIDENT_MIB_MAX && second - first <= GROWTH_MIB, told);
  assert.ok(healthMsMax <= HEALTH_MS_MAX, told);
}

/** What the crowd searches: people with their accounts and access. */
async function fill({ url }: OneNode, crowd: string): Promise<void> {
  const lines: string[] = [];
  for (const document of demoDocuments({ seed: 1, identities: 1_500, now: Date.UTC(2026, 0, 1) })) {
    lines.push(JSON.stringify(document));
  }
  const answer = await fetch(`${url}/admin/v1/documents?refresh=wait`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crowd}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Looks at the node from outside. */
class Watch {
  readonly #one: OneNode;
  healthMsMax = 0;

  constructor(one: OneNode) {
    this.#one = one;
  }

  /** The most memory in so many seconds; /health is asked all the while. */
  async residentMax(seconds: number): Promise<number> {
    let most = 0;
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      const asked = performance.now();
      const answer = await fetch(`${this.#one.url}/health`);
      await answer.arrayBuffer();
      this.healthMsMax = Math.max(this.healthMsMax, performance.now() - asked);
      assert.equal(answer.status, 200);
      most = Math.max(most, residentMib(this.#one.node.pid));
      await pause(LOOK_MS);
    }
    return most;
  }
}

interface Asked {
  readonly path: string;
  readonly type?: string;
  readonly body: Buffer;
}

function startCrowd(one: OneNode, token: string, statuses: Map<number, number>) {
  const agent = new Agent({ keepAlive: true });
  let stopping = false;
  let number = 0;
  const again = async (next: () => Asked) => {
    while (!stopping) {
      const status = await send(one, token, agent, next());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 503) await pause(AFTER_NO_MS);
    }
  };
  const many = (clients: number, next: () => Asked) =>
    Array.from({ length: clients }, () => again(next));
  const working = Promise.all([
    ...many(SEARCHERS, () => longQuery(number++)),
    ...many(LARGE_BODIES, () => largeBody()),
    ...many(IMPORTERS, () => largeImport()),
  ]);
  working.catch(() => {});
  return {
    async stop() {
      stopping = true;
      await working;
      agent.destroy();
    },
  };
}

const asJson = (body: object) => Buffer.from(JSON.stringify(body));

/** No two are the same, so that no answer comes from memory. */
function longQuery(number: number): Asked {
  const indices = ['identities'];
  const wildcards = `name:*a*${number}* OR *e*i* OR /(.*[aeiou]){3}.*x.*/`;
  const query = { query: `@access(NOT description:*e*e*) OR ${wildcards}` };
  if (number % 3 > 0) {
    return {
      path: '/v2024/search?limit=250&count=true',
      body: asJson({ indices, query, sort: ['-name'] }),
    };
  }
  const aggregationsDsl = {
    people: { terms: { field: 'name.exact', size: 1_000 + (number % 1_000) } },
  };
  return {
    path: '/v2024/search/aggregate',
    body: asJson({ indices, query, aggregationType: 'DSL', aggregationsDsl }),
  };
}

const TERMS = Array.from(
  { length: LARGE_BYTES / 20 },
  (_, n) => `nobody-${String(n).padStart(10, '0')}`,
);
const LARGE = asJson({
  indices: ['identities'],
  query: { query: '*' },
  filters: { name: { type: 'TERMS', terms: TERMS } },
});

function largeBody(): Asked {
  return { path: '/v2024/search', body: LARGE };
}

/** Documents that nobody has twice the same way: every import writes. */
let imported = 0;
const TEXT = 'lorem ipsum dolor sit amet '.repeat(70);

function largeImport(): Asked {
  imported += 1;
  const lines: string[] = [];
  for (let n = 0, bytes = 0; bytes < IMPORT_BYTES; n++) {
    const line = JSON.stringify({
      _type: 'role',
      id: `c${n}`,
      name: `R ${imported}`,
      description: TEXT,
    });
    lines.push(line);
    bytes += line.length + 1;
  }
  return {
    path: '/admin/v1/documents',
    type: 'application/x-ndjson',
    body: Buffer.from(lines.join('\n')),
  };
}

/** @returns the status; a no must say when to come again, and a connection may be closed after it, not before */
function send({ url }: OneNode, token: string, agent: Agent, asked: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${asked.path}`,
      {
        ...{ agent, method: 'POST' },
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': asked.type ?? 'application/json',
          'content-length': asked.body.length,
        },
      },
      (answer) => {
        answer.resume();
        answer.once('error', reject);
        answer.once('end', () => {
          const status = answer.statusCode ?? 0;
          const after = answer.headers['retry-after'] ?? '';
          if (status !== 503 || /^[1-9]\d*$/.test(after)) resolve(status);
          else reject(new Error(`503 that does not say when to come again: ${after}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(asked.body);
  });
}

/** What it came to, in one line. */
export function overloadLine({
  crowd,
  residentMib: [before, first, second],
  healthMsMax,
}: OverloadFigures): string {
  const mib = [before, first, second].map((size) => size.toFixed(0));
  return `the crowd: ${countsText(crowd)}; memory before, in the first and in the second half: ${mib.join(', ')} MiB; /health within ${healthMsMax.toFixed(0)} ms`;
}

function countsText(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
}

/** Resolves when each kind of the crowd's requests has been answered with 200 again. */
async function servedAgain(one: OneNode, crowd: string): Promise<void> {
  const agent = new Agent();
  for (const asked of [longQuery(0), largeBody(), largeImport()]) {
    await eventually(
      'the crowd is served again',
      async () => (await send(one, crowd, agent, asked)) === 200,
    );
  }
  agent.destroy();
}
