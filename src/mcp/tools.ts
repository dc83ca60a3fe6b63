// The tools of an assistant: descriptions, schemas of arguments, and what each does.
// Invariant: all tools read, and every answer has a bounded size.
import { INDEX_NAMES, staticMapping } from '../query/mapping/document-types.ts';
import type { Mapping } from '../query/mapping/mapping.ts';
import type { IndexName } from '../query/query.ts';
import { HiddenFields } from '../query/visibility/hidden-fields.ts';
import { valueAt } from '../service/searching/rows/row-values.ts';
import { cutText, type RowsRemedy, rowsText } from './bounded-answer.ts';
import { fieldLines } from './field-catalogue.ts';
import {
  type FoundRows,
  RefusedCall,
  type SearchAccess,
  type SearchBody,
} from './search-access.ts';
import type { ToolArguments } from './tool-arguments.ts';

/** Guidance that a client gives its assistant once. */
export const INSTRUCTIONS = `Search of identities, accounts, access and events of an identity governance tenant. All tools read.
Call fields first: it lists the names of fields with examples. Queries are Lucene query strings: attributes.department:Finance AND NOT inactive:true; phrases in quotes, wildcards with *, ranges as created:[now-30d TO now] or accessCount:>10, _exists_:email. One element of a nested array must match all of @accounts(source.name:"Active Directory" AND disabled:false). Who holds access through a role: @access(via.role:"Finance Analyst" AND source.name:Payroll). A misspelt field matches nothing and is listed in warnings. Prefer count and aggregate to many rows.`;

type Schema = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schemas of the arguments. */
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  run(access: SearchAccess, values: ToolArguments): Promise<string>;
}

const ROWS = { byDefault: 10, most: 50 } as const;
const TABLE_ROWS = { byDefault: 50, most: 500 } as const;
/** Documents that the examples of fields are taken from. */
const SAMPLE = 20;

const QUERY: Schema = {
  type: 'string',
  description:
    'Lucene query string, such as attributes.department:Finance AND inactive:false; * matches everything',
};
const INDICES: Schema = {
  type: 'array',
  items: { type: 'string', enum: INDEX_NAMES },
  description: 'Indices to search; default: identities',
};
const INDEX: Schema = { type: 'string', enum: INDEX_NAMES };

export const TOOLS: readonly Tool[] = [
  {
    name: 'search',
    title: 'Search documents',
    description:
      'Returns matching documents and how many match in all. Without fields, nested arrays (accounts, access, apps, …) are left out.',
    properties: {
      query: QUERY,
      indices: INDICES,
      fields: {
        type: 'array',
        items: { type: 'string' },
        description: 'Members to return, such as displayName, attributes.department, access.name',
      },
      sort: {
        type: 'array',
        items: { type: 'string' },
        description: 'Fields, - before one for descending; default: best match first',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: ROWS.most,
        description: `Default ${ROWS.byDefault}`,
      },
      offset: {
        type: 'integer',
        minimum: 0,
        maximum: 9_950,
        description: 'Rows to skip; default 0',
      },
    },
    required: ['query'],
    async run(access, values) {
      const limit = values.integer('limit', ROWS.byDefault, 1, ROWS.most);
      const offset = values.integer('offset', 0, 0, 9_950);
      const fields = values.texts('fields');
      const { rows, total, warnings } = await access.search(
        {
          ...queryBody(values),
          ...(fields === undefined
            ? { includeNested: false }
            : { queryResultFilter: { includes: fields } }),
          sort: values.texts('sort') ?? [],
        },
        { limit, offset },
      );
      const unknown = await unknownMembers(access, values, rows);
      return rowsText({ total, ...noted([...warnings, ...unknown]) }, rows, {
        smaller: 'Name the members that you need in fields',
        others: (shown) => `continue with offset ${offset + shown}`,
        alone: 'read it with get',
      });
    },
  },
  {
    name: 'rows',
    title: 'List elements as a table',
    description:
      'Returns one row for each element of a nested array, such as each account, with columns of the element and of its document. Only elements that match the @path(…) clauses of the query, and how many rows there are in all.',
    properties: {
      query: QUERY,
      indices: INDICES,
      rows: {
        type: 'string',
        description: 'The nested array: accounts, access, apps, …; documents for one row each',
      },
      columns: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Fields of the document, and with @ of the element: displayName, @accounts.name, @accounts.source.name',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: TABLE_ROWS.most,
        description: `Default ${TABLE_ROWS.byDefault}`,
      },
    },
    required: ['query', 'rows'],
    async run(access, values) {
      const limit = values.integer('limit', TABLE_ROWS.byDefault, 1, TABLE_ROWS.most);
      const columns = values.texts('columns');
      const { rows, total, warnings } = await access.rows(
        {
          ...queryBody(values),
          rows: values.requiredText('rows'),
          ...(columns === undefined ? {} : { columns: columns.map((field) => ({ field })) }),
        },
        limit,
      );
      return rowsText({ total, ...noted(warnings) }, rows, NARROW);
    },
  },
  {
    name: 'count',
    title: 'Count documents',
    description: 'Returns how many documents match.',
    properties: { query: QUERY, indices: INDICES },
    required: ['query'],
    async run(access, values) {
      const { total, warnings } = await access.count(queryBody(values));
      return JSON.stringify({ total, ...noted(warnings) });
    },
  },
  {
    name: 'aggregate',
    title: 'Count by value',
    description:
      'Counts matching documents by the values of up to 3 fields (groupBy), or runs aggregations in the Elasticsearch DSL.',
    properties: {
      query: QUERY,
      indices: INDICES,
      groupBy: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 3,
        description: 'Fields, the outermost first, such as attributes.department',
      },
      size: {
        type: 'integer',
        minimum: 1,
        maximum: 200,
        description: 'Values of each field; default 20',
      },
      aggregations: {
        type: 'object',
        description: 'Aggregations by name in the Elasticsearch DSL, instead of groupBy',
      },
    },
    required: ['query'],
    async run(access, values) {
      const aggregationsDsl = values.object('aggregations') ?? groupedBy(values);
      const { aggregations, warnings } = await access.aggregate({
        ...queryBody(values),
        aggregationType: 'DSL',
        aggregationsDsl,
      });
      const text = JSON.stringify({ ...noted(warnings), aggregations });
      return cutText(text, 'Ask for fewer values with size, or narrow the query.');
    },
  },
  {
    name: 'get',
    title: 'Read a document',
    description: 'Returns one document by its id, with all members.',
    properties: { index: INDEX, id: { type: 'string', description: 'Id of the document' } },
    required: ['index', 'id'],
    async run(access, values) {
      const document = await access.get(values.requiredText('index'), values.requiredText('id'));
      return cutText(JSON.stringify(document), 'Use search with id:… and fields for a part of it.');
    },
  },
  {
    name: 'explain',
    title: 'Explain a query',
    description:
      'Shows how a query is planned, names that do not exist, and with id why that document matches or not.',
    properties: {
      query: QUERY,
      indices: INDICES,
      id: { type: 'string', description: 'Id of a document to explain' },
    },
    required: ['query'],
    async run(access, values) {
      const body = queryBody(values);
      const id = values.text('id');
      const [index = ''] = body['indices'] as readonly string[];
      const explanation = await access.explain(body, id === undefined ? null : { index, id });
      return cutText(JSON.stringify(explanation), 'Explain a shorter query, or one index.');
    },
  },
  {
    name: 'fields',
    title: 'List fields',
    description: 'Lists the fields of an index with types and examples from this tenant.',
    properties: {
      index: INDEX,
      contains: { type: 'string', description: 'Only fields with this text in their name' },
    },
    required: ['index'],
    async run(access, values) {
      const name = values.requiredText('index');
      const index = INDEX_NAMES.find((candidate) => candidate === name);
      if (index === undefined)
        throw new RefusedCall(`index must be one of ${INDEX_NAMES.join(', ')}.`);
      const { rows, total } = await sampleOf(access, index);
      if (total === 0) {
        return `No document of ${index} exists, or a view hides all of them: there is no field to search.`;
      }
      const mapping = await mappingOf(access, index);
      const lines = fieldLines(mapping, rows, values.text('contains') ?? '');
      const head = `${lines.length} fields of ${index}, which has ${total} documents; examples are from ${rows.length} of them.`;
      return cutText([head, ...lines].join('\n'), 'Name a part of the field with contains.');
    },
  },
];

/** How to get all rows of a table that was cut. */
const NARROW: RowsRemedy = {
  smaller: 'Name fewer columns',
  others: () => 'narrow the query',
  alone: 'read the document with get',
};

/** Warnings of requested members that no row has, and no index. @throws RefusedCall */
async function unknownMembers(
  access: SearchAccess,
  values: ToolArguments,
  rows: readonly unknown[],
): Promise<readonly string[]> {
  const isEmpty = (value: unknown): boolean =>
    Array.isArray(value) ? value.every(isEmpty) : value === null;
  const missing = (values.texts('fields') ?? []).filter((path) => isEmpty(valueAt(rows, path)));
  if (missing.length === 0 || rows.length === 0) return [];
  const filters = Object.fromEntries(missing.map((path) => [path, { type: 'EXISTS' }]));
  const body = { ...queryBody(values), query: { query: '*' }, filters };
  return (await access.search(body, { limit: 1, offset: 0 })).warnings;
}

/** The newest documents; any where a view hides the time. @throws RefusedCall */
async function sampleOf(access: SearchAccess, index: IndexName): Promise<FoundRows> {
  const body = { indices: [index], query: { query: '*' } };
  const page = { limit: SAMPLE, offset: 0 };
  // Events have no date of modification.
  const sort = [index === 'events' ? '-created' : '-modified'];
  try {
    return await access.search({ ...body, sort }, page);
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    return access.search(body, page);
  }
}

/** The mapping of the document type, without fields that a view hides: those are unknown. */
async function mappingOf(access: SearchAccess, index: IndexName): Promise<Mapping> {
  let mapping = staticMapping(index, { name: '', pod: '' });
  try {
    for (;;) {
      const query = [...mapping.fields.keys()].map((path) => `_exists_:${path}`).join(' OR ');
      const body = { indices: [index], query: { query: query === '' ? '*' : query } };
      const { unknownFields } = (await access.explain(body, null)) as {
        readonly unknownFields?: Partial<Record<IndexName, readonly string[]>>;
      };
      const unknown = unknownFields?.[index] ?? [];
      const visible = new HiddenFields(unknown).visibleMapping(mapping);
      // An explanation names only some.
      if (visible.fields.size === mapping.fields.size) return mapping;
      mapping = visible;
    }
  } catch (error) {
    // The service that has no explain has no views.
    if (!(error instanceof RefusedCall)) throw error;
    return mapping;
  }
}

function queryBody(values: ToolArguments): SearchBody {
  return {
    indices: values.texts('indices') ?? ['identities'],
    queryType: 'SAILPOINT',
    query: { query: values.requiredText('query') },
  };
}

function noted(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

/** Nested `terms` aggregations on the whole values of fields. */
function groupedBy(values: ToolArguments): Schema {
  const fields = values.texts('groupBy') ?? [];
  if (fields.length === 0 || fields.length > 3) {
    throw new RefusedCall('groupBy must name 1 to 3 fields, unless aggregations is given.');
  }
  const size = values.integer('size', 20, 1, 200);
  return fields.reduceRight<Schema>(
    (aggs, field) => ({
      [field]: {
        terms: { field, size },
        ...(Object.keys(aggs).length === 0 ? {} : { aggs }),
      },
    }),
    {},
  );
}
