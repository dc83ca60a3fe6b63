// Counting for several nodes in one Redis: a script and one round trip for each count. Windows follow the clock of the
// Redis, so nodes need not agree on the time.
// Invariant: what a key is counted in has an end: no key stays for ever.
import { defineScript } from '@redis/client';
import type { Count, WindowRules } from '../auth/window-counter.ts';

/**
 * KEYS: the counter. ARGV: milliseconds of a window, `clock` or `first`, how much to add. Answers the count and the
 * milliseconds left. A key that would live longer than its window is of a clock that was set back, and begins anew.
 */
const COUNT = `
local window = tonumber(ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 or left > window then
  redis.call('DEL', KEYS[1])
  if ARGV[3] == '0' then return {0, 0} end
  left = window
  if ARGV[2] == 'clock' then
    local time = redis.call('TIME')
    left = window - (time[1] * 1000 + math.floor(time[2] / 1000)) % window
  end
end
if ARGV[3] == '0' then return {tonumber(redis.call('GET', KEYS[1])) or 0, left} end
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], left) end
return {count, left}
`;

/** The script as the client knows it: by its hash once the server has it, else whole. */
export const countScript = defineScript({
  SCRIPT: COUNT,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, { windowMs, start }: WindowRules, add: 0 | 1) {
    parser.pushKey(key);
    parser.push(String(windowMs), start, String(add));
  },
  transformReply(reply: unknown): Count {
    const [count = 0, leftMs = 0] = reply as readonly number[];
    return { count, leftMs };
  },
});
