// A JSON object as encoded bytes: encoded once, possibly in another thread, copied into responses,
// and parsed only where its content is needed.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class JsonText {
  /** UTF-8. */
  readonly bytes: Uint8Array;

  /** @param bytes UTF-8 of a JSON object; must not change any more */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  static of(value: Readonly<Record<string, unknown>>): JsonText {
    return new JsonText(encoder.encode(JSON.stringify(value)));
  }

  /** The object, parsed on each call. */
  value(): Record<string, unknown> {
    return JSON.parse(decoder.decode(this.bytes)) as Record<string, unknown>;
  }

  toJSON(): Record<string, unknown> {
    return this.value();
  }
}
