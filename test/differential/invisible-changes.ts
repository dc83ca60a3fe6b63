// Changes that do not affect queries on the first tenant's indexes, at least once all are applied:
// rewritten documents, unmapped members, documents that are added and deleted, other indexes and
// tenants.

import type { IndexName } from '../../src/query/query.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { stored } from './backend-judges.ts';
import type { PlainDocument } from './naive.ts';
import type { Random } from './random.ts';
import { randomKey, randomText } from './random-text.ts';
import { mappingIn, TENANT, type World } from './world.ts';

/** A change without a sequence number. */
export type NewChange = Omit<DocumentChange, 'sequence'>;

export const REWRITING_KINDS = [
  'the same documents again',
  'members that no mapping names',
  'deleted and put again before a refresh',
  'new documents, deleted before a refresh',
  'new documents, refreshed, deleted, refreshed',
  'documents deleted, refreshed, put again, refreshed',
  'documents of another index',
  'documents of another tenant',
] as const;

export type RewritingKind = (typeof REWRITING_KINDS)[number];

export interface Rewriting {
  readonly kind: RewritingKind;
  /** Batches of changes; each is applied and refreshed. */
  readonly batches: readonly (readonly NewChange[])[];
  /** True if queries between the batches can see a difference. */
  readonly isVisible: boolean;
}

/** A member that is unmapped and left out of comparisons. */
export const HIDDEN_MEMBER = 'rewritten';
/** An index that no query uses. */
const OTHER_INDEX: IndexName = 'events';
const OTHER_TENANT = 'umbrella';
const DOCUMENTS_MAX = 20;

export function randomRewriting(random: Random, world: World, kind: RewritingKind): Rewriting {
  const index = random.pick([...world.indexes.keys()]);
  const documents = someOf(random, world.indexes.get(index)!.documents);
  const put = (document: PlainDocument, own = index) => changeOf(world, TENANT, own, document);
  const rewriting = (batches: readonly (readonly NewChange[])[], isVisible = false): Rewriting => {
    return { kind, batches, isVisible };
  };
  switch (kind) {
    case 'the same documents again':
      return rewriting([documents.map((one) => put(one))]);
    case 'members that no mapping names':
      return rewriting([documents.map((one) => put(withHiddenMember(random, one)))]);
    case 'deleted and put again before a refresh':
      return rewriting([documents.flatMap((one) => [deletion(index, one.id), put(one)])]);
    case 'new documents, deleted before a refresh':
    case 'new documents, refreshed, deleted, refreshed': {
      const puts = temporary(random, world, index).map((one) => put(one));
      const deletions = puts.map(({ id }) => deletion(index, id));
      return kind === 'new documents, deleted before a refresh'
        ? rewriting([[...puts, ...deletions]])
        : rewriting([puts, deletions], true);
    }
    case 'documents deleted, refreshed, put again, refreshed': {
      const deletions = documents.map(({ id }) => deletion(index, id));
      return rewriting([deletions, documents.map((one) => put(one))], true);
    }
    case 'documents of another index':
      return rewriting([
        documents.map(({ id }) => {
          return random.chance(0.3)
            ? deletion(OTHER_INDEX, id)
            : put(otherOf(random, world, id), OTHER_INDEX);
        }),
      ]);
    case 'documents of another tenant':
      return rewriting([
        documents.map(({ id }) => {
          const change = changeOf(world, OTHER_TENANT, index, otherOf(random, world, id));
          return random.chance(0.3) ? { ...change, document: null } : change;
        }),
      ]);
  }
}

const deletion = (index: IndexName, id: string): NewChange => {
  return { tenantId: TENANT, index, id, document: null };
};

function changeOf(
  world: World,
  tenantId: string,
  index: IndexName,
  { id, ...members }: PlainDocument,
): NewChange {
  const { nestedPaths } = mappingIn(world, index);
  return { tenantId, index, id, document: stored(index, id, members, nestedPaths) };
}

function someOf(random: Random, documents: readonly PlainDocument[]): PlainDocument[] {
  if (documents.length === 0) return [];
  const some = random.list(1, DOCUMENTS_MAX, () => random.pick(documents));
  return [...new Set(some)];
}

/** All versions of all documents, so that no new term is added. */
function versionsOf({ indexes }: World): PlainDocument[] {
  return [...indexes.values()].flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'flush' ? step.puts : [])),
  );
}

/** Copies of documents with new ids, which no query text can match. */
function temporary(random: Random, world: World, index: IndexName): PlainDocument[] {
  const own = world.indexes.get(index)!;
  return someOf(random, versionsOf({ ...world, indexes: new Map([[index, own]]) })).map(
    (document) => {
      return { ...document, id: `\u{1f6a7} temporary ${document.id}` };
    },
  );
}

/** The content of a random document with a given id. */
function otherOf(random: Random, world: World, id: string): PlainDocument {
  return { ...random.pick(versionsOf(world)), id };
}

/** Adds an unmapped member to a document and to the elements of its arrays. */
function withHiddenMember(random: Random, document: PlainDocument): PlainDocument {
  const hidden = () => ({
    [HIDDEN_MEMBER]: random.pick<() => unknown>([
      () => randomText(random),
      () => randomKey(random),
      () => random.int(10),
      () => ({ name: randomText(random), at: [null, random.chance(0.5)] }),
    ])(),
  });
  const entries = Object.entries(document).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    const isObject = (one: unknown) =>
      typeof one === 'object' && one !== null && !Array.isArray(one);
    return [
      name,
      value.map((one) => (isObject(one) && random.chance(0.5) ? { ...one, ...hidden() } : one)),
    ];
  });
  return { ...Object.fromEntries(entries), ...hidden() };
}

/** Removes the unmapped member from a JSON value at any depth. */
export function withoutHidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== HIDDEN_MEMBER);
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutHidden(one)]));
}
