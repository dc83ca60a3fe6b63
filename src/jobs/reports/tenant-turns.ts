// The order in which tenants get a turn: those whose last turn is longest ago come first, so that much
// work of one does not delay that of the others.

export class TenantTurns {
  /** The number of the last turn of each tenant. */
  readonly #last = new Map<string, number>();
  #count = 0;

  /**
   * Sorts the tenants that wait for a turn.
   * @param running those that have one; the turns of all others are forgotten
   */
  inOrder(waiting: Iterable<string>, running: Iterable<string>): string[] {
    const tenants = [...new Set(waiting)];
    const known = new Set([...tenants, ...running]);
    for (const tenantId of this.#last.keys()) {
      if (!known.has(tenantId)) this.#last.delete(tenantId);
    }
    const turnOf = (tenantId: string) => this.#last.get(tenantId) ?? 0;
    return tenants.sort((a, b) => turnOf(a) - turnOf(b));
  }

  /** Records that a tenant gets its turn now. */
  take(tenantId: string): void {
    this.#last.set(tenantId, ++this.#count);
  }
}
