import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openMailSender } from './mail-sender.ts';

const MAIL = { id: 'd1', to: 'ada@people.test', subject: 's', text: 't', attachments: [] };
/** Greets, and says nothing more. */
const server = createServer((socket) => socket.write('220 ready\r\n'));

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

const ENDS: readonly (readonly [name: string, expected: object, endsByTime: boolean])[] = [
  ['after its time', { message: 'The mail server took too long.' }, true],
  ['when it is cancelled', { name: 'AbortError' }, false],
];
for (const [name, expected, endsByTime] of ENDS) {
  test(`an attempt ends ${name}, and leaves nothing at the signal`, async (t) => {
    if (endsByTime) t.mock.timers.enable({ apis: ['setTimeout'] });
    const { port } = server.address() as AddressInfo;
    const sender = await openMailSender(`smtp://127.0.0.1:${port}`, 'cardea@reports.test');
    const cancel = new AbortController();
    const connected = once(server, 'connection');
    const ended = assert.rejects(sender.send(MAIL, cancel.signal), expected);
    const [socket] = (await connected) as [Socket];
    await once(socket, 'data');
    if (endsByTime) t.mock.timers.tick(120_000);
    else cancel.abort();
    await ended;
    assert.equal(getEventListeners(cancel.signal, 'abort').length, 0);
    sender.close();
    socket.destroy();
  });
}
