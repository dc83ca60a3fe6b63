// The documents of the catalogue: entitlements, access profiles and roles, as the search API
// returns them (contract/search.md section 6).
import type { AccessProfile, App, Entitlement, Role } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { CLOUD, DOMAIN } from './company-tables.ts';
import { entitlementOwner } from './ownership.ts';
import type { People } from './person.ts';
import { at, Ids, Random } from './random.ts';

const DAY = 86_400_000;

type Document = Record<string, unknown>;

/** Generates the documents of the catalogue. */
export class AccessDocuments {
  readonly #people: People;
  readonly #catalogue: Catalogue;
  readonly #dimensionIds: Ids;

  constructor(people: People, catalogue: Catalogue) {
    this.#people = people;
    this.#catalogue = catalogue;
    this.#dimensionIds = new Ids(people.company.seed, 'dimension');
  }

  *documents(): Generator<Document> {
    for (const entitlement of this.#catalogue.entitlements) yield this.#entitlement(entitlement);
    for (const profile of this.#catalogue.accessProfiles) yield this.#accessProfile(profile);
    for (const role of this.#catalogue.roles) yield this.#role(role);
  }

  #entitlement(entitlement: Entitlement): Document {
    const { number, source } = entitlement;
    return {
      _type: 'entitlement',
      id: entitlement.id,
      name: entitlement.name,
      displayName: entitlement.name,
      description: entitlement.description,
      ...this.#dates(entitlement.id, number),
      attribute: entitlement.attribute,
      value: entitlement.value,
      schema: entitlement.schema,
      sourceSchemaObjectType: entitlement.schema,
      hash: hashOf(entitlement),
      privileged: entitlement.privileged,
      cloudGoverned: source.number === CLOUD,
      requestable: number % 3 !== 0,
      containsDataAccess: number % 11 === 4,
      source: { ...source.reference, type: 'SOURCE' },
      segments: entitlement.segments,
      segmentCount: entitlement.segments.length,
      tags: entitlement.tags,
      attributes: {
        [entitlement.attribute]: entitlement.value,
        owner: this.#people.reference(entitlementOwner(this.#people.company, number)).name,
      },
      truncatedAttributes: number % 13 === 5 ? ['description'] : [],
      ...(number % 13 === 5
        ? { manuallyUpdatedFields: { DISPLAY_NAME: true, DESCRIPTION: number % 2 === 0 } }
        : {}),
      permissions: entitlement.privileged
        ? [{ target: entitlement.value, rights: ['CREATE', 'READ', 'UPDATE', 'DELETE'] }]
        : [],
    };
  }

  #accessProfile(profile: AccessProfile): Document {
    return {
      _type: 'accessprofile',
      id: profile.id,
      name: profile.name,
      description: profile.description,
      ...this.#dates(profile.id, profile.number),
      enabled: profile.enabled,
      requestable: profile.requestable,
      requestCommentsRequired: profile.commentsRequired,
      source: profile.source.reference,
      owner: this.#owner(profile.owner),
      entitlements: profile.entitlements.map(contained),
      entitlementCount: profile.entitlements.length,
      segments: profile.segments,
      segmentCount: profile.segments.length,
      apps: profile.app === null ? [] : [this.#app(profile.app)],
      tags: profile.tags,
    };
  }

  #role(role: Role): Document {
    const { number } = role;
    return {
      _type: 'role',
      id: role.id,
      name: role.name,
      description: role.description,
      ...this.#dates(role.id, number),
      enabled: role.enabled,
      requestable: role.requestable,
      requestCommentsRequired: role.commentsRequired,
      owner: this.#owner(role.owner),
      accessProfiles: role.accessProfiles.map(reference),
      accessProfileCount: role.accessProfiles.length,
      entitlements: role.entitlements.map(containedInRole),
      entitlementCount: role.entitlements.length,
      segments: role.segments,
      segmentCount: role.segments.length,
      tags: role.tags,
      ...this.#dimensions(role),
    };
  }

  /** One role in nine grants access by the country of its holder. */
  #dimensions(role: Role): Document {
    if (role.number % 9 !== 4) {
      return {
        dimensional: false,
        dimensions: [],
        dimensionSchemaAttributes: [],
        dimensionSchemaAttributeCount: 0,
      };
    }
    return {
      dimensional: true,
      dimensionSchemaAttributes: [{ name: 'country', displayName: 'Country', derived: false }],
      dimensionSchemaAttributeCount: 1,
      dimensions: ['Americas', 'EMEA'].map((name, index) => ({
        id: this.#dimensionIds.id(role.number * 4 + index),
        name: `${role.name} ${name}`,
        description: `Holders in ${name}.`,
        entitlements: role.entitlements.map(containedInRole),
        accessProfiles: role.accessProfiles.slice(0, 1).map(reference),
      })),
    };
  }

  #owner(n: number): Document {
    const { id, name } = this.#people.reference(n);
    return { id, name, type: 'IDENTITY', email: `${name}@${DOMAIN}` };
  }

  #app(app: App): Document {
    return {
      id: app.id,
      name: app.name,
      description: app.description,
      owner: this.#owner(app.owner),
    };
  }

  #dates(id: string, number: number): Document {
    const { now, company } = this.#people;
    // The id is part of the seed, so that the three kinds have different dates.
    const random = new Random(company.seed ^ id.charCodeAt(0), 'item', -1 - number);
    const created = now - Math.floor((30 + 2500 * random.fraction()) * DAY);
    const modified = created + Math.floor((now - DAY - created) * random.fraction());
    return {
      created: new Date(created).toISOString(),
      modified: new Date(modified).toISOString(),
      synced: new Date(now - 1000 - random.below(3_600_000)).toISOString(),
    };
  }
}

function reference({ id, name }: { readonly id: string; readonly name: string }): Document {
  return { id, name };
}

/** An entitlement as listed by an access profile. */
function contained(entitlement: Entitlement): Document {
  return {
    id: entitlement.id,
    name: entitlement.name,
    description: entitlement.description,
    attribute: entitlement.attribute,
    value: entitlement.value,
    schema: entitlement.schema,
    privileged: entitlement.privileged,
    hasPermissions: entitlement.privileged,
  };
}

/** An entitlement as listed by a role, or by a dimension of one. */
function containedInRole(entitlement: Entitlement): Document {
  return {
    ...contained(entitlement),
    sourceSchemaObjectType: entitlement.schema,
    hash: hashOf(entitlement),
  };
}

/** 40 hex digits, as in the public service. */
function hashOf({ id }: Entitlement): string {
  return `${id.slice(8)}${at([id], 0).slice(0, 16)}`;
}
