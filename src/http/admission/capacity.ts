// What the service has for its callers, divided fairly: memory for bodies, memory for answers, and places for requests that
// are being worked on. One object of these for a server; admission.ts leads each request through it.
// Invariant: everything a request may hold is counted here, for the party that sent it.
import type { FastifyRequest } from 'fastify';
import { addressKey } from '../../auth/address-key.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Endpoint } from '../endpoint.ts';
import { DisconnectSignals } from '../requests/disconnect-signals.ts';
import { Answers } from './answers.ts';
import { BodyPool } from './body-pool.ts';
import { BodyReader } from './body-reader.ts';
import type { ImportRules } from './import-body.ts';
import { LeastRate } from './least-rate.ts';
import { type PlaceRules, Places, type PlacesOfRoute } from './places.ts';
import { ReservedPlaces } from './reserved-places.ts';
import type { Party, ShareRules } from './shares.ts';
import { Turns } from './turns.ts';

/** What a request needs a place for. Urgent requests take rights away: some places are kept for them. */
export type Work =
  | 'searches'
  | 'advanced searches'
  | 'changes'
  | 'sign-ins'
  | 'urgent changes'
  | 'revocations';

/** Why something was refused or cut off, as metrics name it. */
export type Refusal =
  | 'searches'
  | 'profile_searches'
  | 'changes'
  | 'sign_ins'
  | 'body_memory'
  | 'slow_body'
  | 'answer_memory'
  | 'slow_reader'
  | 'address_connections';

/** Counts refusals. */
export interface RefusalMeter {
  refused(reason: Refusal): void;
}

export interface CapacitySettings {
  /** Searches, counts, aggregations and lists of profiles at a time. */
  readonly maxSearches: number;
  /** Advanced searches of profiles at a time. */
  readonly maxProfileSearches: number;
  /** Requests that change something at a time. */
  readonly maxWrites: number;
  /** Milliseconds that a request waits for a place before it is refused with 503. */
  readonly queueWaitMs: number;
  /** Bytes that bodies may hold together. */
  readonly bodyMemoryBytes: number;
  /** Milliseconds in which a body must have arrived; imports have `importTimeoutMs`. */
  readonly bodyTimeoutMs: number;
  /** Milliseconds that an import may take. */
  readonly importTimeoutMs: number;
  /** Bytes that answers may hold while their clients have not taken them. */
  readonly answerMemoryBytes: number;
  /** Milliseconds in which a client must have taken an answer. */
  readonly responseTimeoutMs: number;
  /** Bytes of bodies, and as many of answers, of requests without a valid credential. */
  readonly anonymousMemoryBytes: number;
  /** Bytes a second at which a body must arrive. */
  readonly leastBodyRate: number;
  /** Bytes a second at which an answer must be taken where its memory is needed. */
  readonly leastAnswerRate: number;
  /** Milliseconds that a body or an answer may stall. */
  readonly stallMs: number;
  /** The largest part of a resource that one tenant (or address) holds while no other needs it, up to 1. */
  readonly tenantShare: number;
  /** The largest part of its tenant's share that one caller holds. */
  readonly callerShare: number;
  /** By tenant id, how many times the usual share a tenant has; 1 for those that are not named. */
  readonly tenantWeights: ReadonlyMap<string, number>;
}

/** Places for requests at the token endpoints, which take about a millisecond. */
const SIGN_INS = 64;
/**
 * Most requests that wait at the token endpoints. The fair queue serves addresses in turn, so requests from up to this many
 * addresses delay the request of another address but do not exclude it.
 */
const WAITING_SIGN_INS = 1_024;
/** Places kept for urgent changes, and as many for revocations of tokens. */
const URGENT = 16;

const REASONS: Readonly<Record<Exclude<Work, 'urgent changes' | 'revocations'>, Refusal>> = {
  searches: 'searches',
  'advanced searches': 'profile_searches',
  changes: 'changes',
  'sign-ins': 'sign_ins',
};

export class Capacity {
  readonly answers: Answers;
  readonly turns: Turns;
  readonly bodies: BodyReader;
  readonly imports: ImportRules;
  readonly signals = new DisconnectSignals();
  /** Milliseconds in which a body must have arrived. */
  readonly bodyTimeoutMs: number;
  readonly #places: Readonly<Record<Work, PlacesOfRoute>>;

  /** @param meter null: refusals are not counted */
  constructor(settings: CapacitySettings, meter: RefusalMeter | null) {
    const refused = (reason: Refusal) => () => meter?.refused(reason);
    const { tenantShare: groupShare, callerShare: memberShare, tenantWeights } = settings;
    const weightOf = (group: string) => tenantWeights.get(group) ?? 1;
    this.turns = new Turns(weightOf);
    const shares = (total: number) => ({ total, groupShare, memberShare, weightOf });
    // An address is one party: it has no members that would divide its share.
    const byAddress = (total: number): ShareRules => ({ ...shares(total), memberShare: 1 });
    const anonymous = byAddress(settings.anonymousMemoryBytes);
    const places = (
      name: keyof typeof REASONS,
      rules: ShareRules & Pick<PlaceRules, 'waitingTotal' | 'heldFor'>,
    ) =>
      new Places({
        ...{ name, ...rules, waitMs: settings.queueWaitMs },
        onRefused: refused(REASONS[name]),
      });
    const changes = places('changes', shares(settings.maxWrites));
    // Clients that read no answers or leave at once cannot hold these places, or have more work done than there are places.
    const signInPlaces = (total: number) =>
      places('sign-ins', {
        ...byAddress(total),
        waitingTotal: WAITING_SIGN_INS,
        heldFor: 'work',
      });
    const signIns = signInPlaces(SIGN_INS);
    this.#places = {
      searches: places('searches', shares(settings.maxSearches)),
      'advanced searches': places('advanced searches', shares(settings.maxProfileSearches)),
      changes,
      'sign-ins': signIns,
      'urgent changes': new ReservedPlaces(changes, places('changes', shares(URGENT))),
      revocations: new ReservedPlaces(signIns, signInPlaces(URGENT)),
    };
    this.answers = new Answers({
      known: shares(settings.answerMemoryBytes),
      anonymous,
      timeoutMs: settings.responseTimeoutMs,
      bytesPerSecond: settings.leastAnswerRate,
      graceMs: settings.stallMs,
      onRefused: refused('answer_memory'),
      onCutOff: refused('slow_reader'),
    });
    const { bodyTimeoutMs: timeoutMs, importTimeoutMs } = settings;
    this.bodyTimeoutMs = timeoutMs;
    const known = shares(settings.bodyMemoryBytes);
    const pool = new BodyPool({ known, anonymous, onRefused: refused('body_memory') });
    const rate = { bytesPerSecond: settings.leastBodyRate, graceMs: settings.stallMs };
    const reading = { pool, leastRate: new LeastRate(rate), onSlow: refused('slow_body') };
    this.bodies = new BodyReader({ ...reading, timeoutMs });
    this.imports = { ...reading, importTimeoutMs };
  }

  /** The places that requests of a route need; null where they need none. */
  placesOf(endpoint: Endpoint): PlacesOfRoute | null {
    const work = workOf(endpoint);
    return work === null ? null : this.#places[work];
  }
}

/** Status, keys and single records are answered at once; lists of profiles are searches. */
function workOf({ operation, path, body, method, urgent }: Endpoint): Work | null {
  // Without a token first: who sends no token takes no place from those who do, by whatever route.
  if (operation === null) {
    if (body !== 'form') return null;
    return urgent === true ? 'revocations' : 'sign-ins';
  }
  if (urgent === true) return 'urgent changes';
  if (operation === 'profiles:read') {
    return path.endsWith('/run') ? 'advanced searches' : 'searches';
  }
  if (typeof operation === 'string' && operation.startsWith('search')) return 'searches';
  return method === 'GET' ? null : 'changes';
}

/** Whom a request is counted for. */
export function partyOf(request: FastifyRequest): Party {
  request.party ??=
    request.caller === null ? addressParty(request.ip) : callerParty(request.caller);
  return request.party;
}

/** All credentials of a user are one caller. */
function callerParty({ tenantId, identityId, clientId }: Caller): Party {
  return { group: tenantId, member: identityId ?? clientId, anonymous: false };
}

function addressParty(address: string): Party {
  return { group: addressKey(address), member: '', anonymous: true };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the request is counted for; null until that is needed. */
    party: Party | null;
  }
}
