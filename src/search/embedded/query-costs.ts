// What questions of a shape took lately: the best guess at what the next one will take, known before it runs and
// whatever the engine does. A shape is a question without its values.
// Invariant: a guess decides where work is done, never what it comes to.
import type { Plan } from '../../query/plan.ts';
import type { Question } from './question.ts';

/** Shapes remembered; beyond that all is forgotten. A tenant's clients send a few dozen. */
const SHAPES_MAX = 4_096;
/** How much of the newest measurement goes into the guess. */
const NEWEST = 0.3;
/** One measurement may not double the guess more than once: a pause of the machine is no property of the question. */
const GROWTH_MAX = 2;

export class QueryCosts {
  readonly #guesses = new Map<number, number>();

  /** Milliseconds; undefined for a shape that was not met lately. */
  guess(shape: number): number | undefined {
    return this.#guesses.get(shape);
  }

  learn(shape: number, tookMs: number): void {
    const known = this.#guesses.get(shape);
    if (known === undefined) {
      if (this.#guesses.size >= SHAPES_MAX) this.#guesses.clear();
      this.#guesses.set(shape, tookMs);
      return;
    }
    const bounded = Math.min(tookMs, known * GROWTH_MAX);
    this.#guesses.set(shape, known + (bounded - known) * NEWEST);
  }
}

/** Members that are values and not shape. */
const VALUES = new Set(['value', 'values', 'pattern', 'gt', 'gte', 'lt', 'lte', 'searchAfter']);
/** FNV-1a. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** Of plans that are kept, and asked with again. */
const SHAPES = new WeakMap<Plan, number>();

/** A number that questions of the same tenant and shape have in common, and hardly any others. */
export function shapeOf(tenantId: string, { kind, plan }: Question): number {
  let shape = SHAPES.get(plan);
  if (shape === undefined) {
    shape = shapeOfPlan(plan);
    SHAPES.set(plan, shape);
  }
  return textInto(textInto(shape, tenantId), kind) >>> 0;
}

function shapeOfPlan({ targets, sort, size, from, trackTotal }: Plan): number {
  let hash = numberInto(OFFSET, magnitude(size));
  hash = numberInto(hash, magnitude(from));
  hash = numberInto(hash, trackTotal ? 1 : 0);
  return valueInto(valueInto(hash, targets), sort);
}

const magnitude = (count: number): number => 32 - Math.clz32(count);

function valueInto(hash: number, value: unknown): number {
  if (typeof value === 'string') return textInto(hash, value);
  if (typeof value !== 'object' || value === null) return hash;
  let into = hash;
  if (Array.isArray(value)) {
    for (const one of value) into = numberInto(valueInto(into, one), 1);
    return into;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    if (!VALUES.has(name)) into = valueInto(textInto(into, name), members[name]);
  }
  return into;
}

function textInto(hash: number, text: string): number {
  let into = hash;
  for (let i = 0; i < text.length; i++) into = Math.imul(into ^ text.charCodeAt(i), PRIME);
  return into;
}

function numberInto(hash: number, number: number): number {
  return Math.imul(hash ^ number, PRIME);
}
