// The status of the node that answers: index lag, request rates, facts and caches.
import type { CacheStatus, NodeStatus, ThreadStatus } from '../../api/node-status.ts';
import { bytesText, countText, spanText } from '../../model/amount.ts';
import { instantText } from '../../model/document-value.ts';
import { LineChart } from '../../ui/charts/line-chart.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { HISTORY_SECONDS, type Sample } from './node-history.ts';

const RATES = [
  { member: 'requests', name: 'Requests', colour: '--accent' },
  { member: 'searches', name: 'Searches', colour: '--warn', dash: [6, 3] },
  { member: 'writes', name: 'Writes', colour: '--quiet', dash: [2, 2] },
] as const;

export function NodePanel({ status, history }: { status: NodeStatus; history: readonly Sample[] }) {
  const { node, caches, threads } = status;
  return (
    <section class="related" aria-label="This node">
      <h2>
        This node{' '}
        <span class="quiet">
          Cardea {node.version}, up for {spanText(node.uptimeSeconds)}; times are in UTC
        </span>
      </h2>
      <Charts history={history} />
      <NodeFacts status={status} />
      {threads !== null && <Threads threads={threads} />}
      {caches !== null && <Caches caches={caches} />}
    </section>
  );
}

function Charts({ history }: { history: readonly Sample[] }) {
  const to = history.at(-1)?.at ?? 0;
  const span = { times: history.map(({ at }) => at), from: to - HISTORY_SECONDS, to };
  const now = history.at(-1);
  const lag = { values: history.map(({ lagSeconds }) => lagSeconds), colour: '--accent' };
  return (
    <div class="line-charts">
      <LineChart
        title="Rates per second"
        drawn={{
          ...span,
          lines: RATES.map(({ member, ...line }) => ({
            ...line,
            values: history.map((sample) => sample[member]),
          })),
        }}
        legend={RATES.map(({ member, name }) => ({ name, now: rateText(now?.[member] ?? 0) }))}
      />
      <LineChart
        title="Index lag"
        drawn={{ ...span, lines: [lag] }}
        legend={[{ name: 'Seconds', now: rateText(now?.lagSeconds ?? 0) }]}
      />
    </div>
  );
}

function rateText(rate: number): string {
  return rate >= 100 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1);
}

function NodeFacts({ status: { node, lag, backup } }: { status: NodeStatus }) {
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Store', node.store === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
    ['Search', node.search === 'opensearch' ? 'OpenSearch' : 'Embedded'],
    ['Threads', countText(node.threads)],
    ['Changes not yet searchable', lag.changes === null ? null : countText(lag.changes)],
    ['Last sequence', lag.lastSequence === null ? null : countText(lag.lastSequence)],
    ['Runs the indexer', node.feeds ? 'Yes' : 'No, another node does'],
    ['Node', node.id.slice(0, 8)],
    ['Last backup', backup === null ? null : backupText(backup)],
  ];
  return (
    <div class="tile">
      <dl class="facts node-facts">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}

function Threads({ threads }: { threads: readonly ThreadStatus[] }) {
  return (
    <>
      <h3>Threads</h3>
      <TableFrame label="Threads" size="short">
        <TableHead
          labels={['Thread', 'Requests', 'Late by (99%)', 'Objects']}
          numbers={['Requests', 'Late by (99%)', 'Objects']}
        />
        <tbody>
          {threads.map(({ thread, requests, loopLagMs, heapBytes }) => (
            <tr key={thread}>
              <td>{thread === 1 ? '1 (main)' : thread}</td>
              <td class="cell-number">{countText(requests)}</td>
              <td class="cell-number">{loopLagMs} ms</td>
              <td class="cell-number">{bytesText(heapBytes)}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </>
  );
}

function backupText({ last, everySeconds, failed }: NonNullable<NodeStatus['backup']>): string {
  const made = last === null ? 'None' : instantText(last);
  const every = everySeconds === null ? 'not scheduled' : `every ${spanText(everySeconds)}`;
  const isFailing = failed !== null && (last === null || failed > last);
  return `${made}, ${isFailing ? `failed ${instantText(failed)}` : every}`;
}

const CACHE_NAMES: Readonly<Record<string, string>> = {
  sources: 'Documents',
  results: 'Counts and aggregations',
  queries: 'Row sets and orders',
  positions: 'Word positions',
};

function Caches({ caches }: { caches: readonly CacheStatus[] }) {
  return (
    <>
      <h3>Caches</h3>
      <TableFrame label="Caches" size="short">
        <TableHead
          labels={['Cache', 'Size', 'Limit', 'Hit rate', 'Lookups']}
          numbers={['Size', 'Limit', 'Hit rate', 'Lookups']}
        />
        <tbody>
          {caches.map(({ name, bytes, bytesMax, hits, misses }) => (
            <tr key={name}>
              <td>{CACHE_NAMES[name] ?? name}</td>
              <td class="cell-number">{bytesText(bytes)}</td>
              <td class="cell-number">{bytesText(bytesMax)}</td>
              <td class="cell-number">
                {hits + misses === 0 ? '–' : `${Math.floor((100 * hits) / (hits + misses))}%`}
              </td>
              <td class="cell-number">{countText(hits + misses)}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </>
  );
}
