// Sends many requests with wrk, whose client costs a fraction of one in Node. Each request is sent once; wrk
// reads them from a file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WrkFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface WrkTarget {
  readonly port: number;
  readonly connections: number;
  /** An existing folder for the requests. */
  readonly folder: string;
}

/** wrk ends when all requests are sent; this only bounds a server that answers nothing. */
const SECONDS_MAX = 600;

/** A length in bytes, a line break and the request, again and again. */
const SCRIPT = `
local requests, at, ended = {}, 0, false
function init(args)
  local file = assert(io.open(args[1], "rb"))
  local all = file:read("*a")
  file:close()
  local from = 1
  while from <= #all do
    local stop = string.find(all, "\\n", from, true)
    local length = tonumber(string.sub(all, from, stop - 1))
    requests[#requests + 1] = string.sub(all, stop + 1, stop + length)
    from = stop + length + 1
  end
end
function request()
  if at < #requests then
    at = at + 1
    return requests[at]
  end
  if not ended then
    ended = true
    print("SENT")
    io.stdout:flush()
  end
  -- wrk is about to be interrupted, as only that ends it early.
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  print(string.format("RESULT %d %d %d %d %d", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`;

/**
 * Sends the requests in their order over several connections.
 * @throws Error if wrk is missing, or if a response is none or not 2xx
 */
export async function runWrk(
  requests: readonly Buffer[],
  { port, connections, folder }: WrkTarget,
): Promise<WrkFigures> {
  const [script, file] = [join(folder, 'wrk.lua'), join(folder, 'wrk.requests')];
  writeFileSync(script, SCRIPT);
  const parts = requests.flatMap((request) => [Buffer.from(`${request.length}\n`), request]);
  writeFileSync(file, Buffer.concat(parts));
  const options = ['-t', '1', '-c', String(connections), '-d', `${SECONDS_MAX}s`];
  const target = [`http://127.0.0.1:${port}`, '--', file];
  const child = spawn('wrk', [...options, '-s', script, ...target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (/^SENT$/m.test(stdout)) child.kill('SIGINT');
  });
  await once(child, 'close');
  const figures = /^RESULT (.+)$/m.exec(stdout)?.[1]?.split(' ').map(Number) ?? [];
  const [sent = 0, microseconds = 0, errors = 0, p50 = 0, p99 = 0] = figures;
  if (errors > 0 || sent === 0) {
    throw new Error(`${errors} of ${sent} requests failed, or were answered by no 2xx:\n${stdout}`);
  }
  return { perSecond: sent / (microseconds / 1e6), p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
}
