// The HTTP layer of the service: one table of routes, one place that admits requests (admission.ts)
// and one that answers errors (error-handler.ts). Fastify's logger is off, since it creates a child
// logger per request.
// Invariant: log lines never hold headers, queries or bodies.
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../errors.ts';
import { CooperativeScheduler } from '../scheduling/cooperative.ts';
import type { AuthUserAdministration } from '../service/accounts/auth-user-administration.ts';
import type { AuthUserDirectory } from '../service/accounts/auth-user-directory.ts';
import type { AuthUsers } from '../service/accounts/auth-users.ts';
import type { ApiKeyCheck } from '../service/credentials/api-key-check.ts';
import type { TokenService } from '../service/credentials/tokens.ts';
import type { Dashboards } from '../service/dashboards/dashboards.ts';
import type { ProfileCases } from '../service/profiles/profile-cases.ts';
import type { ResourceCases } from '../service/profiles/resources/resource-cases.ts';
import type { AdvancedSearches } from '../service/profiles/rules/advanced-searches.ts';
import type { SavedSearches } from '../service/saved-searches/saved-searches.ts';
import type { ScheduledSearches } from '../service/saved-searches/scheduled-searches.ts';
import type { SearchRuns } from '../service/saved-searches/search-runs.ts';
import type { AccessPathList } from '../service/searching/access-path-list.ts';
import type { LocalCases } from '../service/searching/local-serving.ts';
import type { Search } from '../service/searching/search.ts';
import type { TenantActivity } from '../service/searching/tenant-activity.ts';
import { AddressLimit } from './admission/address-limit.ts';
import {
  type AdmissionRules,
  admit,
  handleAndLeavePlace,
  takePlace,
  unmatchedFaults,
} from './admission/admission.ts';
import { Capacity } from './admission/capacity.ts';
import { drain } from './admission/drain.ts';
import { closeIdleLater } from './admission/idle-connections.ts';
import { SLOW_DRAIN_MS } from './admission/import-body.ts';
import { localRateLimit, RateLimit } from './admission/rate-limit.ts';
import { registerBodyParser } from './admission/request-body.ts';
import { allowCrossOrigin, CrossOriginPolicy } from './cross-origin.ts';
import { meterRequests } from './observers/request-meter.ts';
import { observeRequests } from './observers/request-observer.ts';
import { traceRequests } from './observers/request-tracer.ts';
import type { HttpSettings } from './options.ts';
import { profileArea, publicArea, type ServedEndpoint } from './requests/endpoint.ts';
import { hostFault, loggablePath, normalizeTarget } from './requests/request-url.ts';
import { TrackingIds } from './requests/tracking-id.ts';
import { withDeprecation } from './responses/deprecated-operations.ts';
import { faultOf, logCutOff, sendFault } from './responses/error-handler.ts';
import { withFilterWarnings } from './responses/filter-warnings.ts';
import { withParameterWarnings } from './responses/misplaced-parameters.ts';
import { holdAnswers, writeCommonHeaders } from './responses/response.ts';
import {
  type AdminCases,
  adminEndpoints,
  type IndexProgress,
  type MirrorSource,
  type NodeSource,
} from './routes/admin.ts';
import { authUserEndpoints } from './routes/auth-users.ts';
import { registerConsole } from './routes/console.ts';
import {
  apiKeyEndpoints,
  type CredentialCases,
  oauthClientEndpoints,
  personalAccessTokenEndpoints,
} from './routes/credentials.ts';
import { dashboardEndpoints } from './routes/dashboards.ts';
import { registerDocumentation } from './routes/documentation.ts';
import { type FieldCases, fieldEndpoints } from './routes/fields.ts';
import { registerGuide } from './routes/guide.ts';
import { type ListCases, listEndpoints } from './routes/lists.ts';
import { localEndpoints } from './routes/local.ts';
import { mcpEndpoints } from './routes/mcp.ts';
import { oauthEndpoints } from './routes/oauth.ts';
import { advancedSearchEndpoints } from './routes/profiles/advanced-search.ts';
import { profileEndpoints } from './routes/profiles/profiles.ts';
import { resourceEndpoints } from './routes/profiles/resources.ts';
import { Readiness, type StatusSource } from './routes/readiness.ts';
import { savedSearchEndpoints, scheduledSearchEndpoints } from './routes/saved-searches.ts';
import { searchEndpoints } from './routes/search.ts';
import { statusEndpoints } from './routes/status.ts';
import { type TestCases, testPowerEndpoints } from './routes/test-powers.ts';
import { type ViewCases, viewEndpoints } from './routes/views.ts';
import { answerClientError, makeServer } from './server.ts';

/** The public members of a class. */
type Members<Class> = Pick<Class, keyof Class>;

/** Everything behind the routes: use cases, and the state of the service. */
export interface Services {
  readonly tokens: Members<TokenService>;
  readonly apiKeyCheck: Members<ApiKeyCheck>;
  readonly apiKeys: CredentialCases<'key'>;
  readonly authUsers: Members<AuthUsers>;
  readonly authUserAdministration: Members<AuthUserAdministration>;
  readonly authUserDirectory: Members<AuthUserDirectory>;
  readonly personalAccessTokens: CredentialCases<'pat'>;
  readonly oauthClients: CredentialCases<'client'>;
  readonly documents: AdminCases['documents'];
  readonly search: Omit<Members<Search>, 'checker' | 'walk' | 'shownColumns'>;
  readonly lists: ListCases;
  readonly savedSearches: Members<SavedSearches>;
  readonly scheduledSearches: Members<ScheduledSearches>;
  readonly searchRuns: Members<SearchRuns>;
  readonly dashboards: Members<Dashboards>;
  readonly views: ViewCases;
  readonly fields: FieldCases;
  readonly accessPaths: Members<AccessPathList>;
  readonly resources: Members<ResourceCases>;
  readonly profiles: Members<ProfileCases>;
  readonly advancedSearches: Members<AdvancedSearches>;
  readonly status: StatusSource & IndexProgress;
  readonly node: NodeSource;
  readonly mirror: MirrorSource;
  readonly activity: Pick<TenantActivity, 'count'>;
  /** null: this server has no powers for tests. */
  readonly testPowers: TestCases | null;
}

/** Longest path parameter; no id is longer. */
const MAX_PARAMETER_LENGTH = 2_048;

/** All endpoints with their full paths. */
export function routeTable(
  services: Services,
  settings: HttpSettings,
  capacity: Capacity = new Capacity(settings, null),
  addressLimit: AddressLimit | null = null,
): ServedEndpoint[] {
  return [
    ...publicArea('/auth-users', authUserEndpoints(services.authUsers)),
    ...publicArea('/search', searchEndpoints(services.search, capacity)),
    ...publicArea(
      '/saved-searches',
      savedSearchEndpoints(services.savedSearches, services.searchRuns, capacity),
    ),
    ...publicArea(
      '/scheduled-searches',
      scheduledSearchEndpoints(services.scheduledSearches, capacity),
    ),
    ...publicArea(
      '/personal-access-tokens',
      personalAccessTokenEndpoints(services.personalAccessTokens),
    ),
    ...publicArea('/oauth-clients', oauthClientEndpoints(services.oauthClients)),
    ...listEndpoints(services.lists, capacity),
    ...profileArea([
      ...resourceEndpoints(services.resources, settings.collectionEnvelope),
      ...profileEndpoints(services.profiles, settings.collectionEnvelope, capacity.signals),
      ...advancedSearchEndpoints(services.advancedSearches, capacity.signals),
    ]),
    ...oauthEndpoints(services, settings, addressLimit),
    ...adminEndpoints(services, capacity),
    ...dashboardEndpoints(services.dashboards, capacity),
    ...viewEndpoints(services.views),
    ...fieldEndpoints(services.fields, capacity),
    ...apiKeyEndpoints(services.apiKeys),
    ...mcpEndpoints(services.search, capacity, settings),
    ...testPowerEndpoints(services.testPowers),
    ...statusEndpoints(
      new Readiness(services.status, settings.clock),
      settings.metricsPage,
      settings.console === null ? '/docs' : '/console/',
    ),
  ];
}

/** Builds the application without listening; `close` stops it within `stopTimeoutMs`. */
export function buildApp(services: Services, settings: HttpSettings): FastifyInstance {
  return buildAppOf(services, settings, (capacity, addressLimit) =>
    routeTable(services, settings, capacity, addressLimit),
  );
}

/** Builds the application of commands, whose every request is one of the operator. */
export function buildLocalApp(
  {
    verify,
    search,
    fields,
    local,
  }: {
    /** Reads the header `Authorization`. */
    readonly verify: AdmissionRules['tokens']['verify'];
    readonly search: Services['search'];
    readonly fields: Services['fields'];
    readonly local: LocalCases;
  },
  settings: HttpSettings,
): FastifyInstance {
  const noKey = async () => {
    throw new ServiceError('forbidden', 'The socket takes no API keys.');
  };
  const identified = {
    ...{ tokens: { verify }, apiKeyCheck: { verify: noKey }, activity: { count() {} } },
  };
  return buildAppOf(identified, settings, (capacity) => [
    ...publicArea('/search', searchEndpoints(search, capacity)),
    ...fieldEndpoints(fields, capacity),
    ...localEndpoints(local, capacity),
  ]);
}

function buildAppOf(
  services: Pick<AdmissionRules, 'tokens' | 'apiKeyCheck' | 'activity'>,
  settings: HttpSettings,
  tableOf: (capacity: Capacity, addressLimit: AddressLimit | null) => readonly ServedEndpoint[],
): FastifyInstance {
  const { log } = settings;
  const trackingIds = new TrackingIds();
  const capacity = new Capacity(settings, settings.meter);
  const addressLimit = addressLimitOf(settings);
  const endpoints = tableOf(capacity, addressLimit)
    .map(withParameterWarnings)
    .map(withFilterWarnings)
    .map(withDeprecation);
  const crossOrigin = crossOriginOf(settings, endpoints);
  const app = Fastify({
    logger: false,
    genReqId: () => trackingIds.next(),
    rewriteUrl: (request) => normalizeTarget(request.url ?? '/'),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    // Requests that arrive while the service stops are still answered; their connections then
    // close.
    return503OnClosing: false,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    serverFactory: (listener) => makeServer(listener, settings, settings.tls, settings.meter),
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket, trackingIds.next(), log),
    frameworkErrors: (error, request, reply) => {
      writeCommonHeaders(request, reply);
      crossOrigin?.writeHeaders(request, reply);
      sendFault(error, request, reply, log);
    },
  });
  app.decorateRequest('endpoint', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('party', null);
  app.decorateRequest('bodyMemory', null);
  app.decorateRequest('leavePlace', null);
  app.decorateRequest('awaitsBody', false);
  app.addHook('onSend', (request, reply, payload, done) => {
    writeCommonHeaders(request, reply);
    done(null, payload);
  });
  const { strictTransport, documentation: servesGuide } = settings;
  app.decorate('life', { stopping: false, strictTransport, servesGuide });
  app.decorate('logCutOff', (error: unknown, request: FastifyRequest) =>
    logCutOff(error, request, log),
  );
  stopWithin(app, settings.stopTimeoutMs);
  app.setErrorHandler((error, request, reply) => {
    // Fastify closes the connection after a body it rejected; here the rest of the body is drained.
    if (!app.life.stopping && reply.hasHeader('connection')) reply.removeHeader('connection');
    sendFault(error, request, reply, log);
    const isSlow = faultOf(error).code === 'body_too_slow';
    drain(request.raw, isSlow ? SLOW_DRAIN_MS : settings.bodyTimeoutMs);
  });
  if (log.isLevelEnabled('info')) logRequests(app, log);
  if (settings.tracer !== null) traceRequests(app, settings.tracer);
  if (settings.meter !== null) meterRequests(app, settings.meter);
  if (settings.observer !== null) observeRequests(app, settings.observer);
  if (crossOrigin !== null) allowCrossOrigin(app, crossOrigin);
  holdAnswers(app, capacity.answers);
  const scheduler = settings.scheduler ?? new CooperativeScheduler();
  registerBodyParser(app, settings, capacity, scheduler);
  registerRoutes(app, endpoints, {
    tokens: services.tokens,
    apiKeyCheck: services.apiKeyCheck,
    activity: services.activity,
    rateLimit: clientLimitOf(settings),
    addressLimit,
    capacity,
    body: settings,
  });
  if (settings.documentation && !registerDocumentation(app)) {
    log.warn('The API documentation has not been built');
  }
  if (settings.documentation && !registerGuide(app)) log.warn('The guide has not been built');
  if (settings.console !== null && !registerConsole(app, settings.console)) {
    log.warn('The console has not been built');
  }
  return app;
}

/** No route has a schema; without this Fastify loads its schema compilers at each start. */
function noSchemas(): never {
  throw new Error('a route has a schema');
}

function clientLimitOf({ rateLimit, rateCounter, clock, counts }: HttpSettings): RateLimit | null {
  if (rateLimit === null) return null;
  return rateCounter === null
    ? localRateLimit(rateLimit, clock, counts?.windowsOf('clients'))
    : new RateLimit(rateLimit, rateCounter);
}

function addressLimitOf({
  rateLimit,
  addressCounter,
  clock,
  counts,
}: HttpSettings): AddressLimit | null {
  if (rateLimit === null) return null;
  return new AddressLimit(
    addressCounter === null
      ? localRateLimit(rateLimit, clock, counts?.windowsOf('addresses'))
      : new RateLimit(rateLimit, addressCounter),
  );
}

function crossOriginOf(
  { corsOrigins }: HttpSettings,
  endpoints: readonly ServedEndpoint[],
): CrossOriginPolicy | null {
  if (corsOrigins.length === 0) return null;
  return new CrossOriginPolicy(corsOrigins, ['HEAD', ...endpoints.map(({ method }) => method)]);
}

function registerRoutes(
  app: FastifyInstance,
  endpoints: readonly ServedEndpoint[],
  rules: AdmissionRules,
): void {
  for (const endpoint of endpoints) {
    const preHandler = takePlace(endpoint, rules);
    app.route({
      // One route for both, where Fastify would add a second one for HEAD.
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
      url: endpoint.path,
      config: { isTestPower: endpoint.isTestPower === true },
      onRequest: admit(endpoint, rules),
      ...(preHandler !== null && { preHandler }),
      handler: handleAndLeavePlace(endpoint),
    });
  }
  const unmatchedFault = unmatchedFaults(endpoints);
  // The hook rejects the request before a route authenticates it, and before Fastify reads the body.
  app.addHook('onRequest', (request, _reply, done) => {
    done(hostFault(request.raw) ?? (request.is404 ? unmatchedFault(request) : undefined));
  });
  app.setNotFoundHandler((request) => {
    throw unmatchedFault(request);
  });
}

/** Paths that monitors read every few seconds: a line for each would bury the others. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/health_check', '/metrics']);

/** Logs each request; probes only at level `debug`, unless they are answered with an error. */
function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const path = loggablePath(request.url);
    const status = reply.raw.statusCode;
    const level = PROBES.has(path) && status < 400 ? 'debug' : 'info';
    log[level](
      {
        trackingId: request.id,
        method: request.method,
        path,
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        client: request.caller?.clientId,
      },
      'request',
    );
    done();
  });
}

/** Lets responses in flight finish, and closes what is still open after `stopTimeoutMs`. */
function stopWithin(app: FastifyInstance, stopTimeoutMs: number): void {
  app.addHook('preClose', (done) => {
    app.life.stopping = true;
    setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs).unref();
    if (app.server.listening) closeIdleLater(app.server);
    done();
  });
}
