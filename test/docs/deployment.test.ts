// suite: slow
// The files of a deployment say what is so: settings that exist, files that are there, one and the same program, metrics that
// are served. Images cannot be built here; what can be checked of them without is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/config.ts';
import { networkFaults } from '../../src/config/exposure.ts';
import { SETTINGS } from '../../src/config/settings/settings.ts';
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
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly (string | { source: string; target: string })[];
  readonly healthcheck?: object;
  readonly build?: string;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly volumes?: readonly string[];
  readonly configs?: readonly { source: string }[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { ipv4_address?: string }>>;
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { content: string }>>;
  readonly secrets: Readonly<Record<string, { file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<
    Record<string, { ipam?: { config: readonly { subnet: string; ip_range: string }[] } } | null>
  >;
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

const inImage = [...dockerfile.matchAll(/(CARDEA_\w+)=(\S+)/g)];

test('the image and the unit of systemd set what can be set', () => {
  const inUnit = [...unit.matchAll(/^Environment=(CARDEA_\w+)=(\S+)$/gm)];
  for (const assignments of [inImage, inUnit]) {
    const settings = Object.fromEntries(
      assignments.map(([, name = '', value = '']) => [name, value]),
    );
    assert.ok(Object.keys(settings).length > 0);
    parseConfig(settings);
  }
});

test('the image asks for its health by a command of the program, which knows of TLS', () => {
  const [check = ''] = [...dockerfile.matchAll(/HEALTHCHECK .*?CMD +(\[.*\])/g)].map(
    ([, command = '']) => command,
  );
  assert.deepEqual(JSON.parse(check), ['node', PROGRAM, 'health']);
  assert.ok(existsSync('test/golden/help/cardea-health.txt'), 'there is such a command');
});

test('the unit of systemd bounds memory and tasks, and leaves no core', () => {
  for (const bound of ['MemoryHigh', 'MemoryMax', 'TasksMax']) {
    assert.match(unit, new RegExp(`^${bound}=[1-9]`, 'm'));
  }
  assert.match(unit, /^LimitCORE=0$/m);
});

test('the unit of systemd does not restart a server with wrong settings', () => {
  assert.match(unit, /^Restart=on-failure$/m);
  assert.match(unit, /^RestartPreventExitStatus=2$/m);
  assert.match(read('docs/run.md'), /2 wrong command line or setting/);
});

test('the package holds what the steps for systemd and the help name', () => {
  const [listed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' }),
  ) as { files: { path: string }[] }[];
  const packed = new Set(listed?.files.map(({ path }) => path));
  const steps = read('docs/run.md').split('## As a systemd service')[1]?.split('\n## ')[0] ?? '';
  const named = [...steps.matchAll(/\/opt\/cardea\/(\S+\.\w+)|\bcp (dist\/\S+)/g)].map(
    ([, installed, copied]) => installed ?? copied ?? '',
  );
  assert.deepEqual(
    new Set(named),
    new Set([bin.cardea, 'deploy/cardea.service', 'dist/package-lock.json']),
  );
  const helps = readdirSync('test/golden/help').map((name) => read(`test/golden/help/${name}`));
  const pages = helps.flatMap((help) => help.match(/docs\/[\w-]+\.md/g) ?? []);
  assert.ok(pages.length > 0);
  const documentation = /^Documentation=file:\/opt\/cardea\/(\S+)$/m.exec(unit)?.[1] ?? '';
  for (const path of [...named, ...pages, documentation]) assert.ok(packed.has(path), path);
  // Pages link to one another; openapi.yaml is made from openapi.source.yaml.
  const documents = readdirSync('docs')
    .filter((file) => /\.md$|^openapi\.yaml$/.test(file))
    .map((name) => [name, read(`docs/${name}`)] as const);
  for (const [name] of documents) assert.ok(packed.has(`docs/${name}`), name);
  for (const [name, page] of documents) {
    for (const [, link = ''] of page.matchAll(/\]\(((?:\.\.\/examples|images)\/[^)#\s]+)\)/g)) {
      const path = join('docs', link);
      assert.ok(
        [...packed].some((one) => one === path || one.startsWith(`${path}/`)),
        `${name}: ${link}`,
      );
    }
  }
  for (const path of packed)
    assert.doesNotMatch(path, /^deploy\/secrets|^(src|test|bench)\/|^(?!examples\/).*\.test\./);
  const lock = (path: string) => JSON.parse(read(path)) as object;
  assert.deepEqual(lock('dist/package-lock.json'), lock('package-lock.json'));
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
  const { cardea, balancer } = compose.services;
  const environment = Object.fromEntries(
    Object.entries(cardea?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/, '$1'),
    ]),
  );
  const ours = Object.entries(environment).filter(([name]) => name.startsWith('CARDEA_'));
  const ofImage = inImage.map(([, name = '', value = '']) => [name, value]);
  const config = parseConfig(Object.fromEntries([...ofImage, ...ours]), {}, () => 'PEM');

  test('sets what can be set, over the services that are beside it', () => {
    assert.equal(config.store.kind, 'postgres');
    assert.notEqual(config.tls, null);
    assert.notEqual(config.secretsKey, null);
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
        const advice =
          healthcheck !== undefined || (build !== undefined && /HEALTHCHECK/.test(dockerfile));
        assert.ok(advice, `${name} waits for ${other}`);
      }
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        assert.ok(source.startsWith('./') ? existsSync(source) : source in compose.volumes, volume);
      }
      for (const { source } of service.configs ?? []) assert.ok(source in compose.configs, source);
    }
  });

  test('speaks TLS between its parts, and lets nothing but the balancer and Grafana be reached, from this machine', () => {
    assert.match(environment['CARDEA_STORE_URL'] ?? '', /sslmode=verify-full&sslrootcert=/);
    assert.match(environment['CARDEA_SEARCH_URL'] ?? '', /^https:/);
    assert.match(environment['CARDEA_REDIS_URL'] ?? '', /^rediss:/);
    assert.match(
      compose.configs['balancer']?.content ?? '',
      /bind :8443 ssl (.|\n)*ssl verify required/,
    );
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports);
    assert.deepEqual(published.map(([name]) => name).sort(), ['balancer', 'grafana']);
    for (const [, { ports = [] }] of published) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
    }
  });

  test('leaves nothing of its network for cardea doctor to find', () => {
    assert.deepEqual(networkFaults(config), []);
  });

  test('lets nodes see the addresses of clients, which the balancer alone may say', () => {
    const networks = balancer?.networks as Readonly<Record<string, { ipv4_address?: string }>>;
    const address = networks['inside']?.ipv4_address ?? '';
    assert.deepEqual(config.trustedProxies, [address]);
    const [range] = compose.networks['inside']?.ipam?.config ?? [];
    const holds = (network: string | undefined) => {
      const [start = '', bits] = network?.split('/') ?? [];
      const list = new BlockList();
      list.addSubnet(start, Number(bits));
      return list.check(address);
    };
    assert.ok(holds(range?.subnet));
    assert.ok(!holds(range?.ip_range), 'no other service gets its address');
    const content = compose.configs['balancer']?.content ?? '';
    assert.match(content, /^ *http-request set-header X-Forwarded-For %\[src\]$/m);
    assert.match(content, /^ *http-request del-header Forwarded$/m);
  });

  test('has no login that is known beforehand, and bounds memory and processes of every part', () => {
    const text = read('compose.yaml');
    assert.doesNotMatch(text, /DISABLE_SECURITY_PLUGIN|OPENSEARCH_INITIAL_ADMIN_PASSWORD/);
    assert.match(text, /requirepass %s/);
    for (const [name, service] of Object.entries(compose.services)) {
      assert.ok(service.mem_limit, `${name} has no bound of memory`);
      assert.ok(service.pids_limit, `${name} has no bound of processes`);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        if (/PASSWORD/.test(variable)) {
          assert.match(value, /^(\/run\/secrets\/|\$\{\w+:\?)/, `${name}: ${variable}`);
        }
      }
    }
    const grafana = compose.services['grafana']?.environment ?? {};
    assert.ok(grafana['GF_SECURITY_ADMIN_PASSWORD__FILE']);
  });

  test('uses the secrets that deploy/make-secrets.sh makes, which a second run keeps', () => {
    const directory = mkdtempSync(join(tmpdir(), 'cardea-secrets-'));
    try {
      const make = () => execFileSync('sh', ['deploy/make-secrets.sh', directory, 'id.test']);
      make();
      assert.equal(statSync(directory).mode & 0o777, 0o700);
      for (const [name, { file }] of Object.entries(compose.secrets)) {
        assert.ok(existsSync(join(directory, basename(file))), name);
      }
      for (const [name, { secrets = [] }] of Object.entries(compose.services)) {
        for (const secret of secrets) {
          const source = typeof secret === 'string' ? secret : secret.source;
          assert.ok(source in compose.secrets, `${name}: ${source}`);
        }
      }
      const of = (name: string) => readFileSync(join(directory, name), 'utf8');
      const authority = new X509Certificate(of('ca.pem'));
      const names = { postgres: 'postgres', opensearch: 'opensearch', redis: 'redis' };
      for (const [file, host] of Object.entries({
        ...names,
        cardea: 'cardea',
        balancer: 'id.test',
      })) {
        const certificate = new X509Certificate(of(`${file}.pem`));
        assert.equal(certificate.checkHost(host), host);
        assert.ok(certificate.verify(authority.publicKey), file);
      }
      const passwords = ['db', 'search', 'redis', 'grafana'].map((name) => of(`${name}-password`));
      for (const password of passwords) assert.match(password, /^[0-9a-f]{64}$/);
      assert.equal(new Set(passwords).size, passwords.length);
      const variables = of('compose.env').matchAll(/^(\w+)=.+$/gm);
      const given = new Set([...variables].map(([, name]) => name));
      for (const [, name = ''] of read('compose.yaml').matchAll(/\$\{(\w+):\?/g)) {
        assert.ok(given.has(name), name);
      }
      make();
      assert.equal(of('db-password'), passwords[0]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('gives the service a root that is read-only and no rights', () => {
    assert.equal(cardea?.read_only, true);
    assert.deepEqual(cardea?.cap_drop, ['ALL']);
  });

  test('lets Prometheus find the port that metrics are on', () => {
    const { scrape_configs: jobs, rule_files: rules } = parse(read('deploy/prometheus.yaml')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
      rule_files: string[];
    };
    const mounted = compose.services['prometheus']?.volumes ?? [];
    for (const rule of rules) {
      assert.ok(mounted.includes(`./deploy/${rule}:/etc/prometheus/${rule}:ro`), rule);
    }
    const configs = jobs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    const { metrics } = parseConfig({ CARDEA_METRICS: cardea?.environment?.['CARDEA_METRICS'] });
    assert.deepEqual(
      configs.map(({ names, port }) => [...names, port]),
      [['cardea', metrics?.kind === 'own' ? metrics.port : null]],
    );
  });
});

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly datasource?: object;
    readonly fieldConfig?: { readonly defaults: { readonly noValue?: string } };
    readonly targets?: readonly { readonly expr: string; readonly datasource: object }[];
  }[];
  readonly templating: {
    readonly list: readonly { name: string; type: string; datasource?: object }[];
  };
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Partial<Record<'summary' | 'description' | 'action', string>>>;
}

describe('what reads the metrics', () => {
  let service: RunningService;
  let figures: Figures;
  /** The names of the labels of each metric that has a value. */
  const labels = new Map<string, Set<string>>();
  before(async () => {
    service = await startService({ CARDEA_METRICS: 'on' });
    const text = await (await service.call('GET', '/metrics')).text();
    figures = figuresOf(text);
    for (const [, name = '', pairs = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
      const known = labels.get(name) ?? new Set();
      for (const [, label = ''] of pairs.matchAll(/(\w+)="/g)) known.add(label);
      labels.set(name, known);
    }
    // Only nodes with PostgreSQL and searches have values of these.
    labels.set('cardea_store_connections', new Set(['pool', 'state']));
    labels.set(
      'cardea_search_stage_duration_seconds_bucket',
      new Set(['operation', 'stage', 'le']),
    );
    labels.set('cardea_documents', new Set(['index', 'state']));
  });
  const { panels, templating } = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard;
  const { groups } = parse(read('deploy/alerts.yaml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  after(() => service.stop());

  const isKnown = (name: string) =>
    figures.names.has(name) || figures.names.has(name.replace(/_(bucket|count|sum)$/, ''));

  /** Metrics of Prometheus itself. */
  const PROMETHEUS = ['up', 'ALERTS'];

  /** Asserts that an expression names metrics, and only those that are served. */
  function checkExpression(expr: string): void {
    const names = expr.match(/\b(?:(?:cardea|nodejs|process)_\w+|up|ALERTS)\b/g) ?? [];
    assert.ok(names.length > 0, expr);
    for (const name of names) {
      assert.ok(PROMETHEUS.includes(name) || isKnown(name), `${name} in ${expr}`);
    }
    for (const [, name = '', label = ''] of expr.matchAll(/\b(cardea_\w+)\{(\w+)[=!]/g)) {
      assert.ok(labels.get(name)?.has(label) || label === 'instance', `${label} of ${name}`);
    }
  }

  test('the dashboard names no metric that is not served', () => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    assert.ok(expressions.length > 15);
    for (const expr of expressions) checkExpression(expr);
  });

  test('the dashboard takes its data source and nodes from variables', () => {
    assert.deepEqual(
      templating.list.map(({ name, type }) => [name, type]),
      [
        ['datasource', 'datasource'],
        ['instance', 'query'],
      ],
    );
    const source = { type: 'prometheus', uid: '$datasource' };
    assert.deepEqual(templating.list[1]?.datasource, source);
    for (const { title, type, datasource, targets = [] } of panels) {
      if (type === 'row') continue;
      assert.deepEqual(datasource, source, title);
      for (const target of targets) {
        assert.deepEqual(target.datasource, source, title);
        const all = target.expr.match(/\b(?:cardea|nodejs|process)_\w+/g) ?? [];
        const chosen = target.expr.match(/instance=~"\$instance"/g) ?? [];
        assert.equal(chosen.length, all.length, target.expr);
      }
    }
  });

  test('a single figure of the dashboard is 0 without data, and several nodes do not add up their documents', () => {
    for (const { title, type, fieldConfig, targets = [] } of panels) {
      if (type !== 'stat') continue;
      assert.ok(fieldConfig?.defaults.noValue, title);
      const [target] = targets;
      // The age of a backup that was never made is no number.
      if (title !== 'Age of the last backup') {
        assert.match(target?.expr ?? '', /or vector\([01]\)/, title);
      }
    }
    const documents = panels.find(({ title }) => title === 'Documents')?.targets?.[0]?.expr ?? '';
    assert.match(documents, /^max\(sum by \(instance\) \(cardea_documents/);
  });

  test('each alert names metrics that are served, what is wrong and what to do', () => {
    const names = rules.map(({ alert }) => alert);
    assert.equal(new Set(names).size, names.length);
    for (const { alert, expr, labels: severity, annotations } of rules) {
      checkExpression(expr);
      assert.match(severity.severity, /^(critical|warning)$/, alert);
      for (const part of ['summary', 'description', 'action'] as const) {
        assert.ok((annotations[part] ?? '').length > 15, `${part} of ${alert}`);
      }
      for (const [, setting = ''] of annotations.action?.matchAll(/\b(CARDEA_\w+)/g) ?? []) {
        assert.ok(
          Object.values(SETTINGS).some(({ env }) => env === setting),
          setting,
        );
      }
      for (const [, page = ''] of annotations.action?.matchAll(/(docs\/\w+\.md)/g) ?? []) {
        assert.ok(existsSync(page), page);
      }
    }
    const table = read('docs/observe.md').split('\n## Alerts\n')[1]?.split('\n## ')[0] ?? '';
    assert.deepEqual(
      [...table.matchAll(/`(Cardea\w+)`/g)].map(([, name]) => name).sort(),
      names.sort(),
    );
  });

  test('the table of docs/observe.md lists our metrics, and no other', () => {
    const section = read('docs/observe.md').split('\n## Metrics\n')[1]?.split('\n## ')[0] ?? '';
    const documented = [...section.matchAll(/`(cardea_\w+)`/g)].map(([, name = '']) => name);
    const served = [...figures.names].filter((name) => name.startsWith('cardea_'));
    assert.deepEqual(documented.sort(), served.sort());
  });
});
