import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const PATCH = pathToFileURL(path.resolve('dist/patches/saslprep.js')).href;

/**
 * Lets the driver log in twice by SCRAM-SHA-256 (RFC 7677) at a server that knows only one salt. It prints whether the driver proved the
 * prepared password, and when it loaded the package that prepares it.
 */
const LOG_IN = `
  import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
  import { createRequire } from 'node:module';
  const require = createRequire(createRequire(process.cwd() + '/').resolve('mongoose'));
  const { ScramSHA256 } = require('mongodb/lib/cmap/auth/scram.js');
  const { Binary } = require('mongodb');
  const isLoaded = () => Object.keys(require.cache).some((file) => file.includes('sparse-bitfield'));
  const modules = () => Object.entries(require.cache).filter(([file]) => file.includes('saslprep')).map(([, module]) => module);

  const [nonce, salt] = [Buffer.from('client'), Buffer.from('salt')];
  const first = 'r=' + nonce.toString('base64') + 'server,s=' + salt.toString('base64') + ',i=4096';
  const logIn = async () => {
    const sent = [];
    const command = async (_, { payload }) => {
      sent.push(payload.toString());
      if (sent.length === 2) throw new Error('proved');
      return { conversationId: 1, payload: new Binary(Buffer.from(first)) };
    };
    const credentials = { username: 'user', password: 'I\\u00ADX', source: 'admin' };
    await new ScramSHA256().auth({ connection: { command }, credentials, nonce }).catch(({ message }) => {
      if (message !== 'proved') throw new Error(message);
    });
    return sent;
  };

  const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
  const proofOf = (password, [start, end]) => {
    const clientKey = hmac(pbkdf2Sync(password, salt, 4096, 32, 'sha256'), 'Client Key');
    const message = [start.slice('n,,'.length), first, end.split(',p=')[0]].join(',');
    const signature = hmac(createHash('sha256').update(clientKey).digest(), message);
    return Buffer.from(clientKey.map((byte, index) => byte ^ signature[index])).toString('base64');
  };

  const isLoadedAtOnce = isLoaded();
  const sent = await logIn();
  const loaded = modules();
  await logIn();
  const isLoadedOnce = modules().every((module, index) => module === loaded[index]);
  console.log(JSON.stringify({ isLoadedAtOnce, isLoadedOnce, isProved: sent[1].endsWith(',p=' + proofOf('IX', sent)) }));
`;

const run = (before: string) => {
  const args = ['--input-type=module', '--eval', `${before};${LOG_IN}`];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as unknown;
};

test('the driver alone loads the tables of Unicode at once', () => {
  // If it does not by now, src/patches/saslprep.ts can go.
  expect(run('')).toEqual({ isLoadedAtOnce: true, isLoadedOnce: true, isProved: true });
});

test('with the patch it loads them once, when it prepares a password, which is the same', () => {
  const patched = run(`await import(${JSON.stringify(PATCH)})`);
  expect(patched).toEqual({ isLoadedAtOnce: false, isLoadedOnce: true, isProved: true });
});
