// Counts for several nodes in Redis, with a script and one round trip per count. Windows follow the
// clock of Redis, so the clocks of nodes may differ.
// Invariant: every key expires.
import { defineScript } from '@redis/client';
import type { Count, WindowRules } from '../../auth/window-counter.ts';

/**
 * KEYS: the counter. ARGV: milliseconds of a window, `clock` or `first`, the amount to add. Returns
 * the count and the milliseconds left. A key that would outlive its window comes from a clock that
 * was set back, and is reset.
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

/** The script for the client, which sends its hash once the server has cached it. */
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
