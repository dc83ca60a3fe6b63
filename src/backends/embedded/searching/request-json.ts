// Serializes a request to JSON for a worker. A large one is serialized in steps into shared memory:
// a request may have 60,000 clauses for each of six indexes, and joining and copying their text
// would block the event loop.
// Invariant: the bytes are those of JSON.stringify.
import type { QueryRequest } from './query-request.ts';

/** JSON of a request: a string, or its UTF-8 bytes in shared memory. */
export type RequestJson = string | SharedArrayBuffer;

/** Elements of a list that are serialized in one step. */
const ELEMENTS_PER_STEP = 256;
/** Depth to which lists are serialized in steps; deeper ones are serialized at once. */
const LEVELS = 8;
/** Number of characters that are encoded together. */
const PIECE_CHARACTERS = 16 * 1024;

/** `JSON.stringify` of a request as UTF-8, in steps. */
export function* requestJsonSteps(request: QueryRequest): Generator<void, SharedArrayBuffer> {
  const pieces = new Pieces();
  yield* write(request, LEVELS, pieces);
  return yield* pieces.joinSteps();
}

/** Parses the JSON of a request. */
export function parseRequest(text: RequestJson): QueryRequest {
  return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString());
}

class Pieces {
  readonly #encoded: Buffer[] = [];
  #length = 0;
  #text = '';

  push(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_CHARACTERS) this.#encode();
  }

  *joinSteps(): Generator<void, SharedArrayBuffer> {
    this.#encode();
    const shared = new SharedArrayBuffer(this.#length);
    const bytes = new Uint8Array(shared);
    let at = 0;
    for (const piece of this.#encoded) {
      bytes.set(piece, at);
      at += piece.length;
      yield;
    }
    return shared;
  }

  #encode(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#encoded.push(piece);
    this.#length += piece.length;
  }
}

function* write(value: unknown, levels: number, pieces: Pieces): Generator<void, void> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    pieces.push(JSON.stringify(value));
  } else if (!Array.isArray(value)) {
    yield* writeObject(value, levels, pieces);
  } else if (value.length > ELEMENTS_PER_STEP && typeof value[0] !== 'object') {
    yield* writeValues(value, pieces);
  } else {
    let before = '[';
    for (const element of value) {
      pieces.push(before);
      yield* write(element, levels - 1, pieces);
      yield;
      before = ',';
    }
    pieces.push(value.length === 0 ? '[]' : ']');
  }
}

function* writeObject(value: object, levels: number, pieces: Pieces): Generator<void, void> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    pieces.push(`${before}${JSON.stringify(name)}:`);
    yield* write(member, levels - 1, pieces);
    before = ',';
  }
  pieces.push(before === '{' ? '{}' : '}');
}

/** A long list of strings or numbers. */
function* writeValues(values: readonly unknown[], pieces: Pieces): Generator<void, void> {
  for (let at = 0; at < values.length; at += ELEMENTS_PER_STEP) {
    pieces.push(at === 0 ? '[' : ',');
    pieces.push(JSON.stringify(values.slice(at, at + ELEMENTS_PER_STEP)).slice(1, -1));
    yield;
  }
  pieces.push(']');
}
