// Pages of the lists of credentials, which are short enough to be read as a whole.
import {
  type CollectionParameters,
  readCollectionPage,
} from '../../query/collections/collection-page.ts';

/** A page of a list. */
export interface CredentialPage<Item> {
  readonly items: readonly Item[];
  /** null unless counted. */
  readonly total: number | null;
}

/** Programs of before there were pages read no second one, and send a `limit` of 999. */
const BOUNDS = { byDefault: Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER } as const;

/** @throws ServiceError `request_invalid` */
export function credentialPage<Item>(
  items: readonly Item[],
  parameters: CollectionParameters,
): CredentialPage<Item> {
  const { limit, offset, count } = readCollectionPage(parameters, BOUNDS);
  return { items: items.slice(offset, offset + limit), total: count ? items.length : null };
}
