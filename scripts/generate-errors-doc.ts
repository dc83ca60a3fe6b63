// Writes docs/errors.md from scripts/error-catalogue.ts and the statuses of errors. A test compares the two.
//   node dist/scripts/generate-errors-doc.js
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { ErrorCode } from '../src/errors.ts';
import { WIRE } from '../src/http/responses/error-handler.ts';
import { CAUSES, ERROR_HELP } from './error-catalogue.ts';

const OPENING = `# Errors

<!-- Written by scripts/generate-errors-doc.ts from scripts/error-catalogue.ts: change it there. -->

Every error, why it happens and what to do. The header \`Link\` of an answer leads to its row here. At the level \`debug\` the log has the
error as \`code\`. [api.md](api.md#errors) describes the form: the first of the \`causes\` is the most precise.
`;

/** The text of the page. */
export function errorsDoc(): string {
  const codes = Object.keys(ERROR_HELP) as ErrorCode[];
  const groups = new Set(codes.map((code) => ERROR_HELP[code].group));
  const tables = [...groups].map((title) => {
    const rows = codes.filter((code) => ERROR_HELP[code].group === title).map(rowOf);
    return `\n## ${title}\n\n| Error | Cause, for example | Why | What to do |\n|---|---|---|---|\n${rows.join('')}`;
  });
  const causes = CAUSES.map(({ title, code, rows }) => {
    const lines = rows.map(
      ([sentences, fix]) => `| ${sentences.map(quoted).join(', ')} | ${fix} |\n`,
    );
    return `\n## ${title}\n\n| Cause of \`${code}\` | What to do |\n|---|---|\n${lines.join('')}`;
  });
  return `${OPENING}${tables.join('')}${causes.join('')}`;
}

function rowOf(code: ErrorCode): string {
  const { example, why, fix } = ERROR_HELP[code];
  const [number = ''] = WIRE[code].detailCode.split(' ');
  const status = code.startsWith('oauth_') ? WIRE[code].status : number;
  return `| \`${code}\` ${status} | ${quoted(example)} | ${why} | ${fix} |\n`;
}

/** A sentence as code, in a cell. */
function quoted(sentence: string): string {
  return `\`${sentence.replaceAll('|', '\\|')}\``;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync('docs/errors.md', errorsDoc());
}
