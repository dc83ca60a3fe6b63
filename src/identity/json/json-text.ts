// A JSON object as the bytes an answer has it in: made once, by whoever calculated it and in whatever thread, copied into
// responses, and parsed only where somebody looks inside.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class JsonText {
  /** UTF-8. */
  readonly bytes: Uint8Array;

  /** @param bytes UTF-8 of a JSON object; nobody changes them any more */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  static of(value: Readonly<Record<string, unknown>>): JsonText {
    return new JsonText(encoder.encode(JSON.stringify(value)));
  }

  /** The object, parsed anew each time. */
  value(): Record<string, unknown> {
    return JSON.parse(decoder.decode(this.bytes)) as Record<string, unknown>;
  }

  toJSON(): Record<string, unknown> {
    return this.value();
  }
}
