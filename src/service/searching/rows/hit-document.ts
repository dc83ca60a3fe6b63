// The document of a hit as an object, for what reads its members instead of splicing its bytes.
import type { Hit } from '../../ports/search-backend.ts';

const decoder = new TextDecoder();

/** @param constants members that all documents of its index have in common */
export function hitDocument(
  { root, nested }: Hit,
  constants: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  const document = JSON.parse(decoder.decode(root));
  const arrays = nested.length > 0 ? JSON.parse(`{${decoder.decode(nested)}}`) : {};
  return { ...document, ...arrays, ...constants };
}
