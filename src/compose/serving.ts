// What every thread that serves has: the use cases over its own connections to the store, and the HTTP
// application. Part of compose.ts and of serving-thread.ts, which alone import it.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../auth/clock.ts';
import { ExternalIssuers } from '../auth/external-issuers.ts';
import { Guesses, guessRules, localGuesses } from '../auth/guesses.ts';
import { outboundJson } from '../auth/outbound.ts';
import { LocalCounter, type WindowCounter, type WindowRules } from '../auth/window-counter.ts';
import type { SharedCounts } from '../backends/redis/shared-counts.ts';
import type { Config } from '../config/config.ts';
import { exposure } from '../config/exposure.ts';
import { REQUESTS } from '../config/settings/requests.ts';
import { valuesOf } from '../config/settings/setting.ts';
import type { ProcessCounts } from '../http/admission/process-counts.ts';
import { type RateLimitSettings, rateRules } from '../http/admission/rate-limit.ts';
import { buildApp, type Services } from '../http/app.ts';
import type { MetricsPage } from '../http/observers/request-meter.ts';
import type { HttpSettings } from '../http/options.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative.ts';
import { TurnQueue } from '../scheduling/turn-queue.ts';
import { AuthUserAdministration } from '../service/accounts/auth-user-administration.ts';
import { AuthUserDirectory } from '../service/accounts/auth-user-directory.ts';
import { AuthUsers } from '../service/accounts/auth-users.ts';
import { ApiKeyCheck } from '../service/credentials/api-key-check.ts';
import { Credentials } from '../service/credentials/credentials.ts';
import type { SignInCodeSource } from '../service/credentials/sign-in-codes.ts';
import { SignIns } from '../service/credentials/sign-ins.ts';
import { TokenService } from '../service/credentials/tokens.ts';
import { Dashboards } from '../service/dashboards/dashboards.ts';
import { Fields } from '../service/fields/fields.ts';
import type { Documents } from '../service/imports/documents.ts';
import { Lists } from '../service/lists/lists.ts';
import { mirrorStatus } from '../service/mirrors/mirror-status.ts';
import type { Searches } from '../service/ports/search-backend.ts';
import { combinedWatch } from '../service/ports/search-watch.ts';
import type { Store } from '../service/ports/store.ts';
import { ProfileCases } from '../service/profiles/profile-cases.ts';
import { ResourceCases } from '../service/profiles/resources/resource-cases.ts';
import { AdvancedSearches } from '../service/profiles/rules/advanced-searches.ts';
import { SavedSearches } from '../service/saved-searches/saved-searches.ts';
import { ScheduledSearches } from '../service/saved-searches/scheduled-searches.ts';
import { SearchRuns } from '../service/saved-searches/search-runs.ts';
import { AccessPathList } from '../service/searching/access-path-list.ts';
import { Search } from '../service/searching/search.ts';
import { Visibility } from '../service/searching/visibility.ts';
import { Views } from '../service/views/views.ts';
import type { RequestMetrics } from '../telemetry/request-metrics.ts';
import type { ThreadMeter, ThreadReport } from '../telemetry/thread-figures.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { TestPowers } from '../testing/powers/test-powers.ts';
import { reportZone } from './reports.ts';

/** What a thread serves with; null: not configured. */
export interface ServingParts
  extends Pick<Services, 'status' | 'node' | 'activity'>,
    Pick<HttpSettings, 'metricsPage' | 'version'> {
  readonly log: Logger;
  readonly store: Store;
  readonly documents: Documents;
  readonly searches: Searches;
  readonly scheduler: CooperativeScheduler;
  readonly clock: Clock;
  /** Counts for all nodes together. */
  readonly counts: SharedCounts | null;
  /** Counts for all threads together. */
  readonly processCounts: ProcessCounts;
  /** Counts the requests of each client; null: there is no limit. */
  readonly rates: WindowCounter | null;
  readonly signInCodes: SignInCodeSource;
  readonly meter: RequestMetrics | null;
  /** Measures this thread. */
  readonly threadMeter: ThreadMeter;
  /** What the caches of this thread hold. */
  caches(): ThreadReport['caches'];
  readonly traces: Traces | null;
  readonly testPowers: TestPowers | null;
}

/** The use cases and the application, which does not listen yet. */
export interface Serving {
  readonly services: Services & { readonly search: Search };
  readonly app: FastifyInstance;
  readonly http: HttpSettings;
  /** Must be closed after the application. */
  readonly signIns: SignIns;
  /** All that this thread counts. */
  report(): Promise<ThreadReport>;
}

/** How long it is remembered that a walk through a list began, longer than the list's own memory. */
const WALK_WINDOWS: WindowRules = { windowMs: 600_000, start: 'first' };

/** The page of the metrics, if they are served with the API. */
export function pageOf({ metrics }: Config, page: MetricsPage | null): MetricsPage | null {
  return metrics?.kind === 'main' ? page : null;
}

export function openServing(config: Config, parts: ServingParts): Serving {
  const { log, store, scheduler, version, meter, threadMeter, caches } = parts;
  const signIns = new SignIns(store, (err) =>
    log.warn({ err }, 'Sign-ins could not be recorded in the audit trail yet'),
  );
  const services = makeServices(config, parts, signIns);
  const http = { ...httpOptions(config, parts), scheduler, version };
  const app = buildApp(services, http);
  app.addHook('onResponse', (_request, _reply, done) => {
    threadMeter.answered();
    done();
  });
  const report = async () => ({
    figures: threadMeter.figures(),
    requests: (await meter?.values()) ?? [],
    caches: caches(),
  });
  return { services, app, http, signIns, report };
}

function makeServices(config: Config, parts: ServingParts, signIns: SignIns): Serving['services'] {
  const { log, store, documents, searches, clock, scheduler } = parts;
  const { signInCodes, status, node, activity, testPowers } = parts;
  const externalIssuers = new ExternalIssuers(
    config.externalIssuers,
    outboundJson({ allowPrivateAddresses: config.allowPrivateUrls }),
    systemClock,
    {
      onFailure: (issuer, error) => log.warn({ issuer, err: error }, 'Keys could not be fetched'),
    },
  );
  const { limits, queryTimeoutMs, tokenPolicy: policy, refuseExclusivePairs } = config;
  const turns = new TurnQueue();
  const visibility = new Visibility({
    ...{ backend: searches, documents, clock, limits, scheduler },
    timeoutMs: queryTimeoutMs,
  });
  const search = new Search(visibility, clock, {
    limits,
    timeoutMs: queryTimeoutMs,
    scheduler,
    watch: combinedWatch([parts.meter, parts.traces?.tracer].filter((watch) => watch != null)),
  });
  return {
    tokens: new TokenService(store, {
      externalIssuers,
      guesses: guessesOf(config, parts),
      signIns,
      signInCodes,
    }),
    apiKeyCheck: new ApiKeyCheck(store, { policy }),
    apiKeys: new Credentials('key', store, { policy }),
    authUsers: new AuthUsers(store, { refuseExclusivePairs, clock }),
    authUserAdministration: new AuthUserAdministration(store, {
      ...{ clock, externalIssuers, policy, refuseExclusivePairs },
    }),
    authUserDirectory: new AuthUserDirectory(store, limits),
    personalAccessTokens: new Credentials('pat', store, { policy }),
    oauthClients: new Credentials('client', store, { policy }),
    documents,
    search,
    lists: new Lists({
      ...{ visibility, scheduler, limits, clock: systemClock },
      timeoutMs: queryTimeoutMs,
      walkBegins: new LocalCounter(
        systemClock,
        WALK_WINDOWS,
        parts.processCounts.windowsOf('walks'),
      ),
    }),
    savedSearches: new SavedSearches(store, search, { clock }),
    scheduledSearches: new ScheduledSearches(store, { clock, zone: reportZone(config) }),
    searchRuns: new SearchRuns(store),
    dashboards: new Dashboards(store, search, { clock }),
    views: new Views({ store, documents, limits, clock }),
    fields: new Fields({ store, visibility, progress: status, timeoutMs: queryTimeoutMs, clock }),
    accessPaths: new AccessPathList(visibility, { scheduler, timeoutMs: queryTimeoutMs }),
    resources: new ResourceCases(store, { clock }),
    profiles: new ProfileCases(store, { turns, clock, timeoutMs: queryTimeoutMs }),
    advancedSearches: new AdvancedSearches(store, {
      clock,
      timeZone: config.profileTimeZone,
      timeoutMs: queryTimeoutMs,
      turns,
    }),
    status,
    node,
    mirror: { of: (tenantId) => mirrorStatus(store.read, tenantId, clock.now()) },
    activity,
    testPowers,
  };
}

/** Derives the options of the HTTP layer. */
export function httpOptions(
  config: Config,
  { log, meter, traces, counts, processCounts, rates, testPowers, metricsPage }: ServingParts,
): Omit<HttpSettings, 'scheduler' | 'version'> {
  const isExposed = exposure(config) !== null;
  const rateLimit = rateLimitOf(config);
  const rules = rateLimit === null ? null : rateRules(rateLimit);
  return {
    ...{ log, clock: systemClock, idleTimeoutMs: 60_000, keepAliveTimeoutMs: 72_000 },
    tls: config.tls,
    // Browsers apply it to all ports of a host name, which would break other programs on a laptop.
    strictTransport: config.tls !== null && isExposed,
    publicUrl: config.baseUrl,
    secretsInQuery: config.secretsInQuery === 'auto' ? !isExposed : config.secretsInQuery,
    rateLimit,
    rateCounter: rates,
    addressCounter: addressCounterOf(rules, counts, processCounts),
    counts: processCounts,
    ...valuesOf(REQUESTS, config),
    trustedProxies: config.trustedProxies ?? [],
    maxProfileReads: maxProfileReads(config),
    collectionEnvelope: config.collectionEnvelope,
    corsOrigins: config.corsOrigins,
    documentation: config.documentation,
    console: config.console,
    mcp: config.mcp,
    meter,
    tracer: traces?.tracer ?? null,
    observer: testPowers,
    metricsPage,
  };
}

/** The limit on the requests of each client; null: there is none. */
function rateLimitOf({ rateLimit }: Config): RateLimitSettings | null {
  if (rateLimit === null) return null;
  return { requests: rateLimit.count, windowSeconds: rateLimit.seconds };
}

/** Creates the counter of the requests of each client, shared by all nodes with Redis. */
export function rateCounterOf(
  config: Config,
  { counts, processCounts }: Pick<ServingParts, 'counts' | 'processCounts'>,
): WindowCounter | null {
  const rateLimit = rateLimitOf(config);
  if (rateLimit === null) return null;
  const rules = rateRules(rateLimit);
  const local = new LocalCounter(systemClock, rules, processCounts.windowsOf('clients'));
  return counts?.counter('requests', rules, local) ?? local;
}

/** Creates the counter of wrong secrets, shared by all nodes with Redis. */
function guessesOf(
  { tokenAttempts }: Config,
  { counts, processCounts }: Pick<ServingParts, 'counts' | 'processCounts'>,
): Guesses {
  const limits = {
    attempts: tokenAttempts?.count ?? Number.POSITIVE_INFINITY,
    windowMs: (tokenAttempts?.seconds ?? 0) * 1000,
  };
  const local = localGuesses(limits, systemClock, processCounts.windowsOf('guesses'));
  const shared = tokenAttempts === null ? null : counts;
  return new Guesses(shared?.counter('guesses', guessRules(limits), local) ?? local, limits);
}

/** Connections to PostgreSQL that profile management leaves to other reads. */
const READS_LEFT = 2;

/** Creates the shared counter by address; null without a limit or Redis. */
function addressCounterOf(
  rules: WindowRules | null,
  counts: SharedCounts | null,
  processCounts: ProcessCounts,
): WindowCounter | null {
  if (rules === null || counts === null) return null;
  const local = new LocalCounter(systemClock, rules, processCounts.windowsOf('addresses'));
  return counts.counter('addresses', rules, local);
}

/** Below the connections of the store, so that some are left for all else that reads it. */
function maxProfileReads({ store, maxSearches, threads }: Config): number {
  if (store.kind === 'sqlite') return maxSearches;
  return Math.max(1, Math.min(maxSearches, store.poolSize * threads - READS_LEFT));
}
