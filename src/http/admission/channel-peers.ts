// The other threads of a process over a broadcast channel.
import { BroadcastChannel } from 'node:worker_threads';
import type { PeerEvent, ThreadPeers } from './process-counts.ts';

export class ChannelPeers implements ThreadPeers {
  readonly #channel: BroadcastChannel;

  /** @param name the same in all threads of a service, and of no other */
  constructor(name: string) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.unref();
  }

  tell(event: PeerEvent): void {
    this.#channel.postMessage(event);
  }

  onEvent(listener: (event: PeerEvent) => void): void {
    this.#channel.onmessage = (message) => listener((message as { readonly data: PeerEvent }).data);
    // A listener keeps the process alive again.
    this.#channel.unref();
  }

  close(): void {
    this.#channel.close();
  }
}
