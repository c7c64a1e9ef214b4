import { createHash } from 'node:crypto';

/** One look-up by the driver: the stored token that a request carries. */
export async function findToken(tokens, req) {
  const [, tokenId, secret] = /^Bearer (\w+)\|(\S+)$/.exec(req.headers.authorization);
  const token = await tokens.findOne({ _id: tokenId });
  const hash = createHash('sha256').update(secret).digest('hex');
  if (token?.secretHash !== hash) {
    throw new Error('not a token');
  }
  return token;
}
