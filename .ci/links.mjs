// Follows every link of the guide of a running server, to pages and anchors. Fails with those that lead nowhere.
//   node .ci/links.mjs http://127.0.0.1:8080/docs/guide/
const [, , start] = process.argv;
/** The texts of pages by address, without anchors; null for other files. */
const pages = new Map();
const lost = [];
const open = [[start, start]];
for (let next = open.pop(); next !== undefined; next = open.pop()) {
  const [from, to] = next;
  const { href, hash } = new URL(to);
  const address = href.slice(0, href.length - hash.length);
  if (!pages.has(address)) {
    const answer = await fetch(address);
    const type = answer.headers.get('content-type') ?? '';
    const text = await answer.text();
    if (!answer.ok) lost.push(`${from} leads to ${to}: ${answer.status}`);
    pages.set(address, type.startsWith('text/html') ? text : null);
    // Pages beside the guide have tests of their own.
    if (type.startsWith('text/html') && address.startsWith(start)) {
      for (const [, target] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (!/^(?:https?|mailto):/.test(target))
          open.push([address, new URL(target, answer.url).href]);
      }
    }
  }
  const text = pages.get(address);
  if (hash !== '' && text !== null && !text.includes(`id="${hash.slice(1)}"`))
    lost.push(`${from} leads to ${to}`);
}
process.stdout.write(`${pages.size} pages and files, ${lost.length} links that lead nowhere\n`);
if (lost.length > 0) throw new Error(lost.join('\n'));
