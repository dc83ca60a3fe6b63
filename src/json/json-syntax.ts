// Says what is wrong with a text that JSON.parse rejected: where, and what stands there. JSON.parse
// words its errors differently in each version of Node, without a position in some, and quotes the
// text, which may hold secrets: here at most one character of it is shown, or a word that is known.
// Invariant: a fault is found exactly where JSON.parse fails, at the first character after which no
// valid JSON can follow.

/** The first fault of a text. */
export interface JsonFault {
  /** In UTF-16 code units; the length of the text if it ends too early. */
  readonly offset: number;
  /** A clause about it, such as `True is written true`. */
  readonly reason: string;
}

/**
 * Parses JSON.
 * @param refusal makes the error from a clause such as `at offset 5: True is written true`
 */
export function parseJson(text: string, refusal: (clause: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(jsonFaultClause(text));
  }
}

/**
 * The place and the reason of the first fault of a text that JSON.parse rejects.
 * @param part follows line and column, for a text that is part of a file
 */
export function jsonFaultClause(text: string, part = ''): string {
  const fault = findJsonFault(text);
  if (fault === null) return 'at an unknown place';
  return `${placeOf(text, fault.offset, part)}: ${fault.reason}`;
}

/** `at offset 5`, with line and column if the text has several lines. */
function placeOf(text: string, offset: number, part: string): string {
  if (!text.trim().includes('\n')) return `at offset ${offset}`;
  let [line, start] = [1, 0];
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return `in line ${line}, column ${offset - start + 1}${part} (offset ${offset})`;
}

/** The first fault of a text (RFC 8259); null if it is valid JSON. */
export function findJsonFault(text: string): JsonFault | null {
  return new Scanner(text).scan();
}

/** What must come next. */
type Expected = 'value' | 'item' | 'name' | 'member' | 'colon' | 'comma' | 'end';

/** Words of other languages, and what JSON has instead. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ True: 'true', TRUE: 'true', False: 'false', FALSE: 'false' },
  ...{ None: 'null', NULL: 'null', Null: 'null', nil: 'null', undefined: 'null' },
};
const NO_NUMBERS = ['NaN', 'nan', 'NAN', 'Infinity', 'infinity', 'Inf', 'inf'];
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const ESCAPES = '"\\/bfnrt';

class Scanner {
  readonly #text: string;
  #at = 0;
  #fault: JsonFault | null = null;
  /** Offsets of the objects and arrays that are open. */
  readonly #open: number[] = [];
  /** Offset of the value that is the whole JSON. */
  #endedAt = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonFault | null {
    let expected: Expected = 'value';
    while (this.#fault === null) {
      this.#skipBlanks();
      if (this.#at >= this.#text.length) {
        return expected === 'end' ? null : this.#cutOff();
      }
      expected = this.#step(expected);
    }
    return this.#fault;
  }

  #skipBlanks(): void {
    while (' \t\r\n'.includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) {
      this.#at++;
    }
  }

  /** Reads the token at the current offset. */
  #step(expected: Expected): Expected {
    const char = this.#text.charAt(this.#at);
    switch (expected) {
      case 'colon':
        if (char !== ':') return this.#unexpected(expected);
        this.#at++;
        return 'value';
      case 'comma':
        if (char === this.#closing()) return this.#close();
        if (char !== ',') return this.#unexpected(expected);
        this.#at++;
        return this.#closing() === '}' ? 'name' : 'value';
      case 'name':
      case 'member':
        if (char === '}' && expected === 'member') return this.#close();
        if (char !== '"') return this.#unexpected(expected);
        this.#string();
        return 'colon';
      case 'value':
      case 'item':
        if (char === ']' && expected === 'item') return this.#close();
        return this.#value(char, expected);
      case 'end':
        return this.#unexpected(expected);
    }
  }

  #value(char: string, expected: Expected): Expected {
    if (char === '{' || char === '[') {
      this.#open.push(this.#at++);
      return char === '{' ? 'member' : 'item';
    }
    if (char === '"') this.#string();
    else if (char === '-' || isDigit(char)) this.#number();
    else if (LITERALS[char] !== undefined) this.#literal(LITERALS[char]);
    else return this.#unexpected(expected);
    return this.#ended();
  }

  #close(): Expected {
    this.#at++;
    this.#open.pop();
    return this.#ended();
  }

  #ended(): Expected {
    if (this.#open.length > 0) return 'comma';
    this.#endedAt = this.#at;
    return 'end';
  }

  /** The bracket that closes the innermost open object or array; empty outside of all. */
  #closing(): string {
    const start = this.#open.at(-1);
    if (start === undefined) return '';
    return this.#text.charAt(start) === '{' ? '}' : ']';
  }

  #string(): void {
    const start = this.#at++;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char < ' ') {
        const missing =
          char === '\n' || char === '\r' ? 'its closing quote is missing, or it' : 'it';
        this.#refuse(
          this.#at,
          `${shown(char)} stands in the text that begins at offset ${start}: ${missing} must be written as an escape`,
        );
        return;
      }
      if (char === '\\' && !this.#escape()) return;
    }
    this.#refuse(
      this.#text.length,
      `the JSON ends inside the text that begins at offset ${start}: its closing quote is missing`,
    );
  }

  /** Moves to the last character of an escape; false after a fault, or at the end of the text. */
  #escape(): boolean {
    const char = this.#text.charAt(++this.#at);
    if (char === '') return true;
    if (char !== 'u') {
      if (ESCAPES.includes(char)) return true;
      this.#refuse(this.#at, `${shown(char)} after a backslash is no escape of JSON`);
      return false;
    }
    for (let digits = 0; digits < 4; digits++) {
      const digit = this.#text.charAt(this.#at + 1);
      if (digit === '') return true;
      this.#at++;
      if (/[0-9a-fA-F]/.test(digit)) continue;
      this.#refuse(
        this.#at,
        `${shown(digit)} stands where a hexadecimal digit of an escape is expected`,
      );
      return false;
    }
    return true;
  }

  #number(): void {
    if (this.#text.charAt(this.#at) === '-') {
      this.#at++;
      const word = this.#wordAt(this.#at);
      if (NO_NUMBERS.includes(word)) {
        this.#refuse(this.#at, noNumber(`-${word}`));
        return;
      }
    }
    if (this.#text.charAt(this.#at) === '0') {
      this.#at++;
      if (isDigit(this.#text.charAt(this.#at))) {
        this.#refuse(this.#at, 'a digit follows the zero with which a number begins');
        return;
      }
    } else if (!this.#digits('a digit is expected in a number')) return;
    if (this.#text.charAt(this.#at) === '.') {
      this.#at++;
      if (!this.#digits('a digit is expected after the point of a number')) return;
    }
    if (/[eE]/.test(this.#text.charAt(this.#at))) {
      this.#at++;
      if (/[+-]/.test(this.#text.charAt(this.#at))) this.#at++;
      this.#digits('a digit is expected in the exponent of a number');
    }
  }

  /** Reads one or more digits; false after a fault. */
  #digits(clause: string): boolean {
    const start = this.#at;
    while (isDigit(this.#text.charAt(this.#at))) this.#at++;
    if (this.#at > start) return true;
    const char = this.#text.charAt(this.#at);
    this.#refuse(
      this.#at,
      char === '' ? 'the JSON ends inside a number' : `${shown(char)} stands where ${clause}`,
    );
    return false;
  }

  #literal(literal: string): void {
    const start = this.#at;
    for (const letter of literal) {
      const char = this.#text.charAt(this.#at);
      if (char === letter) {
        this.#at++;
        continue;
      }
      const word = this.#wordAt(start);
      const hint = hintOfWord(word);
      if (char === '') this.#refuse(this.#at, `the JSON ends inside the word ${literal}`);
      else if (hint !== null) this.#refuse(this.#at, hint);
      else {
        const place = `in the word that begins at offset ${start}`;
        this.#refuse(
          this.#at,
          `${shown(char)} stands ${place}: it is not ${literal}, and texts need double quotes`,
        );
      }
      return;
    }
  }

  /** The letters and digits of a word, as many as known words have. */
  #wordAt(offset: number): string {
    const part = this.#text.slice(offset, offset + 20);
    return /^[A-Za-z_$][\w$]*/.exec(part)?.[0] ?? '';
  }

  #refuse(offset: number, reason: string): 'end' {
    this.#fault ??= { offset, reason };
    return 'end';
  }

  #cutOff(): JsonFault {
    const offset = this.#text.length;
    const start = this.#open.at(-1);
    if (start !== undefined) {
      const kind = this.#text.charAt(start) === '{' ? 'object' : 'array';
      return {
        offset,
        reason: `the JSON ends before it is complete: the ${kind} that begins at offset ${start} is not closed`,
      };
    }
    return { offset, reason: offset === 0 ? 'there is no JSON' : 'there is only white space' };
  }

  #unexpected(expected: Expected): 'end' {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    return this.#refuse(this.#at, this.#reasonFor(char, expected));
  }

  #reasonFor(char: string, expected: Expected): string {
    const next = this.#text.charAt(this.#at + 1);
    if (char === '#' || (char === '/' && (next === '/' || next === '*')))
      return 'a comment begins, and JSON has none';
    if (expected === 'end') {
      const ended = `${shown(char)} follows the JSON, which ends at offset ${this.#endedAt}`;
      if (char === '}' || char === ']') return `${ended}: there is one closing bracket too many`;
      return char === '{' || char === '[' ? `${ended}: only one document is accepted` : ended;
    }
    const word = expected === 'value' || expected === 'item' ? this.#wordAt(this.#at) : '';
    const known = hintOfWord(word);
    if (known !== null) return known;
    const hint = this.#hint(char, next, expected);
    const stands = `${shown(char)} stands where ${this.#nameOf(expected)} is expected`;
    return hint === null ? stands : `${stands}: ${hint}`;
  }

  #nameOf(expected: Expected): string {
    switch (expected) {
      case 'value':
        return 'a value';
      case 'item':
        return "a value or ']'";
      case 'name':
        return 'the name of a member in double quotes';
      case 'member':
        return "the name of a member in double quotes or '}'";
      case 'colon':
        return 'a colon';
      case 'comma':
        return `a comma or '${this.#closing()}'`;
      case 'end':
        return 'the end';
    }
  }

  /** How to mend it, if that can be guessed. */
  #hint(char: string, next: string, expected: Expected): string | null {
    if (char === '\0') return 'the text must be UTF-8, not UTF-16';
    if (char === '\ufeff' || char === '\u00a0') return 'it is no white space of JSON';
    const isBefore = this.#text.slice(0, this.#at).trimEnd().endsWith(',');
    if (isBefore && char === this.#closing()) return 'the comma before it is one too many';
    if (/['‘’‚‛“”„‟`´«»]/.test(char)) return 'texts and names are in double quotes';
    if (expected === 'colon') return /\w/.test(char) ? 'a quote may be missing before it' : null;
    if (expected === 'comma') {
      if (char === ':' && this.#closing() === ']')
        return 'members are in an object, not in an array';
      if (/[}\]]/.test(char)) return `what is open begins at offset ${this.#open.at(-1)}`;
      if (/[xX]/.test(char) && this.#text.charAt(this.#at - 1) === '0')
        return 'JSON has no hexadecimal numbers';
      return /\w/.test(char) ? 'a quote may be missing before it' : null;
    }
    if (expected === 'name' || expected === 'member') return null;
    if (char === '.') return 'a number needs a digit before its point';
    if (char === '+') return isDigit(next) || next === '.' ? 'a number has no plus sign' : TEXT;
    return /[\w$@*%<>!?~^&|-]/.test(char) || char > '~' ? TEXT : null;
  }
}

const TEXT = 'texts need double quotes';

function hintOfWord(word: string): string | null {
  if (NO_NUMBERS.includes(word)) return noNumber(word);
  return Object.hasOwn(WORDS, word) ? `${word} is written ${WORDS[word]}` : null;
}

function noNumber(word: string): string {
  return `${word} is no number of JSON: send null, or a text`;
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

/** Names of characters that would not be seen, or that quotes would hide. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ ' ': 'a space', '\t': 'a tab', '\n': 'a line break', '\r': 'a carriage return' },
  ...{ '"': 'a double quote', "'": 'a single quote', '\\': 'a backslash', '`': 'a backtick' },
  ...{
    ',': 'a comma',
    ':': 'a colon',
    '\u00a0': 'a no-break space',
    '\ufeff': 'a byte order mark',
  },
};

/** A character as it is shown: printable ASCII in quotes, others by name or code point. */
function shown(char: string): string {
  const name = NAMES[char];
  if (name !== undefined && char <= '~') return name;
  if (char > ' ' && char <= '~') return `'${char}'`;
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return name === undefined ? `the character ${code}` : `${name} (${code})`;
}
