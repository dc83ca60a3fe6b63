// What questions of a shape took lately: the best guess at what the next one will take, known before it runs and
// whatever the engine does. A shape is a question without its values.
// Invariant: a guess decides where work is done, never what it comes to.
import type { Plan } from '../../../query/plan.ts';
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

/**
 * Values of a plan that its shape is made of. A plan with more is large: to go over all of it, or to write it down for a
 * worker, takes longer than one step of the event loop should.
 */
const VALUES_MAX = 4_096;

interface Shape {
  readonly hash: number;
  readonly isLarge: boolean;
}

/** Of plans that are kept, and asked with again. */
const SHAPES = new WeakMap<Plan, Shape>();

/** A number that questions of the same tenant and shape have in common, and hardly any others. */
export function shapeOf(tenantId: string, { kind, plan }: Question): number {
  return textInto(textInto(shapeOfPlan(plan).hash, tenantId), kind) >>> 0;
}

/** Whether a plan has so many clauses and values that work on all of it is done in steps. */
export function isLargePlan(plan: Plan): boolean {
  return shapeOfPlan(plan).isLarge;
}

function shapeOfPlan(plan: Plan): Shape {
  const known = SHAPES.get(plan);
  if (known !== undefined) return known;
  const { targets, sort, size, from, trackTotal } = plan;
  const walk = new ShapeWalk();
  walk.number(magnitude(size));
  walk.number(magnitude(from));
  walk.number(trackTotal ? 1 : 0);
  walk.value(sort);
  walk.value(targets);
  const shape = { hash: walk.hash, isLarge: walk.left < 0 };
  SHAPES.set(plan, shape);
  return shape;
}

const magnitude = (count: number): number => 32 - Math.clz32(count);

/** Hashes a value but for what is no shape, until it has met too many. */
class ShapeWalk {
  hash = OFFSET;
  left = VALUES_MAX;

  number(number: number): void {
    this.hash = numberInto(this.hash, number);
  }

  value(value: unknown): void {
    this.left -= 1;
    if (this.left < 0) return;
    if (typeof value === 'string') this.hash = textInto(this.hash, value);
    else if (Array.isArray(value)) this.#elements(value);
    else if (typeof value === 'object' && value !== null) this.#members(value);
  }

  #elements(list: readonly unknown[]): void {
    for (const one of list) {
      if (this.left < 0) return;
      this.value(one);
      this.number(1);
    }
  }

  #members(members: object): void {
    for (const [name, member] of Object.entries(members)) {
      if (!VALUES.has(name)) {
        this.hash = textInto(this.hash, name);
        this.value(member);
      } else if (Array.isArray(member)) this.left -= member.length;
    }
  }
}

function textInto(hash: number, text: string): number {
  let into = hash;
  for (let i = 0; i < text.length; i++) into = Math.imul(into ^ text.charCodeAt(i), PRIME);
  return into;
}

function numberInto(hash: number, number: number): number {
  return Math.imul(hash ^ number, PRIME);
}
