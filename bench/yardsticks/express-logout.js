/* Bare Express 5: a logout of one look-up, one delete and the insert of its event by the bare driver. */
import { createServer } from 'node:http';
import express from 'express';
import { listen, openDatabase } from './listen.js';
import { findToken } from './token-lookup.js';

const database = await openDatabase();
const [tokens, events] = [database.collection('access_tokens'), database.collection('logouts')];
const app = express();
app.post('/api/v1/auth/logout', async (req, res) => {
  const { _id, accountId } = await findToken(tokens, req);
  const { deletedCount } = await tokens.deleteOne({ _id });
  if (deletedCount !== 1) {
    throw new Error('nothing was deleted');
  }
  await events.insertOne({ at: new Date(), accountId, tokenId: _id, ip: req.ip });
  res.json({ message: 'Logged out' });
});
await listen(createServer(app));
