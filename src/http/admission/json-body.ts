// Parses a JSON body. Input that would overflow JSON.parse or be changed silently is rejected
// first: deep nesting, too many parts, bytes that are not UTF-8, numbers that a double cannot hold,
// lone surrogates, NUL. Of a repeated member the last one counts; `__proto__` is an ordinary name
// and sets no prototype.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../errors.ts';
import { scanObject } from '../../json/json-scan.ts';
import { parseJson } from '../../json/json-syntax.ts';

/** How deep arrays and objects of a request may nest. */
const MAX_JSON_DEPTH = 64;
/**
 * Most objects, arrays and members: JSON.parse, which cannot be interrupted, takes 30 ms for them.
 */
const MAX_JSON_PARTS = 65_536;

const BYTE_ORDER_MARK = 0xfeff;
/** The first two bytes of a text in UTF-16 with a mark. */
const UTF16_MARKS = [0xfeff, 0xfffe];

/**
 * Parses a body.
 * @param bytes the whole body
 * @throws ServiceError `body_malformed`, with reason and position
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('the body is empty');
  const scan = scanObject(bytes, MAX_JSON_DEPTH);
  if (scan.maxDepth > MAX_JSON_DEPTH) {
    throw malformed(`arrays and objects nest deeper than ${MAX_JSON_DEPTH}`);
  }
  const parts = scan.containerTotal + scan.memberTotal;
  if (parts > MAX_JSON_PARTS) {
    throw malformed(`more than ${MAX_JSON_PARTS} objects, arrays and members, found ${parts}`);
  }
  if (!isUtf8(bytes)) {
    const isUtf16 = bytes.length > 1 && UTF16_MARKS.includes(bytes.readUInt16BE(0));
    throw malformed(isUtf16 ? 'the body is UTF-16; send UTF-8' : 'the body is not UTF-8');
  }
  if (scan.lossyNumber !== -1) {
    throw malformed(
      `the number at byte ${scan.lossyNumber} cannot be held exactly; send it as a string`,
    );
  }
  if (scan.badEscape !== -1) {
    throw malformed(`the escape at byte ${scan.badEscape} is NUL or half a surrogate pair`);
  }
  const text = bytes.toString('utf8');
  const unmarked = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  return parseJson(unmarked, (clause) => malformed(`the JSON is not valid ${clause}`));
}

function malformed(cause: string): ServiceError {
  return new ServiceError('body_malformed', 'The request could not be parsed.', {
    causes: [cause],
  });
}
