// A thread that serves: it has the whole path of a request, from the connection to the answer, with
// connections of its own to the store and the segments of the main thread. What belongs to the node as a
// whole, such as its readiness, it asks the main thread for.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../auth/clock.ts';
import { cacheSizes } from '../backends/embedded/indexes/cache-sizes.ts';
import { EmbeddedSearch } from '../backends/embedded/searching/embedded-search.ts';
import { ResultCache } from '../backends/embedded/searching/result-cache.ts';
import { ThreadIndexes } from '../backends/embedded/searching/thread-indexes.ts';
import { ServiceError } from '../errors.ts';
import { ChannelPeers } from '../http/admission/channel-peers.ts';
import { ProcessCounts } from '../http/admission/process-counts.ts';
import { ServedCertificate } from '../http/certificate-files.ts';
import { acceptFrom } from '../http/shared-listener.ts';
import { CooperativeScheduler } from '../scheduling/cooperative.ts';
import { ThreadTable } from '../scheduling/shared/thread-table.ts';
import { ThreadCalls } from '../scheduling/thread-calls.ts';
import type { Searches } from '../service/ports/search-backend.ts';
import { TenantActivity } from '../service/searching/tenant-activity.ts';
import { SealedStore } from '../store/sealing/sealed-store.ts';
import { SecretsKeys } from '../store/sealing/secrets-key.ts';
import { ProcessWrites } from '../store/sql/process-writes.ts';
import { GatheredLines, makeLog } from '../telemetry/log.ts';
import { ThreadMeter } from '../telemetry/thread-figures.ts';
import { openRecords } from './records.ts';
import { openReadingBackend } from './search.ts';
import { openCounts, openRequestMetrics, openTraces } from './server.ts';
import { openServing, pageOf, rateCounterOf } from './serving.ts';
import { openStore } from './store.ts';
import type { OfMainThread, OfServingThread, ServingThreadData } from './thread-messages.ts';

async function serve(port: NonNullable<typeof parentPort>, data: ServingThreadData): Promise<void> {
  const { number, config, version, writes, listener } = data;
  const scheduler = new CooperativeScheduler();
  const activity = new TenantActivity();
  const threadMeter = new ThreadMeter(number);
  let indexes: ThreadIndexes | null = null;
  let report: OfServingThread['report'] = () => Promise.reject(new Error('not started yet'));
  let stop = async (): Promise<void> => {};
  const methods: OfServingThread = {
    take: (list) => indexes?.take(list),
    report: () => report(),
    activity: (tenantId) => activity.lastMinute(tenantId),
    stop: () => stop(),
  };
  const main = new ThreadCalls<OfMainThread>(port, methods);
  const lines = new GatheredLines({ write: (text) => main.tell('log', text) });
  const log = makeLog(data.logLevel, lines).child({ thread: number });
  // Before anything is awaited, as the first list of segments is on its way.
  if (config.searchUrl === null) {
    indexes = new ThreadIndexes({
      cacheSizes: cacheSizes(config.memory / config.threads),
      post: (message) => main.tell('fromReader', message),
      onDamaged: ({ segment, message }, tenantId) =>
        main.call('discardDamaged', segment, message, tenantId),
    });
  }
  const threads = new ThreadTable(data.threads, number - 1);
  threads.beat();

  const traces = await openTraces(config, log, version);
  const counts = await openCounts(config, log);
  const { secretsKey } = config;
  const opened = new SealedStore(
    await openStore(config.store, {
      writes: new ProcessWrites(writes, number - 1),
      onMended: (what) => log.warn(what),
    }),
    secretsKey === null ? null : new SecretsKeys(secretsKey),
  );
  const { store, documents } = openRecords(config, opened, {
    ...{ traces, clock: systemClock },
    onDocument: (document) => main.tell('damagedDocument', document),
    onTrail: (tenantId) => main.tell('damagedTrail', tenantId),
    onUnchanged: (tenantId, index, ids) => main.tell('unchanged', tenantId, index, ids),
  });
  let searches: Searches;
  let closeSearches: () => Promise<void> | void;
  if (indexes !== null) {
    const { caches } = indexes;
    searches = new EmbeddedSearch({
      ...{ indexes, scheduler },
      results: new ResultCache(caches.results),
    });
    closeSearches = () => indexes?.close();
  } else {
    const backend = await openReadingBackend(config, {
      ...{ log, store, documents, scheduler },
      onUntrue: (document) => main.tell('untrue', document),
    });
    searches = backend;
    closeSearches = () => backend.close();
  }
  const peers = new ChannelPeers(data.counts.peers);
  const processCounts = new ProcessCounts(data.counts.data, number - 1, peers);
  const meter = await openRequestMetrics(config);
  const serving = openServing(config, {
    ...{ log, store, documents, searches, scheduler, version, counts, traces, activity },
    ...{ meter, threadMeter, caches: () => indexes?.figures ?? [] },
    clock: systemClock,
    processCounts,
    rates: rateCounterOf(config, { counts, processCounts }),
    metricsPage: pageOf(
      config,
      meter && { contentType: meter.contentType, render: () => main.call('metrics') },
    ),
    status: {
      unreadyReasons: () => main.call('unreadyReasons'),
      warnings: () => main.call('warnings'),
      lastSequence: () => store.read.lastSequence(),
      waitUntilSearchable: (sequence, timeoutMs) =>
        main.call('waitUntilSearchable', sequence, timeoutMs),
    },
    node: { of: (tenantId) => main.call('nodeStatus', tenantId) },
    signInCodes: {
      isOffered: () => main.call('offersSignInCodes'),
      redeem: (code) => main.call('redeemSignInCode', code),
    },
    testPowers: null,
  });
  const { app, signIns } = serving;
  report = serving.report;
  // Fastify closes a server only if it has begun to listen itself. After its own hook, which closes
  // idle connections while the server still listens.
  let closed: Promise<unknown> = Promise.resolve();
  app.addHook('preClose', (done) => {
    threads.close();
    closed = new Promise((resolve) => app.server.close(resolve));
    done();
  });
  await app.ready();
  await main.call('beginReading');
  await acceptFrom(listener, app.server, threads);
  const { tls } = config;
  // The main thread names what is wrong with the files.
  const silent = makeLog('silent');
  const endWatch =
    tls === null
      ? () => {}
      : new ServedCertificate(tls, silent, () => systemClock.now()).follow(app.server);
  threadMeter.start();
  stop = async () => {
    endWatch();
    await app.close();
    await closed;
    await signIns.close();
    await closeSearches();
    await Promise.all([traces?.close(), counts?.close()]);
    await store.close();
    peers.close();
    threadMeter.stop();
    lines.flush();
  };
  main.tell('serving');
}

if (parentPort !== null) {
  const port = parentPort;
  // An error of SQLite that leaves a thread while it starts would end the process (Node 20).
  await serve(port, workerData as ServingThreadData).catch((error: unknown) => {
    const { stack = String(error) } = error instanceof Error ? error : new Error(String(error));
    const mayPass = error instanceof ServiceError && error.code === 'unavailable';
    port.postMessage({ id: 0, method: 'failed', args: [stack, mayPass] });
    process.exit(1);
  });
}
