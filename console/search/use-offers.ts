// The completions for what is being typed: names at once, values after a moment in which nothing more was typed.
import { useEffect, useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { type Typed, writtenField } from './completion.ts';
import { fieldNamed, type KnownField, offersFor } from './field-catalogue.ts';
import { valueOffers } from './value-offers.ts';

/** A line of the list. */
export interface Offer {
  /** Takes the place of what is being typed. */
  readonly written: string;
  readonly shown: string;
  readonly hint: string;
}

const MOST = 8;
const PAUSE_MS = 120;

/** @param typed what is being typed; null: nothing to complete */
export function useOffers(
  index: IndexName,
  fields: readonly KnownField[],
  typed: Typed | null,
): readonly Offer[] {
  const [offers, setOffers] = useState<readonly Offer[]>([]);
  const key = JSON.stringify([index, typed, fields.length]);
  useEffect(() => {
    if (typed === null) {
      setOffers([]);
      return;
    }
    if (typed.kind === 'field') {
      setOffers(offersFor(fields, typed.prefix, typed.nested, MOST).map(nameOffer));
      return;
    }
    const field = fieldNamed(fields, typed.field, typed.nested);
    if (field === undefined) {
      setOffers([]);
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      valueOffers(index, field, typed.prefix, controller.signal).then(
        (values) =>
          setOffers(
            values.map(({ written, shown }) => ({ written: `${written} `, shown, hint: '' })),
          ),
        // Completion is help, not the matter: what is wrong, the search says.
        () => !controller.signal.aborted && setOffers([]),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return offers;
}

function nameOffer({ name, hint, kind }: ReturnType<typeof offersFor>[number]): Offer {
  const written = kind === 'array' ? `${name}(` : `${writtenField(name)}:`;
  return { written, shown: written, hint };
}
