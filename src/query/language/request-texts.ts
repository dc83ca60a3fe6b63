// Reads the texts of one request as dates and as words. Each text is read once, since every field
// and index of the request asks for the same: time zones and analysis are slow.
import type { Zone } from 'luxon';
import { words } from '../analysis/words.ts';
import { type DateContext, parseDate, type Span } from '../dates/dates.ts';

export class RequestTexts implements DateContext {
  /** Of dates without a zone. */
  readonly zone: Zone;
  readonly #now: number;
  #isTimeless = true;
  readonly #spans = new Map<string, Span | undefined>();
  readonly #words = new Map<string, readonly string[]>();

  constructor(now: number, zone: Zone) {
    this.#now = now;
    this.zone = zone;
  }

  get now(): number {
    this.#isTimeless = false;
    return this.#now;
  }

  /** Whether none of the texts so far depends on when they are read. */
  get isTimeless(): boolean {
    return this.#isTimeless;
  }

  /** The span of a date expression; undefined if the text is not a date. */
  span(text: string): Span | undefined {
    if (!this.#spans.has(text)) this.#spans.set(text, parseDate(text, this));
    return this.#spans.get(text);
  }

  /** The words that a text field has of the text. */
  words(text: string): readonly string[] {
    let terms = this.#words.get(text);
    if (terms === undefined) {
      terms = words(text).map(({ term }) => term);
      this.#words.set(text, terms);
    }
    return terms;
  }
}
