/* The yardstick of a doctor's registration: busboy to disk, one bcrypt, and three inserts by the bare driver. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import bcrypt from 'bcrypt';
import { listen, openDatabase } from './listen.js';
import { receiveToDisk } from './receive-to-disk.js';

const database = await openDatabase();
// Collections of its own with the gateway's indexes, so that both insert into as much.
const [accounts, profiles, tokens] = ['accounts', 'doctor_profiles', 'access_tokens'].map((name) =>
  database.collection(`yardstick_${name}`),
);
await accounts.createIndex({ emailKey: 1 }, { unique: true });
await tokens.createIndex({ accountId: 1 });
for (const field of ['license_file', 'diploma_file', 'certification_file']) {
  await profiles.createIndex({ [field]: 1 });
}

async function register(req) {
  const { name, email, phone, password, ...profile } = await receiveToDisk(req);
  const passwordHash = await bcrypt.hash(password, Number(process.env.BCRYPT_COST));
  const [_id, createdAt] = [randomBytes(12).toString('hex'), new Date()];
  const secretHash = randomBytes(32).toString('hex');
  await profiles.insertOne({ _id, ...profile, createdAt });
  const token = { _id: randomBytes(12).toString('hex'), accountId: _id, secretHash, createdAt };
  await tokens.insertOne({ name: 'doctor-token', abilities: ['create', 'update', 'delete'], ...token });
  await accounts.insertOne({
    _id,
    name,
    email,
    emailKey: email,
    phone,
    role: 'doctor',
    passwordHash,
    createdAt,
  });
  return { data: { account: { id: _id, name, email, phone }, profile } };
}

await listen(
  createServer((req, res) =>
    register(req).then((answer) => {
      const body = Buffer.from(JSON.stringify(answer));
      res.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
    }),
  ),
);
