// The examples that stand in the sentences and tables of a page, and its blocks of JSON and shell commands, as data by kind.
// Code that is of no kind here is a name, a value or a part of one, which other tests compare with the code.

export type ProseKind = 'command' | 'json' | 'query' | 'request' | 'setting';

export interface ProseExample {
  readonly kind: ProseKind;
  /** On one line, unless it is a block of JSON. */
  readonly text: string;
  /** One-based line of the page. */
  readonly line: number;
}

const BLOCK = /^```(\w*)[^\n]*\n(.*?)^```$/gms;
const CODE = /(`+)([^`](?:[^`\n]|\n(?!\n))*)\1/g;
const KINDS: readonly (readonly [kind: ProseKind, pattern: RegExp])[] = [
  ['request', /^(?:GET|HEAD|POST|PUT|PATCH|DELETE) \//],
  ['command', /^(?:npx )?cardea [a-z-]|^npm run /],
  ['setting', /^CARDEA_\w+=/],
  ['json', /^\{"|^\[\{|^"\w+": ?[^,]+$/],
  // A field or a nested path and what it is compared with; no scope, address, time or form of a query.
  [
    'query',
    /^(?:NOT )?(?![\w-]+(?::[\w-]+){2,}$|\d)(?:@?[\w.]+:[^\s/…]|@\w+\()[^…]*$|^\w+:\/[^/]+\/$/,
  ],
];
const SHELL = /^(?:npx )?cardea [a-z-].*/gm;

/** The examples of a page, in order of their kinds and lines. */
export function proseExamplesOf(page: string): ProseExample[] {
  const lineAt = (offset: number) => page.slice(0, offset).split('\n').length;
  const blocks = [...page.matchAll(BLOCK)].flatMap((block): ProseExample[] => {
    const [, language, text = ''] = block;
    const line = lineAt(block.index) + 1;
    if (language === 'json') return [{ kind: 'json', text, line }];
    if (language !== 'sh') return [];
    const whole = text.replaceAll('\\\n', ' ');
    return [...whole.matchAll(SHELL)].map(([command]) => ({
      kind: 'command',
      text: command,
      line,
    }));
  });
  const prose = page.replaceAll(BLOCK, (block) => block.replaceAll(/[^\n]/g, ' '));
  const codes = [...prose.matchAll(CODE)].flatMap((code): ProseExample[] => {
    const text = (code[2] ?? '').trim().replaceAll(/\s*\n\s*/g, ' ');
    const kind = KINDS.find(([, pattern]) => pattern.test(text))?.[0];
    return kind === undefined ? [] : [{ kind, text, line: lineAt(code.index) }];
  });
  return [...blocks, ...codes];
}
