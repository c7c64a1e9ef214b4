import bcrypt from 'bcrypt';
import { rate } from '../support/load.js';
import { CLIENTS, COST, loginTime, openLogins } from '../support/logins.js';
import { PASSWORD } from '../support/seed.js';

export const row = {
  what: `login, bcrypt cost ${COST}, ${CLIENTS} clients`,
  yardstick: 'bare bcrypt, as many at a time',
  unit: '/s',
  reach: { least: 0.97 },
  // By cheap logins, instead.
  isWarm: false,
  async open({ quick }) {
    const { gateway, compile, loginRate, close } = await openLogins({ quick });
    await compile(gateway);
    const hash = await bcrypt.hash(PASSWORD, COST);
    return {
      yardstick: () => rate(() => bcrypt.compare(PASSWORD, hash), CLIENTS, loginTime(quick)),
      value: () => loginRate(gateway),
      close,
    };
  },
};
