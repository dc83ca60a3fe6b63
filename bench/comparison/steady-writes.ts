// Writes documents to one side at a fixed rate while it is asked questions.
import { Connection, wireRequest } from '../client.ts';
import type { Side } from './side.ts';

type Document = Readonly<Record<string, unknown>>;

export class SteadyWrites {
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  /** @param documents of the company, written again in turn with another description */
  static async start(
    side: Side,
    documents: readonly Document[],
    perSecond: number,
  ): Promise<SteadyWrites> {
    const writes = new SteadyWrites();
    const to = await side.address('company');
    const connection = await Connection.open(to.port);
    const start = performance.now();
    const write = async () => {
      for (let written = 0; !writes.#isStopped; written += 1) {
        const waitMs = start + (written / perSecond) * 1000 - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const document = documents[written % documents.length] ?? {};
        const changed = { ...document, description: `written ${written} at ${start}` };
        await connection.send(wireRequest(to, side.write(changed)));
      }
    };
    writes.#running = write().finally(() => connection.close());
    // A failure is reported by `stop`.
    writes.#running.catch(() => {});
    return writes;
  }

  /** @throws Error if a write failed */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }
}
