// The paths of the access of one identity: which of its roles and access profiles grant each
// element of its list.
// Invariant: every document that is read is one that the caller sees.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { Steps } from '../../query/steps.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import { AccessPathGraph, type FoundPaths, HeldAccess, type Path } from './access-path-graph.ts';
import { documentOf, type Json, listOf } from './access-references.ts';
import type { Visibility } from './visibility.ts';

/** An element of the access of an identity, with its paths. */
export interface ElementPaths {
  readonly id: string;
  readonly type: string | null;
  readonly name: string | null;
  /** null for a role, which has none. */
  readonly source: { readonly id: string | null; readonly name: string | null } | null;
  /** Empty with a `pathCount` of 0: nothing that the identity holds grants the element. */
  readonly paths: readonly Path[];
  /** The number of paths, of which at most 100 are listed, and of all elements 10,000. */
  readonly pathCount: number;
}

export interface IdentityAccessPaths {
  readonly id: string;
  readonly name: string | null;
  /** In the order of the document. */
  readonly access: readonly ElementPaths[];
}

export interface AccessPathSettings {
  /** Parses documents and collects paths in slices. */
  readonly scheduler: CooperativeScheduler;
  /** Milliseconds that a list may take. */
  readonly timeoutMs: number;
}

export class AccessPathList {
  readonly #visibility: Visibility;
  readonly #settings: AccessPathSettings;

  constructor(visibility: Visibility, settings: AccessPathSettings) {
    this.#visibility = visibility;
    this.#settings = settings;
  }

  /**
   * @throws ServiceError `forbidden`, `not_found`, `limit_exceeded`, `deadline_exceeded`,
   * `cancelled`
   */
  async of(caller: Caller, id: string, signal?: AbortSignal): Promise<IdentityAccessPaths> {
    authorize(caller, 'document:get');
    const { tenantId } = caller;
    const { scheduler, timeoutMs } = this.#settings;
    const options = { tenantId, deadline: new Deadline(timeoutMs), signal };
    const indexes = await this.#visibility.of(caller);
    const [stored] = await indexes.documentsById('identities', [id]);
    if (stored === undefined) throw new ServiceError('not_found', 'There is no such identity.');
    const identity = documentOf(stored.root, stored.nested);
    const access = listOf(identity['access']);
    const held = new HeldAccess();
    held.add(access);
    const graph = await AccessPathGraph.read(held, { indexes, scheduler, options });
    return {
      id,
      name: textOf(identity['name']),
      access: await scheduler.run(listSteps(access, graph), options),
    };
  }
}

/** Elements between two steps. */
const ELEMENTS_PER_STEP = 1_000;

function* listSteps(access: readonly Json[], graph: AccessPathGraph): Steps<ElementPaths[]> {
  const paths = yield* graph.pathSteps(access);
  const elements: ElementPaths[] = [];
  for (const element of access) {
    elements.push(elementPaths(element, paths));
    if (elements.length % ELEMENTS_PER_STEP === 0) yield;
  }
  return elements;
}

function elementPaths(element: Json, pathsById: ReadonlyMap<string, FoundPaths>): ElementPaths {
  const id = textOf(element['id']) ?? '';
  const source = element['source'] as Json | null | undefined;
  const { listed = [], count = 0 } = pathsById.get(id) ?? {};
  return {
    id,
    type: textOf(element['type']),
    name: textOf(element['name']),
    source:
      typeof source === 'object' && source !== null
        ? { id: textOf(source['id']), name: textOf(source['name']) }
        : null,
    paths: listed,
    pathCount: count,
  };
}

/** The value if it is a string, else null. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
