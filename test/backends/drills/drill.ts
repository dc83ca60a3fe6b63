// One drill: under load, something is broken and comes back; then the time is taken until every node that runs keeps a
// write and finds it, the load goes on for a while and ends, and what is left is judged.
import assert from 'node:assert/strict';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import { eventually } from './eventually.ts';
import { allReady, type Drilled } from './installation.ts';
import { judge } from './judge.ts';
import { Ledger } from './ledger.ts';
import { addUsers, startLoad, writeDocument } from './load.ts';

/** What a drill came to. */
export interface DrillFigures {
  readonly name: string;
  readonly seconds: number;
  readonly requests: number;
  readonly acknowledged: number;
  /** Answers other than 2xx, by what they were. */
  readonly faults: ReadonlyMap<string, number>;
  /** What was said with them, once each. */
  readonly reasons: readonly string[];
  /** From when the fault ended until every node that runs keeps a write and finds it. */
  readonly recoverMs: number;
}

/** What a fault may look at while it lasts. */
export interface Fault {
  /** Writes that were acknowledged so far. */
  acknowledged(): number;
  /** Requests that failed so far. */
  faults(): number;
}

const USERS = 2;
/** Acknowledged writes before the fault and after it. */
const ENOUGH = 60;

/** Drills on one installation; each judges all that was written since the first. */
export class Drills {
  readonly #drilled: Drilled;
  readonly #ledger = new Ledger(USERS);

  private constructor(drilled: Drilled) {
    this.#drilled = drilled;
  }

  static async begin(drilled: Drilled): Promise<Drills> {
    const drills = new Drills(drilled);
    await addUsers(drilled, drills.#ledger);
    return drills;
  }

  /** @param breakIt resolves when what it broke is there again, or is gone for good */
  async run(name: string, breakIt: (fault: Fault) => Promise<void>): Promise<DrillFigures> {
    const ledger = this.#ledger;
    const before = { answers: new Map(ledger.answers), kept: ledger.acknowledged };
    ledger.reasons.clear();
    const began = performance.now();
    const load = startLoad(this.#drilled, ledger);
    let recoverMs: number;
    try {
      await this.#moreWrites();
      await breakIt({ acknowledged: () => ledger.acknowledged, faults: () => ledger.faults });
      const ended = performance.now();
      await this.#recovered();
      recoverMs = performance.now() - ended;
      await this.#moreWrites();
    } finally {
      await load.stop();
    }
    const seconds = (performance.now() - began) / 1000;
    const answers = [...ledger.answers].map(
      ([answer, count]) => [answer, count - (before.answers.get(answer) ?? 0)] as const,
    );
    const requests = answers.reduce((sum, [, count]) => sum + count, 0);
    const acknowledged = ledger.acknowledged - before.kept;
    const faults = new Map(answers.filter(([answer, count]) => answer !== '2xx' && count > 0));
    const reasons = [...ledger.reasons];
    await this.#recovered();
    await judge(this.#drilled, ledger, openStore);
    return { name, seconds, requests, acknowledged, faults, reasons, recoverMs };
  }

  /** Resolves when each of the nodes has kept a write and found it, and all before it. */
  async foundAt(nodes: readonly NodeProcess[]): Promise<void> {
    const found = nodes.map((node) =>
      eventually('a node keeps a write and finds it', () =>
        writeDocument(this.#drilled, this.#ledger, { url: node.url, query: '?refresh=wait' }),
      ),
    );
    await Promise.all(found);
  }

  async #moreWrites(): Promise<void> {
    const enough = this.#ledger.acknowledged + ENOUGH;
    await eventually('clients can write', () => this.#ledger.acknowledged >= enough);
  }

  async #recovered(): Promise<void> {
    await this.foundAt(this.#drilled.nodes.filter(({ runs }) => runs));
    await eventually('every node is ready', () => allReady(this.#drilled.nodes));
  }
}

function openStore(address: string) {
  return address.startsWith('postgres:')
    ? openPostgresStore({ url: address, poolSize: 2, waitMs: 10_000, statementMs: 30_000 })
    : openSqliteStore({ path: address });
}

/** So many reasons may stand in one line. */
const FEW = 2;

/** One line for whoever reads the tests' output. */
export function drillLine({
  name,
  requests,
  acknowledged,
  faults,
  reasons,
  recoverMs,
}: DrillFigures): string {
  const counts = [...faults].map(([answer, count]) => `${count} × ${answer}`).join(', ');
  const said = reasons.map((reason) => /"text":"([^"]*)"/.exec(reason)?.[1] ?? reason);
  const told = said.length > 0 && said.length <= FEW ? `${counts} (${said.join(' ')})` : counts;
  return `${name}: ${requests} requests, ${acknowledged} writes kept, faults: ${told || 'none'}, well again after ${(recoverMs / 1000).toFixed(1)} s`;
}

/**
 * What is under way when something breaks may be told to come again, and nothing worse: on a machine that is busy a write
 * waits for longer behind others than the nodes of an installation are set to wait.
 */
export function assertOnlyPutOff({ faults, reasons }: DrillFigures): void {
  const worse = [...faults.keys()].filter((fault) => fault !== '503');
  assert.deepEqual(worse, [], reasons.join('\n'));
}
