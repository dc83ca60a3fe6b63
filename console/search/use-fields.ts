// The fields of an index, with those its documents brought. They are asked for once; until they have come, or where
// they cannot be had, the built-in ones serve.
import { useEffect, useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { explain } from '../api/search-api.ts';
import { session } from '../api/session.ts';
import { fieldsOf, type KnownField } from './field-catalogue.ts';

interface FreeWords {
  readonly freeWords: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** By index and token: another tenant has other fields. */
const asked = new Map<string, Promise<readonly KnownField[]>>();

export function useFields(index: IndexName): readonly KnownField[] {
  const [fields, setFields] = useState<readonly KnownField[]>(() => fieldsOf(index, []));
  useEffect(() => {
    let wanted = true;
    setFields(fieldsOf(index, []));
    brought(index).then(
      (found) => wanted && setFields(found),
      // Completion does with less then; the search itself tells what is wrong.
      () => asked.clear(),
    );
    return () => {
      wanted = false;
    };
  }, [index]);
  return fields;
}

function brought(index: IndexName): Promise<readonly KnownField[]> {
  const key = `${index} ${session.get()?.token}`;
  const known = asked.get(key);
  if (known !== undefined) return known;
  const asking = explain<FreeWords>({ indices: [index], query: { query: 'a' } }, null).then(
    ({ freeWords }) => {
      const lists = Object.values(freeWords[index] ?? {}).filter(Array.isArray);
      return fieldsOf(index, lists.flat());
    },
  );
  asked.set(key, asking);
  return asking;
}
