// The use cases of views: list, read, create, replace and delete them. What they show is decided where
// documents are read (service/views/visible-indexes.ts), by the rules as stored at that moment.
// Invariant: the queries of a stored view could be planned when it was written, and each change has an
// event of the audit trail with the rules before and after.
import { randomBytes } from 'node:crypto';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import type { QueryLimits } from '../../query/limits.ts';
import { NearestNames } from '../../query/mapping/nearest-name.ts';
import { runSteps } from '../../query/steps.ts';
import {
  actorOf,
  type ChangeContext,
  changeAttributes,
  operationOf,
  type RecordStates,
  recordAuditEvent,
} from '../audit/audit-event.ts';
import type { MappedDocuments } from '../documents/bare-document.ts';
import type { Store, WritableRecords } from '../ports/store.ts';
import type { View } from '../ports/view-records.ts';
import { viewHints } from './view-hints.ts';
import { checkViewSteps, HideableNames, readView, type ViewDefinition } from './view-request.ts';

export const MAX_VIEWS_PER_TENANT = 64;

export interface ViewSources {
  readonly store: Store;
  readonly documents: Pick<MappedDocuments, 'mappings'>;
  readonly limits: QueryLimits;
  readonly clock?: Clock;
}

/** Whose change it is: that of a caller, or of an operator at the command line. */
type Change = ChangeContext & { readonly tenantId: string };

interface ReadView {
  readonly definition: ViewDefinition;
  readonly hints: readonly string[];
}

/** A view that was created or replaced. */
export interface WrittenView {
  readonly view: View;
  /** What may be hidden by mistake, or not hidden; see viewHints. */
  readonly hints: readonly string[];
}

export class Views {
  readonly #sources: ViewSources;
  readonly #clock: Clock;

  constructor(sources: ViewSources) {
    this.#sources = sources;
    this.#clock = sources.clock ?? systemClock;
  }

  /** All views of the tenant, by name. @throws ServiceError `forbidden` */
  async list(caller: Caller): Promise<readonly View[]> {
    authorize(caller, 'admin');
    return this.#sources.store.read.views(caller.tenantId);
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, name: string): Promise<View> {
    authorize(caller, 'admin');
    return viewOf(this.#sources.store.read, caller.tenantId, name);
  }

  /**
   * @throws ServiceError `forbidden`, `body_malformed`, `request_invalid`, `query_malformed`,
   * `limit_exceeded`, `illegal_value` for a name that is taken, `limit_violation`
   */
  async create(caller: Caller, body: unknown): Promise<WrittenView> {
    authorize(caller, 'admin');
    return this.createBy(this.#changeOf(caller), body);
  }

  /** Replaces a view. @throws ServiceError as create, `not_found` */
  async replace(caller: Caller, name: string, body: unknown): Promise<WrittenView> {
    authorize(caller, 'admin');
    return this.replaceBy(this.#changeOf(caller), name, body);
  }

  /**
   * Deletes a view. Credentials and auth users that are restricted to it see nothing from then on.
   * @throws ServiceError `forbidden`, `not_found`
   */
  async remove(caller: Caller, name: string): Promise<void> {
    authorize(caller, 'admin');
    await this.removeBy(this.#changeOf(caller), name);
  }

  /** As `create`, without a check of rights. */
  async createBy(change: Change, body: unknown): Promise<WrittenView> {
    const { tenantId } = change;
    const { definition, hints } = await this.#read(tenantId, body, null);
    const view = await this.#sources.store.write(async (records) => {
      const { name } = definition;
      if ((await records.view(tenantId, name)) !== null) {
        const cause = `name: there is another view called ${JSON.stringify(name)}`;
        throw new ServiceError('illegal_value', 'The view is not valid.', { causes: [cause] });
      }
      if ((await records.views(tenantId)).length >= MAX_VIEWS_PER_TENANT) {
        throw new ServiceError('limit_violation', 'The tenant has too many views.', {
          causes: [`at most ${MAX_VIEWS_PER_TENANT}; delete those that are not used`],
        });
      }
      return putView(records, null, definition, change);
    });
    return { view, hints };
  }

  /** As `replace`, without a check of rights. */
  async replaceBy(change: Change, name: string, body: unknown): Promise<WrittenView> {
    const { tenantId } = change;
    const { definition, hints } = await this.#read(tenantId, body, name);
    const view = await this.#sources.store.write(async (records) => {
      const before = await viewOf(records, tenantId, name);
      return putView(records, before, definition, change);
    });
    return { view, hints };
  }

  /** As `remove`, without a check of rights. */
  async removeBy(change: Change, name: string): Promise<View> {
    const { tenantId } = change;
    return this.#sources.store.write(async (records) => {
      const before = await viewOf(records, tenantId, name);
      await records.deleteView(tenantId, name);
      await recordViewEvent(records, { before, after: null }, change);
      return before;
    });
  }

  async #read(tenantId: string, body: unknown, name: string | null): Promise<ReadView> {
    const { documents, limits } = this.#sources;
    const definition = readView(body, name);
    const mappings = await documents.mappings(tenantId);
    const names = new HideableNames(definition.indices, mappings);
    // At most 32 KiB of queries: that takes a few milliseconds.
    const remarks = runSteps(
      checkViewSteps(definition, names, {
        mapping: (index) => mappings[index],
        now: this.#clock.now(),
        limits,
        nearestNames: new NearestNames(),
      }),
    );
    const hints = await viewHints(this.#sources.store.read, tenantId, definition, names);
    return { definition, hints: [...remarks, ...hints] };
  }

  #changeOf(caller: Caller): Change {
    const { tenantId } = caller;
    return { tenantId, now: this.#clock.now(), random: randomBytes, actor: actorOf(caller) };
  }
}

/** @throws ServiceError `not_found` */
async function viewOf(
  records: Pick<WritableRecords, 'view'>,
  tenantId: string,
  name: string,
): Promise<View> {
  const view = await records.view(tenantId, name);
  if (view === null) throw new ServiceError('not_found', 'There is no such view.');
  return view;
}

async function putView(
  records: WritableRecords,
  before: View | null,
  definition: ViewDefinition,
  change: Change,
): Promise<View> {
  const modified = new Date(change.now).toISOString();
  const after: View = { ...definition, created: before?.created ?? modified, modified };
  await records.putView(change.tenantId, after);
  await recordViewEvent(records, { before, after }, change);
  return after;
}

function recordViewEvent(
  records: WritableRecords,
  states: RecordStates<View>,
  change: Change,
): Promise<void> {
  const { before, after } = states;
  const rulesOf = ({ description, indices, hide }: View) => ({ description, indices, hide });
  return recordAuditEvent(records, change.tenantId, change, {
    act: `VIEW_${operationOf(states)}`,
    target: (after ?? before).name,
    attributes: changeAttributes(before && rulesOf(before), after && rulesOf(after)),
  });
}
