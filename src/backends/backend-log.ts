// The log of a search backend; a pino logger fits.

export interface BackendLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** The default: logs nothing. */
export const SILENT: BackendLog = { info: () => {}, warn: () => {} };
