import { setTimeout as sleep } from 'node:timers/promises';
import { withConnections } from '../support/connection.js';
import { meRequest } from '../support/requests.js';
import { anonymousMebibytes, residentMebibytes, startProduction } from '../support/server.js';

const LIMIT_MEBIBYTES = 160;
/** After the first answer. */
const REST_MILLIS = 10_000;

/** The memory of a gateway with its embedded database in the process, which has answered one request. */
async function atRest(measure) {
  const gateway = await startProduction();
  await withConnections(gateway.port, 1, ([connection]) => connection.exchange(meRequest()));
  await sleep(REST_MILLIS);
  const mebibytes = measure(gateway.pid);
  await gateway.stop();
  return mebibytes;
}

export const row = {
  what: 'resident memory at rest, with the embedded database in the process',
  yardstick: 'the limit',
  unit: ' MiB',
  reach: { most: 1 },
  isWarm: false,
  open: async () => ({
    yardstick: async () => LIMIT_MEBIBYTES,
    value: () => atRest(residentMebibytes),
    others: { 'without pages of files, MiB': () => atRest(anonymousMebibytes) },
    close: async () => {},
  }),
};
