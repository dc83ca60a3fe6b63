// Serves metrics on a separate port, so that API clients cannot reach them.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricsPage } from './observers/request-meter.ts';

/** Listening address; port 0 picks a free port. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** A listener that serves `/metrics` and nothing else. */
export class MetricsServer {
  readonly #server: Server;

  constructor(page: MetricsPage) {
    this.#server = createServer((request, response) => {
      if (request.url?.split('?', 1)[0] !== '/metrics' || request.method !== 'GET') {
        response.writeHead(404).end();
        return;
      }
      page.render().then(
        (text) => response.writeHead(200, { 'Content-Type': page.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    this.#server.maxConnections = 100;
  }

  /** Starts listening. @returns the URL of the page */
  async listen({ host, port }: MetricsAddress): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const { address, family, port: boundPort } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}/metrics`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
