import type { MongoClient } from 'mongodb';

/** The order in which work and a `ping` that is sent after it are answered. Rejects as the work does. */
export async function orderBesidePing(
  client: MongoClient,
  work: () => Promise<unknown>,
): Promise<('work' | 'ping')[]> {
  const ping = () => client.db('test').command({ ping: 1 });
  // Two connections are open then, and both commands are sent at once.
  await Promise.all([ping(), ping()]);
  const answered: ('work' | 'ping')[] = [];
  const working = work().finally(() => answered.push('work'));
  await ping();
  answered.push('ping');
  await working;
  return answered;
}
