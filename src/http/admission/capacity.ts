// The capacity of one server, divided fairly between parties: memory for bodies, memory for
// answers, and places for running requests. admission.ts applies it to each request.
// Invariant: everything that a request holds is counted here, for the party that sent it.
import type { FastifyRequest } from 'fastify';
import { addressKey } from '../../auth/address-key.ts';
import type { Caller } from '../../auth/caller.ts';
import type { RequestSettings } from '../../config/settings/requests.ts';
import { BufferPool } from '../../json/buffer-pool.ts';
import { DisconnectSignals } from '../requests/disconnect-signals.ts';
import type { Endpoint, Work } from '../requests/endpoint.ts';
import { Answers } from './answers.ts';
import { BodyPool } from './body-pool.ts';
import { BodyReader } from './body-reader.ts';
import type { ImportBodyRules } from './import-body.ts';
import { LeastRate } from './least-rate.ts';
import { type PlaceRules, Places, type PlacesOfRoute } from './places.ts';
import { type HeldName, type PlacesName, ProcessCounts } from './process-counts.ts';
import { ReservedPlaces } from './reserved-places.ts';
import { type Party, type ShareRules, Shares } from './shares.ts';
import { Turns } from './turns.ts';

/** The reason of a refusal or a cut-off, as metrics name it. */
export type Refusal =
  | 'searches'
  | 'rows'
  | 'profile_searches'
  | 'profile_reads'
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

export interface CapacitySettings extends RequestSettings {
  /** Most concurrent reads of profile management, which the store answers alone. */
  readonly maxProfileReads: number;
  /** What the threads of the process count together; left out: this thread counts alone. */
  readonly counts?: ProcessCounts | undefined;
}

/**
 * Searches for each stream of rows. A stream lasts as long as its client reads, and holds a page of
 * documents meanwhile.
 */
const SEARCHES_PER_STREAM = 8;
/** The memory for bodies, in multiples of that for the waiting lines of imports. */
const BODIES_PER_WAITING_LINES = 4;
/** The largest part of the reads of profile management that a tenant may hold, and of it a caller. */
const READS_SHARE = 0.75;
/** Places for requests at the token endpoints, which take about a millisecond. */
const SIGN_INS = 64;
/**
 * Most requests that wait at the token endpoints. The fair queue serves addresses in turn, so
 * requests from up to this many addresses delay the request of another address but do not exclude
 * it.
 */
const WAITING_SIGN_INS = 1_024;
/** Places reserved for urgent changes, and the same for revocations of tokens. */
const URGENT = 16;

const REASONS: Readonly<Record<Exclude<Work, 'urgent changes' | 'revocations'>, Refusal>> = {
  searches: 'searches',
  'streams of rows': 'rows',
  'advanced searches': 'profile_searches',
  'reads of profile management': 'profile_reads',
  changes: 'changes',
  'sign-ins': 'sign_ins',
};

export class Capacity {
  readonly answers: Answers;
  readonly turns: Turns;
  /** Buffers that responses are put together in. */
  readonly buffers = new BufferPool();
  readonly bodies: BodyReader;
  readonly imports: ImportBodyRules;
  readonly signals = new DisconnectSignals();
  /** Milliseconds in which a body must arrive. */
  readonly bodyTimeoutMs: number;
  readonly #places: Readonly<Record<Work, PlacesOfRoute>>;

  /** @param meter null: refusals are not counted */
  constructor(settings: CapacitySettings, meter: RefusalMeter | null) {
    const refused = (reason: Refusal) => () => meter?.refused(reason);
    const { tenantShare: groupShare, callerShare: memberShare, tenantWeights } = settings;
    const weightOf = (group: string) => tenantWeights.get(group) ?? 1;
    this.turns = new Turns(weightOf);
    const counts = settings.counts ?? ProcessCounts.ofOneThread(settings);
    const shares = (total: number) => ({ total, groupShare, memberShare, weightOf });
    // An address is one party, without members that divide its share.
    const byAddress = (total: number): ShareRules => ({ ...shares(total), memberShare: 1 });
    const held = (name: HeldName, rules: ShareRules) => new Shares(rules, counts.heldOf(name));
    const places = (
      name: keyof typeof REASONS,
      rules: ShareRules & Pick<PlaceRules, 'waitingTotal' | 'heldFor'>,
      countedAs: PlacesName = name,
    ) =>
      new Places({
        name,
        ...rules,
        waitMs: settings.queueWaitMs,
        onRefused: refused(REASONS[name]),
        counts: counts.placesOf(countedAs),
      });
    // Held for the work: clients that leave early or read no answers cannot hold or multiply it.
    const changePlaces = (total: number, countedAs: PlacesName) =>
      places('changes', { ...shares(total), heldFor: 'work' }, countedAs);
    const changes = changePlaces(settings.maxWrites, 'changes');
    const signInPlaces = (total: number, countedAs: PlacesName) =>
      places(
        'sign-ins',
        { ...byAddress(total), waitingTotal: WAITING_SIGN_INS, heldFor: 'work' },
        countedAs,
      );
    const signIns = signInPlaces(SIGN_INS, 'sign-ins');
    this.#places = {
      searches: places('searches', shares(settings.maxSearches)),
      'streams of rows': places(
        'streams of rows',
        shares(Math.ceil(settings.maxSearches / SEARCHES_PER_STREAM)),
      ),
      'advanced searches': places('advanced searches', shares(settings.maxProfileSearches)),
      'reads of profile management': places('reads of profile management', {
        ...shares(settings.maxProfileReads),
        // They may be as few as the store has connections: a tenant that is alone gets most.
        ...{ groupShare: READS_SHARE, memberShare: READS_SHARE },
        waitingTotal: settings.maxSearches,
      }),
      changes,
      'sign-ins': signIns,
      'urgent changes': new ReservedPlaces(changes, changePlaces(URGENT, 'urgent changes')),
      revocations: new ReservedPlaces(signIns, signInPlaces(URGENT, 'revocations')),
    };
    this.answers = new Answers({
      authenticated: held('answers', shares(settings.answerMemory)),
      anonymous: held('anonymous answers', byAddress(settings.anonymousMemory)),
      peers: counts,
      timeoutMs: settings.responseTimeoutMs,
      bytesPerSecond: settings.leastAnswerRate,
      graceMs: settings.stallMs,
      onRefused: refused('answer_memory'),
      onCutOff: refused('slow_reader'),
    });
    const { bodyTimeoutMs: timeoutMs, importTimeoutMs } = settings;
    this.bodyTimeoutMs = timeoutMs;
    const pool = new BodyPool({
      authenticated: held('bodies', shares(settings.bodyMemory)),
      anonymous: held('anonymous bodies', byAddress(settings.anonymousMemory)),
      onRefused: refused('body_memory'),
    });
    const rate = { bytesPerSecond: settings.leastBodyRate, graceMs: settings.stallMs };
    const reading = { pool, leastRate: new LeastRate(rate), onSlow: refused('slow_body') };
    this.bodies = new BodyReader({ ...reading, timeoutMs });
    const waitingBytes = Math.ceil(settings.bodyMemory / BODIES_PER_WAITING_LINES);
    const waitingLines = held('waiting lines', shares(waitingBytes));
    this.imports = { ...reading, waitingLines, importTimeoutMs };
  }

  /** The places that requests of a route need; null if they need none. */
  placesOf({ work }: Endpoint): PlacesOfRoute | null {
    return work === null ? null : this.#places[work];
  }
}

/** The party that a request is counted for. */
export function partyOf(request: FastifyRequest): Party {
  request.party ??=
    request.caller === null ? addressParty(request.ip) : callerParty(request.caller);
  return request.party;
}

/** Counts all credentials of a user as one caller. */
function callerParty({ tenantId, identityId, clientId }: Caller): Party {
  return { group: tenantId, member: identityId ?? clientId, anonymous: false };
}

function addressParty(address: string): Party {
  return { group: addressKey(address), member: '', anonymous: true };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The party that the request is counted for; null until it is needed. */
    party: Party | null;
  }
}
