// What commands and the server on their data directory say to each other, by the socket of the directory:
// both are of the same version.
import type { IndexComparison } from './index-comparison.ts';

/** The paths that the socket has besides the search; the last two answer with lines. */
export const LOCAL_PATHS = {
  server: '/local/server',
  checkIndex: '/local/index/check',
  refillIndex: '/local/index/refill',
} as const;

/** Who serves. */
export interface LocalServerName {
  readonly version: string;
  /** Its process id. */
  readonly process: number;
  /** `embedded`, or the address of its OpenSearch without credentials. */
  readonly search: string;
}

/** What the check of a served index found. */
export type ServedIndex =
  | { readonly unready: string }
  | {
      readonly unready: null;
      /** null: it changed too fast. */
      readonly comparison: IndexComparison | null;
      /** The last change of the store. */
      readonly sequence: number;
    };

/** A line of an answer to long work: how far it is, and at last what came of it. */
export type LocalLine<Result = unknown> =
  | { readonly progress: readonly [done: number, total: number] }
  | { readonly result: Result }
  | { readonly fault: string };

/** Called with what is done, and of how much; throws when nobody waits for the result any more. */
export type LocalProgress = (done: number, total: number) => void;

/** What commands ask. */
export interface LocalCases extends LocalServerName {
  /** Checks the files of the index, and compares it with the store. @throws ServiceError `unavailable` */
  checkIndex(progress: LocalProgress): Promise<ServedIndex>;
  /**
   * Fills the index again from the store.
   * @returns the change up to which it is filled
   * @throws ServiceError `unavailable`
   */
  refillIndex(progress: LocalProgress): Promise<{ readonly sequence: number }>;
}
