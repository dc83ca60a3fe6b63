// Random texts for property tests.
import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 } as const;

/** Any character but lone surrogates. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count));

/**
 * Texts of any characters. The same as fast-check's unit `binary`, which first builds a table of
 * all characters, in a second or more.
 */
export function anyText(options: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...options, unit: anyCharacter });
}
