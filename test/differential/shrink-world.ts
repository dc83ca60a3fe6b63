// Shrinks the world of a fault: fewer indexes, documents, steps, fields and members, as long as the
// fault remains.
// Invariant: documents and worlds are copied, never changed, since the naive evaluator and
// exclusions.ts cache by object.
import type { IndexName } from '../../src/query/query.ts';
import type { PlainDocument } from './naive.ts';
import { type Step, survivors } from './random-history.ts';
import type { World, WorldIndex } from './world.ts';

const ATTEMPTS_MAX = 400;

export interface ShrinkOptions {
  /** Text of the plan; fields that it names stay in the mapping. Without it, all fields stay. */
  readonly plan?: unknown;
  /** Maximum number of attempts. */
  readonly attemptsMax?: number;
}

/**
 * @param fails true if a world shows the fault
 * @returns the smallest failing world; null if the given one does not fail
 */
export async function shrunkWorld(
  world: World,
  fails: (world: World) => Promise<boolean>,
  { plan, attemptsMax = ATTEMPTS_MAX }: ShrinkOptions = {},
): Promise<World | null> {
  if (!(await fails(world))) return null;
  const search = new WorldShrinker(world, fails, attemptsMax);
  await search.dropIndexes();
  await search.dropDocuments();
  await search.dropSteps();
  if (plan !== undefined) await search.dropFields(JSON.stringify(plan));
  await search.dropMembers();
  return search.best;
}

class WorldShrinker {
  best: World;
  readonly #fails: (world: World) => Promise<boolean>;
  #attemptsLeft: number;

  constructor(world: World, fails: (world: World) => Promise<boolean>, attemptsMax: number) {
    this.best = world;
    this.#fails = fails;
    this.#attemptsLeft = attemptsMax;
  }

  async dropIndexes(): Promise<void> {
    for (const name of this.best.indexes.keys()) {
      if (this.best.indexes.size === 1) return;
      const others = [...this.best.indexes].filter(([other]) => other !== name);
      await this.#try({ ...this.best, indexes: new Map(others) });
    }
  }

  /**
   * Removes chunks of documents, from half of them to single ones (Zeller: delta debugging); then
   * deletions.
   */
  async dropDocuments(): Promise<void> {
    for (const name of this.best.indexes.keys()) {
      const puts = this.#steps(name).flatMap((step) => (step.kind === 'flush' ? step.puts : []));
      await this.#dropChunks(puts, (kept) => this.#withPuts(name, new Set(kept)));
      const flushes = this.#steps(name).filter((step) => step.kind === 'flush');
      const deletes = flushes.flatMap((step) => step.deletes.map((id) => ({ step, id })));
      await this.#dropChunks(deletes, (kept) => {
        return this.#withSteps(name, (steps) =>
          steps.map((step): Step => {
            if (step.kind === 'merge') return step;
            const ids = kept.filter((one) => one.step.puts === step.puts).map(({ id }) => id);
            return { ...step, deletes: ids };
          }),
        );
      });
    }
  }

  /** Drops merges and empty flushes, and joins adjacent flushes. */
  async dropSteps(): Promise<void> {
    for (const name of this.best.indexes.keys()) {
      for (let at = this.#steps(name).length - 1; at >= 0; at--) {
        await this.#try(this.#withSteps(name, (steps) => steps.toSpliced(at, 1)));
      }
      for (let at = this.#steps(name).length - 1; at > 0; at--) {
        const [first, second] = this.#steps(name).slice(at - 1, at + 1);
        if (first?.kind !== 'flush' || second?.kind !== 'flush') continue;
        const ids = new Set(second.puts.map(({ id }) => id));
        if (second.deletes.length > 0 || first.puts.some(({ id }) => ids.has(id))) continue;
        const joined: Step = { ...first, puts: [...first.puts, ...second.puts] };
        await this.#try(this.#withSteps(name, (steps) => steps.toSpliced(at - 1, 2, joined)));
      }
    }
  }

  /** Drops fields that the plan does not name, and document-level settings of the mapping. */
  async dropFields(planText: string): Promise<void> {
    for (const [name, { mapping }] of this.best.indexes) {
      await this.#try(this.#withMapping(name, { identifying: [] }));
      await this.#try(this.#withMapping(name, { constants: {} }));
      const named = [...mapping.fields.keys()].filter((path) => planText.includes(path));
      const others = [...mapping.fields.keys()].filter((path) => !named.includes(path));
      await this.#dropChunks(others, (kept) => {
        const paths = new Set([...named, ...kept]);
        const fields = [...mapping.fields].filter(([path]) => paths.has(path));
        return this.#withMapping(name, { fields: new Map(fields) });
      });
    }
  }

  /** Drops members and array elements of documents, and halves texts. */
  async dropMembers(): Promise<void> {
    for (let progress = true; progress; ) {
      progress = false;
      for (const [name, { steps }] of this.best.indexes) {
        const puts = steps.flatMap((step) => (step.kind === 'flush' ? step.puts : []));
        for (const document of puts) {
          if (this.#attemptsLeft === 0) return;
          if (await this.#dropMembersOf(name, document)) progress = true;
        }
      }
    }
  }

  async #dropMembersOf(name: IndexName, document: PlainDocument): Promise<boolean> {
    let current = document;
    for (let progress = true; progress; ) {
      progress = false;
      const { id, ...members } = current;
      for (const smaller of smallerValues(members)) {
        if (this.#attemptsLeft === 0) break;
        const next = { id, ...(smaller as object) };
        if (!(await this.#try(this.#withDocument(name, current, next)))) continue;
        current = next;
        progress = true;
        break;
      }
    }
    return current !== document;
  }

  async #dropChunks<Item>(
    items: readonly Item[],
    worldOf: (items: readonly Item[]) => World,
  ): Promise<void> {
    let remaining = items;
    for (let size = remaining.length; size >= 1; size = Math.min(size >> 1, remaining.length)) {
      for (let from = 0; from < remaining.length && this.#attemptsLeft > 0; ) {
        const fewer = [...remaining.slice(0, from), ...remaining.slice(from + size)];
        if (await this.#try(worldOf(fewer))) remaining = fewer;
        else from += size;
      }
    }
  }

  async #try(world: World): Promise<boolean> {
    if (this.#attemptsLeft === 0) return false;
    this.#attemptsLeft -= 1;
    if (!(await this.#fails(world))) return false;
    this.best = world;
    return true;
  }

  #steps(name: IndexName): readonly Step[] {
    return this.best.indexes.get(name)!.steps;
  }

  #withIndex(name: IndexName, change: (index: WorldIndex) => Partial<WorldIndex>): World {
    const indexes = [...this.best.indexes].map(([other, index]) => {
      return [other, other === name ? { ...index, ...change(index) } : index] as const;
    });
    return { ...this.best, indexes: new Map(indexes) };
  }

  #withSteps(name: IndexName, change: (steps: readonly Step[]) => readonly Step[]): World {
    return this.#withIndex(name, ({ steps: before }) => {
      const steps = change(before);
      return { steps, documents: survivors(steps) };
    });
  }

  #withPuts(name: IndexName, kept: ReadonlySet<PlainDocument>): World {
    return this.#withSteps(name, (steps) =>
      steps.map((step) => {
        return step.kind === 'merge'
          ? step
          : { ...step, puts: step.puts.filter((put) => kept.has(put)) };
      }),
    );
  }

  #withDocument(name: IndexName, before: PlainDocument, after: PlainDocument): World {
    const replaced = (put: PlainDocument) => (put === before ? after : put);
    return this.#withSteps(name, (steps) =>
      steps.map((step) =>
        step.kind === 'merge' ? step : { ...step, puts: step.puts.map(replaced) },
      ),
    );
  }

  #withMapping(name: IndexName, change: Partial<WorldIndex['mapping']>): World {
    return this.#withIndex(name, ({ mapping }) => ({ mapping: { ...mapping, ...change } }));
  }
}

/** Variants of a value without one member, one element or half of a text. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1);
    for (const [at, one] of value.entries()) {
      for (const smaller of smallerValues(one)) yield value.with(at, smaller);
    }
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length > 3) {
      const half = entries.length >> 1;
      yield Object.fromEntries(entries.slice(half));
      yield Object.fromEntries(entries.slice(0, half));
    }
    for (const [name] of entries) yield Object.fromEntries(entries.filter(([one]) => one !== name));
    for (const [name, one] of entries) {
      for (const smaller of smallerValues(one)) yield { ...value, [name]: smaller };
    }
  } else if (typeof value === 'string') {
    const words = value.split(' ');
    if (words.length < 2) return;
    const half = words.length >> 1;
    yield words.slice(0, half).join(' ');
    yield words.slice(half).join(' ');
  }
}
