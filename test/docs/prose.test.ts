// The examples in the sentences and tables of docs/ and in its blocks of JSON and shell commands, each done as its kind asks:
// queries and fault rules are sent to a service, JSON is compared with the OpenAPI document, requests with its operations,
// commands with their help, settings are read.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseConfig } from '../../src/config/config.ts';
import { documentsMembers, documentsRequest } from '../support/openapi-fragments.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type ProseExample, type ProseKind, proseExamplesOf } from './prose.ts';

/** What cannot be done, by page and beginning of the text, and why. */
const CANNOT: readonly (readonly [page: string, text: string, why: string])[] = [
  ['assistants', '{\n  "mcpServers"', 'the settings of an assistant'],
  ['cluster', 'POST /INDEX/_forcemerge', 'a request to OpenSearch'],
  ['testing', '{\n  "baseUrl"', 'what `cardea start --print-env` prints; test/testing/ reads it'],
];

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_TESTING: 'on' });
});
after(() => service.stop());

const DO: Readonly<Record<ProseKind, (text: string, page: string) => Promise<void> | void>> = {
  query: async (text) => {
    const answer = await service.call('POST', '/v2025/search', { query: { query: text } });
    assert.equal(answer.status, 200, await answer.text());
  },
  request: documentsRequest,
  json: async (text, page) => {
    for (const value of valuesOf(text)) {
      if (page === 'configuration' || 'clients' in value) {
        const [issuer] = JSON.parse(blockOf('configuration'));
        const issuers = Array.isArray(value) ? value : [{ ...issuer, ...value }];
        parseConfig({ CARDEA_EXTERNAL_ISSUERS: JSON.stringify(issuers) });
      } else if (isFaults(value)) {
        const plan = 'path' in value ? [{ match: value, then: { status: 503 } }] : value;
        const answer = await service.call('PUT', '/admin/v1/faults', plan);
        assert.equal(answer.status, 200, await answer.text());
      } else documentsMembers(value);
    }
  },
  command: (text) => {
    const script = /^npm run ([\w:]+)/.exec(text)?.[1];
    if (script !== undefined) {
      assert.ok(JSON.parse(readFileSync('package.json', 'utf8')).scripts[script], script);
      return;
    }
    const [, ...words] = (text.replace(/^npx /, '').split(/ [#|>]/)[0] ?? '').split(/[ =]+/);
    let help = join('test', 'golden', 'help', 'cardea');
    for (const word of words) {
      if (!existsSync(`${help}-${word}.txt`)) break;
      help = `${help}-${word}`;
    }
    const known = readFileSync(`${help}.txt`, 'utf8');
    const [first = '--'] = words;
    if (help.endsWith('cardea')) assert.match(first, /^--/, 'there is no such command');
    for (const word of words.filter((part) => part.startsWith('--'))) {
      assert.match(known, new RegExp(`(?<![\\w-])${word}(?![\\w-])`), `${help} lacks ${word}`);
    }
  },
  setting: (text) => {
    const [name = '', value = ''] = text.split(/=(.*)/);
    parseConfig({ [name]: value });
  },
};

const unused = new Set(CANNOT);
const counts = new Map<ProseKind, number>();
for (const name of readdirSync('docs').filter((file) => file.endsWith('.md'))) {
  const page = name.slice(0, -'.md'.length);
  for (const example of proseExamplesOf(readFileSync(join('docs', name), 'utf8'))) {
    const exception = exceptionOf(page, example);
    if (exception !== undefined) {
      unused.delete(exception);
      continue;
    }
    const { kind, line, text } = example;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    test(`docs/${name}, line ${line}: ${kind} ${text.split('\n')[0]}`, async () => {
      await DO[kind](text, page);
    });
  }
}

test('the pages have examples of each kind, and each exception is one of them', () => {
  assert.deepEqual([...unused], []);
  const atLeast = { command: 100, json: 30, query: 15, request: 15, setting: 10 };
  for (const [kind, least] of Object.entries(atLeast)) {
    assert.ok(
      (counts.get(kind as ProseKind) ?? 0) >= least,
      `${kind}: ${counts.get(kind as ProseKind)}`,
    );
  }
});

function exceptionOf(page: string, { text }: ProseExample) {
  return CANNOT.find(([where, beginning]) => where === page && text.startsWith(beginning));
}

/** The values of a text: JSON with `…` for what is left out, one value, a value a line, or a member. */
function valuesOf(text: string): Record<string, unknown>[] {
  const whole = text.replaceAll(/(?<=[[{])…(?=[\]}])/g, '');
  const texts = text.startsWith('"') ? [`{${whole}}`] : whole.split(/\n(?=\{)/);
  return texts.map((one) => JSON.parse(one));
}

function isFaults(value: Record<string, unknown>): boolean {
  return 'path' in value || 'faults' in value || (Array.isArray(value) && 'match' in value[0]);
}

/** The first block of JSON of a page. */
function blockOf(page: string): string {
  return /^```json\n(.*?)^```$/ms.exec(readFileSync(join('docs', `${page}.md`), 'utf8'))?.[1] ?? '';
}
