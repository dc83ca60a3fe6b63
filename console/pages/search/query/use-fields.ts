// The fields of an index, with the dynamic fields of the tenant. They are requested once; until
// they arrive, or if the request fails, only the mapped fields are available.
import { useEffect, useState } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import { explain } from '../../../api/search-api.ts';
import { session } from '../../../api/session.ts';
import { fieldsOf, type KnownField } from '../../../model/field-catalogue.ts';

interface FreeWords {
  readonly freeWords: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Requests by index and token, since dynamic fields differ by tenant. */
const requests = new Map<string, Promise<readonly KnownField[]>>();

export function useFields(index: IndexName): readonly KnownField[] {
  const [fields, setFields] = useState<readonly KnownField[]>(() => fieldsOf(index, []));
  useEffect(() => {
    let isMounted = true;
    setFields(fieldsOf(index, []));
    requestFields(index).then(
      (loaded) => isMounted && setFields(loaded),
      // Completion works without dynamic fields; the search itself shows the fault.
      () => requests.clear(),
    );
    return () => {
      isMounted = false;
    };
  }, [index]);
  return fields;
}

/** All fields of an index, those of the tenant among them. @throws ApiFault */
export function requestFields(index: IndexName): Promise<readonly KnownField[]> {
  const key = `${index} ${session.get()?.token}`;
  const cached = requests.get(key);
  if (cached !== undefined) return cached;
  const request = explain<FreeWords>({ indices: [index], query: { query: 'a' } }, null).then(
    ({ freeWords }) => {
      const lists = Object.values(freeWords[index] ?? {}).filter(Array.isArray);
      return fieldsOf(index, lists.flat());
    },
  );
  requests.set(key, request);
  return request;
}
