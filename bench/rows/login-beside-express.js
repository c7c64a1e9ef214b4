import { CLIENTS, COST, openLogins } from '../support/logins.js';
import { startYardstick } from '../support/server.js';

/** The most that a server around the hash reaches on the machine. */
export const row = {
  what: `login, bcrypt cost ${COST}, ${CLIENTS} clients, beside Express`,
  yardstick: 'bare Express with one driver look-up, the hash and one insert',
  unit: '/s',
  reach: { least: 0.99 },
  // By cheap logins, instead.
  isWarm: false,
  async open({ quick }) {
    const { gateway, uri, compile, loginRate, close } = await openLogins({ quick });
    const express = await startYardstick('express-login', { MONGODB_URI: uri });
    for (const server of [express, gateway]) {
      await compile(server);
    }
    return {
      yardstick: () => loginRate(express),
      value: () => loginRate(gateway),
      close: () => express.stop().finally(close),
    };
  },
};
