// Where events of the audit trail are exported to: the port of the exporter.

/** Takes events as lines of JSON. */
export interface ExportTarget {
  /** Names the target in the store: a target of another name is sent all events from the first. */
  readonly name: string;
  /**
   * Resolves once the lines are kept there.
   * @param lines JSON without line ends, at least one
   * @throws Error with the reason; the same lines are then delivered again
   */
  deliver(lines: readonly string[]): Promise<void>;
}
