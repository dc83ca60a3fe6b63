// Where a search backend tells what happened; a pino logger fits.

export interface BackendLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** For those who are given none. */
export const SILENT: BackendLog = { info: () => {}, warn: () => {} };
