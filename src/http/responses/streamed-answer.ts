// Sends a response whose length is unknown, piece by piece (chunked coding). A piece is made when the
// client has read the one before, so a slow client holds one piece. Each piece waits for a turn of the
// event loop, counts for the memory of answers, and must be read within the time of an answer.
// Invariant: a response that is not complete never ends: its connection is closed instead.
import type { ServerResponse } from 'node:http';
import type { Answers } from '../admission/answers.ts';
import type { Party } from '../admission/shares.ts';
import { clientGone } from '../requests/client-gone.ts';

export interface StreamedAnswer {
  readonly response: ServerResponse;
  readonly party: Party;
  readonly answers: Pick<Answers, 'check' | 'hold'>;
  /** Calls `turn` in a turn of the event loop that has time for a piece. */
  readonly enter: (turn: () => void) => void;
  /** Called before the first piece; it must write the headers. */
  writeHead(): void;
}

/**
 * Sends all pieces and ends the response.
 * @throws ServiceError `unavailable` before the head is written if there is no memory for the answer,
 *   `cancelled` if the client disconnects, and errors of the pieces
 */
export async function sendStream(
  pieces: AsyncGenerator<Uint8Array>,
  { response, party, answers, enter, writeHead }: StreamedAnswer,
): Promise<void> {
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst) {
      answers.check(party, piece.length);
      if (response.destroyed) throw clientGone();
      writeHead();
      isFirst = false;
    }
    const release = answers.hold(party, piece.length, response);
    await new Promise<void>((resolve) => enter(resolve));
    if (response.destroyed) throw clientGone();
    const isRead = response.write(piece);
    if (!isRead) await drained(response);
    release();
  }
  response.end();
}

/** Waits until the client has read what was written. @throws ServiceError `cancelled` */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = () => {
      response.off('close', onClose);
      resolve();
    };
    const onClose = () => {
      response.off('drain', onDrain);
      reject(clientGone());
    };
    if (response.destroyed) {
      reject(clientGone());
      return;
    }
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}
