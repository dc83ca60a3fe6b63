// The process that makes a backup beside a running server and verifies it, with the code of `cardea
// backup`: the checks of the copy would block all requests of the server.
// Invariant: ends with its parent, or when told, and then leaves no part of a backup.
import { setPriority } from 'node:os';
import { ServiceError } from '../../errors.ts';
import { answerParent } from '../../scheduling/child-process.ts';
import { type BackupRequest, backUp, verifyBackup } from './backup.ts';

/** The lowest: requests come first. */
const PRIORITY = 19;

/** `backUp` removes its files when this throws. */
function refuseIfEnded(): void {
  if (!process.connected) throw new ServiceError('unavailable', 'The server has ended.');
}

answerParent(async (request: BackupRequest) => {
  setPriority(PRIORITY);
  await backUp(request, { progress: refuseIfEnded });
  return verifyBackup(request.directory, { progress: refuseIfEnded });
});
