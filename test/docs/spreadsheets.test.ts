// suite: slow
// docs/spreadsheets.md, done as it is written: its files, its commands one after the other, and the request
// with its file and its map.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startService } from '../support/service.ts';

const page = readFileSync('docs/spreadsheets.md', 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'cardea-spreadsheets-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The files that the page shows, by name. */
const files = new Map(
  [...page.matchAll(/`([\w.]+)`[^`]*:\n\n```(?:csv|yaml)\n(.*?)```/gs)].map(
    ([, name = '', text = '']): [string, string] => [name, text],
  ),
);

interface Command {
  readonly args: readonly string[];
  /** The file that its result is written to. */
  readonly to: string | undefined;
  /** What its result has. */
  readonly claim: string | undefined;
}

/** The commands of the page, in its order. */
const commands = [
  ...page.matchAll(/^(?:npx )?cardea (.*?)(?: > ([\w.]+))?(?: +# (.*))?\n(?:# (.*))?/gm),
].map(([, text = '', to, claim, next]): Command => {
  const words = text.match(/'[^']*'|\S+/g) ?? [];
  const args = words.map((word) =>
    /^(?:\.\/acme|[\w]+\.(?:csv|yaml))$/.test(word)
      ? join(directory, word)
      : word.replaceAll("'", ''),
  );
  return { args, to, claim: next ?? claim };
});

test('the page has files of both kinds, and commands of each', () => {
  assert.deepEqual([...files.keys()].sort(), [
    'accounts.csv',
    'accounts.yaml',
    'people.csv',
    'people.yaml',
  ]);
  assert.deepEqual([...new Set(commands.map(({ args }) => args[0]))].sort(), [
    ...['field', 'import', 'search', 'tenant'],
  ]);
  for (const [name, text] of files) {
    if (name.endsWith('.csv')) writeFileSync(join(directory, name), text);
  }
});

for (const { args, to, claim } of commands) {
  test(`cardea ${args.join(' ').replaceAll(`${directory}/`, '')}`, async () => {
    const line = commandLine(args);
    assert.equal(await line.ended, 0, line.err() + line.out());
    if (to !== undefined) writeFileSync(join(directory, to), line.out());
    const shown = to === undefined ? undefined : files.get(to);
    if (shown !== undefined) assert.equal(line.out(), shown);
    if (claim !== undefined && args[0] !== 'tenant') {
      assert.ok(line.out().includes(claim), `${claim} is not in ${line.out()}`);
    }
  });
}

test('the request of the page imports the file with its map', async () => {
  const [, path = '', map = '', file = ''] =
    /curl -s "\$SAIL_BASE_URL(\S+?)" --url-query map@(\S+) .*?--data-binary @(\S+)/s.exec(page) ??
    [];
  const service = await startService();
  try {
    const parameters = `&map=${encodeURIComponent(files.get(map) ?? '')}`;
    const headers = { 'content-type': 'text/csv' };
    const answer = await service.call('POST', path + parameters, files.get(file), headers);
    assert.deepEqual(await answer.json(), {
      ...{ created: 3, updated: 0, unchanged: 0, failed: 0, faults: [], warned: 0, warnings: [] },
    });
  } finally {
    await service.stop();
  }
});
