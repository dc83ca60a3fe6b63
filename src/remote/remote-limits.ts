// Every limit on what a remote service may send and on how long it may take, so that a request and
// a walk through a list end, whatever it does, in flat memory. A large, slow or busy service that
// answers as documented stays far below all of them.

/** Until the whole answer to one attempt of a request is here. */
export const ANSWER_MS_MAX = 120_000;
/** The least that an attempt gets, also at the end of the time of its request. */
export const ANSWER_MS_MIN = 5_000;
/** For a request with all its repetitions and the waits between them, `Retry-After` included. */
export const REQUEST_MS_MAX = 600_000;
/**
 * Repetitions of a request after failures in a row: with the backoff five minutes on average. How
 * often a service postpones a request (429) is limited by the time alone.
 */
export const RETRIES_MAX = 24;
/**
 * The same before the first answer that can be read, as the address may be wrong, and after a
 * request that was given up, as the others will be, too: about two seconds.
 */
export const FEW_RETRIES_MAX = 4;
/** An answer, also unpacked: a page of 250 documents of 256 KiB each. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Levels of JSON: those of a document, and its envelope. */
export const JSON_DEPTH_MAX = 70;
/** Objects, arrays and members of one JSON text: a page of 100 records of 20,000 each. */
export const JSON_PARTS_MAX = 2_000_000;
/** Documents on a page, however many were asked for. */
export const PAGE_ITEMS_MAX = 10_000;
/** Characters of an id: twice as many as can be stored here. */
export const ID_CHARACTERS_MAX = 512;
/** Characters of an access token. */
export const TOKEN_CHARACTERS_MAX = 16_384;
/** Characters of a text of the service in a message or in the status of a mirror. */
export const TEXT_CHARACTERS_MAX = 300;

/**
 * A walk through a list may pass this many times the documents that the service counts, and
 * `WALK_MARGIN` more. Beyond that they are counted again, as the service may have grown meanwhile.
 */
export const WALK_GROWTH = 2;
export const WALK_MARGIN = 10_000;
/** Counts in one walk; the last one allows a list that grew a thousandfold. */
export const RECOUNTS_MAX = 10;
/** Documents of a walk through a list that the service does not count. */
export const UNCOUNTED_MAX = 1_000_000;
/** Walks through the same list, or rounds through what it held, because records refer to later ones. */
export const PASSES_MAX = 100;
/** Bytes of records that are held until those that they refer to have come. */
export const PENDING_BYTES_MAX = 32 * 1024 * 1024;
