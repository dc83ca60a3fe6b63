// Makes questions that were not asked before in this run. A service is asked new questions, and
// what it remembers of a repeated one must not be measured as its speed.
// Invariant: no two questions of a source have the same body, not even with other page sizes.
import type { HttpRequest } from '../client.ts';
import { Draw } from './draw.ts';
import type { Question, QuestionKind } from './question.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Draws in a row that may repeat earlier questions before a kind counts as exhausted. */
const TRIES_MAX = 5_000;

export class QuestionSource {
  readonly #vocabulary: Vocabulary;
  readonly #seed: number;
  readonly #draws = new Map<string, Draw>();
  readonly #identities = new Set<string>();

  constructor(vocabulary: Vocabulary, seed: number) {
    this.#vocabulary = vocabulary;
    this.#seed = seed;
  }

  /** @throws RangeError if the values allow fewer different questions of the kind */
  take(kind: QuestionKind, size: number, count: number): Question[] {
    return Array.from({ length: count }, () => this.#next(kind, size));
  }

  #next(kind: QuestionKind, size: number): Question {
    const draw = this.#drawOf(kind.name);
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const question = kind.question(draw, size);
      const identity = identityOf(question);
      if (this.#identities.has(identity)) continue;
      this.#identities.add(identity);
      return question;
    }
    throw new RangeError(`The documents have too few values for more questions "${kind.name}"`);
  }

  #drawOf(name: string): Draw {
    let draw = this.#draws.get(name);
    if (draw === undefined) {
      draw = new Draw(this.#vocabulary, this.#seed ^ hash(name));
      this.#draws.set(name, draw);
    }
    return draw;
  }
}

/**
 * What makes a question different from others: its dataset and request, without the page size,
 * since two pages of one query share most of the work.
 */
export function identityOf({ dataset, cardea }: Question): string {
  const { path, body }: HttpRequest = cardea;
  return `${dataset} ${path.replace(/limit=\d+/, '')} ${JSON.stringify(body ?? '')}`;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value | 0;
}
