// A list of fault rules at work: counts the requests that each rule matches and chooses those that
// get a fault.
// Invariant: the same seed, rules and requests in the same order give the same faults.

import { seededRandom } from '../seeded-random.ts';
import type { FaultEffect, FaultPlan, FaultRule } from './fault-rules.ts';

/** The members of a request that rules match. */
export interface FaultSubject {
  readonly method: string;
  readonly path: string;
  readonly client: string;
}

/** A rule and what it did so far. */
export interface CountedRule extends FaultRule {
  /** Requests that it matched. */
  readonly matched: number;
  /** Those of them that got the fault. */
  readonly injected: number;
}

interface Counter {
  readonly rule: FaultRule;
  readonly matches: (path: string) => boolean;
  matched: number;
  injected: number;
}

export class FaultSet {
  readonly plan: FaultPlan;
  readonly #random: () => number;
  readonly #counters: readonly Counter[];

  constructor(plan: FaultPlan) {
    this.plan = plan;
    this.#random = seededRandom(plan.seed);
    this.#counters = plan.faults.map((rule) => ({
      rule,
      matches: pathPattern(rule.match?.path),
      matched: 0,
      injected: 0,
    }));
  }

  get counts(): readonly CountedRule[] {
    return this.#counters.map(({ rule, matched, injected }) => ({ ...rule, matched, injected }));
  }

  /** The fault of a request; null: none. Every rule that matches counts it, the first one acts. */
  next(subject: FaultSubject): FaultEffect | null {
    let effect: FaultEffect | null = null;
    for (const counter of this.#counters) {
      const { match = {}, then } = counter.rule;
      const isMatch =
        (match.method === undefined || match.method === subject.method) &&
        (match.client === undefined || match.client === subject.client) &&
        counter.matches(subject.path);
      if (!isMatch) continue;
      counter.matched += 1;
      if (!this.#isChosen(counter) || effect !== null) continue;
      counter.injected += 1;
      effect = then;
    }
    return effect;
  }

  #isChosen({ rule, matched }: Counter): boolean {
    const { probability, every, first } = rule.match ?? {};
    if (probability !== undefined) return this.#random() < probability;
    if (every !== undefined) return matched % every === 0;
    if (first !== undefined) return matched <= first;
    return true;
  }
}

/** Compares paths in linear time, however many `*` there are. */
function pathPattern(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined) return () => true;
  const [head = '', ...parts] = pattern.split('*');
  const tail = parts.pop();
  if (tail === undefined) return (path) => path === pattern;
  return (path) => {
    if (!path.startsWith(head)) return false;
    let at = head.length;
    for (const part of parts) {
      const found = path.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return path.length - at >= tail.length && path.endsWith(tail);
  };
}
