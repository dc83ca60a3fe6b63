// The cores that this process may use.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The quota of the control group of a container: microseconds of CPU, and the period (Linux: cgroup v2). */
const QUOTA = '/sys/fs/cgroup/cpu.max';

/**
 * As os.availableParallelism, which knows no quota of a container before Node 22.
 * @param readQuota the text of the quota; throws if there is none
 */
export function availableCores(
  cores = availableParallelism(),
  readQuota = () => readFileSync(QUOTA, 'utf8'),
): number {
  let text: string;
  try {
    text = readQuota();
  } catch {
    return cores;
  }
  const [quota, period] = text.split(' ').map(Number);
  const allowed = Math.ceil((quota ?? Number.NaN) / (period ?? Number.NaN));
  return Number.isNaN(allowed) ? cores : Math.max(1, Math.min(cores, allowed));
}
