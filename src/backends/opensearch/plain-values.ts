// Decides whether OpenSearch finds in a JSON value what the engine indexes of it.
// Invariant: when in doubt, it does not.

/**
 * Characters that Java and JavaScript lower-case alike in all their versions: of blocks that have no
 * room for new letters with two cases. Left out are Georgian, Cherokee, Coptic, the later extensions
 * of Latin and Cyrillic, and beyond 16 bits all but emoji and ideographs.
 */
const FOLDED_ALIKE =
  /^[\0-\u109f\u1100-\u139f\u1400-\u1c7f\u1cc0-\u2bff\u2d30-\ua63f\uac00-\ud7ff\ud83c-\ud83e\ud840-\ud8bf\udc00-\udfff\uf900-\ufaff\ufb50-\uffef]*$/;

/** Whether OpenSearch lower-cases a text as `fold` does. */
export function isFoldedAlike(text: string): boolean {
  return FOLDED_ALIKE.test(text);
}
