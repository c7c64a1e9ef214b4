/* Bare Express 5: introspection and forward authentication with one look-up of token and account by the bare driver. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import { listen, openDatabase } from './listen.js';

const tokens = (await openDatabase()).collection('access_tokens');

async function find(presented) {
  const [, tokenId, secret] = /^(\w+)\|(\S+)$/.exec(presented);
  const [token] = await tokens
    .aggregate([
      { $match: { _id: tokenId } },
      { $lookup: { from: 'accounts', localField: 'accountId', foreignField: '_id', as: 'accounts' } },
    ])
    .toArray();
  if (token?.secretHash !== createHash('sha256').update(secret).digest('hex')) {
    throw new Error('not a token');
  }
  return { token, account: token.accounts[0] };
}

const app = express();
app.post('/oauth/introspect', express.urlencoded(), async (req, res) => {
  const { token, account } = await find(req.body.token);
  const { _id: sub, name, role } = account;
  res.json({ active: true, sub, jti: token._id, token_type: 'Bearer', scope: '*', name, role });
});
app.get('/forward-auth', async (req, res) => {
  const { account } = await find(req.headers.authorization.slice('Bearer '.length));
  res.set({ 'X-Auth-Account': account._id, 'X-Auth-Role': account.role }).status(204).end();
});
await listen(createServer(app));
