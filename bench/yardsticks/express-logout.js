/* Bare Express 5: a logout of one look-up and one delete by the bare driver. */
import { createServer } from 'node:http';
import express from 'express';
import { listen, openDatabase } from './listen.js';
import { findToken } from './token-lookup.js';

const tokens = (await openDatabase()).collection('access_tokens');
const app = express();
app.post('/api/v1/auth/logout', async (req, res) => {
  const { _id } = await findToken(tokens, req);
  const { deletedCount } = await tokens.deleteOne({ _id });
  if (deletedCount !== 1) {
    throw new Error('nothing was deleted');
  }
  res.json({ message: 'Logged out' });
});
await listen(createServer(app));
