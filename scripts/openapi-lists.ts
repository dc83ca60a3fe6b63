// The parameters and answers of lists, in the OpenAPI document: filters, orders and largest pages are those by which the service
// reads a request. The source names the list of an operation (`x-list`, `x-collection`) and has the parameters of its own.
import { isDeepStrictEqual } from 'node:util';
import { RESULTS } from '../src/http/routes/profiles/advanced-search.ts';
import { orderNames, PAGING } from '../src/http/routes/profiles/collection.ts';
import { LIST_PAGE } from '../src/query/collections/collection-page.ts';
import {
  ACCESS_PROFILES,
  ASSIGNED_IDENTITIES,
  HELD_ENTITLEMENTS,
  LIST_RESOURCES,
  type ListResource,
  ROLES,
} from '../src/service/lists/list-resources.ts';
import { SOURCE_FIELDS } from '../src/service/lists/sources.ts';
import type { Collection, FilterRule } from '../src/service/ports/collection.ts';
import { PROFILES } from '../src/service/profiles/profile-cases.ts';
import { wireName } from '../src/service/profiles/resources/wire-names.ts';
import { ADVANCED_SEARCHES } from '../src/service/profiles/rules/advanced-searches.ts';

export type Json = { readonly [name: string]: unknown };
export type Schemas = Readonly<Record<string, Json>>;

const LISTS: Readonly<Record<string, Pick<ListResource, 'fields' | 'page'>>> = {
  ...LIST_RESOURCES,
  assignedIdentities: ASSIGNED_IDENTITIES,
  entitlementsOfRoles: { fields: HELD_ENTITLEMENTS, page: ROLES.page },
  entitlementsOfAccessProfiles: { fields: HELD_ENTITLEMENTS, page: ACCESS_PROFILES.page },
  sources: { fields: SOURCE_FIELDS, page: LIST_PAGE },
};

const COLLECTIONS: Readonly<Record<string, Collection>> = {
  ...{ profiles: PROFILES, advancedSearches: ADVANCED_SEARCHES, results: RESULTS },
};

/** What the source says of a list of objects: its name here, their schema, and examples. */
interface ListWords {
  readonly of: string;
  readonly items: string;
  readonly filters: string;
  readonly sorters: string;
}

/** An operation that may name its list. */
export interface ListOperation {
  readonly summary?: string;
  readonly parameters?: readonly Json[];
  readonly responses?: Schemas;
  readonly 'x-list'?: ListWords;
  readonly 'x-collection'?: string;
}

/**
 * The operation with the parameters of its list, and the page as its answer.
 * @param known the components for parameters, which are referred to where one says the same
 * @throws TypeError for a list that does not exist
 */
export function withList<T extends ListOperation>(
  { 'x-list': words, 'x-collection': collection, ...operation }: T,
  known: Schemas,
): Omit<T, 'x-list' | 'x-collection'> {
  const { summary = '', parameters: own = [], responses = {} } = operation;
  if (collection !== undefined) {
    const listed = collectionParameters(COLLECTIONS[collection] as Collection, known);
    const ownNames = own.map((parameter) => nameOf(parameter, known));
    const others = listed.filter((parameter) => !ownNames.includes(nameOf(parameter, known)));
    return { ...operation, parameters: [...others, ...own] };
  }
  if (words === undefined) return operation;
  const parameters = [...objectParameters(words), ...own];
  const { headers, ...answer } = responses['200'] ?? {};
  const page = {
    description: `The ${summary.replace(/^List (?:the )?/, '')}.`,
    headers: {
      ...(headers as Json),
      'X-Total-Count': refTo('headers', 'Total'),
      Warning: refTo('headers', 'Warning'),
    },
    ...json({ type: 'array', items: refTo('schemas', words.items) }),
    ...answer,
  };
  return { ...operation, parameters, responses: { ...responses, '200': page } };
}

function objectParameters({ of, filters, sorters }: ListWords): readonly Json[] {
  const { fields, page } = LISTS[of] as Pick<ListResource, 'fields' | 'page'>;
  const byOperators = new Map<string, string[]>();
  for (const [name, { operators }] of Object.entries(fields)) {
    const listed = operators.join(', ');
    if (listed !== '') byOperators.set(listed, [...(byOperators.get(listed) ?? []), name]);
  }
  const lines = [...byOperators].map(([listed, names]) => `- ${codes(names)}: ${listed}`);
  const sorted = Object.keys(fields).filter((name) => fields[name]?.sorts);
  return [
    refTo('parameters', 'listOffset'),
    refTo('parameters', page.most === LIST_PAGE.most ? 'listLimit' : 'roleLimit'),
    refTo('parameters', 'listCount'),
    {
      ...{ name: 'filters', in: 'query' },
      description: `Conditions joined by \`and\`, \`or\`, \`not\` and parentheses. Fields and their operators:\n\n${lines.join('\n')}`,
      schema: { type: 'string', examples: [filters] },
    },
    {
      ...{ name: 'sorters', in: 'query' },
      description: `Fields, separated by commas; \`-\` before one for descending. Ties are in order of \`id\`. Fields: ${codes(sorted)}.`,
      schema: { type: 'string', examples: [sorters] },
    },
  ];
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** The parameters of a collection of profile management. */
export function collectionParameters(collection: Collection, known: Schemas): readonly Json[] {
  const { filters, filterAliases = {}, limitMax, isOpen } = collection;
  const named = Object.entries(filters).flatMap(([member, rule]): readonly Json[] => {
    const name = wireName(member);
    if (rule.type === 'none' || PAGING.includes(name)) return [];
    if (rule.type === 'time') return [refTo('parameters', `by${pascal(name)}`)];
    return [componentOrSame({ name, in: 'query', ...filterParameter(rule) }, known)];
  });
  const aliases = Object.entries(filterAliases).map(([name, member]) => ({
    ...{ name, in: 'query', description: `Another name of \`${wireName(member)}\`.` },
    ...filterParameter(filters[member] as FilterRule),
  }));
  const order = { description: 'Ascending; then by id.', schema: { enum: orderNames(collection) } };
  return [
    ...[`limitOf${limitMax}`, 'pageOffset', 'pageMetadata'].map((name) =>
      refTo('parameters', name),
    ),
    componentOrSame({ name: 'order', in: 'query', ...order }, known),
    ...named,
    ...aliases,
    ...(isOpen ? [refTo('parameters', 'profileAttributes')] : []),
  ];
}

function nameOf({ name, $ref }: Json, known: Schemas): unknown {
  return name ?? known[String($ref).split('/').at(-1) ?? '']?.['name'];
}

/** Refers to the component that says the same, if there is one. */
function componentOrSame(parameter: Json, known: Schemas): Json {
  const same = Object.keys(known).find((name) => isDeepStrictEqual(known[name], parameter));
  return same === undefined ? parameter : refTo('parameters', same);
}

/** @param rule not of a time, whose parameters are components, nor of what no filter is for */
function filterParameter(rule: FilterRule): Json {
  const description = FILTER_WORDS[rule.type as keyof typeof FILTER_WORDS];
  switch (rule.type) {
    case 'flag':
      return { description, schema: { type: 'boolean' } };
    case 'number':
      return { description, schema: { type: 'number' } };
    case 'word':
      return { description, schema: { enum: rule.words } };
    default:
      return { description, schema: { type: 'string' } };
  }
}

const WITH_VALUE = 'Only records with this value.';
const FILTER_WORDS: Readonly<Record<Exclude<FilterRule['type'], 'none' | 'time'>, string>> = {
  text: 'Only records with this value, without case.',
  exact: 'Only records with this value, with its case.',
  flag: WITH_VALUE,
  number: WITH_VALUE,
  word: WITH_VALUE,
  key: 'Id or uid.',
  reference: 'Id or uid.',
  item: 'One of the items.',
  itemReference: 'Id or uid of one of them.',
  part: 'A part of the name.',
};

/** A body or an answer in JSON. */
export function json(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

/** Refers to a component, such as `schemas/Account`. */
export function refTo(part: string, name: string): Json {
  return { $ref: `#/components/${part}/${name}` };
}

/** `user_role` → `UserRole`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
