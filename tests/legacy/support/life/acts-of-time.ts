import { isOver, toAccessToken } from '../../../../src/auth/tokens/token-lifetimes.ts';
import type { StoredAccessToken } from '../../../../src/stores/access-tokens.ts';
import { accountOf } from '../../../support/session.ts';
import { testClock } from '../../../support/test-app.ts';
import { type ActHere, aToken, type LifeHere } from './life-here.ts';
import { IDLE_MINUTES } from './world.ts';

const MINUTE = 60_000;
/** Longer than it takes until the use of a token is stored, which ends its idle time later. */
const SLACK_MINUTES = 10;

const LIFETIMES = { absoluteMillis: undefined, idleMillis: IDLE_MINUTES * MINUTE };
const TOKEN_LIFETIMES = { everyone: LIFETIMES, staff: LIFETIMES };

/** True for a token that the gateway refuses because its time is over. */
export const isOverHere = (token: StoredAccessToken): boolean =>
  isOver(toAccessToken(token, undefined, TOKEN_LIFETIMES), TOKEN_LIFETIMES, testClock.now());

/** Somebody uses a token. The gateway notes that a second later. */
export const useToken: ActHere = async (life) => {
  const token = aToken(life);
  if (token !== undefined) {
    await accountOf(life.world.app.url, token);
    await testClock.advance(1_000);
  }
};

/** Some tokens have an end of their own, which is near. */
export const letHoursPass: ActHere = async ({ random }) => {
  testClock.move((1 + random.below(3)) * 60 * MINUTE);
};

/** The columns of the legacy service end in 2038. */
const LAST_MILLIS = Date.UTC(2034);

/** Nobody uses a token for so long that its idle time ends. */
export const letIdleTimePass: ActHere = async () => {
  if (testClock.now() < LAST_MILLIS) {
    testClock.move((IDLE_MINUTES + SLACK_MINUTES) * MINUTE);
  }
};

/** The database removes tokens whose time is over, as its indexes tell it to. */
export const removeOver: ActHere = async (life) => {
  const now = new Date(testClock.now());
  await tokensOf(life).deleteMany({ $or: [{ expiresAt: { $lte: now } }, { idleExpiresAt: { $lte: now } }] });
};

const tokensOf = ({ world }: LifeHere) => world.app.database.tokens;
