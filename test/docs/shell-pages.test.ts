// suite: slow
// The commands of these pages run in a shell as they stand, one after the other, on the company of docs/search.md; those of
// the README on the one that `npm start` serves.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { eventually } from '../support/eventually.ts';
import { CARDEA } from '../support/program.ts';
import { Shell, type ShellCommand, shellCommandsOf } from './shell-page.ts';

const NAMES = ['api-clients', 'assistants', 'reports', 'views', 'who-may-do-what', 'command-line'];
const PAGES = ['README.md', ...NAMES.map((name) => `docs/${name}.md`), 'docs/api.md'];
/** What needs a server elsewhere, a package registry or files of the reader, or does not end. */
const ELSEWHERE =
  /^(cardea (mirror --from|import people|serve)|npm |npx |pipx |docker |export SAIL_BASE_URL=https|cardea search '@access\(source)/;

const directory = mkdtempSync(join(tmpdir(), 'cardea-shell-pages-'));
const bin = join(directory, 'bin');
const ofReadme = join(directory, 'readme');
const demos: DemoProcess[] = [];
before(async () => {
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec "${process.execPath}" "${CARDEA}" "$@"\n`;
  writeFileSync(join(bin, 'cardea'), program, { mode: 0o755 });
  const [, flags = ''] =
    /^cardea demo (.*) --data-dir \.\/company --port \d+$/m.exec(
      readFileSync('docs/search.md', 'utf8'),
    ) ?? [];
  const options = [...flags.split(' '), '--profiles', '0', '--mcp', 'on'];
  demos.push(await startDemo(CARDEA, join(directory, 'company'), options));
  mkdirSync(ofReadme);
  const date = ['--date', '2025-06-30', '--profiles', '100'];
  demos.push(await startDemo(CARDEA, join(ofReadme, 'data'), date));
});
after(async () => {
  for (const demo of demos) await demo.stop();
  rmSync(directory, { recursive: true, force: true });
});

for (const page of PAGES) {
  const commands = shellCommandsOf(readFileSync(page, 'utf8'));
  describe(page, () => {
    let shell: Shell;
    before(() => {
      shell = new Shell(page === 'README.md' ? ofReadme : directory, {
        PATH: `${bin}:${process.env['PATH']}`,
      });
    });
    after(() => shell.end());

    test('has commands', () => assert.ok(commands.length > 2));
    for (const command of commands.filter(({ text }) => !ELSEWHERE.test(text))) {
      const [first = ''] = command.text.split('\n');
      test(`line ${command.line}: ${first.slice(0, 80)}`, () => check(shell, command));
    }
  });
}

/** Runs a command; a request that changes nothing again until what was changed before can be found. */
async function check(shell: Shell, { text, claims }: ShellCommand): Promise<void> {
  const attempt = async () => {
    const { code, out } = await shell.run(text);
    assert.equal(code, 0, out);
    assert.doesNotMatch(out, /"detailCode":"[45]\d\d(?![.\d]* Bad)/, out);
    const shown = out.toLowerCase();
    for (const claim of claims) {
      assert.ok(shown.includes(claim.toLowerCase()), `${claim} is not in ${out}`);
    }
  };
  const isRead =
    text.startsWith('curl ') && (!/ (-d|-X|--data)/.test(text) || /search"/.test(text));
  await (isRead ? eventually(attempt) : attempt());
}
