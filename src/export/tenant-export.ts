// The use case of an export: the documents, auth users and profile management of a tenant as lines
// that an import reads, unchanged or anonymised, and a report of what was written and left out.
// Invariant: the lines are read in pages; nothing is written here.

import type { IndexName } from '../query/query.ts';
import type { Attribute, ResourceKind, User } from '../service/ports/resources.ts';
import type { Records } from '../service/ports/store.ts';
import { DATE_FORMAT_DEFAULT, dateText, dayOf } from '../service/profiles/values/date-format.ts';
import { valueClassOf } from '../service/profiles/values/value-class.ts';
import type { Anonymiser, DayFormat, ProfileValueKind } from './anonymise/anonymiser.ts';
import { authUserPages } from './auth-user-pages.ts';
import {
  allDocuments,
  type DocumentPage,
  type FindMatches,
  matchingDocuments,
} from './document-pages.ts';
import { documentLines, documentValue, jsonLines, type Lines } from './output-lines.ts';
import { type ProfilePage, ProfilePages } from './profile-pages.ts';
import {
  firstForm,
  laterForm,
  resourcePages,
  searchForm,
  searchPages,
  type WrappedRecord,
  wholeForm,
} from './profile-records.ts';

/** What was exported, and what was left out. */
export interface ExportReport {
  /** By index. */
  readonly documents: Partial<Record<IndexName, number>>;
  /** How many of the documents are there because a match refers to them. */
  referenced: number;
  authUsers: number;
  profiles: number;
  /** Records of profile management other than profiles. */
  records: number;
  readonly leftOut: {
    /** Events of the audit trail of this service, which an import refuses. */
    auditEvents: number;
    /** Values of profiles that are files. */
    attachments: number;
    /** Advanced searches, whose rules have values of any kind, from an anonymised export. */
    advancedSearches: number;
    /** Documents and other records that are damaged in the store. */
    damagedDocuments: number;
  };
  /** The first of the damaged documents, at most 100; the index of another record is its table. */
  readonly damaged: { readonly index: string; readonly id: string }[];
}

export interface TenantExportOptions {
  readonly records: Records;
  readonly tenantId: string;
  readonly indexes: readonly IndexName[];
  /** null: all documents. */
  readonly findMatches: FindMatches | null;
  /** null: everything as it is. */
  readonly anonymiser: Anonymiser | null;
}

/** Damaged documents that a report names. */
const DAMAGED_NAMES_MAX = 100;

export class TenantExport {
  readonly report: ExportReport = {
    documents: {},
    referenced: 0,
    authUsers: 0,
    profiles: 0,
    records: 0,
    leftOut: { auditEvents: 0, attachments: 0, advancedSearches: 0, damagedDocuments: 0 },
    damaged: [],
  };
  readonly #options: TenantExportOptions;
  /** Ids of exported identities, if their auth users alone are exported. */
  readonly #identities = new Set<string>();
  readonly #damaged = new Set<string>();

  constructor(options: TenantExportOptions) {
    this.#options = options;
  }

  /** The documents, with their `_type`. */
  async *documents(): AsyncGenerator<Lines> {
    const { findMatches, anonymiser } = this.#options;
    const source = { ...this.#options, setAside: this.#setAside };
    const pages =
      findMatches === null ? allDocuments(source) : matchingDocuments(source, findMatches);
    for await (const page of pages) {
      this.#count(page);
      const { index, documents } = page;
      yield anonymiser === null
        ? documentLines(documents)
        : jsonLines(
            documents.map((one) => anonymisedDocument(anonymiser, index, documentValue(one))),
          );
    }
  }

  /**
   * The auth users: all, or with a query those of exported identities, which `documents` must have
   * yielded before.
   */
  async *authUsers(): AsyncGenerator<Lines> {
    const { records, tenantId, findMatches, anonymiser } = this.#options;
    const only = findMatches === null ? null : this.#identities;
    for await (const users of authUserPages(records, tenantId, only)) {
      this.report.authUsers += users.length;
      yield jsonLines(
        anonymiser === null ? users : users.map((user) => anonymiser.authUser({ ...user })),
      );
    }
    await this.#noteDamaged(['auth_user']);
  }

  /** The profiles, and the records that describe, link and rate them. */
  async *profiles(): AsyncGenerator<Lines> {
    const { records, tenantId } = this.#options;
    const attributes: Attribute[] = [];
    for await (const page of resourcePages(records, tenantId, 'attribute'))
      attributes.push(...page);
    const profiles = new ProfilePages(records, tenantId, attributes, (id) =>
      this.#setAside('profile', id),
    );
    yield* this.#resources('role', firstForm);
    yield* this.#resources('profileType', firstForm);
    yield* this.#resources('attribute', firstForm);
    yield* this.#later('attribute');
    yield* this.#later('profileType');
    yield* this.#resources('option', wholeForm);
    yield* this.#resources('riskLevel', wholeForm);
    const users = new Set<string>();
    yield* this.#users(({ profileId }) => profileId === null, users, profiles);
    yield* this.#profiles(profiles.all(), attributes);
    // All others, also those whose profile was deleted meanwhile.
    yield* this.#users(() => true, users, profiles);
    yield* this.#profiles(profiles.references(), attributes);
    for (const kind of LINKS) yield* this.#resources(kind, wholeForm);
    yield* this.#searches();
    await this.#noteDamaged(PROFILE_TABLES);
  }

  /** A query may come upon a document several times. */
  readonly #setAside = (index: string, id: string): void => {
    const key = `${index} ${id}`;
    if (this.#damaged.has(key)) return;
    this.#damaged.add(key);
    this.report.leftOut.damagedDocuments++;
    if (this.report.damaged.length < DAMAGED_NAMES_MAX) this.report.damaged.push({ index, id });
  };

  /** Lists of records lack the damaged ones. @param tables those of the lists */
  async #noteDamaged(tables: readonly string[]): Promise<void> {
    const { records, tenantId } = this.#options;
    const every = Number.POSITIVE_INFINITY;
    const { documents } = await records.documentDamage({ of: 'records', namesMax: every });
    for (const { tenantId: owner, index, id } of documents) {
      if (owner === tenantId && tables.includes(index)) this.#setAside(index, id);
    }
  }

  #count({ index, documents, auditEvents, referenced }: DocumentPage): void {
    const counts = this.report.documents;
    counts[index] = (counts[index] ?? 0) + documents.length;
    if (referenced) this.report.referenced += documents.length;
    this.report.leftOut.auditEvents += auditEvents;
    if (index !== 'identities' || this.#options.findMatches === null) return;
    for (const { id } of documents) this.#identities.add(id);
  }

  async *#resources(
    kind: ResourceKind,
    form: (kind: ResourceKind, record: object) => WrappedRecord,
  ): AsyncGenerator<Lines> {
    for await (const page of resourcePages(this.#options.records, this.#options.tenantId, kind)) {
      this.report.records += page.length;
      yield this.#wrapped(page.map((record) => form(kind, record)));
    }
  }

  async *#later(kind: 'profileType' | 'attribute'): AsyncGenerator<Lines> {
    for await (const page of resourcePages(this.#options.records, this.#options.tenantId, kind)) {
      yield this.#wrapped(page.flatMap((record) => laterForm(kind, record) ?? []));
    }
  }

  /** @param exported ids of users that are left out; those of this call are added */
  async *#users(
    includes: (user: User) => boolean,
    exported: Set<string>,
    profiles: ProfilePages,
  ): AsyncGenerator<Lines> {
    for await (const page of resourcePages(this.#options.records, this.#options.tenantId, 'user')) {
      const users = page.filter((user) => !exported.has(user.id) && includes(user));
      this.report.records += users.length;
      for (const { id } of users) exported.add(id);
      profiles.addUsers(users.map(({ id }) => id));
      // An import would refuse a user of a profile that was added meanwhile and is not exported.
      const profileOf = ({ profileId: id }: User) => (id !== null && profiles.has(id) ? id : null);
      yield this.#wrapped(
        users.map((user) => wholeForm('user', { ...user, profileId: profileOf(user) })),
      );
    }
  }

  async *#profiles(
    pages: AsyncIterable<ProfilePage>,
    attributes: readonly Attribute[],
  ): AsyncGenerator<Lines> {
    const { anonymiser } = this.#options;
    const kinds = new Map(attributes.map((one) => [one.uid, profileValueKind(one)]));
    const kindOf = (uid: string) => kinds.get(uid) ?? 'value';
    for await (const { profiles, added, attachments } of pages) {
      this.report.profiles += added;
      this.report.leftOut.attachments += attachments;
      yield jsonLines(
        anonymiser === null ? profiles : profiles.map((one) => anonymiser.profile(one, kindOf)),
      );
    }
  }

  async *#searches(): AsyncGenerator<Lines> {
    const { records, tenantId, anonymiser } = this.#options;
    for await (const page of searchPages(records, tenantId)) {
      if (anonymiser !== null) this.report.leftOut.advancedSearches += page.length;
      else {
        this.report.records += page.length;
        yield this.#wrapped(page.map(searchForm));
      }
    }
  }

  #wrapped(records: readonly WrappedRecord[]): Lines {
    const { anonymiser } = this.#options;
    return jsonLines(
      records.map(({ wrapper, record }) => ({
        [wrapper]: anonymiser === null ? record : anonymiser.record(wrapper, record),
      })),
    );
  }
}

/** Tables of profile management; a damaged value counts as its profile. */
const PROFILE_TABLES = [
  ...['profile_type', 'ne_attribute', 'ne_attribute_option', 'profile_user', 'profile_role'],
  ...['user_role', 'role_profile', 'user_profile', 'user_manager', 'risk_level', 'risk_score'],
  ...['profile', 'advanced_search'],
];

/** Kinds whose records refer to users and profiles. */
const LINKS: readonly ResourceKind[] = [
  'userRole',
  'roleProfile',
  'userProfile',
  'userManager',
  'riskScore',
];

function anonymisedDocument(
  anonymiser: Anonymiser,
  index: IndexName,
  { _type, ...members }: Readonly<Record<string, unknown>>,
): object {
  return { _type, ...anonymiser.document(index, members) };
}

function profileValueKind(attribute: Attribute): ProfileValueKind {
  if (attribute.type === 'TextAreaAttribute') return 'text';
  if (valueClassOf(attribute) !== 'date') return 'value';
  const format = attribute.dateFormat ?? DATE_FORMAT_DEFAULT;
  const day: DayFormat = {
    read: (text) => dayOf(text, format),
    write: (number) => dateText(number, format),
  };
  return { day };
}
