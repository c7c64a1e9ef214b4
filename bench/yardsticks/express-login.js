/* Bare Express 5: a login of one look-up, one bcrypt comparison and one insert by the bare driver. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import bcrypt from 'bcrypt';
import express from 'express';
import { listen, openDatabase } from './listen.js';

const database = await openDatabase();
const [accounts, tokens] = [database.collection('accounts'), database.collection('access_tokens')];
const app = express();
app.post('/api/v1/auth/login', express.json(), async (req, res) => {
  const { email, password } = req.body;
  const { _id: accountId, name, passwordHash } = await accounts.findOne({ emailKey: email });
  if (!(await bcrypt.compare(password, passwordHash))) {
    throw new Error('the password is another');
  }
  const [_id, secretHash] = [randomBytes(12).toString('hex'), randomBytes(32).toString('hex')];
  await tokens.insertOne({ _id, accountId, secretHash, createdAt: new Date() });
  res.json({ token: `${_id}|${secretHash}`, name });
});
await listen(createServer(app));
