// Measures the console in Chromium over 100,000 documents of the demo company: how long each
// interaction of daily use takes from the input until its result is painted. `--quick` is a small
// run for CI; `--save NAME` writes results/.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../test/support/chromium.ts';
import { type DemoProcess, startDemo } from '../test/support/demo-process.ts';
import { programOf } from './cardea.ts';
import { type Call, Company, type Person } from './console/company.ts';
import type { Group, Interaction } from './console/interaction.ts';
import { PROFILES, USERS } from './console/list-interactions.ts';
import { addClock, type Timing, timed, untilRest } from './console/page-clock.ts';
import { EVERYWHERE } from './console/page-interactions.ts';
import { PEOPLE } from './console/people-interactions.ts';
import { type Measured, tableOf } from './console/report.ts';
import { FILTERS, QUERY_BOX, TABLE } from './console/search-interactions.ts';
import { commitOf } from './process-figures.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    times: { type: 'string' },
    seed: { type: 'string', default: '1' },
    data: { type: 'string' },
    build: { type: 'string' },
    save: { type: 'string' },
  },
});
const GROUPS = [QUERY_BOX, FILTERS, TABLE, PEOPLE, USERS, PROFILES, EVERYWHERE];
/** Of 62,000 identities the company has 100,000 documents. */
const IDENTITIES = flags.quick ? 500 : 62_000;
const PROFILE_COUNT = flags.quick ? 500 : 100_000;
const times = Number(flags.times ?? (flags.quick ? 1 : 24));
/** Repetitions that are not measured: code is loaded and compiled. */
const WARM_UP = flags.quick ? 0 : 3;
const TIMEOUT_MS = 15_000;
const VIEWPORT = { width: 1440, height: 900 };

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** A folder named by `--data` is not deleted. */
const work = flags.data ?? mkdtempSync(join(tmpdir(), 'cardea-bench-console-'));

/** A build that serves the company, and the browser that shows its console. */
interface Side {
  readonly demo: DemoProcess;
  readonly browser: Browser;
}

const sides: Side[] = [];
try {
  sides.push(await startSide(root, 'data'));
  if (flags.build !== undefined) sides.push(await startSide(flags.build, 'data-before'));
  const text = [...about(), '', ...tableOf(await measureAll()), ''].join('\n');
  process.stdout.write(text);
  if (flags.save !== undefined) {
    writeFileSync(join(root, 'bench', 'results', `${flags.save}.md`), text);
  }
} finally {
  for (const { demo, browser } of sides) {
    await browser.close();
    await demo.stop();
  }
  if (flags.data === undefined) rmSync(work, { recursive: true, force: true });
}

async function startSide(build: string, folder: string): Promise<Side> {
  const size = ['--identities', String(IDENTITIES), '--profiles', String(PROFILE_COUNT)];
  const company = [...size, '--seed', '7', '--date', '2026-01-01', '--log-level', 'error'];
  const demo = await startDemo(programOf(build), join(work, folder), company);
  return { demo, browser: await openChromium('whole') };
}

async function measureAll(): Promise<Measured[]> {
  const all: Measured[] = [];
  for (const [at, group] of GROUPS.entries()) {
    const chosen = group.interactions.filter(({ name }) =>
      flags.only.some((part) => name.includes(part) || group.name === part),
    );
    if (chosen.length > 0) all.push(...(await measureGroup(group, chosen, at)));
  }
  return all;
}

/** Measures interactions in a page for each side; the sides take turns with the same values. */
async function measureGroup(
  { name }: Group,
  interactions: readonly Interaction[],
  at: number,
): Promise<Measured[]> {
  const desks = await Promise.all(
    sides.map(async (side) => {
      const token = await side.demo.token();
      const page = await openConsole(side, token);
      return {
        page,
        company: new Company(callOf(side.demo, token), Number(flags.seed) + 1000 * at),
      };
    }),
  );
  const all: Measured[] = [];
  for (const interaction of interactions) {
    const taken: Timing[][] = sides.map(() => []);
    for (let nth = -WARM_UP; nth < times; nth++) {
      for (const [side, { page, company }] of desks.entries()) {
        const timing = await measureOnce(page, company, interaction, nth);
        if (nth >= 0) taken[side]?.push(timing);
      }
    }
    const [own = [], before = []] = taken;
    all.push({ name: interaction.name, times: own, before });
    process.stderr.write(`${name}: ${tableOf(all.slice(-1)).at(-1)}\n`);
  }
  for (const { page } of desks) await page.context().close();
  return all;
}

async function measureOnce(
  page: Page,
  company: Company,
  { name, run }: Interaction,
  nth: number,
): Promise<Timing> {
  let timing: Timing | null = null;
  const person: Person = await company.person();
  try {
    await run({
      ...{ page, company, person, nth },
      open: async (address) => {
        await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
        await untilRest(page);
      },
      time: async (act) => {
        timing = await timed(page, act);
      },
    });
  } catch (error) {
    throw new Error(`${name} failed for ${person.displayName} at ${page.url()}`, { cause: error });
  }
  if (timing === null) throw new Error(`${name} measured nothing`);
  return timing;
}

async function openConsole({ demo, browser }: Side, token: string): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.addInitScript({
    content: `sessionStorage.setItem('cardea.token', ${JSON.stringify(token)})`,
  });
  await addClock(page);
  await page.goto(`${demo.credentials.baseUrl}/console/`);
  await untilRest(page);
  return page;
}

function callOf({ credentials: { baseUrl } }: DemoProcess, token: string): Call {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, ...sent });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}

function about(): string[] {
  const version = sides[0]?.browser.version();
  return [
    `# The console over ${IDENTITIES.toLocaleString('en')} identities and their documents`,
    '',
    `- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commitOf(root)}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}, Chromium ${version}, ${VIEWPORT.width} × ${VIEWPORT.height}; load ${loadavg()[0]?.toFixed(1)}: browser, service and bench on one machine`,
    `- ${times} times each, after ${WARM_UP} to warm up; milliseconds; medians unless p95`,
  ];
}
