import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { succeed, withConnections } from '../support/connection.js';
import { pdfOf, registrationRequest } from '../support/doctor-form.js';
import { rateOfEach } from '../support/load.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const CLIENTS = 4;
const DOCUMENT = pdfOf(1024 * 1024);

/** Removes the files of a measurement, so that they are not written to the disk during the next, and do not fill it. */
function removeFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      rmSync(path.join(entry.parentPath, entry.name));
    }
  }
}

export const row = {
  what: `doctor registration, 3 x 1 MiB, bcrypt cost 4, ${CLIENTS} clients`,
  yardstick: 'busboy to disk, one bcrypt, three driver inserts',
  unit: '/s',
  reach: { least: 0.95 },
  async open({ quick }) {
    const each = quick ? 40 : 150;
    const database = await startDatabase();
    const settings = { MONGODB_URI: database.uri, BCRYPT_COST: '4' };
    const gateway = await startProduction(settings);
    const yardstick = await startYardstick('registration', settings);
    let people = 0;
    const registerAll = async ({ port, folder }) => {
      const requests = Array.from({ length: each }, (_, i) =>
        registrationRequest(`doctor-${people + i}@bench.example`, DOCUMENT),
      );
      people += each;
      const perSecond = await withConnections(port, CLIENTS, (connections) =>
        rateOfEach(requests, CLIENTS, (i, request) => succeed(connections[i], request)),
      );
      removeFiles(folder.STORAGE_DIR);
      return perSecond;
    };
    return {
      yardstick: () => registerAll(yardstick),
      value: () => registerAll(gateway),
      processes: { yardstick: [yardstick.pid, database.pid], value: [gateway.pid, database.pid] },
      close: async () => {
        for (const server of [gateway, yardstick, database]) {
          await server.stop();
        }
      },
    };
  },
};
