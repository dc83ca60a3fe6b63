// The files of a deployment say what is so: settings that exist, files that are there, one and the same program, metrics that
// are served. Images cannot be built here; what can be checked of them without is.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config.ts';
import { type Figures, figuresOf } from '../support/figures.ts';
import { type RunningService, startService } from '../support/service.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const unit = read('deploy/cardea.service');
const { bin } = JSON.parse(read('package.json')) as { bin: { cardea: string } };
const PROGRAM = `/opt/cardea/${bin.cardea}`;

/** The values after an instruction of the Dockerfile. */
const instructions = (name: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^ *${name} +(.*)$`, 'gm'))].map(([, rest = '']) => rest);

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly build?: string;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly volumes?: readonly string[];
  readonly configs?: readonly { source: string }[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { content: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;

test('the image copies what is there, runs the program of the package, and not as root', () => {
  const ignored = read('.dockerignore').split('\n');
  for (const copied of instructions('COPY').filter((line) => !line.startsWith('--from'))) {
    for (const source of copied.split(' ').slice(0, -1)) {
      assert.ok(existsSync(source), source);
      assert.ok(!ignored.includes(source), `${source} is ignored`);
    }
  }
  for (const path of ['src', 'scripts', 'test', 'bench', 'docs', 'tsconfig.json']) {
    assert.ok(!ignored.includes(path), `the build needs ${path}`);
  }
  const [entry = ''] = instructions('ENTRYPOINT');
  assert.equal((JSON.parse(entry) as string[]).at(-1), PROGRAM);
  assert.deepEqual(instructions('USER'), ['node']);
  for (const [, script = ''] of dockerfile.matchAll(/npm run (\S+)/g)) {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    assert.ok(script in scripts, script);
  }
});

test('the image and the unit of systemd set what can be set', () => {
  const inImage = [...dockerfile.matchAll(/(CARDEA_\w+)=(\S+)/g)];
  const inUnit = [...unit.matchAll(/^Environment=(CARDEA_\w+)=(\S+)$/gm)];
  for (const found of [inImage, inUnit]) {
    const settings = Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
    assert.ok(Object.keys(settings).length > 0);
    parseConfig(settings);
  }
});

test('the unit of systemd starts the program of the package, and keeps its data where it may write', () => {
  assert.match(
    unit,
    new RegExp(`^ExecStart=/usr/bin/node --enable-source-maps ${PROGRAM} serve$`, 'm'),
  );
  const [, state = ''] = /^StateDirectory=(.*)$/m.exec(unit) ?? [];
  assert.ok(unit.includes(`CARDEA_DATA_DIR=/var/lib/${state}\n`));
  const seconds = Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1]);
  assert.ok(seconds * 1000 > parseConfig({}).stopTimeoutMs);
});

describe('compose.yaml', () => {
  const { cardea } = compose.services;

  test('sets what can be set, over the services that are beside it', () => {
    assert.ok(cardea?.environment);
    const environment = Object.fromEntries(
      Object.entries(cardea.environment).map(([name, value]) => [
        name,
        value.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/, '$1'),
      ]),
    );
    const ours = Object.entries(environment).filter(([name]) => name.startsWith('CARDEA_'));
    const config = parseConfig(Object.fromEntries(ours));
    assert.equal(config.store.kind, 'postgres');
    const addresses = [environment['CARDEA_STORE_URL'], config.searchUrl, config.redisUrl];
    for (const address of addresses) {
      assert.ok(new URL(address ?? '').hostname in compose.services, String(address));
    }
  });

  test('waits only for services that tell their health, and mounts only what is there', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.equal(condition, 'service_healthy');
        const { healthcheck, build } = compose.services[other] ?? {};
        const told =
          healthcheck !== undefined || (build !== undefined && /HEALTHCHECK/.test(dockerfile));
        assert.ok(told, `${name} waits for ${other}`);
      }
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        assert.ok(source.startsWith('./') ? existsSync(source) : source in compose.volumes, volume);
      }
      for (const { source } of service.configs ?? []) assert.ok(source in compose.configs, source);
    }
  });

  test('gives the service a root that is read-only and no rights', () => {
    assert.equal(cardea?.read_only, true);
    assert.deepEqual(cardea?.cap_drop, ['ALL']);
  });

  test('lets Prometheus find the port that metrics are on', () => {
    const { scrape_configs: jobs } = parse(read('deploy/prometheus.yaml')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const found = jobs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    const { metrics } = parseConfig({ CARDEA_METRICS: cardea?.environment?.['CARDEA_METRICS'] });
    assert.deepEqual(
      found.map(({ names, port }) => [...names, port]),
      [['cardea', metrics?.kind === 'own' ? metrics.port : null]],
    );
  });
});

describe('what reads the metrics', () => {
  let service: RunningService;
  let figures: Figures;
  before(async () => {
    service = await startService({ CARDEA_METRICS: 'on' });
    figures = figuresOf(await (await service.call('GET', '/metrics')).text());
  });
  after(() => service.stop());

  const known = (name: string) =>
    figures.names.has(name) || figures.names.has(name.replace(/_(bucket|count|sum)$/, ''));

  test('the dashboard names no metric that is not served', () => {
    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    assert.ok(asked.length > 15);
    for (const expr of asked) {
      const names = expr.match(/\b(?:cardea|nodejs|process)_\w+/g) ?? [];
      assert.ok(names.length > 0, expr);
      for (const name of names) assert.ok(known(name), `${name} in ${expr}`);
    }
  });

  test('the table of docs/operations.md lists our metrics, and no other', () => {
    const section = read('docs/operations.md').split('\n## Metrics\n')[1]?.split('\n## ')[0] ?? '';
    const told = [...section.matchAll(/`(cardea_\w+)`/g)].map(([, name = '']) => name);
    const served = [...figures.names].filter((name) => name.startsWith('cardea_'));
    assert.deepEqual(told.sort(), served.sort());
  });
});
