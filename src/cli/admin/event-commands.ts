import type { EndpointFigures } from '../../auth/events/event-figures.ts';
import { presentEvent } from '../../auth/events/present-event.ts';
import type { StoredEvent } from '../../stores/events.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import type { AdminCommand } from './command.ts';
import { readCount, tableOf } from './paging.ts';

const EVENTS = tableOf(['POSITION', 9], ['TYPE', 22], ['AT', 24], ['ACCOUNT', 24], ['STATE', 10]);
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;

const lineOf = (row: StoredEvent): Line => {
  const { id = 'all', state = '' } = row.account ?? {};
  return {
    text: EVENTS.row(row._id, row.type, row.at.toISOString(), id, state),
    json: { position: row._id, ...presentEvent(row) },
  };
};

export const listEvents: AdminCommand = {
  usage: '[--limit N]',
  summary: 'shows the newest events that services can read, the newest last. Default: 20',
  options: ['limit'],
  prepare: ({ limit }) => {
    const count = limit === undefined ? DEFAULT_LIMIT : readCount('limit', limit, MAX_LIMIT);
    return async function* ({ eventAdmin }): AsyncGenerator<Line> {
      const rows = await eventAdmin.newest(count);
      yield { text: rows.length > 0 ? EVENTS.heading : 'No events were published.' };
      yield* rows.map(lineOf);
    };
  },
};

const WEBHOOKS = tableOf(
  ['ENDPOINT', 20],
  ['STATE', 10],
  ['WAITING', 10],
  ['LAST ANSWER', 14],
  ['SET ASIDE', 9],
);

const endpointLine = ({ name, state, waitingMillis }: EndpointFigures): Line => {
  const word = !state
    ? 'not begun'
    : state.disabledAt
      ? 'disabled'
      : state.failures > 0
        ? 'failing'
        : 'sending';
  const seconds = Math.round(waitingMillis / 1_000);
  const { lastOutcome, lastDeliveredAt, setAside, position, nextAttemptAt, failures } = state ?? {};
  return {
    text: WEBHOOKS.row(name, word, `${seconds} s`, lastOutcome ?? 'none', setAside ?? 0),
    json: {
      name,
      state: word,
      waitingSeconds: seconds,
      lastOutcome,
      lastDeliveredAt,
      setAside,
      position,
      nextAttemptAt,
      failures,
    },
  };
};

export const listWebhooks: AdminCommand = {
  usage: '',
  summary: 'shows how far the delivery to each endpoint of WEBHOOKS is',
  options: [],
  prepare: () =>
    async function* ({ eventAdmin }): AsyncGenerator<Line> {
      const endpoints = await eventAdmin.endpoints();
      yield { text: endpoints.length > 0 ? WEBHOOKS.heading : 'WEBHOOKS has no endpoints.' };
      yield* endpoints.map(endpointLine);
    },
};

export const testWebhook: AdminCommand = {
  usage: '--name NAME',
  summary:
    'sends a test message to an endpoint of WEBHOOKS. If it arrives, a postponed or disabled delivery continues',
  options: ['name'],
  prepare: ({ name }) => {
    if (name === undefined) {
      throw new UsageError('Say which endpoint: --name NAME.');
    }
    return async function* ({ eventAdmin }): AsyncGenerator<Line> {
      const status = await eventAdmin.test(name);
      yield { text: `The endpoint answered ${status}.`, json: { status } };
    };
  },
};
