import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Message, type Port, TabChannel } from './tab-channel.ts';

const DETAILS = { since: 5, person: null, views: ['sales'] };

/** Ports that deliver to one another at once, as the tabs of one origin do. */
class Tabs {
  readonly #receivers = new Map<string, (message: Message) => void>();
  readonly heard: string[] = [];

  open(name: string, token: string | null): TabChannel {
    const port: Port = {
      post: (message) => {
        for (const [other, receive] of this.#receivers) if (other !== name) receive(message);
      },
      listen: (receive) => this.#receivers.set(name, receive),
    };
    const note = (message: string) => this.heard.push(`${name}: ${message}`);
    return new TabChannel(port, {
      held: () => (token === null ? null : { token, details: DETAILS }),
      onToken: (handed, details) => note(`token ${handed} since ${details.since}`),
      onRenewal: (old, renewed) => note(`renewed ${old}, ${renewed}`),
      onEnd: ({ token: ended, since, why, byLimit }) =>
        note(`end ${ended} since ${since}, ${why}, ${byLimit}`),
    });
  }
}

test('hands the token of an open tab to a new one', () => {
  const tabs = new Tabs();
  tabs.open('open', 'secret');
  tabs.open('signed out', null);
  tabs.open('new', null).request();
  assert.deepEqual(
    tabs.heard.filter((message) => message.startsWith('new')),
    ['new: token secret since 5'],
  );
});

test('reports the renewal and the end of a session to the other tabs', () => {
  const tabs = new Tabs();
  const one = tabs.open('one', 'x');
  tabs.open('two', 'x');
  one.renew('x', 'y', DETAILS);
  one.end({ token: 'y', since: 5, why: null, byLimit: true });
  assert.deepEqual(tabs.heard, ['two: renewed x, y', 'two: end y since 5, null, true']);
});
