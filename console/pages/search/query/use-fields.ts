// The fields of an index, with the dynamic fields of the tenant, and those that are shown without a choice.
// Until they arrive, or if the request fails, only the mapped fields and the usual columns are available.
import { useEffect, useState } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import type { ShownFields } from '../../../../src/query/rows/shown-fields.ts';
import { explain } from '../../../api/search-api.ts';
import { session } from '../../../api/session.ts';
import { fieldsOf, type KnownField } from '../../../model/field-catalogue.ts';
import { kindOf } from '../../../model/kinds.ts';

interface Explained {
  readonly freeWords: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly shown?: Readonly<Partial<Record<IndexName, ShownFields>>>;
}

interface TenantFields {
  readonly fields: readonly KnownField[];
  readonly shown: ShownFields;
}

/** How long an answer is used: imports bring new fields. */
const FRESH_MS = 30_000;

/** Requests by index and token, since dynamic fields differ by tenant. */
const requests = new Map<string, { readonly at: number; readonly of: Promise<TenantFields> }>();

export function useFields(index: IndexName): readonly KnownField[] {
  return useTenantFields(index).fields;
}

/** The columns and facets of documents without a choice. */
export function useShown(index: IndexName): ShownFields {
  return useTenantFields(index).shown;
}

/** All fields of an index, those of the tenant among them. @throws ApiFault */
export async function requestFields(index: IndexName): Promise<readonly KnownField[]> {
  return (await requested(index)).fields;
}

function useTenantFields(index: IndexName): TenantFields {
  const [known, setKnown] = useState<TenantFields & { readonly of: IndexName }>(() => ({
    of: index,
    ...mappedFields(index),
  }));
  useEffect(() => {
    let isMounted = true;
    requested(index).then(
      (loaded) => isMounted && setKnown({ of: index, ...loaded }),
      // Completion works without dynamic fields; the search itself shows the fault.
      () => requests.clear(),
    );
    return () => {
      isMounted = false;
    };
  }, [index]);
  return known.of === index ? known : mappedFields(index);
}

function requested(index: IndexName): Promise<TenantFields> {
  const key = `${index} ${session.get()?.token}`;
  const cached = requests.get(key);
  if (cached !== undefined && Date.now() - cached.at < FRESH_MS) return cached.of;
  const of = explain<Explained>({ indices: [index], query: { query: 'a' } }, null).then(
    ({ freeWords, shown }) => {
      const lists = Object.values(freeWords[index] ?? {}).filter(Array.isArray);
      return { fields: fieldsOf(index, lists.flat()), shown: shown?.[index] ?? usual(index) };
    },
  );
  requests.set(key, { at: Date.now(), of });
  return of;
}

function mappedFields(index: IndexName): TenantFields {
  return { fields: fieldsOf(index, []), shown: usual(index) };
}

function usual(index: IndexName): ShownFields {
  const { columns, facets } = kindOf(index);
  return { columns, facets: facets.map(({ field }) => field) };
}
