// What the checks of cardea doctor have in common.
import type { Config } from '../../config/config.ts';
import type { DocumentDamage } from '../../service/ports/store.ts';
import type { Context } from '../common/context.ts';

/** The result of one check. */
export interface Check {
  readonly name: string;
  /** `mended`: a fault that has just been repaired. */
  readonly status: 'ok' | 'mended' | 'warning' | 'fault';
  readonly message: string;
  /** Every damaged record, which the message may name in part. */
  readonly damaged?: DocumentDamage['documents'];
}

/** Options of the checks: the settings, whether to repair, and where to show progress. */
export interface CheckOptions {
  readonly config: Config;
  readonly repair: boolean;
  /** True: rows with another checksum may be right, so none is moved. */
  readonly keepsRows?: boolean;
  readonly context: Context;
}
