// The orders of a program that started this process as a child: the library `cardea/testing` calls
// the functions below over the channel between the two. No other process can.
// Invariant: every order is answered once, with its result or with the message of its error.
import { ServiceError } from '../../errors.ts';
import type { Channel } from '../common/context.ts';

/** The functions that can be called, by name; each takes and returns JSON values. */
export type Orders = Readonly<Record<string, (argument: never) => Promise<unknown>>>;

/** Answers orders until the channel closes. */
export function takeOrders(channel: Channel, orders: Orders): void {
  channel.onMessage((message) => {
    const { id, call, argument } = message as { id: number; call: string; argument: unknown };
    const order = Object.hasOwn(orders, call) ? orders[call] : undefined;
    const answer = async () => {
      if (order === undefined) throw new Error(`There is no order ${call}.`);
      return order(argument as never);
    };
    answer().then(
      (result) => channel.send({ id, result: result ?? null }),
      (error: unknown) => channel.send({ id, error: sentenceOf(error) }),
    );
  });
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof ServiceError)) {
    return error instanceof Error ? error.message : String(error);
  }
  const causes = (error.details.causes ?? []).filter((cause) => !error.message.includes(cause));
  return [error.message, ...causes].join(' ');
}
