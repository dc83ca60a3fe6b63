// Measures one cell: a kind of question with one page size. Every side is asked the same questions,
// none of which was asked before in the run, in turns, so that other load on the machine affects
// all sides; then a few questions repeatedly.
import { wireRequest } from '../client.ts';
import { emptyLoad, sendAll } from '../load.ts';
import { type Group, type Question, type QuestionKind, repeatable } from '../questions/question.ts';
import { identityOf, type QuestionSource } from '../questions/question-source.ts';
import { type Figures, medianFigures, type Round, roundFigures } from './figures.ts';
import { type Hits, sampleHits } from './hits.ts';
import type { Side, SideName } from './side.ts';
import { SteadyWrites } from './steady-writes.ts';

export interface Cell {
  readonly kind: QuestionKind;
  /** The page size; 0 for none. */
  readonly size: number;
}

export interface CellFigures {
  readonly hits: Hits;
  /** Of questions that were not asked before. */
  readonly different: Figures;
  /** Of REPEATED_QUESTIONS questions over and over. */
  readonly repeated: Figures;
}

export interface CellResult {
  readonly name: string;
  readonly group: Group;
  readonly size: number;
  /** The number of different questions that each side was asked and measured with. */
  readonly questions: number;
  readonly sides: Readonly<Partial<Record<SideName, CellFigures>>>;
}

export interface CellOptions {
  /** Different questions that are measured, warm-up excluded. */
  readonly questions: number;
  readonly rounds: number;
  /** Written again and again by cells with writes. */
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

export const REPEATED_QUESTIONS = 6;
const CONNECTIONS = 8;
/** Turns of each side in a round, with one connection. */
const TURNS = 4;
/** Of the measured questions, the part that warms up before. */
const WARM_UP_SHARE = 1 / 6;
/** Of one cell in a turn. */
const WARM_UP_QUESTIONS = 40;
/** Repeated requests for each different question: fewer would measure how V8 warms up. */
const REPEATED_SHARE = 1;
const HIT_SAMPLES = 12;

/** The cells whose names contain one of the parts, or all if there are none. */
export function selectCells(kinds: readonly QuestionKind[], parts: readonly string[]): Cell[] {
  const cells = kinds.flatMap((kind) => kind.sizes.map((size) => ({ kind, size })));
  if (parts.length === 0) return cells;
  const selected = cells.filter((cell) => parts.some((part) => cellName(cell).includes(part)));
  if (selected.length > 0) return selected;
  throw new Error(`No cell is named like ${parts.join(', ')}:\n${cells.map(cellName).join('\n')}`);
}

export function cellName({ kind, size }: Cell): string {
  return size === 0 ? kind.name : `${kind.name} (${size})`;
}

/** Fails if a question was sent before in this run, whoever made it. */
export class AskedBefore {
  readonly #identities = new Set<string>();

  /** @throws Error if one of the questions was added before */
  add(questions: readonly Question[]): void {
    for (const question of questions) {
      const identity = identityOf(question);
      if (this.#identities.has(identity)) throw new Error(`Asked twice: ${identity}`);
      this.#identities.add(identity);
    }
  }
}

/**
 * Asks all sides questions of all cells in turn for some seconds: Java and V8 compile what runs often,
 * and then again for what they saw, for minutes.
 */
export async function warmUp(
  cells: readonly Cell[],
  sides: readonly Side[],
  source: QuestionSource,
  seconds: number,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    for (const { kind, size } of cells) {
      const questions = source.take(kind, size, WARM_UP_QUESTIONS);
      for (const side of sides) await ask(side, questions, CONNECTIONS);
    }
  }
}

export async function measureCell(
  cell: Cell,
  sides: readonly Side[],
  source: QuestionSource,
  askedBefore: AskedBefore,
  options: CellOptions,
): Promise<CellResult> {
  const { kind, size } = cell;
  const { rounds } = options;
  const take = (count: number): Question[] => {
    const questions = source.take(kind, size, count);
    askedBefore.add(questions);
    return questions;
  };
  const samples = take(HIT_SAMPLES);
  const hits = await collect(sides, (side) =>
    sampleHits(side.system, samples, ({ dataset }) => side.address(dataset)),
  );
  const warmUp = take(Math.ceil(options.questions * WARM_UP_SHARE));
  for (const side of sides) await ask(side, warmUp, CONNECTIONS);
  const perRound = Math.ceil(options.questions / rounds);
  for (const side of sides) await side.profiler?.start();
  const different = new Rounds(sides, cell, options.documents);
  for (let round = 0; round < rounds; round += 1) await different.measure(take(perRound));
  for (const side of sides) await side.profiler?.stop(cellName(cell));
  const few = take(REPEATED_QUESTIONS).map(repeatable);
  const repeated = new Rounds(sides, cell, options.documents);
  const times = Math.ceil((perRound * REPEATED_SHARE) / few.length);
  const overAndOver = Array.from({ length: times }, () => few).flat();
  for (const side of sides) await ask(side, overAndOver, CONNECTIONS);
  for (let round = 0; round < rounds; round += 1) await repeated.measure(overAndOver);
  return {
    ...{ name: kind.name, group: kind.group, size, questions: perRound * rounds },
    sides: Object.fromEntries(
      sides.map(({ name }) => [
        name,
        {
          hits: hits.get(name),
          different: different.medians(name),
          repeated: repeated.medians(name),
        },
      ]),
    ),
  };
}

/** The rounds of all sides in one cell. */
class Rounds {
  readonly #sides: readonly Side[];
  readonly #cell: Cell;
  readonly #documents: CellOptions['documents'];
  readonly #figures = new Map<SideName, Figures[]>();
  #round = 0;

  constructor(sides: readonly Side[], cell: Cell, documents: CellOptions['documents']) {
    this.#sides = sides;
    this.#cell = cell;
    this.#documents = documents;
  }

  /**
   * Asks each side all questions: half over one connection, in turns, and then the other half over
   * eight, at once: a short turn would measure how a load begins and ends.
   */
  async measure(questions: readonly Question[]): Promise<void> {
    // Beside writes, short turns would leave the indexing of them to the turns of other sides.
    const turns = this.#cell.kind.writesPerSecond === undefined ? TURNS : 1;
    const measured = this.#sides.map((side) => {
      const round: Round = { one: emptyLoad(), eight: emptyLoad() };
      return { side, round };
    });
    /** Asks all sides the same questions, each during the writes of the cell. */
    const askAll = async (first: number, part: readonly Question[], load: keyof Round) => {
      const from = first % measured.length;
      for (const { side, round } of [...measured.slice(from), ...measured.slice(0, from)]) {
        const writes = await this.#startWrites(side);
        await ask(side, part, load === 'one' ? 1 : CONNECTIONS, round[load]);
        await writes?.stop();
      }
    };
    const half = Math.ceil(questions.length / 2);
    const ones = questions.slice(0, half);
    const perTurn = Math.ceil(half / turns);
    // No side is always the first.
    for (let turn = 0; turn < turns; turn += 1) {
      const part = ones.slice(turn * perTurn, (turn + 1) * perTurn);
      await askAll(this.#round + turn, part, 'one');
    }
    await askAll(this.#round, questions.slice(half), 'eight');
    this.#round += 1;
    for (const { side, round } of measured) {
      const figures = this.#figures.get(side.name) ?? [];
      this.#figures.set(side.name, [...figures, roundFigures(round)]);
    }
  }

  medians(name: SideName): Figures {
    return medianFigures(this.#figures.get(name) ?? []);
  }

  async #startWrites(side: Side): Promise<SteadyWrites | null> {
    const { writesPerSecond } = this.#cell.kind;
    if (writesPerSecond === undefined) return null;
    return SteadyWrites.start(side, this.#documents, writesPerSecond);
  }
}

/** Asks one side each question once. */
async function ask(
  side: Side,
  questions: readonly Question[],
  connections: number,
  load = emptyLoad(),
): Promise<void> {
  const addresses = await collect(
    [...new Set(questions.map(({ dataset }) => dataset))].map((name) => ({ name })),
    ({ name }) => side.address(name),
  );
  const requests = questions.map((question) => {
    const to = addresses.get(question.dataset);
    if (to === undefined) throw new Error(`No address for ${question.dataset}`);
    return wireRequest(to, question[side.system]);
  });
  const [to] = addresses.values();
  if (to === undefined) return;
  const target = { port: to.port, pids: side.pids(), searchPids: side.searchPids() };
  await sendAll(target, requests, connections, load);
}

/** Maps by name, one after the other. */
async function collect<Name, T extends { readonly name: Name }, Value>(
  list: readonly T[],
  load: (element: T) => Promise<Value>,
): Promise<Map<Name, Value>> {
  const values = new Map<Name, Value>();
  for (const element of list) values.set(element.name, await load(element));
  return values;
}
