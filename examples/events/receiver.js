/*
 * Follows the feed of events (docs/events.md). The cursor is in the same file as the data, and so in the same write. With a database, use a
 * transaction.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const {
  GATEWAY = 'http://127.0.0.1:4000',
  SERVICE = 'records',
  SECRET = '',
  FILE = 'records.json',
} = process.env;
const headers = { Authorization: `Basic ${Buffer.from(`${SERVICE}:${SECRET}`).toString('base64')}` };

/** What this service knows: the state of each account, and the cursor. */
function load() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return { accounts: {}, next: null };
  }
}

/** Both at once: a kill leaves the former file or the new one. */
function save(data) {
  writeFileSync(`${FILE}.new`, JSON.stringify(data));
  renameSync(`${FILE}.new`, FILE);
}

const ask = (path, options = {}) => fetch(`${GATEWAY}${path}`, { headers, ...options });

function apply(accounts, { id, state }) {
  if (state === 'erased') {
    delete accounts[id];
  } else {
    accounts[id] = state;
  }
}

/** The first start, and after a 410. */
async function beginAgain({ accounts }) {
  const { next } = await (await ask('/events')).json();
  const ids = Object.keys(accounts);
  for (let at = 0; at < ids.length; at += 500) {
    const body = JSON.stringify({ ids: ids.slice(at, at + 500) });
    const answer = await ask('/events/accounts', {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    for (const account of (await answer.json()).accounts) {
      apply(accounts, account);
    }
  }
  save({ accounts, next });
}

for (;;) {
  const data = load();
  try {
    if (data.next === null) {
      await beginAgain(data);
      continue;
    }
    const answer = await ask(`/events?wait=20&after=${data.next}`);
    if (answer.status === 410) {
      save({ ...data, next: null });
    } else if (answer.ok) {
      const { events, next } = await answer.json();
      for (const { account } of events) {
        if (account) {
          apply(data.accounts, account);
        }
      }
      if (next !== data.next) {
        save({ ...data, next });
      }
    } else {
      throw new Error(`the gateway answered ${answer.status}`);
    }
  } catch (error) {
    console.error(error.message);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
