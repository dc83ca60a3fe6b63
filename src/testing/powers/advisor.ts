// Reads the journal of a tenant and says what would go wrong against the public service: its rate
// limit, its delay between a write and the search, its windows and pages.
// Invariant: advice is derived from the journal alone, so it is the same however often it is asked.
import type { Advice, RecordedRequest } from '../types.ts';

/** The documented limits of the public service. */
const RATE = { requests: 100, ms: 10_000 };
const WINDOW_MAX = 10_000;
const PAGE_MAX = 250;
/** A search so soon after a write would most likely not find it there. */
const SETTLE_MS = 5_000;
/** So many tokens, each for fewer than two requests, are one for each request. */
const TOKENS_MIN = 3;
const REQUESTS_PER_TOKEN = 2;
/** A pause is long enough if it ends this much too early: clocks and rounding. */
const PAUSE_SLACK_MS = 100;
const NUMBERS_MAX = 10;
/** Sort keys that no two documents share. */
const UNIQUE_KEYS = ['id', '_id'];
/** What every path version has here, and the public service only where a later version is asked. */
const LATER_LISTS =
  /^\/(?:v3\/(?:identities|entitlements|roles\/[^/]+\/entitlements)|beta\/public-identities)(?:\/|$)/;

interface Rule {
  readonly name: string;
  readonly problem: string;
  readonly mend: string;
  /** The requests that the rule is about. */
  find(entries: readonly RecordedRequest[]): readonly RecordedRequest[];
}

const RULES: readonly Rule[] = [
  {
    name: 'rate-limit',
    problem: 'A client sent more than 100 requests in 10 seconds to one version of the API.',
    mend: 'The public service answers 429 from the 101st on. Fetch larger pages, wait between requests, or test with --rate-limit isc.',
    find: overRate,
  },
  {
    name: 'retry-after',
    problem: 'A request was sent before the time of Retry-After had passed.',
    mend: 'After a 429 wait for as many seconds as Retry-After says, then repeat the request.',
    find: withoutPause,
  },
  {
    name: 'search-after-write',
    problem: 'A search followed a write within 5 seconds.',
    mend: 'The public service indexes changes after seconds to minutes. Read the record itself, or repeat the search until it finds the change; --index-lag 5s shows the effect.',
    find: soonAfterWrite,
  },
  {
    name: 'offset-window',
    problem: 'A search asked for results past the 10,000th by offset.',
    mend: 'The public service refuses it. Page with sort: ["id"] and searchAfter.',
    find: (entries) =>
      entries.filter(
        ({ search }) => (search?.offset ?? 0) + (search?.limit ?? PAGE_MAX) > WINDOW_MAX,
      ),
  },
  {
    name: 'search-after-ties',
    problem: 'A search pages by searchAfter with a sort that can have equal values.',
    mend: 'Documents with the value of the last one of a page are lost. Sort by id, or add id as the last key, such as ["created","id"], and send the values of both in searchAfter.',
    find: (entries) => entries.filter(losesTies),
  },
  {
    name: 'warning',
    problem: 'A request has names, members or parameters that nothing reads.',
    mend: 'The header Warning of the answer names them and says what to send instead; the public service ignores them in silence.',
    // Other rules are about the other warnings.
    find: (entries) =>
      entries.filter(
        (entry) => entry.warned === true && entry.secretInQuery !== true && !losesTies(entry),
      ),
  },
  {
    name: 'page-size',
    problem: 'A request asked for a page of more than 250.',
    mend: 'Clients of the public service page by 250: set limit=250 and fetch the next page.',
    find: (entries) => entries.filter((entry) => (entry.limit ?? 0) > PAGE_MAX),
  },
  {
    name: 'token-per-request',
    problem: 'A client asked for a new token for almost every request.',
    mend: 'A token is valid for hours: keep it until expires_in has passed.',
    find: tokensPerRequest,
  },
  {
    name: 'secret-in-query',
    problem: 'A request for a token had the secret in its query.',
    mend: 'Queries end up in the logs of servers and proxies along the way. Send client_id and client_secret in a form, or as HTTP Basic.',
    find: (entries) => entries.filter(({ secretInQuery }) => secretInQuery === true),
  },
  {
    name: 'extension',
    problem: 'A request used something that only Cardea has.',
    mend: 'The public service answers 404, or ignores the parameter. In preparations of a test, send the header Cardea-Test: setup.',
    find: (entries) =>
      entries.filter(
        ({ path, refreshWait }) =>
          refreshWait === true ||
          path.startsWith('/admin/v1/') ||
          LATER_LISTS.test(path) ||
          /\/search(?:\/v1)?\/(?:explain|rows)$/.test(path) ||
          path === '/oauth/sign-out',
      ),
  },
  {
    name: 'old-path',
    problem: 'A request used the path of an old version of the API, /v3 or /beta.',
    mend: 'Newer versions are /v2024, /v2025 and /v2026 (SearchV2024Api in sailpoint-api-client, where SearchApi is /v3 and names such as OAuthClientsBetaApi are /beta); the newest clients call paths such as /search/v1.',
    find: (entries) => entries.filter(({ path }) => /^\/(?:v3|beta)\//.test(path)),
  },
];

/** The names of all rules, for the docs. */
export const ADVICE_RULES: readonly string[] = RULES.map(({ name }) => name);

/** @param entries of one tenant, in the order in which they ended */
export function adviceFor(entries: readonly RecordedRequest[]): readonly Advice[] {
  const inOrder = [...entries].sort((a, b) => beganAt(a) - beganAt(b) || a.number - b.number);
  return RULES.flatMap(({ name: rule, problem, mend, find }) => {
    const concerned = find(inOrder);
    const [request] = concerned;
    if (request === undefined) return [];
    const requests = concerned.slice(0, NUMBERS_MAX).map(({ number }) => number);
    return [{ rule, problem, mend, count: concerned.length, request, requests }];
  });
}

function beganAt({ at }: RecordedRequest): number {
  return Date.parse(at);
}

function byKey(
  entries: readonly RecordedRequest[],
  keyOf: (entry: RecordedRequest) => string,
): RecordedRequest[][] {
  const groups = new Map<string, RecordedRequest[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

const byClient = (entries: readonly RecordedRequest[]) => byKey(entries, ({ client }) => client);

function isToken({ path }: RecordedRequest): boolean {
  return path === '/oauth/token';
}

/** The requests that the rate limit of the public service would refuse. */
function overRate(entries: readonly RecordedRequest[]): RecordedRequest[] {
  const versionOf = ({ client, path }: RecordedRequest) => `${client} ${path.split('/', 2)[1]}`;
  const counted = entries.filter((entry) => !isToken(entry));
  return byKey(counted, versionOf).flatMap((group) =>
    group.filter((entry, n) => {
      const earlier = group[n - RATE.requests];
      return earlier !== undefined && beganAt(entry) - beganAt(earlier) < RATE.ms;
    }),
  );
}

/** The first request of a client after each 429, where it came too early. */
function withoutPause(entries: readonly RecordedRequest[]): RecordedRequest[] {
  return byClient(entries).flatMap((group) => {
    const early = group
      .filter(({ status }) => status === 429)
      .flatMap((refused) => {
        const ended = beganAt(refused) + refused.ms;
        const due = ended + (refused.retryAfter ?? 1) * 1_000 - PAUSE_SLACK_MS;
        const next = group.find((entry) => entry !== refused && beganAt(entry) >= ended);
        return next !== undefined && beganAt(next) < due ? [next] : [];
      });
    return [...new Set(early)];
  });
}

function soonAfterWrite(entries: readonly RecordedRequest[]): RecordedRequest[] {
  return byClient(entries).flatMap((group) => {
    let written = Number.NEGATIVE_INFINITY;
    return group.filter((entry) => {
      if (isWrite(entry)) written = beganAt(entry) + entry.ms;
      return entry.search !== undefined && beganAt(entry) - written < SETTLE_MS;
    });
  });
}

/** Whether it changed something that a search finds. */
function isWrite({ method, path, status }: RecordedRequest): boolean {
  return (
    method !== 'GET' &&
    status !== null &&
    status < 300 &&
    /\/(?:auth-users|documents)(?:\/|$)/.test(path)
  );
}

function losesTies({ search }: RecordedRequest): boolean {
  return search?.searchAfter === true && !isUnique(search.sort);
}

function isUnique(sort: readonly string[] | undefined): boolean {
  return sort?.some((key) => UNIQUE_KEYS.includes(key.replace(/^[+-]/, ''))) ?? false;
}

function tokensPerRequest(entries: readonly RecordedRequest[]): RecordedRequest[] {
  return byClient(entries).flatMap((group) => {
    const tokens = group.filter(isToken);
    const others = group.length - tokens.length;
    const isMany = tokens.length >= TOKENS_MIN && others < tokens.length * REQUESTS_PER_TOKEN;
    return isMany ? tokens : [];
  });
}
