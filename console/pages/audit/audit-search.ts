// The state of the page Audit in its address, and the searches that it stands for. Recorded events
// have the stack `cardea`, which no import can give to an event.
import { EVENT_NAMES } from '../../../src/query/mapping/event-names.ts';
import { FORMER_NAMES } from '../../../src/query/mapping/former-event-names.ts';
import type { SearchBody } from '../../model/wire.ts';

/** Which events to show. */
export type AuditKind = 'changes' | 'sign-ins' | 'all';

export interface AuditState {
  readonly kind: AuditKind;
  /** Words of the name of the user or client; '' for any. */
  readonly actor: string;
  /** Exact; '' for any. */
  readonly action: string;
  /** Words of the name of the object, or its id; '' for any. */
  readonly target: string;
  readonly failed: boolean;
  /** Date math or ISO dates, `to` exclusive; null: any time. */
  readonly span: { readonly from: string; readonly to: string } | null;
}

/** The requests for tokens, which have several actions. */
const SIGN_INS = `objects:${EVENT_NAMES.USE_TOKEN.object}`;
export const KINDS: readonly AuditKind[] = ['changes', 'sign-ins', 'all'];
/** Newest first; events of one millisecond by id, so that pages neither miss nor repeat one. */
export const AUDIT_SORT = ['-created', 'id'] as const;

export function readAudit(parameters: URLSearchParams): AuditState {
  const text = (name: string) => parameters.get(name) ?? '';
  const [from = '', to = ''] = text('in').split('|');
  return {
    kind: KINDS.find((kind) => kind === parameters.get('show')) ?? 'changes',
    actor: text('actor'),
    action: text('action'),
    target: text('target'),
    failed: parameters.has('failed'),
    span: from === '' || to === '' ? null : { from, to },
  };
}

/** The address of a state, without `#`. */
export function printAudit({ kind, actor, action, target, failed, span }: AuditState): string {
  const parameters = new URLSearchParams();
  if (kind !== 'changes') parameters.set('show', kind);
  for (const [name, value] of Object.entries({ actor, action, target }))
    if (value !== '') parameters.set(name, value);
  if (failed) parameters.set('failed', '');
  if (span !== null) parameters.set('in', `${span.from}|${span.to}`);
  const query = parameters.toString();
  return query === '' ? '/audit' : `/audit?${query}`;
}

/** True if a filter other than the kind narrows the events. */
export function isFiltered({ actor, action, target, failed, span }: AuditState): boolean {
  return actor !== '' || action !== '' || target !== '' || failed || span !== null;
}

/** The body of the search for a state, without a sort. */
export function auditBody(state: AuditState): SearchBody {
  const { kind, action, failed, span } = state;
  const clauses = [
    'stack:cardea',
    ...(kind === 'changes' ? [`NOT ${SIGN_INS}`] : []),
    ...(kind === 'sign-ins' ? [SIGN_INS] : []),
    ...wordsOf(state.actor).map((word) => `actor.name:*${word}*`),
    ...wordsOf(state.target).map((word) => `(target.name:*${word}* OR ${idClause(word)})`),
  ];
  const filters = {
    ...(action === '' ? {} : { action: { type: 'TERMS', terms: [action] } }),
    ...(failed ? { status: { type: 'TERMS', terms: ['FAILED'] } } : {}),
    ...(span === null
      ? {}
      : {
          created: {
            type: 'RANGE',
            range: {
              lower: { value: span.from, inclusive: true },
              upper: { value: span.to, inclusive: false },
            },
          },
        }),
  };
  return {
    indices: ['events'],
    query: { query: clauses.join(' AND ') },
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  };
}

/** The search for the frequent actors and actions of the recorded events. */
export const VALUES_BODY: SearchBody = {
  indices: ['events'],
  query: { query: 'stack:cardea' },
  aggregationsDsl: {
    actors: { terms: { field: 'actor.name', size: 200 } },
    actions: { terms: { field: 'action', size: 200 } },
  },
};

/** The actions that the filter offers: a search for one of today also finds its former name. */
export function offeredActions(actions: readonly string[]): readonly string[] {
  const current = actions.flatMap((action) => {
    const former = FORMER_NAMES.find((name) => name.member === 'action' && name.former === action);
    return former === undefined || former.names.length > 1 ? [action] : former.names;
  });
  return [...new Set(current)];
}

/** Attributes that hold the id of the object, by kind of object. */
const ID_ATTRIBUTES = ['targetId', 'tokenId', 'clientId', 'keyId'];

function idClause(word: string): string {
  return ID_ATTRIBUTES.map((name) => `attributes.${name}:${word}`).join(' OR ');
}

function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[^\p{L}\p{N}_.]/gu, '\\$&'));
}
