// The port of the exporter: a target for events of the audit trail.

/** Receives events as lines of JSON. */
export interface ExportTarget {
  /** Name of the target in the store; a target with a new name gets all events from the first. */
  readonly name: string;
  /**
   * Resolves once the target has stored the lines.
   * @param lines JSON without line ends, at least one
   * @param signal ends a delivery that takes long
   * @throws Error with the reason; the same lines are delivered again
   */
  deliver(lines: readonly string[], signal: AbortSignal): Promise<void>;
}
