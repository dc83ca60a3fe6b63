// Reads one array of the nested members of a document, without parsing the others: a person's accounts
// are often a small part of what follows them.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE = 0x5d;
const CLOSE_OBJECT = 0x7d;

const decoder = new TextDecoder();

/**
 * The value of a member.
 * @param members valid JSON as `"name":[…],"name":[…]`, or nothing
 * @returns undefined if there is no such member
 */
export function arrayMember(members: Uint8Array, name: string): unknown {
  for (let at = members.indexOf(QUOTE); at >= 0; at = members.indexOf(QUOTE, at)) {
    const key = at;
    const keyEnd = stringEnd(members, key);
    at = valueEnd(members, keyEnd);
    if (JSON.parse(decoder.decode(members.subarray(key, keyEnd))) !== name) continue;
    return JSON.parse(decoder.decode(members.subarray(keyEnd, at)).replace(/^\s*:/, ''));
  }
  return undefined;
}

/** The offset after a string that begins at a quote. */
function stringEnd(bytes: Uint8Array, quote: number): number {
  for (let at = quote + 1; ; at += 1) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) return bytes.length;
    let before = at - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

/** The offset after the next array or object. */
function valueEnd(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === OPEN || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return bytes.length;
}
